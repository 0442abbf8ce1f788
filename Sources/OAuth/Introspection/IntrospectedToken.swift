import Bytes
import JOSE
import JSON

/// A token that its issuer says is active, once everything else it says was looked at (INT-04).
struct IntrospectedToken {
    /// The token; its claims are the answer without `active`.
    let token: VerifiedAccessToken

    /// Refuses what RFC 7662 §4 leaves to the resource server: times, issuer, and tokens of another kind.
    init(_ answer: JSONValue, rules: IntrospectionRules, now: Int64) throws(AccessTokenRefusal) {
        let claims = AccessTokenClaims(answer)
        let issuer = try claims.string("iss")
        // Byte by byte, as everywhere (JOSE-29). Absent, it is whoever was asked.
        if let issuer, !issuer.utf8.elementsEqual(rules.issuer.utf8) { throw .issuerMismatch }
        let times = TokenTimes(
            // Without `exp` it is good for as long as the answer is believed, and for the request it is about.
            expiresAt: try claims.date("exp")?.floor ?? now + max(rules.believedSeconds, 1),
            notBefore: try claims.date("nbf")?.ceiling, issuedAt: try claims.date("iat")?.ceiling)
        if let refusal = times.refusal(at: now, leewaySeconds: rules.leewaySeconds) { throw refusal }
        let binding = try TokenBinding(confirmation: answer["cnf"])
        try Self.checkKind(answer, binding)
        var token = VerifiedAccessToken(
            issuer: rules.issuer, subject: try claims.string("sub"), clientID: try claims.string("client_id"),
            tokenID: try claims.string("jti"), audiences: answer["aud"] == nil ? [] : try claims.audiences(),
            scopes: try claims.scopes(claim: rules.scopeClaim), times: times, claims: Self.claims(answer))
        token.binding = binding
        self.token = token
    }

    /// Servers answer about refresh tokens too: whoever got hold of one must not call an API with it.
    private static func checkKind(_ answer: JSONValue, _ binding: TokenBinding) throws(AccessTokenRefusal) {
        if let use = answer["token_use"] {
            guard use.equals("access_token") || use.equals("access") else {
                throw .claim(.otherPurpose(claim: "token_use"))
            }
        }
        guard let type = answer["token_type"] else { return }
        guard let name = type.utf8 else { throw .claim(.malformed("token_type")) }
        if ASCII.equalsIgnoringCase(name.span, "DPoP") {
            // Without the key's thumbprint there is nothing to check a proof against (RFC 9449 §6.2).
            guard binding.keyThumbprint != nil else { throw .boundToKey }
            return
        }
        guard ["Bearer", "access_token"].contains(where: { ASCII.equalsIgnoringCase(name.span, $0) })
        else { throw .claim(.otherPurpose(claim: "token_type")) }
    }

    /// `active` speaks of a moment that is over when somebody reads the claims.
    private static func claims(_ answer: JSONValue) -> JSONValue {
        var writer = JSONWriter()
        writer.beginObject()
        for member in answer.members where !member.name.utf8.elementsEqual("active".utf8) {
            writer.name(member.name)
            writer.value(member.value)
        }
        writer.endObject()
        let bytes = writer.finish()
        // What was read strictly and written by this library is read again.
        guard let claims = try? JSONValue.parse(owned: bytes, limits: .filled(to: bytes.count)) else { return answer }
        return claims
    }
}
