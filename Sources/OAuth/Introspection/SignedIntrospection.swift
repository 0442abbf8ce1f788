import JOSE
import JSON

/// An answer about a token that the issuer signed (RFC 9701 §5).
struct SignedIntrospection {
    private let jwt: UncheckedJWT

    /// Takes the body apart.
    init(_ body: [UInt8], maximumBytes: Int) throws(IntrospectionRefusal) {
        do throws(JOSERefusal) {
            jwt = try UncheckedJWT.parse(body.span, limits: .filled(to: maximumBytes))
        } catch {
            throw .malformed(error)
        }
    }

    /// `token_introspection`, once its signature, sender, addressee and time are right (INT-08).
    ///
    /// The claims beside it are about the answer and never about the token.
    func verify(
        with keys: VerificationKeys?, rules: IntrospectionRules, audience: String, now: Int64
    ) throws(IntrospectionRefusal) -> JSONValue {
        // An access token or an ID token of the same issuer must not pass for an answer (RFC 9701 §8.1).
        guard jwt.header.hasType("token-introspection+jwt") else { throw .typeNotAccepted }
        guard let keys else { throw .keysMissing }
        try verifySignature(with: keys, algorithms: rules.algorithms)
        guard let issuer = jwt.claims["iss"] else { throw .missingClaim("iss") }
        guard issuer.equals(rules.issuer) else { throw .issuerMismatch }
        try checkAudience(audience)
        try checkTime(rules, now: now)
        guard let answer = jwt.claims["token_introspection"] else { throw .missingClaim("token_introspection") }
        guard answer.kind == .object else { throw .claimMalformed("token_introspection") }
        return answer
    }

    private func verifySignature(
        with keys: VerificationKeys, algorithms: [SignatureAlgorithm]
    ) throws(IntrospectionRefusal) {
        do throws(JOSERefusal) {
            _ = try keys.verify(jwt.jws, algorithms: algorithms)
        } catch {
            switch error {
            case .algorithmNotAllowed: throw .algorithmNotAllowed
            case .unknownKey: throw .unknownKey
            case .tooManyKeys: throw .tooManyKeys
            case .signatureInvalid: throw .signatureInvalid
            default: throw .malformed(error)
            }
        }
    }

    private func checkAudience(_ audience: String) throws(IntrospectionRefusal) {
        guard let value = jwt.claims["aud"] else { throw .missingClaim("aud") }
        let audiences = value.kind == .array ? value.elements : [value]
        guard !audiences.isEmpty, audiences.allSatisfy({ $0.kind == .string }) else { throw .claimMalformed("aud") }
        guard audiences.contains(where: { $0.equals(audience) }) else { throw .audienceMismatch }
    }

    private func checkTime(_ rules: IntrospectionRules, now: Int64) throws(IntrospectionRefusal) {
        guard let value = jwt.claims["iat"] else { throw .missingClaim("iat") }
        guard let date = NumericDate(value) else { throw .claimMalformed("iat") }
        let leeway = Int64(min(max(rules.leewaySeconds, 0), 300))
        guard now >= date.ceiling - leeway else { throw .issuedInFuture(secondsLeft: date.ceiling - now) }
        // Somebody may keep an answer and hand it out again when the token is revoked.
        guard now - date.floor <= Self.maximumAge else { throw .issuedTooEarly(secondsAgo: now - date.floor) }
    }

    /// Seconds after which an answer is no answer to what was asked.
    private static let maximumAge: Int64 = 300
}
