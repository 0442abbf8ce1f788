// SPDX-License-Identifier: Apache-2.0
import JOSE

/// Which keys a set holds, whatever their order: what decides whether a later set took any of them away.
struct KeyInventory: Sendable, Equatable {
    private var keys: Set<Entry> = []

    /// An empty inventory.
    init() {}

    /// What is in `set`.
    init(_ set: KeySet) { keys = Set(set.keys.map(Entry.init)) }

    /// How many of these keys are not in `other`.
    func countMissing(in other: KeyInventory) -> Int { keys.subtracting(other.keys).count }

    /// A key by what it is and by what it may be used for: one that changed either is another key.
    private struct Entry: Hashable {
        let thumbprint: SHA256Digest
        let keyID: String?
        let algorithm: SignatureAlgorithm?
        init(_ key: JWK) {
            thumbprint = key.thumbprint
            keyID = key.keyID
            algorithm = key.algorithm
        }
    }
}
