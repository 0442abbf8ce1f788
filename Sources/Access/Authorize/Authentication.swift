/// When a user was authenticated, held against the clock.
package struct Authentication: Sendable {
    private let time: Int64
    private let now: Int64
    private let leeway: Int64

    /// Authenticated at `time`, in Unix seconds as `now` is; clocks may differ by `leeway`.
    package init(at time: Int64, now: Int64, leeway: Int64) {
        self.time = time
        self.now = now
        self.leeway = leeway
    }

    /// Whether it was at most `maximumAge` seconds ago (RFC 9470 §3, STEP-02).
    ///
    /// A time in the future is nobody's authentication: it would stay fresh until then and after.
    package func isRecent(maximumAge: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(time)
        guard !overflow, age >= -leeway else { return false }
        return age <= maximumAge.addingReportingOverflow(leeway).partialValue
    }
}
