import Bytes
import Crypto
import JSON
import TestSupport
import TestTraits
import Testing

/// Rows CA-01 to CA-12 on the wire: how the gateway proves to an authorization server who it is.
///
/// Its clients speak HTTP/1.1 alone: what it says to the server is made of its configuration, and of nothing that they say.
@Suite(.serialized) struct `the gateway as a client` {
    private static let long = "0123456789abcdef0123456789abcdef"

    /// One lookup with this authentication; what the endpoint was sent.
    private func lookup(
        _ authentication: String, files: [String: String]
    ) throws -> (stage: Stage, request: WireRequest, form: [String: String]) {
        var plan = StagePlan.lookups(authentication: authentication)
        plan.files = files
        let stage = try Stage(plan)
        let token = opaqueToken()
        let response = try stage.ask(token)
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        let request = try #require(stage.lastLookup)
        let parameters = try form(request)
        #expect(parameters["token"] == token)
        for content in files.values {
            for line in content.split(separator: "\n") { #expect(!stage.gateway.allLogText.contains(line)) }
        }
        return (stage, request, parameters)
    }

    private func json(_ part: Substring) throws -> JSONValue {
        let text = Array(part.utf8)
        let bytes = Base64URL.decode(text.span)
        return try JSONValue.parse(owned: try #require(bytes))
    }

    private func checkAssertion(
        _ form: [String: String], _ stage: Stage, algorithm: String
    ) throws -> (header: JSONValue, claims: JSONValue) {
        #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        let assertion = try #require(form["client_assertion"])
        let parts = assertion.split(separator: ".")
        #expect(parts.count == 3)
        let header = try json(parts[0])
        let claims = try json(parts[1])
        #expect(header["typ"]?.string == "JWT")
        #expect(header["alg"]?.string == algorithm)
        #expect(claims["iss"]?.string == "a:b")
        #expect(claims["sub"]?.string == "a:b")
        #expect(claims["aud"]?.string == stage.tokens.issuer)
        #expect((claims["jti"]?.string?.count ?? 0) >= 22)
        let issued = try #require(claims["iat"]?.integer)
        #expect(try #require(claims["exp"]?.integer) <= issued + 60)
        if let id = form["client_id"] { #expect(id == "a:b") }
        #expect(form["client_secret"] == nil)
        return (header, claims)
    }

    @Test(.holds("CA-01", "CA-02")) func `client_secret_basic sends its secret in one field and nowhere else`() throws {
        let (_, request, form) = try lookup(
            "{ method: client_secret_basic, secret: { file: $FOLDER/s } }", files: ["s": "p%/ü"])
        #expect(request.fields["authorization"] == ["Basic YSUzQWI6cCUyNSUyRiVDMyVCQw=="])
        #expect(form.keys.sorted() == ["token", "token_type_hint"])
        #expect(request.target == ScriptedIssuer.introspectionPath)
    }

    @Test(.holds("CA-03"), .refuses("CA-03")) func `client_secret_post sends its secret in the form and nowhere else`()
        throws
    {
        let (_, request, form) = try lookup(
            "{ method: client_secret_post, secret: { file: $FOLDER/s } }", files: ["s": "p%/ü&x=y"])
        #expect(!request.fields.contains("authorization"))
        #expect(form["client_id"] == "a:b")
        #expect(form["client_secret"] == "p%/ü&x=y")
        #expect(form.keys.sorted() == ["client_id", "client_secret", "token", "token_type_hint"])
        #expect(request.target == ScriptedIssuer.introspectionPath)
    }

    @Test(.holds("CA-04")) func `client_secret_jwt sends an assertion made with its secret`() throws {
        let (stage, request, form) = try lookup(
            "{ method: client_secret_jwt, secret: { file: $FOLDER/s } }", files: ["s": Self.long + "\n"])
        #expect(!request.fields.contains("authorization"))
        _ = try checkAssertion(form, stage, algorithm: "HS256")
        let assertion = try #require(form["client_assertion"])
        let parts = assertion.split(separator: ".").map(String.init)
        let (first, second) = (Array(parts[0].utf8), Array(parts[1].utf8))
        let (header, claims) = (Base64URL.decode(first.span), Base64URL.decode(second.span))
        let expected = TokenMint.authenticate(
            header: text(header ?? []), claims: text(claims ?? []), secret: Array(Self.long.utf8), hash: .sha256)
        #expect(assertion == expected)
    }

    @Test(.holds("CA-05", "CA-07", "CA-09")) func `private_key_jwt sends a new assertion for each question`() throws {
        let key = SigningKey.otherP256
        let (stage, request, form) = try lookup(
            "{ method: private_key_jwt, key: { file: $FOLDER/k.pem }, key_id: asker-1 }",
            files: ["k.pem": try key.pem()])
        #expect(!request.fields.contains("authorization"))
        let first = try checkAssertion(form, stage, algorithm: "ES256")
        #expect(first.header["kid"]?.string == "asker-1")
        #expect(try stage.ask(opaqueToken()).status == 200)
        let next = try #require(stage.lastLookup)
        let second = try checkAssertion(try EndToEndTests.form(next), stage, algorithm: "ES256")
        #expect(second.claims["jti"]?.string != first.claims["jti"]?.string)
    }

    @Test(.holds("CA-06", "CA-08"))
    func `private_key_jwt names the endpoint and the newer type where the operator says so`() throws {
        let (stage, _, form) = try lookup(
            """
            { method: private_key_jwt, key: { file: $FOLDER/k.pem }, audience: endpoint, \
            type: client-authentication+jwt }
            """, files: ["k.pem": try SigningKey.otherRSA.pem()])
        let parts = try #require(form["client_assertion"]).split(separator: ".")
        #expect(try json(parts[0])["typ"]?.string == "client-authentication+jwt")
        #expect(try json(parts[0])["alg"]?.string == "PS256")
        #expect(try json(parts[1])["aud"]?.string == stage.issuer.url + ScriptedIssuer.introspectionPath)
    }

    @Test(.holds("CA-12"), arguments: ["tls_client_auth", "self_signed_tls_client_auth"])
    func `a certificate is shown in the handshake, and the form says whose it is`(method: String) throws {
        let authority = try TestCertificate.authority(named: "Authority of the tests")
        let certificate = try authority.issue(names: ["asker.test"])
        let endpoint = try RecordingUpstream(
            identity: authority.issue(names: ["127.0.0.1"]), asksForCertificate: true,
            fallback: ScriptedIssuer.json(introspected()))
        var plan = StagePlan.lookups(
            "cache: 0s, endpoint: \"\(endpoint.url)/introspect\"",
            authentication: "{ method: \(method), certificate: $FOLDER/c.crt, key: { file: $FOLDER/c.key } }")
        plan.issuer += ", certificate_authority: $FOLDER/ca.crt"
        plan.files = ["c.crt": certificate.certificate, "c.key": certificate.key, "ca.crt": authority.certificate]
        let stage = try Stage(plan)
        let response = try stage.ask(opaqueToken())
        #expect(response.status == 200, "\(response.headText)\(stage.gateway.diagnosis)")
        let asked = try #require(endpoint.requests.last)
        #expect(try form(asked)["client_id"] == "a:b")
        #expect(!asked.fields.contains("authorization"))
        #expect(endpoint.now.clientNames[asked.connection] == "asker.test")
    }

    @Test(.refuses("INT-01", "CA-13")) func `a server whose certificate is another's is not asked`() throws {
        let authority = try TestCertificate.authority(named: "Authority of the tests")
        let endpoint = try RecordingUpstream(
            identity: authority.issue(names: ["wrong.test"]), fallback: ScriptedIssuer.json(introspected()))
        var plan = StagePlan.lookups("cache: 0s, endpoint: \"\(endpoint.url)/introspect\"")
        plan.issuer += ", certificate_authority: $FOLDER/ca.crt"
        plan.files["ca.crt"] = authority.certificate
        let stage = try Stage(plan)
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        #expect(endpoint.requests.isEmpty)
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("CA-01")) func `a method that the server does not offer is not used, nor another one in its place`()
        throws
    {
        var plan = StagePlan.lookups()
        plan.prepare = { issuer in
            issuer.introspect(introspected())
            var metadata = issuer.metadata()
            metadata.removeLast()
            issuer.publish(
                metadata: metadata + #","introspection_endpoint_auth_methods_supported":["private_key_jwt"]}"#)
        }
        let stage = try Stage(plan)
        expectAuthorizationDown(try stage.ask(opaqueToken()))
        #expect(stage.lookups == 0)
        stage.expectOperatorTold("introspection_failed") { $0["reason"] == "authentication_method_not_offered" }
        try stage.expectNothingForwarded()
    }
}
