import Bytes
import JOSE
import JSON

/// An authorization response in a JWT that its server signed, and perhaps encrypted to us (JARM §2.3).
struct SignedResponse: Sendable {
    private let jwt: UncheckedJWT
    private let wasEncrypted: Bool

    /// Takes `token` apart, decrypted where it has to be; nothing of it is believed yet.
    init(_ token: Span<UInt8>, decryption: [DecryptionJWK]) throws(AuthorizationResponseRefusal) {
        wasEncrypted = CompactJWE.isJWE(token)
        let limits = JSONLimits(bytes: AuthorizationResponseRules.maximumBytes)
        do throws(EnvelopeRefusal) {
            jwt = try SignedEnvelope.takeApart(token, decryption: decryption, limits: limits)
        } catch {
            throw .envelope(error)
        }
    }

    /// `state`, for finding the transaction before anything is checked; nil when there is none that is a string.
    var state: [UInt8]? { jwt.claims["state"]?.utf8 }

    /// What the response says, checked in the order of JARM §2.4: `iss`, `aud`, `exp`, signature (CF-28).
    func verify(
        _ rules: AuthorizationResponseRules, keys: VerificationKeys?, now: Int64
    ) throws(AuthorizationResponseRefusal) -> AuthorizationResponse {
        guard wasEncrypted || !rules.mustBeEncrypted else { throw .envelope(.notEncrypted) }
        do throws(ClaimRefusal) {
            try checkIssuer(rules.issuer)
            try checkAudience(rules.clientID)
            try checkExpiry(rules, now: now)
        } catch {
            throw .claim(error)
        }
        do throws(EnvelopeRefusal) {
            let envelope = SignedEnvelope(response: rules)
            try envelope.checkType(jwt.header)
            _ = try envelope.verify(jwt, keys: keys)
        } catch {
            throw .envelope(error)
        }
        for name in ["access_token", "id_token"] where jwt.claims[name] != nil { throw .tokensInResponse }
        return try ResponseParameters.outcome(code: try string("code"), error: try string("error"))
    }

    private func required(_ name: String) throws(ClaimRefusal) -> JSONValue {
        guard let value = jwt.claims[name] else { throw .missing(name) }
        return value
    }

    private func string(_ name: String) throws(AuthorizationResponseRefusal) -> [UInt8]? {
        guard let value = jwt.claims[name] else { return nil }
        guard let bytes = value.utf8 else { throw .malformed(name) }
        return bytes
    }

    /// Code points, not characters: two issuers that Unicode holds for equal are two (CF-22).
    private func checkIssuer(_ issuer: String) throws(ClaimRefusal) {
        let value = try required("iss")
        guard let found = value.string else { throw .malformed("iss") }
        guard value.equals(issuer) else { throw .issuerMismatch(found) }
    }

    /// This client alone: with a second audience, one response would be two logins.
    private func checkAudience(_ clientID: String) throws(ClaimRefusal) {
        let value = try required("aud")
        let audiences = value.kind == .array ? value.elements : [value]
        guard audiences.count == 1, audiences[0].equals(clientID) else { throw .audienceMismatch }
    }

    private func checkExpiry(_ rules: AuthorizationResponseRules, now: Int64) throws(ClaimRefusal) {
        guard let expiry = NumericDate(try required("exp")) else { throw .malformed("exp") }
        guard now < expiry.floor + rules.clampedLeeway else { throw .expired(secondsAgo: now - expiry.floor) }
    }
}

extension SignedEnvelope {
    /// JARM gives its tokens no type; what has one of another kind was signed for another purpose (RFC 8725 §3.11).
    init(response rules: AuthorizationResponseRules) {
        self.init(
            signature: rules.signature, mustBeEncrypted: rules.mustBeEncrypted,
            maximumBytes: AuthorizationResponseRules.maximumBytes, types: ["JWT", "jarm+jwt"], mayLackType: true)
    }
}
