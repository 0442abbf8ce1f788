import JOSE
import JSON
import OAuth
import TestSupport

/// The time at which these tests happen.
let now: Int64 = 1_800_000_000

/// The rules of the mint's issuer.
func rules(
    issuer: String = "https://issuer.example/", algorithms: [SignatureAlgorithm] = SignatureAlgorithm.allCases,
    types: [AccessTokenRules.AcceptedType] = [.accessTokenJWT], profile: AccessTokenRules.Profile = .rfc9068
) -> AccessTokenRules {
    AccessTokenRules(issuer: issuer, algorithms: algorithms, acceptedTypes: types, profile: profile)
}

/// Rules for servers older than RFC 9068.
let legacyRules = rules(types: [.plainJWT, .absent], profile: .legacy)

/// The keys published in `jwks`.
func keys(_ jwks: [String]) throws -> VerificationKeys {
    let bytes = Array(SigningKey.keySet(jwks: jwks).utf8)
    return VerificationKeys(try KeySet.parse(bytes.span))
}

/// The token accepted at `time`, or the refusal thrown.
func verify(
    _ token: String, keys: [String] = [SigningKey.p256.publicJWK()], rules: AccessTokenRules = rules(),
    at time: Int64 = now
) throws -> VerifiedAccessToken {
    let bytes = Array(token.utf8)
    let unchecked = try UncheckedAccessToken(bytes.span, maximumBytes: rules.maximumTokenBytes)
    return try unchecked.verify(with: OAuthTests.keys(keys), rules: rules, now: time)
}

/// Why `token` is refused; nil when it is accepted.
func refusal(
    _ token: String, keys: [String] = [SigningKey.p256.publicJWK()], rules: AccessTokenRules = rules(),
    at time: Int64 = now
) -> AccessTokenRefusal? {
    do {
        _ = try verify(token, keys: keys, rules: rules, at: time)
        return nil
    } catch {
        return error as? AccessTokenRefusal
    }
}

/// The mint's token with these claims changed.
func token(_ claims: [String: String?]) -> String { TokenMint().accessToken(claims: claims) }

/// A token of a server older than RFC 9068: `typ` is `JWT`, nothing beyond what is required.
func legacyToken(_ claims: [String: String?] = [:], type: String? = "\"JWT\"") -> String {
    var changes: [String: String?] = ["client_id": nil, "jti": nil]
    changes.merge(claims) { $1 }
    return TokenMint().accessToken(header: ["typ": type], claims: changes)
}

/// The JSON value that `text` spells.
func readJSON(_ text: String) throws -> JSONValue {
    let bytes = Array(text.utf8)
    return try JSONValue.parse(bytes.span)
}
