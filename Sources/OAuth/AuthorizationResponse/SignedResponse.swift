import Bytes
import Crypto
import JOSE
import JSON

/// An authorization response in a JWT that its server signed, and perhaps encrypted to us (JARM §2.3).
struct SignedResponse: Sendable {
    private let jwt: UncheckedJWT
    private let wasEncrypted: Bool

    /// Takes `token` apart, decrypted where it has to be; nothing of it is believed yet.
    init(_ token: Span<UInt8>, decryption: [DecryptionJWK]) throws(AuthorizationResponseRefusal) {
        wasEncrypted = CompactJWE.isJWE(token)
        guard wasEncrypted else {
            jwt = try Self.parse(token)
            return
        }
        guard !decryption.isEmpty else { throw .encrypted }
        let inner: [UInt8]
        do throws(JWERefusal) {
            inner = try CompactJWE.decrypt(
                token, with: decryption, maximumBytes: AuthorizationResponseRules.maximumBytes
            ).plaintext
        } catch {
            throw .notDecrypted(error)
        }
        // Anybody can encrypt to a public key: what is in there is signed, or it is nobody's (JOSE-24).
        jwt = try Self.parse(inner.span)
    }

    private static func parse(_ token: Span<UInt8>) throws(AuthorizationResponseRefusal) -> UncheckedJWT {
        do throws(JOSERefusal) {
            return try UncheckedJWT.parse(token, maximumBytes: AuthorizationResponseRules.maximumBytes)
        } catch {
            throw .notJWT(error)
        }
    }

    /// `state`, for finding the transaction before anything is checked; nil when there is none that is a string.
    var state: [UInt8]? { jwt.claims["state"]?.utf8 }

    /// What the response says, checked in the order of JARM §2.4: `iss`, `aud`, `exp`, signature (CF-28).
    func verify(
        _ rules: AuthorizationResponseRules, keys: VerificationKeys?, now: Int64
    ) throws(AuthorizationResponseRefusal) -> AuthorizationResponse {
        guard wasEncrypted || !rules.mustBeEncrypted else { throw .notEncrypted }
        let issuer = try required("iss")
        guard issuer.equals(rules.issuer) else { throw .issuerMismatch }
        try checkAudience(rules.clientID)
        try checkExpiry(rules, now: now)
        try checkType()
        try checkSignature(rules.signature, keys: keys)
        for name in ["access_token", "id_token"] where jwt.claims[name] != nil { throw .tokensInResponse }
        return try ResponseParameters.outcome(code: try string("code"), error: try string("error"))
    }

    private func required(_ name: String) throws(AuthorizationResponseRefusal) -> JSONValue {
        guard let value = jwt.claims[name] else { throw .missing(name) }
        return value
    }

    private func string(_ name: String) throws(AuthorizationResponseRefusal) -> [UInt8]? {
        guard let value = jwt.claims[name] else { return nil }
        guard let bytes = value.utf8 else { throw .malformed(name) }
        return bytes
    }

    /// This client alone: with a second audience, one response would be two logins.
    private func checkAudience(_ clientID: String) throws(AuthorizationResponseRefusal) {
        let value = try required("aud")
        let audiences = value.kind == .array ? value.elements : [value]
        guard audiences.count == 1, audiences[0].equals(clientID) else { throw .audienceMismatch }
    }

    private func checkExpiry(_ rules: AuthorizationResponseRules, now: Int64) throws(AuthorizationResponseRefusal) {
        guard let expiry = NumericDate(try required("exp")) else { throw .malformed("exp") }
        guard now < expiry.floor + rules.clampedLeeway else { throw .expired(secondsAgo: now - expiry.floor) }
    }

    /// JARM gives its tokens no type; what has one of another kind was signed for another purpose (RFC 8725 §3.11).
    private func checkType() throws(AuthorizationResponseRefusal) {
        guard jwt.header.type == nil || ["JWT", "jarm+jwt"].contains(where: jwt.header.hasType)
        else { throw .typeNotAccepted }
    }

    private func checkSignature(
        _ signature: IDTokenRules.Signature, keys: VerificationKeys?
    ) throws(AuthorizationResponseRefusal) {
        do throws(JOSERefusal) {
            switch signature {
            case .algorithms(let algorithms):
                guard let algorithm = jwt.header.algorithm, algorithms.contains(algorithm)
                else { throw JOSERefusal.algorithmNotAllowed }
                guard let keys else { throw JOSERefusal.unknownKey }
                _ = try keys.verify(jwt.jws, algorithms: algorithms)
            case .secret(let algorithm, let secret):
                guard let key = try? algorithm.key(secret) else { throw JOSERefusal.signatureInvalid }
                try jwt.jws.verify(algorithm, key)
            }
        } catch {
            switch error {
            case .algorithmNotAllowed: throw .algorithmNotAllowed(jwt.header.algorithmName)
            case .unknownKey: throw keys == nil ? .keysMissing : .unknownKey
            case .tooManyKeys: throw .tooManyKeys
            case .signatureInvalid: throw .signatureInvalid
            default: throw .notJWT(error)
            }
        }
    }
}
