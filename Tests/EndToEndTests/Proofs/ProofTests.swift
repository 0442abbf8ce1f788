import Bytes
import Crypto
import JOSE
import TestSupport
import TestTraits
import Testing

/// Rows DPOP-01 to DPOP-08, DPOP-16, DPOP-18 and DPOP-26: what a proof must be.
///
/// Each refusal is of a request that is right in everything but one thing.
@Suite(.serialized, .byEachProtocol) struct `a DPoP proof` {
    private static let shared = Shared {
        try Stage(
            routes: Stage.ordinaryRoutes + [
                """
                { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
                audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
                """,
                """
                { path: /based/, upstream: $UPSTREAM, public_urls: ["https://api.example/v1", "https://other.example"], \
                token: { issuers: [main], schemes: [DPoP], audience: "\(TokenForge.audience)" } }
                """,
                """
                { path: /narrow/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
                dpop: { algorithms: [ES256] }, audience: "\(TokenForge.audience)" } }
                """,
                """
                { path: /wide/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
                dpop: { algorithms: [ES256, ES384, ES512, PS256, RS256, EdDSA] }, audience: "\(TokenForge.audience)" } }
                """,
            ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func expectAccepted(_ call: ProofCall, at location: SourceLocation = #_sourceLocation) throws {
        let response = try call.send(stage)
        #expect(response.status == 200, "\(response.headText)", sourceLocation: location)
    }

    private func expectRefused(
        _ call: ProofCall, _ check: String, _ cause: String? = nil, at location: SourceLocation = #_sourceLocation
    ) throws {
        stage.upstream.forget()
        try expectInvalidProof(call.send(stage), stage, check: check, cause: cause, at: location)
        try stage.expectNothingForwarded(at: location)
    }

    @Test(.holds("DPOP-01"), arguments: ["DPoP", "dpop", "DPOP", "dPoP"])
    func `one field with one proof is accepted, however the scheme is cased`(scheme: String) throws {
        try expectAccepted(ProofCall(scheme: scheme))
        #expect(stage.upstream.onlyRequest(for: "/bound/a")?.fields["x-user"] == ["alice"])
    }

    @Test(.refuses("DPOP-01")) func `no proof, two of them, a list of them or an empty field is refused`() throws {
        try expectRefused(ProofCall(proofLines: { _ in [] }), "DPOP-01", "proof_missing")
        try expectRefused(ProofCall(proofLines: { ["DPoP: \($0)", "DPoP: \($0)"] }), "DPOP-01", "proof_repeated")
        try expectRefused(ProofCall(proofLines: { ["DPoP: \($0), \($0)"] }), "DPOP-01", "proof_repeated")
        try expectRefused(ProofCall(proofLines: { _ in ["DPoP:"] }), "DPOP-01", "proof_missing")
    }

    @Test(.holds("DPOP-02"), arguments: ["\"dpop+jwt\"", "\"DPoP+JWT\"", "\"application/dpop+jwt\""])
    func `the type dpop+jwt is accepted as media types are compared`(type: String) throws {
        try expectAccepted(ProofCall(header: ["typ": type]))
    }

    @Test(.refuses("DPOP-02"), arguments: ["\"JWT\"", "\"at+jwt\"", "\"dpop+jwt2\"", "\"\"", nil])
    func `another type, or none, is refused`(type: String?) throws {
        try expectRefused(ProofCall(header: ["typ": type]), "DPOP-02")
    }

    @Test(.holds("DPOP-03")) func `algorithms of the list are accepted`() throws {
        try expectAccepted(ProofCall(client: ProofMint(key: .rsa, algorithm: .ps256)))
        try expectAccepted(ProofCall(client: ProofMint(key: .ed25519)))
        try expectAccepted(ProofCall(client: ProofMint(key: .ed25519), header: ["alg": "\"Ed25519\""]))
        try expectAccepted(ProofCall(path: "/wide/a", client: ProofMint(key: .p384)))
        try expectAccepted(ProofCall(path: "/wide/a", client: ProofMint(key: .p521)))
        try expectAccepted(ProofCall(path: "/wide/a", client: ProofMint(key: .rsa, algorithm: .rs256)))
    }

    @Test(.refuses("DPOP-03"), arguments: ["\"none\"", "\"None\"", "\"HS256\"", "\"ES256K\"", "\"\"", "\"es256\""])
    func `none, a MAC or a stranger's algorithm is refused`(algorithm: String) throws {
        try expectRefused(ProofCall(header: ["alg": algorithm]), "DPOP-03")
    }

    @Test(.refuses("DPOP-03")) func `a good algorithm that is not on the list is refused`() throws {
        try expectRefused(ProofCall(client: ProofMint(key: .rsa, algorithm: .rs256)), "DPOP-03")
        try expectRefused(ProofCall(client: ProofMint(key: .p384)), "DPOP-03")
        let response = try ProofCall(path: "/narrow/a", client: ProofMint(key: .ed25519)).send(stage)
        #expect(try challenges(response)["DPoP"]?["algs"] == "ES256")
    }

    @Test(.holds("DPOP-04")) func `a public key is accepted, with members that mean nothing to us`() throws {
        let key = SigningKey.otherP256.publicJWK(["kid": "\"k\"", "use": "\"sig\"", "x-extra": "1"])
        try expectAccepted(ProofCall(header: ["jwk": key]))
    }

    @Test(.refuses("DPOP-04")) func `no key, a private one, a secret, a weak one or one off its curve is refused`()
        throws
    {
        let key = SigningKey.otherP256
        for member in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
            try expectRefused(ProofCall(header: ["jwk": key.publicJWK([member: "\"AQAB\""])]), "DPOP-04")
        }
        let zero = "\"" + String(repeating: "A", count: 43) + "\""
        for jwk: String? in [
            nil, "null", "\"text\"", "[]", "{}", #"{"kty":"oct","k":"AAAA"}"#, key.publicJWK(["x": zero]),
            key.publicJWK(["x": "\"AAAA\""]), SigningKey.p384.publicJWK(), SigningKey.rsa.publicJWK(),
        ] {
            try expectRefused(ProofCall(header: ["jwk": jwk]), "DPOP-04")
        }
        let weak = ProofMint(key: .weakRSA, algorithm: .ps256)
        try expectRefused(ProofCall(client: weak), "DPOP-04")
    }

    @Test(.holds("DPOP-05")) func `a signature by the key in the proof is accepted`() throws {
        try expectAccepted(ProofCall(client: ProofMint(key: .p256)))
    }

    @Test(.refuses("DPOP-05")) func `a signature by another key than the one in the proof is refused`() throws {
        try expectRefused(ProofCall(signer: .p256), "DPOP-05")
        // Again, with a header the gateway has seen with a good signature: the key is known, the signature is not.
        try expectAccepted(ProofCall())
        try expectRefused(ProofCall(signer: .p256), "DPOP-05")
    }

    @Test(.refuses("DPOP-06"), arguments: ["jti", "htm", "htu", "iat", "ath"])
    func `a proof without one of its claims, or with one of another type, is refused`(claim: String) throws {
        try expectRefused(ProofCall(claims: [claim: nil]), "DPOP-06")
        let wrong = claim == "iat" ? ["\"1\"", "null", "{}"] : ["1", "null", "[]"]
        for value in wrong { try expectRefused(ProofCall(claims: [claim: value]), "DPOP-06") }
    }

    @Test(.holds("DPOP-06")) func `further claims do not matter`() throws {
        try expectAccepted(ProofCall(claims: ["x": "1", "nonce2": "\"a\"", "iss": "{}"]))
    }

    @Test(.holds("DPOP-07"), arguments: ["GET", "POST", "DELETE", "HEAD", "PATCH"])
    func `the method of the request is accepted`(method: String) throws {
        try expectAccepted(ProofCall(method: method))
    }

    @Test(.refuses("DPOP-07"), arguments: ["\"POST\"", "\"get\"", "\"HEAD\"", "\"GET \"", "\"\""])
    func `another method, or another spelling of it, is refused`(method: String) throws {
        let response = try ProofCall(claims: ["htm": method]).send(stage)
        #expect(response.status == 401)
        let check = method == "\"\"" ? "DPOP-06" : "DPOP-07"
        try expectInvalidProof(response, stage, check: check)
        let overridden = try stage.exchange(
            "POST", "/bound/a", fields: ProofCall().fields(stage) + ["X-HTTP-Method-Override: GET"])
        try expectInvalidProof(overridden, stage, check: "DPOP-07")
    }

    @Test(
        .holds("DPOP-08"),
        arguments: [
            "http://gateway.test/bound/a~b", "HTTP://GATEWAY.test:80/bound/a%7eb?x=1#f",
            "http://gateway.test/bound/a%7Eb",
            "http://gateway.test/bound/%61~b?", "http://gateway.test/bound/./a~b",
        ])
    func `a URL that is the same by RFC 3986 is accepted`(url: String) throws {
        try expectAccepted(ProofCall(path: "/bound/a~b?q=1", url: url))
    }

    @Test(
        .refuses("DPOP-08"),
        arguments: [
            "http://other.test/bound/a", "https://gateway.test/bound/a", "http://gateway.test/bound/a/",
            "http://gateway.test/bound/A", "http://gateway.test:8080/bound/a", "http://user@gateway.test/bound/a",
            "http://gateway.test/bound", "/bound/a", "gateway.test/bound/a", "http://gateway.test/bound%2Fa",
            "http://gateway.test.evil.example/bound/a", "http://gateway.test\u{0}/bound/a",
            "ftp://gateway.test/bound/a",
        ])
    func `another URL is refused`(url: String) throws {
        let url = url.replacingOccurrences("\u{0}", with: "\\u0000")
        try expectRefused(ProofCall(url: url), "DPOP-08")
    }

    @Test(.holds("DPOP-09", "H2-68")) func `the URL is one of the route's bases with the path behind it`() throws {
        for base in [
            "https://api.example/v1", "https://other.example", "http://gateway.test", "https://API.example:443/v1",
        ] {
            try expectAccepted(ProofCall(path: "/based/a?x", url: base + "/based/a"))
        }
    }

    @Test(.refuses("DPOP-09", "H2-68")) func `no base is taken from the request`() throws {
        let evil = "https://evil.example/based/a"
        for field in [
            "X-Forwarded-Host: evil.example", "Forwarded: host=evil.example;proto=https",
            "X-Original-Host: evil.example",
        ] {
            let fields = ProofCall(path: "/based/a", url: evil).fields(stage) + [field, "X-Forwarded-Proto: https"]
            try expectInvalidProof(stage.exchange("GET", "/based/a", fields: fields), stage, check: "DPOP-08")
        }
        // A base of one route is none of another's.
        try expectRefused(ProofCall(url: "https://other.example/bound/a"), "DPOP-08")
    }

    @Test(.holds("DPOP-16")) func `a jti of 256 bytes is accepted`() throws {
        let unique = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let text = unique + String(repeating: "j", count: 256 - unique.utf8.count)
        try expectAccepted(ProofCall(claims: ["jti": quoted(text)]))
    }

    @Test(.refuses("DPOP-16"), arguments: [257, 3000])
    func `a longer jti is refused`(length: Int) throws {
        try expectRefused(ProofCall(claims: ["jti": quoted(String(repeating: "j", count: length))]), "DPOP-16")
    }

    @Test(.refuses("DPOP-18")) func `the digest of the token is accepted and any other refused`() throws {
        try expectAccepted(ProofCall())
        let other = SHA256.hash(Array("another".utf8).span).base64URL
        try expectRefused(ProofCall(claims: ["ath": quoted(other)]), "DPOP-18")
    }

    @Test(.refuses("DPOP-18")) func `a proof for one token does not go with another`() throws {
        let call = ProofCall()
        let other = stage.tokens.token(["cnf": call.client.confirmation, "sub": quoted("mallory")])
        try expectRefused(ProofCall(tokenSent: other), "DPOP-18")
        var padded = ProofCall()
        let token = stage.tokens.token(["cnf": call.client.confirmation])
        let digest = SHA256.hash(Array(token.utf8).span).base64URL
        padded.claims = ["ath": quoted(digest + "=")]
        let response = try stage.exchange("GET", "/bound/a", fields: padded.fields(token: token))
        try expectInvalidProof(response, stage, check: "DPOP-18")
    }

    @Test(.holds("DPOP-26"), .refuses("DPOP-26"))
    func `kid, jku, x5c and strangers in the header are ignored`() throws {
        let header = [
            "kid": "\"../../x\"", "jku": "\"https://evil.example\"", "x5c": "[\"MIIB\"]", "strange": "{}",
        ]
        try expectAccepted(ProofCall(header: header))
        // The key is the one in the proof, whatever else points to its signer's.
        try expectRefused(ProofCall(header: header, signer: .p256), "DPOP-05")
    }

    @Test(.refuses("DPOP-26")) func `a critical parameter is refused`() throws {
        try expectRefused(ProofCall(header: ["crit": "[\"strange\"]", "strange": "1"]), "JOSE-12", "proof_malformed")
    }
}
