import TestSupport
import TestTraits
import Testing

/// One way in which an issuer's answer is no answer.
enum IssuerFault: String, CaseIterable {
    case garbage, enormous, enormousChunks, redirect, redirectToItself, cutOff, reset, stalledHead, stalledBody, error

    static let size = 64 << 20

    /// What it does in place of a document; it waits at `gate` where it stalls.
    func script(_ gate: Gate, _ issuer: ScriptedIssuer) -> WireScript {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        switch self {
        case .garbage: return WireScript(.bytes((0..<2048).map { UInt8(truncatingIfNeeded: $0 &* 167) }), .close)
        case .enormous:
            return WireScript(
                .text(head + "Content-Length: \(Self.size)\r\n\r\n{\"keys\":["), .pattern(Self.size), .close)
        case .enormousChunks:
            // Nothing says beforehand that it is too long.
            return WireScript(
                .text(head + "Transfer-Encoding: chunked\r\n\r\n4000000\r\n"), .pattern(Self.size), .close)
        case .redirect:
            return .answer(302, "", fields: ["Location: http://127.0.0.1:1/jwks.json"])
        case .redirectToItself:
            return .answer(308, "", fields: ["Location: \(issuer.url)\(ScriptedIssuer.keysPath)"])
        case .cutOff: return .rawThenClose(head + "Content-Length: 500\r\n\r\n{\"keys\":[")
        case .reset: return WireScript(.text(head + "Content-Length: 500\r\n\r\n{\"keys\":["), .reset)
        case .stalledHead: return WireScript(.text("HTTP/1.1 200 O"), .wait(gate), .close)
        case .stalledBody: return WireScript(.text(head + "Content-Length: 500\r\n\r\n{\"ke"), .wait(gate), .close)
        case .error: return .answer(503, "down", fields: ["Retry-After: 1"])
        }
    }
}

/// Rows D-17, RS-24, JOSE-17, MD-06 and OPS-04, T-43 and T-62: issuers that are down, slow or mad, and come back.
@Suite(.serialized) struct `issuers that fail` {
    private func ask(_ stage: Stage, _ token: String) throws -> WireResponse {
        try stage.exchange("GET", "/orders/a", fields: ["Authorization: Bearer \(token)"])
    }

    private func expectOthersServed(_ stage: Stage, at location: SourceLocation = #_sourceLocation) throws {
        try expectPrompt(10, at: location) { number in
            let response = try stage.exchange("GET", "/open/\(number)")
            #expect(response.status == 200, sourceLocation: location)
        }
    }

