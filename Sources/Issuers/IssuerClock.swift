/// The time an `IssuerDirectory` lives by: a loop's in the gateway, a test's own in tests.
package protocol IssuerClock: Sendable {
    /// Now, with a fresh draw of randomness.
    func now() -> Moment
    /// Suspends until that much time has passed; a cancelled task wakes at once with an error.
    func sleep(milliseconds: Int) async throws
}
