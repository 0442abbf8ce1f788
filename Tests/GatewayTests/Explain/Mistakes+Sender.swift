import Access
import Crypto
import Gateway
import Issuers
import OAuth
import TestSupport

/// Mistakes with proofs, certificates and opaque tokens.
extension Mistake {
    /// One in a request that is otherwise right, its token bound to a key.
    private static func withProof(
        _ name: String, _ cause: Refusal, _ make: @escaping @Sendable (inout ExplainRig) -> Void
    ) -> Mistake {
        Mistake(name, cause) {
            $0.proveByDPoP()
            make(&$0)
        }
    }

    static let proofs = [
        withProof("bearer-for-bound-token", .tokenBoundToKey) {
            $0.scheme = "Bearer"
            $0.proof = nil
        },
        withProof("dpop-for-unbound-token", .tokenNotBound) { $0.claims["cnf"] = String?.none },
        withProof("proof-missing", .proofMissing) { $0.proof = nil },
        withProof("two-proofs", .proofRepeated) { $0.proof?.count = 2 },
        withProof("proof-typ", .proofTypeNotAccepted) { $0.proof?.header["typ"] = "\"JWT\"" },
        withProof("proof-alg", .proofAlgorithmNotAllowed) { $0.proof?.key = .p384 },
        withProof("proof-private-key", .proofKeyInvalid) {
            $0.proof?.header["jwk"] = "{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}"
        },
        withProof("proof-claim-missing", .proofClaimMissing) { $0.proof?.claims["ath"] = String?.none },
        withProof("wrong-htm", .proofMethodMismatch) { $0.proof?.claims["htm"] = "\"POST\"" },
        withProof("proof-too-old", .proofOutOfTime) { $0.proof?.claims["iat"] = "\(ExplainRig.now - 300)" },
        withProof("proof-from-the-future", .proofOutOfTime) { $0.proof?.claims["iat"] = "\(ExplainRig.now + 45)" },
        withProof("nonce-missing", .proofNonceMissing) { $0.policy.dpop.nonce = .required },
        withProof("wrong-ath", .proofTokenMismatch) {
            $0.proof?.claims["ath"] = "\"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo\""
        },
        withProof("proof-of-another-key", .proofKeyMismatch) { $0.proof?.key = .otherP256 },
    ]

    static let targets = [
        withProof("htu-http-behind-proxy", .proofTargetMismatch) {
            $0.proof?.claims["htu"] = "\"http://shop.example.com/api/orders/7\""
        },
        withProof("htu-other-host", .proofTargetMismatch) {
            $0.proof?.claims["htu"] = "\"https://api.shop.example/api/orders/7\""
        },
        withProof("htu-prefix-stripped", .proofTargetMismatch) {
            $0.proof?.claims["htu"] = "\"https://shop.example.com/shop/api/orders/7\""
        },
        withProof("htu-other-request", .proofTargetMismatch) {
            $0.proof?.claims["htu"] = "\"https://shop.example.com/api/orders/8\""
        },
    ]

    private static let thumbprint = "{\"x5t#S256\":\"A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0\"}"

    static let certificates = [
        Mistake("certificate-missing-behind-terminator", .certificateMissing) {
            $0.claims["cnf"] = thumbprint
            $0.peer = "10.0.0.5"
        },
        Mistake("certificate-of-another", .certificateMismatch) {
            $0.claims["cnf"] = thumbprint
            $0.certificate = SHA256.hash(Array("another".utf8).span)
        },
        Mistake("client-cert-malformed", .clientCertFieldInvalid) {
            $0.claims["cnf"] = thumbprint
            $0.settings.listeners[0].clientCertFieldFrom = ["10.0.0.0/8"]
            $0.peer = "10.0.0.5"
            $0.fields = ["Client-Cert: -----BEGIN CERTIFICATE-----MIIB"]
        },
        Mistake("cnf-unknown", .tokenBoundToKey) { $0.claims["cnf"] = "{\"kid\":\"client-key\"}" },
    ]

    static let lookups = [
        Mistake("introspection-inactive", .tokenInactive) {
            $0.token = "c29tZS1vcGFxdWUtdG9rZW4"
            $0.settings.issuers[0].introspection = IntrospectionSettings(client: 0)
            $0.answer = .inactive
        },
        Mistake("acr-too-weak", .authenticationInsufficient) {
            $0.policy.rights.acrValues = ["urn:example:mfa"]
            $0.claims["acr"] = "\"urn:example:password\""
        },
        Mistake("sign-in-too-old", .authenticationTooOld) {
            $0.policy.rights.maximumAge = .seconds(600)
            $0.claims["auth_time"] = "\(ExplainRig.now - 7200)"
        },
        Mistake("authorization-details", .authorizationDetailsInsufficient) {
            $0.policy.authorizationDetails = [AuthorizationDetailsRule(type: "order", actions: ["read"])]
            $0.claims["authorization_details"] = "[{\"type\":\"order\",\"actions\":[\"list\"]}]"
        },
        Mistake("origin-not-allowed", .originNotAllowed) {
            $0.settings.routes[0].allowedOrigins = ["https://shop.example.com"]
            $0.fields = ["Origin: https://evil.example"]
        },
    ]
}