    @Test(.holds("RS-24")) func `one that is down at the start is asked again by itself until it is up`() throws {
        let stage = try Stage(
            StagePlan(
                settings: "timeouts: { key_wait: 300ms }", milestone: .listening, prepare: { $0.server.stop() }))
        expectAuthorizationDown(try ask(stage, stage.tokens.token()))
        #expect(try stage.gateway.status("/readyz") == 503)
        #expect(try stage.gateway.status("/healthz") == 200)
        try expectOthersServed(stage)
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "issuer_refresh_failed" })
        #expect(line["issuer"] == "main")
        stage.issuer.server.releasePort()
        let again = try ScriptedIssuer(keys: stage.issuer.keys, port: stage.issuer.server.port)
        #expect(eventually { (try? stage.gateway.status("/readyz")) == 200 })
        #expect(try ask(stage, stage.tokens.token()).status == 200)
        #expect(again.fetches() >= 1)
    }

    @Test(.refuses("RS-24", "MD-06"), arguments: IssuerFault.allCases)
    func `keys that cannot be read are 503, others are served, and it recovers`(fault: IssuerFault) throws {
        let gate = Gate()
        let began = ContinuousClock.now
        let stage = try Stage(
            StagePlan(
                settings: "timeouts: { key_wait: 300ms }", milestone: .listening,
                prepare: { $0.answer(ScriptedIssuer.keysPath, with: fault.script(gate, $0)) }))
        #expect(stage.issuer.server.waits { $0.requests.contains { $0.path == ScriptedIssuer.keysPath } })
        let before = stage.gateway.process.memory("RssAnon")
        expectAuthorizationDown(try ask(stage, stage.tokens.token()))
        try expectOthersServed(stage)
        #expect(!stage.upstream.requests.contains { $0.path.hasPrefix("/orders/") }, "open without keys")
        #expect(stage.issuer.server.now.sentCount < IssuerFault.size, "all of it was read")
        #expect(stage.gateway.process.memory("RssAnon") - before < 8 * 1024)
        // A redirect is not followed, least of all for ever.
        let fetches = stage.issuer.fetches()
        // It is asked again by itself, at most once a second.
        #expect(fetches <= 4 + Int((ContinuousClock.now - began) / Duration.seconds(1)))
        stage.issuer.republishKeys()
        gate.open()
        #expect(try eventually { try ask(stage, stage.tokens.token()).status == 200 })
        #expect(eventually { (try? stage.gateway.status("/readyz")) == 200 })
    }

    @Test(
        .refuses("D-17", "JOSE-17"),
        arguments: [IssuerFault.garbage, .enormousChunks, .redirect, .reset, .stalledBody, .error])
    func `keys at hand outlive an answer that is none`(fault: IssuerFault) throws {
        let gate = Gate()
        let stage = try Stage(
            StagePlan(
                settings: "timeouts: { key_wait: 300ms }",
                issuer: "discovery: openid, keys: { unknown_key_interval: 1s }"))
        #expect(try ask(stage, stage.tokens.token()).status == 200)
        stage.issuer.answer(ScriptedIssuer.keysPath, with: fault.script(gate, stage.issuer))
        let fetches = stage.issuer.fetches()
        let fresh = SigningKey(.p256, keyID: "main-2")
        // The unknown key has the set read again, which fails: that is no reason to believe or to forget anything.
        let asked = try ask(stage, stage.tokens.token(signedBy: fresh)).status
        #expect([401, 503].contains(asked), "\(asked)")
        #expect(eventually { stage.issuer.fetches() > fetches })
        for _ in 0..<5 { #expect(try ask(stage, stage.tokens.token()).status == 200) }
        try expectOthersServed(stage)
        #expect(try stage.gateway.status("/readyz") == 200)
        stage.issuer.publish(keys: SigningKey.keySet([fresh, stage.tokens.key]))
        gate.open()
        #expect(try eventually { try ask(stage, stage.tokens.token(signedBy: fresh)).status == 200 })
    }

    @Test(.holds("OPS-04", "T-43")) func `hundreds of requests that wait for keys in vain delay no other route`() throws
    {
        let gate = Gate()
        let stage = try Stage(
            StagePlan(
                settings: "timeouts: { key_wait: 1s }", milestone: .listening,
                prepare: { $0.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .close)) }))
        let bearer = stage.tokens.bearer()
        let clients = try (0..<200).map { _ in try stage.gateway.client() }
        for client in clients { try client.send(request("GET", "/orders/a", fields: [bearer])) }
        try expectOthersServed(stage)
        for client in clients { expectAuthorizationDown(try client.response()) }
        #expect(eventually { stage.gateway.reading("portcullis_parked_requests") == 0 })
        gate.open()
    }

    @Test(.refuses("MD-06", "T-62")) func `one whose certificate nobody vouches for is not asked anything`() throws {
        let authority = try TestCertificate.authority(named: "Authority of the issuer")
        let other = try TestCertificate.authority(named: "Another authority")
        let key = SigningKey(.p256, keyID: "main-1")
        let keys = SigningKey.keySet([key])
        let upstream = try RecordingUpstream()
        for (identity, isGood) in try [
            (other.issue(names: ["127.0.0.1"]), false), (authority.issue(names: ["wrong.test"]), false),
            (authority.issue(names: ["127.0.0.1"], secondsLeft: -60), false),
            (authority.issue(names: ["127.0.0.1"]), true),
        ] {
            let issuer = try ScriptedIssuer(keys: keys, identity: identity)
            let yaml = Stage.yaml(
                StagePlan(
                    settings: "timeouts: { key_wait: 300ms }",
                    issuer: "discovery: openid, certificate_authority: $FOLDER/ca.crt")
            )
            .replacingOccurrences("insecure_allow_http: true, ", with: "")
            .replacingOccurrences("$UPSTREAM", with: upstream.url).replacingOccurrences("$ISSUER", with: issuer.url)
            let gateway = try GatewayProcess(
                yaml, files: ["ca.crt": authority.certificate], until: isGood ? .ready : .listening)
            let line = TokenForge(issuer: issuer.url, key: key).bearer()
            if isGood {
                #expect(try gateway.exchange(request("GET", "/orders/a", fields: [line])).status == 200)
            } else {
                expectAuthorizationDown(try gateway.exchange(request("GET", "/orders/a", fields: [line])))
                #expect(try gateway.exchange(request("GET", "/open/a")).status == 200)
                #expect(gateway.operatorLine { $0["event"] == "issuer_refresh_failed" } != nil)
                #expect(issuer.server.requests.isEmpty)
            }
        }
        #expect(upstream.requests.filter { $0.path == "/orders/a" }.count == 1)
    }
}
