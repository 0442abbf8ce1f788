public import Crypto

/// One worker's keys of one key set, ready to verify.
///
/// Keys of different issuers are never in one of these: a token is verified with the keys of the issuer it names
/// and of no other, even where two issuers use the same `kid` (JOSE-21).
public final class VerificationKeys {
    private struct Entry {
        let jwk: JWK
        let key: VerificationKey
    }

    private let entries: [Entry]

    /// Signatures tried for a token at most (JOSE-15): each costs tens of microseconds, and any sender can ask.
    public static let maximumAttempts = 3

    /// Prepares each key of `set`.
    ///
    /// - Parameter tables: for keys that verify again and again; those of a single answer need none.
    public init(_ set: KeySet, tables: PointTables? = nil) {
        var entries: [Entry] = []
        for jwk in set.keys {
            // `KeySet.parse` has left out every key for which this fails.
            guard let key = try? jwk.makeVerificationKey(tables: tables) else { continue }
            entries.append(Entry(jwk: jwk, key: key))
        }
        self.entries = entries
    }

    /// The keys prepared.
    public var count: Int { entries.count }

    /// Refuses `jws` unless one of these keys signed it by an algorithm of `algorithms`; returns that key.
    ///
    /// With a `kid`, only keys of that name are tried, told apart by type, curve and `alg` where several share it
    /// (JOSE-16). Without one, every fitting key is, when they are three at most.
    public func verify(
        _ jws: CompactJWS, algorithms: [SignatureAlgorithm]
    ) throws(JOSERefusal) -> JWK {
        guard let algorithm = jws.header.algorithm, algorithms.contains(algorithm)
        else { throw .algorithmNotAllowed }
        var candidates: InlineArray<3, Int> = [0, 0, 0]
        var count = 0
        for (index, entry) in entries.enumerated() where entry.jwk.fits(algorithm) {
            if let keyID = jws.header.keyID, !Self.equal(entry.jwk.keyID, keyID) { continue }
            guard count < Self.maximumAttempts else { throw .tooManyKeys }
            candidates[count] = index
            count += 1
        }
        guard count > 0 else { throw .unknownKey }
        let message = jws.bytes.span.extracting(0..<jws.signingInputCount)
        for attempt in 0..<count {
            let entry = entries[candidates[attempt]]
            if entry.key.verify(jws.signature.span, of: message, by: algorithm.scheme) { return entry.jwk }
        }
        throw .signatureInvalid
    }

    /// Byte by byte: two names that only Unicode holds for equal are two names.
    private static func equal(_ keyID: String?, _ other: String) -> Bool {
        guard let keyID else { return false }
        return keyID.utf8.elementsEqual(other.utf8)
    }
}
