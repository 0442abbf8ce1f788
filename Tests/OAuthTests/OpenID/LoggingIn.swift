import Crypto
import JOSE
import JSON
import OAuth
import TestSupport

/// The claims of an ID token that is good for the client of these tests, as raw JSON values.
let idTokenMembers: [String: String] = [
    "iss": "\"https://issuer.example/\"", "sub": "\"user-1\"", "aud": "\"client-1\"", "exp": "\(now + 300)",
    "iat": "\(now)", "nonce": "\"nonce-1\"", "auth_time": "\(now - 60)", "acr": "\"silver\"", "sid": "\"session-1\"",
    "email": "\"jane@example.com\"", "email_verified": "true", "name": "\"Jane Doe\"",
]

/// The access token that comes with it.
let accessToken = Secret(Array("2YotnFZFEjr1zCsicMWpAA".utf8))

/// The client's secret, for servers that sign with it.
let clientSecret = Secret(Array("a secret of thirty-two bytes or more".utf8))

/// Rules of the client of these tests.
func idTokenRules(
    issuer: String = "https://issuer.example/", clientID: String = "client-1", trusted: [String] = [],
    signature: IDTokenRules.Signature = .algorithms([.es256]), mustBeEncrypted: Bool = false, leeway: Int = 30
) -> IDTokenRules {
    IDTokenRules(
        issuer: issuer, clientID: clientID, trustedAudiences: trusted, signature: signature,
        mustBeEncrypted: mustBeEncrypted, leewaySeconds: leeway)
}

/// A JWT by the issuer's key, header and claims changed as `object` does.
func signed(
    _ members: [String: String], _ changes: [String: String?] = [:], header: [String: String?] = [:],
    key: SigningKey = .p256, algorithm: SignatureAlgorithm? = nil
) -> String {
    let algorithm = algorithm ?? key.algorithm
    let header = object(["alg": "\"\(algorithm.name)\"", "kid": "\"\(key.keyID ?? "")\""], header)
    return TokenMint.sign(header: header, claims: object(members, changes), key: key, algorithm: algorithm)
}

/// An ID token by the issuer's key with claims changed.
func idToken(_ changes: [String: String?] = [:], header: [String: String?] = [:], key: SigningKey = .p256) -> String {
    signed(idTokenMembers, changes, header: header, key: key)
}

/// The ID token when it is accepted.
func verifyIDToken(
    _ token: String, rules: IDTokenRules = idTokenRules(), keys: [SigningKey] = [.p256],
    decryption: [DecryptionJWK] = [], nonce: String? = "nonce-1", accessToken: Secret? = nil, code: Secret? = nil,
    demand: AuthenticationDemand? = nil, at time: Int64 = now
) throws(IDTokenRefusal) -> VerifiedIDToken {
    try IDToken.verify(
        Secret(Array(token.utf8)),
        of: IDToken.Login(nonce: nonce, accessToken: accessToken, code: code, demand: demand), rules: rules,
        keys: try? OAuthTests.keys(keys.map { $0.publicJWK() }), decryption: decryption, now: time)
}

/// Why it is refused; nil when it is accepted.
func idTokenRefusal(
    _ token: String, rules: IDTokenRules = idTokenRules(), keys: [SigningKey] = [.p256],
    decryption: [DecryptionJWK] = [], nonce: String? = "nonce-1", accessToken: Secret? = nil, code: Secret? = nil,
    demand: AuthenticationDemand? = nil, at time: Int64 = now
) -> IDTokenRefusal? {
    do throws(IDTokenRefusal) {
        _ = try verifyIDToken(
            token, rules: rules, keys: keys, decryption: decryption, nonce: nonce, accessToken: accessToken,
            code: code, demand: demand, at: time)
        return nil
    } catch {
        return error
    }
}
