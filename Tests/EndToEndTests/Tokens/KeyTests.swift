import TestSupport
import TestTraits
import Testing

/// Rows JOSE-13, JOSE-17, JOSE-34 and RS-24: where keys come from, and what happens when they change or are missing.
@Suite struct `an issuer's keys` {
    private func ask(_ stage: Stage, _ token: String) throws -> WireResponse {
        try stage.exchange("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"])
    }

    /// For an unknown key the set is read again once an hour, which is longer than any test takes.
    private static let patient = StagePlan(issuer: "discovery: openid, keys: { unknown_key_interval: 1h }")

    @Test(.refuses("JOSE-13")) func `no key is taken from a token's header and nothing is fetched`() throws {
        let stage = try Stage()
        let attacker = try ScriptedIssuer(keys: SigningKey.keySet([.otherP256]))
        let link = quoted(attacker.url + ScriptedIssuer.keysPath)
        for name in ["jku", "x5u"] {
            #expect(try ask(stage, stage.tokens.token(header: [name: link])).status == 200)
            let forged = stage.tokens.token(header: [name: link], signedBy: .otherP256)
            try expectInvalidToken(try ask(stage, forged))
        }
        let embedded = SigningKey.otherP256.publicJWK()
        for header: [String: String?] in [["jwk": embedded], ["jwk": embedded, "kid": nil], ["x5c": #"["MIIB"]"#]] {
            try expectInvalidToken(try ask(stage, stage.tokens.token(header: header, signedBy: .otherP256)))
        }
        #expect(attacker.server.connectionCount == 0)
    }

    @Test(.holds("JOSE-17")) func `a rotated key is accepted without a restart`() throws {
        let stage = try Stage()
        #expect(try ask(stage, stage.tokens.token()).status == 200)
        let fresh = SigningKey(.p256, keyID: "main-2")
        stage.issuer.publish(keys: SigningKey.keySet([fresh, stage.tokens.key]))
        let fetches = stage.issuer.fetches()
        #expect(try ask(stage, stage.tokens.token(signedBy: fresh)).status == 200)
        #expect(stage.issuer.fetches() == fetches + 1)
        #expect(try ask(stage, stage.tokens.token()).status == 200)
    }

    @Test(.holds("JOSE-17")) func `a key that was replaced under its name is accepted, and others cause one fetch`()
        throws
    {
        let stage = try Stage(Self.patient)
        #expect(try ask(stage, stage.tokens.token()).status == 200)
        let fresh = SigningKey(renaming: .otherP256, keyID: stage.tokens.key.keyID)
        stage.issuer.publish(keys: SigningKey.keySet([fresh]))
        let fetches = stage.issuer.fetches()
        #expect(try ask(stage, stage.tokens.token(signedBy: fresh)).status == 200)
        #expect(stage.issuer.fetches() == fetches + 1)
        for _ in 0..<50 { try expectInvalidToken(try ask(stage, stage.tokens.token())) }
        #expect(stage.issuer.fetches() == fetches + 1)
    }

    @Test(.refuses("JOSE-17", "ECO-81")) func `many unknown keys cause one fetch`() throws {
        let stage = try Stage(Self.patient)
        let fetches = stage.issuer.fetches()
        let client = try stage.gateway.client()
        for number in 0..<300 {
            let token = stage.tokens.token(signedBy: SigningKey(renaming: .otherP256, keyID: "random-\(number)"))
            try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
            try expectInvalidToken(try client.response())
        }
        #expect(stage.issuer.fetches() <= fetches + 1)
        #expect(try ask(stage, stage.tokens.token()).status == 200)
    }

    private func ask(_ stage: Stage, _ token: String, from source: String) throws -> WireResponse {
        let client = try RawClient(port: stage.gateway.port, from: source)
        defer { client.close() }
        try client.send(request("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"]))
        return try client.response()
    }

    @Test(.holds("ECO-81", "JOSE-17"), .refuses("ECO-81"), arguments: [false, true])
    func `one address that names unknown keys without end keeps no other's new key away`(isReplaced: Bool) throws {
        let stage = try Stage(Self.patient)
        #expect(try ask(stage, stage.tokens.token()).status == 200)
        let fetches = stage.issuer.fetches()
        // Keys that nobody has, or signatures by none that the issuer has under its name.
        func bad(_ number: Int) -> String {
            let name = isReplaced ? stage.tokens.key.keyID : "random-\(number)"
            return stage.tokens.token(signedBy: SigningKey(renaming: .otherP256, keyID: name))
        }
        for number in 0..<50 { try expectInvalidToken(try ask(stage, bad(number), from: "127.0.0.81")) }
        #expect(stage.issuer.fetches() == fetches + 1)
        let fresh = SigningKey(.p256, keyID: isReplaced ? stage.tokens.key.keyID : "main-2")
        stage.issuer.publish(keys: SigningKey.keySet([fresh]))
        for number in 50..<60 { try expectInvalidToken(try ask(stage, bad(number), from: "127.0.0.81")) }
        #expect(stage.issuer.fetches() == fetches + 1)
        let token = stage.tokens.token(signedBy: fresh)
        #expect(try ask(stage, token, from: "127.0.0.82").status == 200)
        #expect(stage.issuer.fetches() == fetches + 2)
        #expect(try ask(stage, token, from: "127.0.0.81").status == 200, "what was read is there for all")
    }

    @Test(.refuses("ECO-81", "JOSE-17")) func `any number of addresses have an issuer asked four times at once`() throws
    {
        let stage = try Stage(Self.patient)
        let fetches = stage.issuer.fetches()
        for number in 1...40 {
            let token = stage.tokens.token(signedBy: SigningKey(renaming: .otherP256, keyID: "random-\(number)"))
            for _ in 0..<3 { try expectInvalidToken(try ask(stage, token, from: "127.0.1.\(number)")) }
        }
        #expect(stage.issuer.fetches() == fetches + 4)
        #expect(try ask(stage, stage.tokens.token()).status == 200)
    }

    @Test(.holds("JOSE-17")) func `many requests that wait for one key cause one fetch`() throws {
        let stage = try Stage()
        let gate = Gate()
        let fresh = SigningKey(.p256, keyID: "main-2")
        let keys = SigningKey.keySet([fresh])
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(keys.utf8.count)\r\n\r\n"
        stage.issuer.answer(ScriptedIssuer.keysPath, with: WireScript(.wait(gate), .text(head + keys)))
        let fetches = stage.issuer.fetches()
        let clients = try (0..<20).map { _ in try stage.gateway.client() }
        for client in clients {
            let line = "Authorization: Bearer \(stage.tokens.token(signedBy: fresh))"
            try client.send(request("GET", "/orders/a", fields: [line]))
        }
        #expect(eventually { stage.issuer.fetches() == fetches + 1 })
        // An unrelated route is served while they wait (OPS-04).
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
        #expect(stage.issuer.fetches() == fetches + 1)
    }

    @Test(.holds("H2-67"), .refuses("H2-67"))
    func `streams of one connection that wait for one key cause one fetch, and hold up no other`() throws {
        let stage = try Stage()
        let known = stage.tokens.token()
        #expect(try ask(stage, known).status == 200)
        let gate = Gate()
        let fresh = SigningKey(.p256, keyID: "main-2")
        let keys = SigningKey.keySet([fresh, stage.tokens.key])
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(keys.utf8.count)\r\n\r\n"
        stage.issuer.answer(ScriptedIssuer.keysPath, with: WireScript(.wait(gate), .text(head + keys)))
        let fetches = stage.issuer.fetches()
        let client = try FrameClient(port: stage.gateway.port)
        var waiting = Set((0..<20).map { UInt32($0 * 2 + 1) })
        for stream in waiting.sorted() {
            let token = stage.tokens.token(signedBy: fresh)
            try client.get(stream, "/orders/a", [("authorization", "Bearer \(token)")])
        }
        #expect(eventually { stage.issuer.fetches() == fetches + 1 })
        // One whose key is at hand is answered while they wait.
        try client.get(41, "/orders/a", [("authorization", "Bearer \(known)")])
        #expect(try client.status(of: 41) == "200")
        #expect(waiting.allSatisfy { client.fields[$0] == nil })
        gate.open()
        try client.frames { frame in
            if frame.ends || frame.type == FrameClient.Frame.reset { waiting.remove(frame.stream) }
            return waiting.isEmpty
        }
        for number in 0..<20 { #expect(client.values(":status", of: UInt32(number * 2 + 1)) == ["200"]) }
        #expect(stage.issuer.fetches() == fetches + 1)
    }

    @Test(.holds("JOSE-34"), .refuses("JOSE-34")) func `a token seen before is still compared bit by bit`() throws {
        let stage = try Stage()
        let token = stage.tokens.token()
        for _ in 0..<3 { #expect(try ask(stage, token).status == 200) }
        let parts = token.split(separator: ".").map(String.init)
        for position in [0, 20, 60] {
            var signature = Array(parts[2].utf8)
            signature[position] = signature[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            try expectInvalidToken(try ask(stage, "\(parts[0]).\(parts[1]).\(text(signature))"))
        }
        #expect(try ask(stage, token).status == 200)
    }

    @Test(.refuses("JOSE-34")) func `a token seen before is refused once its key is gone`() throws {
        let stage = try Stage()
        let token = stage.tokens.token()
        #expect(try ask(stage, token).status == 200)
        let fresh = SigningKey(.p256, keyID: "main-2")
        stage.issuer.publish(keys: SigningKey.keySet([fresh]))
        // The unknown key makes the gateway look again, and it finds that the former key has vanished.
        #expect(try ask(stage, stage.tokens.token(signedBy: fresh)).status == 200)
        try expectInvalidToken(try ask(stage, token))
    }

    @Test(.refuses("JOSE-34")) func `a token seen before is refused once it has expired`() throws {
        let stage = try Stage(StagePlan(issuer: "discovery: openid, leeway: 0s"))
        let token = stage.tokens.token(["exp": moment(12)])
        #expect(try ask(stage, token).status == 200)
        var last: WireResponse?
        #expect(
            try eventually {
                last = try ask(stage, token)
                return last?.status == 401
            })
        try expectInvalidToken(try #require(last))
    }

    @Test(.refuses("JOSE-34")) func `a token seen on one route says nothing about another`() throws {
        let stage = try Stage(
            routes: Stage.ordinaryRoutes + [
                """
                { path: /elsewhere/, upstream: $UPSTREAM, \
                token: { issuers: [main], audience: "https://api.test/elsewhere" } }
                """
            ])
        let token = stage.tokens.token()
        #expect(try ask(stage, token).status == 200)
        let response = try stage.exchange("GET", "/elsewhere/a", fields: ["Authorization: Bearer \(token)"])
        try expectInvalidToken(response)
    }

    @Test(.refuses("RS-24")) func `an issuer that is down at the start is 503 and not 401`() throws {
        let stage = try Stage(
            StagePlan(milestone: .listening, prepare: { $0.answer(ScriptedIssuer.openIDPath, with: .answer(500)) }))
        #expect(try stage.gateway.status("/readyz") == 503)
        expectAuthorizationDown(try ask(stage, stage.tokens.token()))
        try expectNoCredentials(try stage.exchange("GET", "/orders/a"))
        #expect(try stage.exchange("GET", "/open/a").status == 200)
        #expect(try stage.gateway.status("/healthz") == 200)
        #expect(stage.upstream.requests.map(\.path) == ["/open/a"])
    }

    @Test(.holds("RS-24")) func `an issuer that goes down later changes nothing within the limit`() throws {
        let stage = try Stage()
        #expect(try ask(stage, stage.tokens.token()).status == 200)
        stage.issuer.server.stop()
        #expect(try ask(stage, stage.tokens.token()).status == 200)
        #expect(try stage.gateway.status("/readyz") == 200)
        // A kid that cannot be looked up while the issuer is down is not a bad token either way it is answered.
        let unknown = stage.tokens.token(signedBy: SigningKey(renaming: .otherP256, keyID: "nobody"))
        #expect([401, 503].contains(try ask(stage, unknown).status))
    }

    @Test(.holds("RS-24")) func `a stalled issuer delays no other route`() throws {
        let gate = Gate()
        let stage = try Stage(
            StagePlan(
                settings: "timeouts: { key_wait: 300ms }", milestone: .listening,
                prepare: { $0.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate))) }))
        let waiting = try stage.gateway.client()
        try waiting.send(request("GET", "/orders/a", fields: [stage.tokens.bearer()]))
        for _ in 0..<20 { #expect(try stage.exchange("GET", "/open/a").status == 200) }
        expectAuthorizationDown(try waiting.response())
        gate.open()
    }
}
