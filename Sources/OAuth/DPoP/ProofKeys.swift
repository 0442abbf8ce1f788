public import Crypto
import JOSE

/// A client's key as the header of its proofs spells it.
final class ProofKey {
    /// SHA-256 of the header's segment as received.
    let header: SHA256Digest
    let algorithm: SignatureAlgorithm
    let key: VerificationKey
    /// RFC 7638.
    let thumbprint: SHA256Digest
    /// What the identity of each of its proofs begins with: the thumbprint and a zero (DPOP-15).
    let replayPrefix: [UInt8]
    /// Looked up since the hand of the clock passed.
    fileprivate var wasUsed = false

    init(header: SHA256Digest, algorithm: SignatureAlgorithm, key: VerificationKey, thumbprint: SHA256Digest) {
        self.header = header
        self.algorithm = algorithm
        self.key = key
        self.thumbprint = thumbprint
        replayPrefix = thumbprint.bytes + [0]
    }
}

/// One worker's memory of the keys that clients have shown, so that their next proofs cost a digest instead of a
/// header to read and a key to set up.
///
/// A client's proofs all have the same header. Only a header whose signature held, by the key that a token was bound
/// to, is remembered: neither strangers nor clients with made-up keys can push others out. A key has one place
/// however many headers it is spelt in.
public final class ProofKeys {
    /// Where busy keys have their multiples precomputed, if anywhere.
    public let tables: PointTables?
    private let limit: Int
    private var places: [ProofKey] = []
    private var byHeader: [SHA256Digest: Int] = [:]
    private var byThumbprint: [SHA256Digest: Int] = [:]
    private var hand = 0
    /// Proofs whose header was known.
    private(set) var hits: UInt64 = 0
    /// Proofs whose header was not.
    private(set) var misses: UInt64 = 0

    /// Remembers `limit` keys at most, of some 4 KB each.
    public init(limit: Int, tables: PointTables? = nil) {
        self.tables = tables
        self.limit = limit
    }

    /// Keys remembered.
    public var count: Int { places.count }

    /// The key of a header seen before; counted.
    func find(header: SHA256Digest) -> ProofKey? {
        guard let place = byHeader[header] else {
            misses += 1
            return nil
        }
        hits += 1
        places[place].wasUsed = true
        return places[place]
    }

    /// A key seen before, perhaps in another header.
    func find(thumbprint: SHA256Digest) -> VerificationKey? {
        byThumbprint[thumbprint].map { places[$0].key }
    }

    /// Remembers a key that was shown; where there is no room, instead of one that was not used lately (CLOCK).
    func keep(_ key: ProofKey) {
        guard limit > 0, byHeader[key.header] == nil else { return }
        if let place = byThumbprint[key.thumbprint] {
            byHeader[places[place].header] = nil
            places[place] = key
            byHeader[key.header] = place
            return
        }
        let place = freePlace(for: key)
        byHeader[key.header] = place
        byThumbprint[key.thumbprint] = place
    }

    private func freePlace(for key: ProofKey) -> Int {
        guard places.count >= limit else {
            places.append(key)
            return places.count - 1
        }
        while places[hand].wasUsed {
            places[hand].wasUsed = false
            hand = (hand + 1) % places.count
        }
        let place = hand
        byHeader[places[place].header] = nil
        byThumbprint[places[place].thumbprint] = nil
        places[place] = key
        hand = (hand + 1) % places.count
        return place
    }
}
