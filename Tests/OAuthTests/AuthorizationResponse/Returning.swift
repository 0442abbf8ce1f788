import Crypto
import JOSE
import JSON
import OAuth
import TestSupport

/// One request that was made, and the reading of what comes back.
struct Returning {
    static let issuer = "https://honest.as.example"
    static let clientID = "s6BhdRkqt3"

    var rules = AuthorizationResponseRules(
        issuer: issuer, clientID: clientID, requiresIssuer: true, signature: .algorithms([.es256, .ps256]))
    var isSigned = false
    var decryption: [DecryptionJWK] = []
    var keys: [SigningKey]? = [.p256]
    var time = now

    /// What `form` says, or the refusal thrown.
    func read(_ form: String) throws -> AuthorizationResponse {
        try check(try open(Array(form.utf8)))
    }

    func open(_ form: [UInt8]) throws(AuthorizationResponseRefusal) -> UncheckedAuthorizationResponse {
        try UncheckedAuthorizationResponse(form.span, isSigned: isSigned, decryption: decryption)
    }

    func check(_ response: UncheckedAuthorizationResponse) throws -> AuthorizationResponse {
        try response.check(rules, keys: try keys.map { try OAuthTests.keys($0.map { $0.publicJWK() }) }, now: time)
    }

    /// Why `form` is refused; nil when it is read.
    func refusal(_ form: String) -> AuthorizationResponseRefusal? {
        do {
            _ = try read(form)
            return nil
        } catch {
            return error as? AuthorizationResponseRefusal
        }
    }

    /// The code in `form`; nil when there is none.
    func code(_ form: String) throws -> String? {
        guard case .code(let code) = try read(form) else { return nil }
        return String(decoding: code.reveal(), as: UTF8.self)
    }

    /// The error in `form`; nil when there is none.
    func error(_ form: String) throws -> AuthorizationError? {
        guard case .error(let error) = try read(form) else { return nil }
        return error
    }
}

/// Claims of a signed response that is fine.
let responseClaims: [String: String] = [
    "iss": "\"\(Returning.issuer)\"", "aud": "\"\(Returning.clientID)\"", "exp": "\(now + 600)",
    "code": "\"PyyFaux2o7Q0YfXBU32jhw.5FXSQpvr8akv9CeRDSd0QA\"",
    "state": "\"S8NJ7uqk5fY4EjNvP_G_FtyJu6pUsvH9jsYni9dMAJw\"",
]

/// A signed response with claims and header changed (JARM §2.3).
func signedResponse(
    _ claims: [String: String?] = [:], header: [String: String?] = [:], key: SigningKey = .p256,
    signedBy: SigningKey? = nil
) -> String {
    TokenMint.sign(
        header: object(["alg": "\"\(key.algorithm.name)\"", "kid": "\"\(key.keyID ?? "")\""], header),
        claims: object(responseClaims, claims), key: signedBy ?? key, algorithm: key.algorithm)
}
