import Bytes
import JOSE
import JSON

/// The claims of a token whose signature holds, read with the types that RFC 7519 and RFC 9068 give them.
struct AccessTokenClaims {
    private let claims: JSONValue

    init(_ claims: JSONValue) {
        self.claims = claims
    }

    /// A claim that must be a non-empty string where it is present: an empty name names nobody.
    func string(_ name: String) throws(AccessTokenRefusal) -> String? {
        guard let value = claims[name] else { return nil }
        guard let string = value.string, !string.isEmpty else { throw .claim(.malformed(name)) }
        return string
    }

    /// `exp`, `nbf`, `iat`.
    func times() throws(AccessTokenRefusal) -> TokenTimes {
        guard let expiry = try date("exp") else { throw .claim(.missing("exp")) }
        return TokenTimes(
            expiresAt: expiry.floor, notBefore: try date("nbf")?.ceiling, issuedAt: try date("iat")?.ceiling)
    }

    func date(_ name: String) throws(AccessTokenRefusal) -> NumericDate? {
        guard let value = claims[name] else { return nil }
        guard let date = NumericDate(value) else { throw .claim(.malformed(name)) }
        return date
    }

    /// The token these claims describe, once the claims that `rules` require are there (RS-16).
    func token(
        issuer: String, times: TokenTimes, rules: AccessTokenRules, key: JWK
    ) throws(AccessTokenRefusal) -> VerifiedAccessToken {
        let audiences = try audiences()
        let subject = try string("sub")
        var clientID = try string("client_id")
        let tokenID = try string("jti")
        if rules.profile == .rfc9068 {
            guard subject != nil else { throw .claim(.missing("sub")) }
            guard clientID != nil else { throw .claim(.missing("client_id")) }
            guard times.issuedAt != nil else { throw .claim(.missing("iat")) }
            guard tokenID != nil else { throw .claim(.missing("jti")) }
        } else if clientID == nil {
            // OpenID Connect's name for the same, which older servers use.
            clientID = try string("azp")
        }
        var token = VerifiedAccessToken(
            issuer: issuer, subject: subject, clientID: clientID, tokenID: tokenID, audiences: audiences,
            scopes: try scopes(claim: rules.scopeClaim), times: times, claims: claims)
        token.keyID = key.keyID
        token.keyThumbprint = key.thumbprint
        return token
    }

    /// `aud`: a string or an array of strings, never empty (RFC 7519 §4.1.3).
    func audiences() throws(AccessTokenRefusal) -> [String] {
        guard let value = claims["aud"] else { throw .claim(.missing("aud")) }
        if let audience = value.string { return [audience] }
        let audiences = value.elements.compactMap(\.string)
        guard value.kind == .array, audiences.count == value.count, !audiences.isEmpty
        else { throw .claim(.malformed("aud")) }
        return audiences
    }

    /// `scope` is one string, words apart by spaces (RFC 8693 §4.2); other claims may be an array of words (RS-19).
    func scopes(claim: String) throws(AccessTokenRefusal) -> [String] {
        guard let value = claims[claim] else { return [] }
        if let words = value.string {
            return Self.words(of: Array(words.utf8))
        }
        let words = value.elements.compactMap(\.string)
        guard claim != "scope", value.kind == .array, words.count == value.count else {
            throw .claim(.malformed(claim))
        }
        return words
    }

    /// The words between spaces, as bytes: a token may have thousands of them.
    private static func words(of text: [UInt8]) -> [String] {
        var words: [String] = []
        var start = 0
        while start < text.count {
            let end = text.span.firstIndex(of: UInt8(ascii: " "), from: start, to: text.count)
            if end > start { words.append(String(decoding: text[start..<end], as: UTF8.self)) }
            start = end + 1
        }
        return words
    }

    /// Refuses a JWT that another specification made for another purpose and that says so by its claims alone.
    ///
    /// Only where `typ` does not settle it: an ID token is sent to a client, not to us, and whoever holds one must
    /// not be able to call an API with it (RFC 8725 §3.12, RFC 9068 §5).
    func refuseOtherPurposes(_ token: VerifiedAccessToken) throws(AccessTokenRefusal) {
        for claim in ["nonce", "at_hash", "c_hash"] where claims[claim] != nil { throw .looksLikeIDToken }
        if claims["auth_time"] != nil, let clientID = token.clientID, token.hasAudience(clientID) {
            throw .looksLikeIDToken
        }
        // OpenID Connect logout, RFC 9701, RFC 9449, and request objects.
        for claim in ["events", "token_introspection", "htm", "response_type"] where claims[claim] != nil {
            throw .claim(.otherPurpose(claim: claim))
        }
        // A JARM response: an authorization code and the state it answers.
        if claims["code"] != nil, claims["state"] != nil { throw .claim(.otherPurpose(claim: "code")) }
    }
}
