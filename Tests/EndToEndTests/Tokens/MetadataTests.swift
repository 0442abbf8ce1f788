import TestSupport
import TestTraits
import Testing

/// Rows MD-02 to MD-08: which documents of an issuer are believed, and where they may point.
@Suite struct `an issuer's metadata` {
    private func status(_ stage: Stage) throws -> Int {
        try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()]).status
    }

    /// A stage whose issuer did something before the start that keeps it from being believed.
    private func expectNotBelieved(
        issuer: String = "discovery: openid", _ prepare: @escaping @Sendable (ScriptedIssuer) -> Void,
        at location: SourceLocation = #_sourceLocation
    ) throws -> Stage {
        let stage = try Stage(StagePlan(issuer: issuer, milestone: .listening, prepare: prepare))
        #expect(stage.issuer.server.waits { !$0.requests.isEmpty }, sourceLocation: location)
        let response = try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()])
        expectAuthorizationDown(response, at: location)
        #expect(try stage.gateway.status("/readyz") == 503, sourceLocation: location)
        #expect(stage.upstream.requests.isEmpty, sourceLocation: location)
        return stage
    }

    @Test(.holds("MD-02"), arguments: ["", "/tenant/a"])
    func `OpenID discovery appends the well-known path`(path: String) throws {
        let wanted = path + "/.well-known/openid-configuration"
        let stage = try Stage(
            StagePlan(
                issuer: "discovery: openid", issuerPath: path,
                prepare: { issuer in
                    issuer.server.forget()
                    issuer.server.answerAll(with: .answer(404))
                    issuer.server.answer(wanted, with: issuer.document(["issuer": issuer.url + path]))
                    issuer.republishKeys()
                }))
        #expect(try status(stage) == 200)
        let asked = stage.issuer.server.requests.map(\.path).filter { $0.contains("well-known") }
        #expect(Set(asked) == [wanted])
    }

    @Test(.refuses("MD-02")) func `OAuth discovery inserts the well-known path and tries no other`() throws {
        let wanted = "/.well-known/oauth-authorization-server/tenant/a"
        let stage = try Stage(
            StagePlan(
                issuer: "discovery: oauth", issuerPath: "/tenant/a",
                prepare: { issuer in
                    issuer.server.forget()
                    issuer.server.answerAll(with: .answer(404))
                    issuer.server.answer(wanted, with: issuer.document(["issuer": issuer.url + "/tenant/a"]))
                    issuer.republishKeys()
                }))
        #expect(try status(stage) == 200)
        let asked = stage.issuer.server.requests.map(\.path).filter { $0.contains("well-known") }
        #expect(Set(asked) == [wanted])
    }

    @Test(.holds("MD-02")) func `automatic discovery tries three places in order`() throws {
        let last = "/tenant/.well-known/openid-configuration"
        let stage = try Stage(
            StagePlan(
                issuer: "discovery: automatic", issuerPath: "/tenant",
                prepare: { issuer in
                    issuer.server.forget()
                    issuer.server.answerAll(with: .answer(404))
                    issuer.server.answer(last, with: issuer.document(["issuer": issuer.url + "/tenant"]))
                    issuer.republishKeys()
                }))
        #expect(try status(stage) == 200)
        let asked = stage.issuer.server.requests.map(\.path).filter { $0.contains("well-known") }
        #expect(
            Array(asked.prefix(3)) == [
                "/.well-known/oauth-authorization-server/tenant", "/.well-known/openid-configuration/tenant", last,
            ])
    }

    @Test(.holds("MD-03")) func `a document of another issuer is discarded`() throws {
        for change in ["/", "#", "/other"] {
            let stage = try expectNotBelieved { issuer in
                issuer.publish(metadata: issuer.metadata(["issuer": issuer.url + change]))
            }
            #expect(stage.issuer.fetches() == 0)
        }
    }

    @Test(
        .refuses("MD-04"),
        arguments: [
            "<html>200</html>", "[]", "{}", "", "null", #"{"issuer":"$ISSUER"}"#,
            #"{"issuer":1,"jwks_uri":"$ISSUER/jwks.json"}"#,
            #"{"issuer":"$ISSUER","jwks_uri":"ftp://127.0.0.1/jwks"}"#,
            #"{"issuer":"$ISSUER","jwks_uri":["$ISSUER/jwks.json"]}"#,
            #"{"issuer":"$ISSUER","jwks_uri":"/jwks.json"}"#, #"{"issuer":"$ISSUER","jwks_uri":"$ISSUER/jwks.json"}x"#,
            #"{"issuer":"https://evil.test","issuer":"$ISSUER","jwks_uri":"$ISSUER/jwks.json"}"#,
        ])
    func `a document that is no metadata is refused`(document: String) throws {
        let stage = try expectNotBelieved { issuer in
            issuer.publish(metadata: document.replacingOccurrences("$ISSUER", with: issuer.url))
        }
        #expect(stage.issuer.fetches() == 0)
    }

    @Test(.refuses("MD-04")) func `a page, an error and a document too large are refused`() throws {
        _ = try expectNotBelieved { issuer in
            let page = WireScript.answer(200, issuer.metadata(), fields: ["Content-Type: text/html"])
            issuer.answer(ScriptedIssuer.openIDPath, with: page)
        }
        _ = try expectNotBelieved { $0.answer(ScriptedIssuer.openIDPath, with: .answer(500)) }
        _ = try expectNotBelieved { issuer in
            let padding = String(repeating: "x", count: 300 * 1024)
            issuer.publish(metadata: issuer.metadata(["padding": padding]))
        }
        _ = try expectNotBelieved { $0.answer(ScriptedIssuer.openIDPath, with: WireScript(.close)) }
    }

    @Test(.refuses("MD-04")) func `members that nobody knows and a content type with a parameter are fine`() throws {
        let stage = try Stage(
            StagePlan(prepare: { issuer in
                let fields = ["Content-Type: application/json; charset=utf-8"]
                let script = WireScript.answer(200, issuer.metadata(["new_member": "x"]), fields: fields)
                issuer.answer(ScriptedIssuer.openIDPath, with: script)
            }))
        #expect(try status(stage) == 200)
    }

    @Test(.holds("MD-05")) func `metadata that disappears changes nothing`() throws {
        let stage = try Stage()
        stage.issuer.answer(ScriptedIssuer.openIDPath, with: .answer(500))
        #expect(try status(stage) == 200)
        let fresh = SigningKey(.p256, keyID: "main-2")
        stage.issuer.publish(keys: SigningKey.keySet([fresh]))
        let token = stage.tokens.token(signedBy: fresh)
        #expect(try stage.exchange("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]).status == 200)
    }

    @Test(.refuses("MD-06")) func `keys are not fetched through a redirect`() throws {
        let elsewhere = try ScriptedIssuer(keys: SigningKey.keySet([.otherP256]))
        let location = "Location: \(elsewhere.url)\(ScriptedIssuer.keysPath)"
        _ = try expectNotBelieved { issuer in
            issuer.answer(ScriptedIssuer.keysPath, with: .answer(302, "", fields: [location]))
        }
        _ = try expectNotBelieved { issuer in
            issuer.answer(ScriptedIssuer.openIDPath, with: .answer(301, "", fields: [location]))
        }
        #expect(elsewhere.server.connectionCount == 0)
    }

    @Test(.refuses("MD-06")) func `a key set that is too large or none is refused`() throws {
        let key = SigningKey.p256.publicJWK()
        let documents = [
            #"{"keys":{}}"#, "[]", "{}", "", "<html>",
            SigningKey.keySet(jwks: Array(repeating: key, count: 101)),
            #"{"padding":"\#(String(repeating: "x", count: 300 * 1024))","keys":[\#(key)]}"#,
        ]
        for document in documents { _ = try expectNotBelieved { $0.publish(keys: document) } }
        _ = try expectNotBelieved { $0.answer(ScriptedIssuer.keysPath, with: .answer(404)) }
    }

    @Test(.refuses("MD-06")) func `one bad key spoils no other and no cookie is sent back`() throws {
        let stage = try Stage(
            StagePlan(prepare: { issuer in
                let set = issuer.keys.dropLast(2) + #",{"kty":"oct","k":"AA","kid":"x"},{"kty":"new"},1]}"#
                issuer.publish(keys: String(set), fields: ["Set-Cookie: a=b; Path=/"])
            }))
        #expect(try status(stage) == 200)
        let unknown = stage.tokens.token(signedBy: SigningKey(renaming: .otherP256, keyID: "nobody"))
        _ = try stage.exchange("GET", "/orders/a", fields: ["Authorization: Bearer \(unknown)"])
        #expect(stage.issuer.fetches() == 2)
        #expect(!stage.issuer.server.requests.contains { $0.fields.contains("cookie") })
    }

    @Test(
        .refuses("MD-08"),
        arguments: [
            "http://169.254.169.254/latest", "http://localhost:$PORT/jwks.json", "http://0.0.0.0:$PORT/jwks.json",
            "http://[::1]:$PORT/jwks.json", "http://127.0.0.2:$PORT/jwks.json", "http://10.0.0.1:$PORT/jwks.json",
            "file:///etc/passwd", "http://user@127.0.0.1:$PORT/jwks.json",
        ])
    func `metadata cannot point at addresses inside`(address: String) throws {
        // The issuer's own port, so that it is the address that is refused.
        let stage = try expectNotBelieved { issuer in
            let uri = address.replacingOccurrences("$PORT", with: "\(issuer.server.port)")
            issuer.publish(metadata: issuer.metadata(["jwks_uri": uri]))
        }
        try expectRefusedPlace(stage)
    }

    @Test(
        .refuses("MD-08"),
        arguments: ["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "127.1", "0x7f000001", "0177.0.0.1", "[::1]"])
    func `an inner address is refused however it is spelt`(host: String) throws {
        // The operator wrote a name; only that name may lead inside.
        var plan = StagePlan(milestone: .listening)
        plan.issuerHost = "localhost"
        plan.prepare = { issuer in
            let port = issuer.server.port
            let uri = "http://\(host):\(port)\(ScriptedIssuer.keysPath)"
            let document = issuer.metadata(["issuer": "http://localhost:\(port)", "jwks_uri": uri])
            issuer.publish(metadata: document)
        }
        let stage = try Stage(plan)
        expectAuthorizationDown(try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()]))
        try expectRefusedPlace(stage)
    }

    private func expectRefusedPlace(_ stage: Stage, at location: SourceLocation = #_sourceLocation) throws {
        let line = stage.gateway.operatorLine { $0["event"] == "issuer_refresh_failed" }
        let reason = try #require(line?["reason"], sourceLocation: location)
        let expected = ["address_refused", "port_not_allowed", "metadata_endpoint_invalid"]
        #expect(expected.contains(reason), "\(line?.raw ?? "")", sourceLocation: location)
        #expect(stage.issuer.fetches() == 0, sourceLocation: location)
    }

    @Test(.refuses("MD-08")) func `metadata cannot point at another port`() throws {
        let inside = try RecordingUpstream(fallback: ScriptedIssuer.json(SigningKey.keySet([.p256])))
        let stage = try expectNotBelieved { issuer in
            issuer.publish(metadata: issuer.metadata(["jwks_uri": inside.url + "/jwks.json"]))
        }
        #expect(stage.gateway.operatorLine { $0["reason"] == "port_not_allowed" } != nil)
        #expect(inside.connectionCount == 0)
    }

    @Test(.holds("MD-08")) func `a network that the operator allows is fine`() throws {
        let stage = try Stage(
            StagePlan(
                issuer: "discovery: openid, allow_private: [127.0.0.0/8, \"::1/128\"]",
                prepare: { issuer in
                    let uri = "http://localhost:\(issuer.server.port)\(ScriptedIssuer.keysPath)"
                    issuer.publish(metadata: issuer.metadata(["jwks_uri": uri]))
                }))
        #expect(try status(stage) == 200)
        #expect(stage.issuer.fetches() == 1)
    }
}
