/// How the reloads of the configuration went so far.
package struct ReloadReadings: Sendable, Equatable {
    package private(set) var applied: UInt64 = 0
    package private(set) var refused: UInt64 = 0
    /// Whether the configuration that was read last is the one in force.
    package private(set) var isLastApplied = true
    /// When the configuration in force came into force, in seconds since 1970; at first the start of the process.
    package private(set) var appliedAt: Int64

    init(appliedAt: Int64) { self.appliedAt = appliedAt }

    /// `isOfFile` is whether it is what the file says, and not what the file said before.
    mutating func count(applied isApplied: Bool, isOfFile: Bool, at time: Timestamp) {
        isLastApplied = isApplied && isOfFile
        if isApplied {
            applied += 1
            appliedAt = time.seconds
        } else {
            refused += 1
        }
    }
}
