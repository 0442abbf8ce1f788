import Access
import Gateway
import Issuers
import JOSE
import OAuth
import TestSupport
import Testing

/// A mistake that people make, and the refusal that it leads to.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// The name of the file with the explanation.
    let name: String
    let cause: Refusal
    let make: @Sendable (inout ExplainRig) -> Void

    var testDescription: String { name }

    init(_ name: String, _ cause: Refusal, _ make: @escaping @Sendable (inout ExplainRig) -> Void) {
        self.name = name
        self.cause = cause
        self.make = make
    }

    /// Those of bearer tokens: the commonest of survey section 3, each alone in an otherwise good request.
    static let all = message + token + rights + proofs + targets + certificates + lookups

    private static let message = [
        Mistake("unknown-host", .authorityUnknown) { $0.url = "https://shop.internal/api/orders/7" },
        Mistake("route-without-slash", .routeUnknown) { $0.settings.routes[0].path = "/api/orders" },
        Mistake("prefix-stripped-in-front", .routeUnknown) { $0.url = "https://shop.example.com/orders/7" },
        Mistake("encoded-slash", .pathAmbiguous) { $0.url = "https://shop.example.com/api/orders/a%2Fb" },
        Mistake("method-not-allowed", .methodNotAllowed) { $0.method = "DELETE" },
        Mistake("no-credentials", .credentialsMissing) { $0.scheme = nil },
        Mistake("token-in-query", .credentialsMissing) {
            $0.scheme = nil
            $0.url += "?access_token=abc"
        },
        Mistake("two-authorization-lines", .credentialsRepeated) {
            $0.head = """
                GET /api/orders/7 HTTP/1.1
                Host: shop.example.com
                Authorization: Basic dXNlcjpwYXNz
                Authorization: Bearer abc

                """
        },
        Mistake("scheme-forgotten", .schemeNotEnabled) {
            $0.head = """
                GET /api/orders/7 HTTP/1.1
                Host: shop.example.com
                Authorization: \(TokenMint().accessToken())

                """
        },
        Mistake("dpop-on-bearer-route", .schemeNotEnabled) { $0.scheme = "DPoP" },
        Mistake("grpc-method-not-named", .grpcMethodNotAllowed) { $0.call("Delete") },
        Mistake("grpc-method-in-another-case", .grpcMethodNotAllowed) { $0.call("put") },
        Mistake("grpc-method-without-its-scope", .scopeInsufficient) {
            $0.call("Put")
            $0.claims["scope"] = "\"orders:read\""
        },
    ]

    /// Those that can be made by HTTP/2 alone, or that come to something else by it.
    static let overHTTP2 = [
        Mistake("grpc-timeout-is-none", .callTimeoutMalformed) {
            $0.call("Get")
            $0.fields.append("Grpc-Timeout: 1500")
        },
        Mistake("http2-field-of-a-connection", .malformedMessage) {
            $0.isHTTP2 = true
            $0.fields = ["Connection: keep-alive"]
        },
        Mistake("http2-value-malformed", .malformedMessage) {
            $0.isHTTP2 = true
            $0.fields = ["X-Note: a\u{01}b"]
        },
        Mistake("http2-socket-on-a-plain-route", .methodNotAllowed) {
            $0.isHTTP2 = true
            $0.settings.routes[1].webSocket = true
            $0.offerWebSocket()
        },
    ]

    private static let token = [
        Mistake("opaque-token", .tokenMalformed) { $0.token = "c29tZS1vcGFxdWUtdG9rZW4" },
        Mistake("issuer-with-slash", .tokenIssuerUnknown) { $0.claims["iss"] = "\"https://id.example.com\"" },
        Mistake("issuer-unknown", .tokenIssuerUnknown) {
            $0.claims["iss"] = "\"https://sts.windows.net/11111111-2222-3333-4444-555555555555/\""
        },
        Mistake("typ-jwt", .tokenTypeNotAccepted) { $0.header["typ"] = "\"JWT\"" },
        Mistake("id-token", .tokenTypeNotAccepted) {
            $0.header["typ"] = "\"JWT\""
            $0.claims["nonce"] = "\"n-0S6_WzA2Mj\""
            $0.claims["aud"] = "\"client-1\""
        },
        Mistake("id-token-by-claims", .tokenLooksLikeIDToken) {
            $0.settings.issuers[0].rules.acceptedTypes = [.accessTokenJWT, .plainJWT]
            $0.header["typ"] = "\"JWT\""
            $0.claims["nonce"] = "\"n-0S6_WzA2Mj\""
        },
        Mistake("wrong-alg", .tokenAlgorithmNotAllowed) {
            $0.mint.key = .p384
            $0.mint.algorithm = .es384
        },
        Mistake("unknown-kid", .tokenKeyUnknown) { $0.header["kid"] = "\"2026-11\"" },
        Mistake("wrong-signature", .tokenSignatureInvalid) {
            $0.mint.key = SigningKey(renaming: .otherP256, keyID: "p256-1")
        },
        Mistake("expired", .tokenExpired) { $0.claims["exp"] = "\(ExplainRig.now - 86_400)" },
        Mistake("clock-skew-expired", .tokenExpired) { $0.claims["exp"] = "\(ExplainRig.now - 45)" },
        Mistake("clock-skew-nbf", .tokenNotYetValid) { $0.claims["nbf"] = "\(ExplainRig.now + 90)" },
        Mistake("clock-skew-iat", .tokenIssuedInFuture) { $0.claims["iat"] = "\(ExplainRig.now + 60)" },
        Mistake("claims-missing", .tokenClaimMissing) {
            $0.claims["jti"] = String?.none
            $0.claims["client_id"] = String?.none
        },
        Mistake("issuer-of-another-route", .tokenIssuerNotAccepted) {
            $0.claims["iss"] = "\"https://partners.example.com\""
        },
        Mistake("wrong-audience", .tokenAudienceMissing) { $0.claims["aud"] = "\"https://billing.example.com\"" },
        Mistake("audience-with-slash", .tokenAudienceMissing) {
            $0.claims["aud"] = "[\"account\",\"https://shop.example.com/api/\"]"
        },
        Mistake("audience-account", .tokenAudienceMissing) { $0.claims["aud"] = "\"account\"" },
        Mistake("audience-is-client", .tokenAudienceMissing) { $0.claims["aud"] = "\"client-1\"" },
    ]

    private static let rights = [
        Mistake("missing-scope", .scopeInsufficient) {
            $0.method = "POST"
            $0.claims["scope"] = "\"orders:read openid\""
        },
        Mistake("scope-in-scp", .scopeInsufficient) {
            $0.claims["scope"] = String?.none
            $0.claims["scp"] = "[\"orders:read\"]"
        },
        Mistake("client-not-user", .userRequired) {
            $0.policy.userOnly = true
            $0.claims["sub"] = "\"client-1\""
        },
        Mistake("claim-rule-unmet", .claimRuleUnmet) {
            $0.policy.rights.claims = [ClaimRuleSettings(claim: ["realm_access", "roles"], anyOf: ["clerk", "admin"])]
            $0.claims["realm_access"] = "{\"roles\":[\"viewer\"]}"
        },
    ]
}
