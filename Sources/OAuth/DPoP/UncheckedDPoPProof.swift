import Bytes
public import Crypto
import JOSE
import JSON

/// A DPoP proof as it arrived: well-formed, with a sound key, and otherwise whatever its sender wrote (RFC 9449 §4.3).
///
/// Checked in three steps, so that a nonce can be asked for between the second and the third: `init`, `check`,
/// `verify`. Nothing is remembered of a proof before the last one has succeeded.
public struct UncheckedDPoPProof {
    /// What the signature covers.
    private let bytes: [UInt8]
    private let signature: [UInt8]
    private let key: ProofKey
    private let isKnown: Bool
    private let keys: ProofKeys
    private let rules: DPoPRules
    let claims: DPoPClaims

    /// Takes `proof` apart: its syntax, then `typ`, `alg` and `jwk`, then that every claim is there.
    ///
    /// - Parameter keys: the worker's; a header it knows is not read again.
    public init(_ proof: Span<UInt8>, rules: DPoPRules, keys: ProofKeys) throws(DPoPRefusal) {
        let payload: JSONValue
        let header: JWSHeader?
        let segments: JWSSegments
        let digest: SHA256Digest
        let known: ProofKey?
        do throws(JOSERefusal) {
            segments = try JWSSegments(proof, maximumBytes: rules.maximumBytes)
            let headerSegment = proof.extracting(segments.header)
            digest = SHA256.hash(headerSegment)
            known = keys.find(header: digest)
            header = known == nil ? try JWSHeader(segment: headerSegment) : nil
            guard let signature = Base64URL.decode(proof.extracting(segments.signature)) else { throw .notBase64URL }
            self.signature = signature
            payload = try Self.payload(proof.extracting(segments.payload), maximumBytes: rules.maximumBytes)
        } catch {
            throw error == .tooLarge ? .tooLarge : .malformed(error)
        }
        if let known {
            guard rules.algorithms.contains(known.algorithm) else { throw .algorithmNotAllowed(known.algorithm.name) }
            key = known
        } else if let header {
            key = try Self.key(of: header, digest, rules: rules, keys: keys)
        } else {
            throw .keyMissing
        }
        claims = try DPoPClaims(payload, rules: rules)
        bytes = [UInt8](copying: proof.extracting(segments.signingInput))
        isKnown = known != nil
        self.keys = keys
        self.rules = rules
    }

    private static func payload(_ segment: Span<UInt8>, maximumBytes: Int) throws(JOSERefusal) -> JSONValue {
        guard let bytes = Base64URL.decode(segment) else { throw .notBase64URL }
        let claims: JSONValue
        do throws(JSONRefusal) {
            claims = try JSONValue.parse(owned: bytes, limits: JSONLimits(bytes: maximumBytes))
        } catch {
            throw .claimsNotJSON(error)
        }
        guard claims.kind == .object else { throw .claimsNotObject }
        return claims
    }

    /// The key in a header that is not known: public, sound, in its one spelling, and for `alg` (DPOP-02…DPOP-04).
    ///
    /// `kid`, `jku` and the `x5` parameters say nothing here: the key is in the proof (DPOP-26).
    private static func key(
        of header: JWSHeader, _ digest: SHA256Digest, rules: DPoPRules, keys: ProofKeys
    ) throws(DPoPRefusal) -> ProofKey {
        guard header.hasType("dpop+jwt") else { throw .typeNotAccepted(header.type) }
        guard let algorithm = header.algorithm, rules.algorithms.contains(algorithm)
        else { throw .algorithmNotAllowed(header.algorithmName) }
        guard let value = header.parameters["jwk"], value.kind == .object else { throw .keyMissing }
        let jwk: JWK
        do throws(KeyRefusal) {
            jwk = try JWK(value)
        } catch {
            throw error == .privateMaterial || error == .symmetric ? .keyNotPublic : .keyInvalid(error)
        }
        guard jwk.fits(algorithm) else { throw .keyInvalid(.algorithmMismatch) }
        let key: VerificationKey
        if let known = keys.find(thumbprint: jwk.thumbprint) {
            key = known
        } else {
            do throws(CryptoRefusal) {
                key = try jwk.makeVerificationKey(tables: keys.tables)
            } catch {
                throw .keyInvalid(.material(error))
            }
        }
        return ProofKey(header: digest, algorithm: algorithm, key: key, thumbprint: jwk.thumbprint)
    }

    /// `nonce` as written, not yet known to be ours.
    public var nonce: ArraySlice<UInt8>? { claims.nonce }

    /// Whether `htm` is this method.
    package func claimsMethod(_ method: Span<UInt8>) -> Bool { Self.equal(claims.method.span, method) }

    /// `htm` as written, for those who run the server.
    package var claimedMethod: String { String(decoding: claims.method, as: UTF8.self) }

    /// `htu` without query, fragment and userinfo, which are nobody's business, for those who run the server.
    package var claimedTarget: String {
        let target = claims.target.prefix(TargetPath.length(in: claims.target.span))
        guard let sign = target.lastIndex(of: UInt8(ascii: "@")) else { return String(decoding: target, as: UTF8.self) }
        return "[userinfo]@" + String(decoding: target[(sign + 1)...], as: UTF8.self)
    }

    /// Refuses a proof for another request or another time: `htm`, `htu`, `iat`.
    ///
    /// - Parameters:
    ///   - method: the request's, as received.
    ///   - path: the request's, as received; a query is left out.
    ///   - bases: the public URLs under which the request may have been sent (DPOP-09).
    ///   - now: seconds since 1970.
    ///   - checksTime: false where a nonce says how old the proof can be at most (DPOP-10).
    public func check(
        method: Span<UInt8>, path: Span<UInt8>, bases: [TargetBase], now: Int64, checksTime: Bool
    ) throws(DPoPRefusal) {
        guard Self.equal(claims.method.span, method) else { throw .methodMismatch }
        guard isMeant(for: path, under: bases) else { throw .targetMismatch }
        guard checksTime else { return }
        // Both dates are within 2^53; a fraction counts to the strict side.
        let age = now &- claims.issuedAt.floor
        guard age <= Int64(rules.pastSeconds) else { throw .claim(.issuedTooEarly(secondsAgo: age)) }
        let lead = claims.issuedAt.ceiling &- now
        guard lead <= Int64(rules.futureSeconds) else { throw .claim(.issuedInFuture(secondsLeft: lead)) }
    }

    private func isMeant(for path: Span<UInt8>, under bases: [TargetBase]) -> Bool {
        for base in bases where base.matches(claims.target.span, path: path) { return true }
        return false
    }

    /// Refuses a proof for another token, with a signature that does not hold, or of another key than the token's.
    ///
    /// - Parameters:
    ///   - tokenDigest: SHA-256 of the token as sent, whatever kind it is.
    ///   - thumbprint: the token's `cnf.jkt`.
    public func verify(
        tokenDigest: SHA256Digest, boundTo thumbprint: SHA256Digest
    ) throws(DPoPRefusal) -> VerifiedProof {
        guard SHA256Digest(base64URL: claims.tokenHash.span) == tokenDigest else { throw .tokenHashMismatch }
        guard key.key.verify(signature.span, of: bytes.span, by: key.algorithm.scheme) else { throw .signatureInvalid }
        guard key.thumbprint == thumbprint else { throw .keyMismatch }
        if !isKnown { keys.keep(key) }
        var identity = key.replayPrefix
        identity.append(contentsOf: claims.id)
        return VerifiedProof(
            thumbprint: key.thumbprint, replayKey: SHA256.hash(identity.span), issuedAt: claims.issuedAt.floor)
    }

    private static func equal(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
