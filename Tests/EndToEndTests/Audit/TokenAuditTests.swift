import Foundation
import TestSupport
import TestTraits
import Testing

/// Rows ECO-57 and ECO-62: what the audit log says of tokens and of the operator, and how one refusal is found.
@Suite(.byEachProtocol) struct `the audit log of tokens` {
    private static func plan(_ more: String = "") -> StagePlan {
        var plan = StagePlan()
        plan.settings = AuditTrail.settings + "\n" + more
        plan.files = AuditTrail.files
        return plan
    }

    @Test(.holds("ECO-57", "ECO-62"), .refuses("ECO-62"))
    func `has a refusal that every log and page names alike, and explain finds by each name`() throws {
        var plan = Self.plan("explain_buffer: 10\nvia: audited")
        plan.publicURL = "http://gateway.test\n    trusted_proxies: [127.0.0.1/32]"
        let stage = try Stage(plan)
        let trail = AuditTrail(stage.gateway)
        let token = stage.tokens.token(["scope": quoted("other"), "jti": quoted("t-1")])
        let lines = [
            "Authorization: Bearer \(token)", "X-Request-Id: proxy/1", "X-Forwarded-For: 192.0.2.7",
            "Accept: application/problem+json",
        ]
        let answer = try stage.exchange("GET", "/orders/a", fields: lines)
        #expect(answer.status == 403)
        let id = try #require(answer.fields.only("x-request-id"))
        let decision = "1-\(id.prefix(16))"
        let problem = try object(answer.bodyText)
        #expect(problem["request_id"] as? String == id && problem["decision_id"] as? String == decision)
        let audit = try trail.line("refused")
        #expect(audit["subject"] != nil && audit["client_id"] != nil && audit["issuer"] == stage.tokens.issuer)
        #expect(audit["cause"] == "scope_insufficient" && audit["route"] == "orders", "\(audit.raw)")
        // printf t-1 | sha256sum
        #expect(audit["jti_hash"] == "46e9bc3476c92ea24fb17adac6cd9cdacff7a34a5c753100787da5a29984f836")
        #expect(audit["source_address"] == "192.0.2.7")
        let access = try #require(stage.gateway.accessLine { $0["request_id"] == id })
        let told = try #require(stage.gateway.operatorLine { $0["event"] == "refused" })
        for line in [audit, access, told] {
            #expect(line["request_id"] == id && line["decision_id"] == decision, "\(line.raw)")
            #expect(line["proxy_request_id"] == "proxy/1", "\(line.raw)")
        }
        let page = try stage.exchange(
            "GET", "/orders/b", fields: ["Authorization: Bearer \(token)", "Accept: text/html"] + navigation)
        let pageID = try #require(page.fields.only("x-request-id"))
        #expect(page.bodyText.contains("<code>\(pageID)</code>"), "\(page.bodyText)")
        #expect(page.bodyText.contains("<code>1-\(pageID.prefix(16))</code>"))
        for name in [id, id.uppercased(), decision, "proxy/1"] {
            let found = try stage.gateway.admin("/explain/\(name).json")
            #expect(found.status == 200 && found.bodyText.contains("scope_insufficient"), "\(name): \(found.bodyText)")
            let explain = try ChildProcess(
                GatewayProcess.binary,
                ["explain", try stage.configurationWithAdminPort(), "--request-id", name])
            let said = try #require(explain.outputToItsEnd())
            #expect(explain.waitForEnd() == .exited(3), "\(said)\(explain.errors.now)")
            #expect(said.first?.hasPrefix("REFUSED  403  scope_insufficient") == true, "\(name)")
            for line in ["request_id \(id)", "decision_id \(decision)", "proxy_request_id proxy/1"] {
                #expect(said.contains(line), "\(said)")
            }
        }
        for name in ["2-\(id.prefix(16))", "1-\(id.suffix(16))", "proxy/2", "1-0000"] {
            #expect(try stage.gateway.status("/explain/\(name)") == 404, "\(name)")
        }
        let looked = try trail.line("admin_asked") { $0["status"] == "200" }
        #expect(looked["request_id"] == id && looked["decision_id"] == decision, "\(looked.raw)")
        #expect(looked["source_address"] == "127.0.0.1")
        #expect(try trail.line("admin_asked") { $0["status"] == "404" }["request_id"] == nil)
        #expect(try stage.gateway.status("/metrics") == 200)
        #expect(trail.lines(of: "admin_asked").allSatisfy { ["200", "404"].contains($0["status"]) })
        #expect(!trail.text.contains(token) && !trail.text.contains("alice"))
        try trail.expectValid()
    }

