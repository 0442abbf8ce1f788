import TestSupport
import TestTraits
import Testing

/// Row OPS-08: tokens of sessions that are over, and a server that has not taken them back when the gateway is to stop.
@Suite struct `tokens that are left at the end` {
    /// More than are asked for at a time, so that some wait for others.
    private static let count = 10
    /// The row's second; an instrumented gateway takes several times as long for each step.
    private static let second: Duration = Sanitizer.isOn ? .seconds(10) : .seconds(1)

    /// A stage where that many users have logged out, whose server keeps the first who ask it at the gate.
    ///
    /// And a user who stays: the server has ten seconds to answer, of which nothing else is to be a part.
    private func loggedOut(_ settings: String = "", by gate: Gate) throws -> (stage: SessionStage, other: CookieJar) {
        let plan = LoginPlan(routes: ["{ path: /app/, upstream: $UPSTREAM, login: web }"], settings: settings)
        let stage = try SessionStage(plan)
        let done = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        stage.server.issuer.answer(LoginServer.revocationPath, with: WireScript(.wait(gate), .text(done)))
        let browsers = try (0..<Self.count).map { _ in try stage.login() }
        let other = try stage.login()
        for browser in browsers {
            let answer = try stage.exchange(
                "POST", "/.portcullis/logout/web", browser: browser, fields: ownPage)
            #expect(answer.status == 200, "nobody waits for the server")
        }
        #expect(eventually { !stage.server.revoked.isEmpty })
        return (stage, other)
    }

    /// A request of a user who stays, to whom the upstream says nothing.
    private func held(_ stage: SessionStage, _ browser: CookieJar, by gate: Gate) throws -> RawClient {
        stage.upstream.answer("/app/held", with: WireScript(.wait(gate), .close))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/app/held", fields: browser.lines))
        #expect(stage.upstream.waits { $0.requests.contains { $0.path == "/app/held" } })
        return client
    }

    /// What was said of tokens that could not be given back.
    private func reports(_ stage: SessionStage) -> [LogLine] {
        stage.gateway.operatorLog.filter { $0["event"] == "revocation_failed" }
    }

    /// One report for each session, which names the client and the reason.
    private func expectAllReported(_ stage: SessionStage, at location: SourceLocation = #_sourceLocation) {
        #expect(eventually { reports(stage).count >= Self.count }, "\(reports(stage))", sourceLocation: location)
        #expect(reports(stage).count == Self.count, "\(reports(stage))", sourceLocation: location)
        for line in reports(stage) {
            #expect(line["reason"] == "stopped" && line["login_client"] == "web", "\(line)", sourceLocation: location)
        }
    }

    @Test(.refuses("OPS-08", "RV-01")) func `are given back before it ends, all of them`() throws {
        let gate = Gate()
        defer { gate.open() }
        let (stage, _) = try loggedOut(by: gate)
        stage.gateway.terminate()
        #expect(stage.gateway.operatorLine { $0["event"] == "drained" } != nil)
        #expect(stage.gateway.process.waitForEnd(within: .milliseconds(300)) == nil, "it waits for the server")
        gate.open()
        #expect(stage.gateway.process.waitForEnd() == .exited(0))
        // The last one's user is still there.
        let given = stage.server.issued.filter { $0.hasPrefix("refresh-") }.dropLast()
        #expect(given.count == Self.count)
        #expect(stage.server.revoked.sorted() == given.sorted())
        #expect(reports(stage).isEmpty, "\(reports(stage))")
    }

    @Test(.refuses("OPS-08", "RV-01")) func `are reported, each session's, when the time for the drain is over`() throws
    {
        let gate = Gate()
        defer { gate.open() }
        let most = Duration.milliseconds(400) + Self.second
        var least = Duration.seconds(3600)
        // A machine that stands still once does not do so each time.
        for _ in 0..<4 where least >= most {
            let (stage, other) = try loggedOut("timeouts: { drain: 400ms }", by: gate)
            let client = try held(stage, other, by: gate)
            let taken = ContinuousClock().measure {
                stage.gateway.terminate()
                #expect(stage.gateway.process.waitForEnd() == .exited(0))
            }
            least = min(least, taken)
            #expect(client.isClosedByPeer())
            expectAllReported(stage)
        }
        #expect(least < most)
    }

    @Test(.refuses("OPS-08", "RV-01"))
    func `are reported, each session's, when a second SIGTERM ends it within a second`() throws {
        let gate = Gate()
        defer { gate.open() }
        var least = Duration.seconds(3600)
        for _ in 0..<4 where least >= Self.second {
            let (stage, other) = try loggedOut(by: gate)
            let client = try held(stage, other, by: gate)
            stage.gateway.terminate()
            #expect(stage.gateway.operatorLine { $0["event"] == "stopping" } != nil)
            let taken = ContinuousClock().measure {
                stage.gateway.terminate()
                #expect(stage.gateway.process.waitForEnd() == .exited(0))
            }
            least = min(least, taken)
            #expect(client.isClosedByPeer())
            expectAllReported(stage)
        }
        #expect(least < Self.second)
    }
}
