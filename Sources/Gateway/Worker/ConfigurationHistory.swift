/// The configurations before the one that is served by.
struct ConfigurationHistory {
    /// Those that requests under way still refer to.
    var retired: [RetiredConfiguration] = []
    /// Said when no request refers to a configuration any more that was replaced.
    let onRetired: @Sendable (_ generation: UInt32) -> Void

    init(onRetired: @escaping @Sendable (_ generation: UInt32) -> Void) { self.onRetired = onRetired }
}