    @Test(.refuses("ECO-57")) func `has nothing of a flood that no valid token came with, and bounds one that did`()
        throws
    {
        let stage = try Stage(Self.plan())
        let trail = AuditTrail(stage.gateway)
        _ = try trail.line("configuration_applied")
        let count = trail.lines.count
        let client = try stage.gateway.client()
        let bad = [
            "X-A: b", "Authorization: Bearer a.b.c", stage.tokens.bearer(["exp": moment(-1000)]),
            stage.tokens.bearer(["iss": quoted("https://other.test")]), "Authorization: Basic YTpi",
        ]
        for _ in 0..<40 {
            for line in bad {
                try client.send(request("GET", "/orders/a", fields: [line]))
                #expect(try client.response().status == 401)
            }
        }
        #expect(trail.lines.count == count, "\(trail.text)")
        let token = stage.tokens.bearer(["scope": quoted("other")])
        for _ in 0..<300 {
            try client.send(request("GET", "/orders/a", fields: [token]))
            #expect(try client.response().status == 403)
        }
        // Somebody else is heard all the same.
        let other = try stage.exchange(
            "GET", "/orders/a", fields: [stage.tokens.bearer(["scope": quoted("x"), "sub": quoted("bob")])])
        expectNames(
            try trail.line("refused") { $0["request_id"] == other.fields.only("x-request-id") }, of: other)
        stage.gateway.terminate()
        _ = stage.gateway.process.waitForEnd()
        let written = trail.lines(of: "refused").count
        #expect((31...150).contains(written), "\(written)")
        let leftOut = try trail.line("left_out")
        #expect(leftOut["cause"] == "too_many" && leftOut["count"] == "\(301 - written)", "\(leftOut.raw)")
        #expect(leftOut["subject"] == trail.lines(of: "refused").first?["subject"])
        try trail.expectValid()
    }

