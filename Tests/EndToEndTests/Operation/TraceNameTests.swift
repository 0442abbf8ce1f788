import TestSupport
import TestTraits
import Testing

/// Rows ECO-57 and ECO-62: a trace's id leads from wherever somebody has it to what the gateway decided.
@Suite struct `the id of a trace` {
    private static let theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "traceparent: 00-\(theirs)-00f067aa0ba902b7-01"

    @Test(.holds("ECO-62"), .refuses("ECO-62")) func `is one of the names by which explain finds a request`() throws {
        var plan = StagePlan()
        plan.settings = "explain_buffer: 50"
        let traces = try TraceStage("ratio: 0%", trusts: true, plan: plan)
        let stage = traces.stage
        let configuration = try stage.configurationWithAdminPort()
        func explained(_ name: String) throws -> (status: ProcessEnd?, lines: [String]) {
            let explain = try ChildProcess(
                GatewayProcess.binary, ["explain", configuration, "--request-id", name])
            let lines = try #require(explain.outputToItsEnd())
            return (explain.waitForEnd(), lines)
        }
        let refused = try stage.exchange("GET", "/orders/a", fields: [Self.parent])
        #expect(refused.status == 401)
        let id = try #require(refused.fields.only("x-request-id"))
        for name in [Self.theirs, Self.theirs.uppercased(), id] {
            let found = try explained(name)
            #expect(found.status == .exited(3), "\(name): \(found.lines)")
            #expect(found.lines.first?.hasPrefix("REFUSED  401  credentials_missing") == true, "\(found.lines)")
            #expect(found.lines.contains("request_id \(id)") && found.lines.contains("trace_id \(Self.theirs)"))
        }
        // Of several requests of one trace it is the newest one's.
        #expect(try stage.ask(stage.tokens.token(), "/orders/b").status == 200)
        let passed = try stage.exchange("GET", "/orders/c", fields: [Self.parent, stage.tokens.bearer()])
        #expect(passed.status == 200)
        let newest = try explained(Self.theirs)
        #expect(newest.status == .exited(0) && newest.lines.first == "FORWARDED", "\(newest.lines)")
        // Where the trace began here, the two ids are one.
        let began = try #require(try stage.exchange("GET", "/nowhere").fields.only("x-request-id"))
        #expect(try explained(began).lines.contains("trace_id \(began)"))
        #expect(try stage.gateway.status("/explain/\(String(Self.theirs.reversed()))") == 404)
    }

    @Test(.holds("ECO-57"), .refuses("ECO-57"), arguments: [true, false])
    func `is in the audit lines of logins and logouts where traces are on`(isOn: Bool) throws {
        let collector = try RecordingUpstream(fallback: .answer(200, "{}"))
        let tracing =
            "tracing: { endpoint: \"\(collector.url)\", ratio: 0%, trusted_trace: [127.0.0.0/8] }"
        let stage = try SessionStage(
            LoginPlan(
                routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"],
                client: ["logout: { backchannel: true, at_server: false }"],
                settings: AuditTrail.settings + (isOn ? "\n\(tracing)" : ""), files: AuditTrail.files))
        let trail = AuditTrail(stage.gateway)
        let browser = try stage.login()
        let login = try trail.line("login")
        #expect(login["request_id"]?.utf8.count == 32)
        #expect(login["trace_id"] == (isOn ? login["request_id"] : nil), "\(login.raw)")
        let answer = try stage.exchange(
            "POST", "/.portcullis/logout/web", browser: browser, fields: ownPage + [Self.parent])
        #expect(answer.status == 200)
        let ended = [try trail.line("logout"), try trail.line("session_ended")]
        for line in ended {
            expectNames(line, of: answer)
            #expect(line["trace_id"] == (isOn ? Self.theirs : nil), "\(line.raw)")
        }
        let posted = try stage.exchange(
            "POST", "/.portcullis/backchannel-logout/web",
            fields: ["Content-Type: application/x-www-form-urlencoded", Self.parent],
            body: "logout_token=\(stage.server.logoutToken(session: nil, audience: "web"))")
        #expect(posted.status == 200)
        let back = try trail.line("logout") { $0["by"] == "back_channel" }
        #expect(back["trace_id"] == (isOn ? Self.theirs : nil), "\(back.raw)")
        try trail.expectValid()
    }
}
