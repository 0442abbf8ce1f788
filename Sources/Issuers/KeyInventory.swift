import JOSE

/// Which keys a set holds, whatever their order: what decides whether a later set took any of them away.
struct KeyInventory: Sendable, Equatable {
    /// A key by what it is and by what it may be used for: one that changed either is another key.
    private var keys: Set<JWK> = []

    /// An empty inventory.
    init() {}

    /// What is in `set`.
    init(_ set: KeySet) { keys = Set(set.keys) }

    /// How many of these keys are not in `other`.
    func countMissing(in other: KeyInventory) -> Int { keys.subtracting(other.keys).count }
}