    @Test(.holds("ECO-57")) func `has a token that was exchanged for another, and neither of the two`() throws {
        var plan = StagePlan.lookups("cache: 30s")
        plan.routes = [
            """
            { path: /orders/, upstream: $UPSTREAM, name: orders, token: { issuers: [main], \
            audience: "\(TokenForge.audience)" }, upstream_credential: { exchange: { client: asker, audience: stock } } }
            """
        ]
        plan.settings += "\n" + AuditTrail.settings
        plan.files.merge(AuditTrail.files) { $1 }
        let stage = try Stage(plan)
        let trail = AuditTrail(stage.gateway)
        let type = "urn:ietf:params:oauth:token-type:access_token"
        stage.issuer.answer(
            ScriptedIssuer.tokenPath,
            with: ScriptedIssuer.json(
                """
                {"access_token":"for-the-stock","issued_token_type":"\(type)","token_type":"Bearer","expires_in":300}
                """))
        let token = stage.tokens.token()
        let line = "Authorization: Bearer \(token)"
        let answer = try stage.exchange("GET", "/orders/a", fields: [line])
        #expect(answer.status == 200, "\(answer.headText)\(stage.gateway.diagnosis)")
        let exchanged = try trail.line("token_exchanged")
        #expect(exchanged["gateway_client"] == "asker" && exchanged["route"] == "orders", "\(exchanged.raw)")
        #expect(exchanged["subject"] != nil && exchanged["jti_hash"] != nil)
        // Once for what is kept and used again.
        for _ in 0..<5 { #expect(try stage.exchange("GET", "/orders/a", fields: [line]).status == 200) }
        #expect(trail.lines(of: "token_exchanged").count == 1)
        #expect(!trail.text.contains("for-the-stock") && !trail.text.contains(token))
        try trail.expectValid()
    }

    @Test(.holds("ECO-57")) func `has which configuration is served, and which keys are others`() throws {
        var plan = Self.plan("dpop: { nonce_keys: [{ file: $FOLDER/nonce.key }] }")
        plan.files["nonce.key"] = "a key of nonces, which is long enough"
        let stage = try Stage(plan)
        let trail = AuditTrail(stage.gateway)
        let file = stage.gateway.folder + "/gateway.yaml"
        func digest() throws -> String {
            let child = try ChildProcess("/usr/bin/sha256sum", [file])
            return String(try #require(child.outputToItsEnd()?.first).prefix(64))
        }
        let first = try trail.line("configuration_applied")
        #expect(first["by"] == "start" && first["generation"] == "1", "\(first.raw)")
        #expect(first["digest"] == (try digest()))
        // A key that is renewed is a reload by itself.
        try "another key of nonces, as long as that".write(
            toFile: stage.gateway.folder + "/nonce.key", atomically: false, encoding: .utf8)
        let watched = try trail.line("configuration_applied") { $0["generation"] == "2" }
        #expect(watched["by"] == "watch" && watched["digest"] == first["digest"], "\(watched.raw)")
        let rotated = try trail.line("key_rotated")
        #expect(
            rotated["key"] == "nonce_keys" && rotated["name"] == "dpop" && rotated["digest"] == nil, "\(rotated.raw)")
        // A configuration that does not load changes nothing but the log.
        let yaml = try String(contentsOfFile: file, encoding: .utf8)
        try "routes: [{ path: x }]\n".write(toFile: file, atomically: true, encoding: .utf8)
        stage.gateway.process.signal(SIGHUP)
        let refused = try trail.line("configuration_refused")
        #expect(refused["by"] == "signal" && (Int(refused["count"] ?? "") ?? 0) > 0, "\(refused.raw)")
        try (yaml + "# another text\n").write(toFile: file, atomically: true, encoding: .utf8)
        stage.gateway.process.signal(SIGHUP)
        let applied = try trail.line("configuration_applied") { $0["generation"] == "3" }
        #expect(applied["by"] == "signal" && applied["digest"] != first["digest"], "\(applied.raw)")
        #expect(applied["digest"] == (try digest()))
        // The issuer's keys: known from the start, and others now.
        #expect(trail.lines(of: "key_rotated").count == 1)
        let fresh = SigningKey(.p256, keyID: "main-2")
        stage.issuer.publish(keys: SigningKey.keySet([fresh, stage.tokens.key]))
        let bearer = "Authorization: Bearer " + stage.tokens.token(signedBy: fresh)
        #expect(eventually { (try? stage.exchange("GET", "/orders/a", fields: [bearer]))?.status == 200 })
        let keys = try trail.line("key_rotated") { $0["key"] == "issuer_keys" }
        #expect(keys["issuer"] == stage.tokens.issuer && keys["count"] == "2", "\(keys.raw)")
        for secret in ["a key of nonces", "another key of nonces"] { #expect(!trail.text.contains(secret)) }
        try trail.expectValid()
    }

    @Test(.refuses("ECO-57")) func `holds up no request when its disk is full, and says so`() throws {
        var plan = StagePlan()
        plan.settings = "audit: { destination: /dev/full, subject: none }"
        let stage = try Stage(plan)
        for _ in 0..<20 {
            #expect(
                try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer(["scope": quoted("x")])]).status
                    == 403)
        }
        #expect(try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()]).status == 200)
        #expect(eventually { stage.gateway.reading("portcullis_log_dropped_total{log=\"audit\"}") ?? 0 > 20 })
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "audit_lines_lost" })
        #expect(line["level"] == "error" && (Int(line["count"] ?? "") ?? 0) > 0, "\(line.raw)")
    }

    @Test(.refuses("ECO-57")) func `does not start where its file cannot be written, and says which`() throws {
        let gateway = try GatewayProcess(
            """
            listeners: [{ address: "127.0.0.1:0", public_url: "http://a.test" }]
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /, upstream: "http://127.0.0.1:9", public: true }]
            audit: { destination: $FOLDER/none/audit.log, subject: none }

            """, until: .started)
        #expect(gateway.process.waitForEnd() == .exited(2))
        let said = gateway.process.errors.now.joined(separator: "\n")
        #expect(said.contains("audit.destination: expected a file that can be appended to"), "\(said)")
    }

    @Test(.holds("ECO-57")) func `goes on in a new file when the old one was moved away`() throws {
        let stage = try Stage(Self.plan())
        let trail = AuditTrail(stage.gateway)
        _ = try trail.line("configuration_applied")
        try FileManager.default.moveItem(atPath: trail.path, toPath: trail.path + ".1")
        stage.gateway.process.signal(SIGHUP)
        #expect(try trail.line("configuration_applied")["generation"] == "2")
    }
}
