import TestSupport
import TestTraits
import Testing

/// Row OPS-09 and threat T-29: the gateway's wall clock is set ahead and back while it serves.
@Suite struct `a wall clock that steps` {
    private static let hour = 3600

    /// A stage whose gateway's clock is set by the second value.
    private func stage() throws -> (Stage, SteppedClock) {
        let clock = try SteppedClock()
        var plan = StagePlan(
            routes: Stage.ordinaryRoutes + [
                """
                { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
                audience: "\(TokenForge.audience)" } }
                """
            ])
        plan.environment = clock.environment
        // Few tables, all of which are swept within some seconds.
        plan.settings = "dpop: { replay_memory: 1MiB }"
        return (try Stage(plan), clock)
    }

    /// A token as the issuer makes it when the clock stands `seconds` from ours.
    private func bearer(_ stage: Stage, at seconds: Int) -> String {
        stage.tokens.bearer(["iat": moment(seconds), "exp": moment(seconds + 300)])
    }

    private func sawStep(_ stage: Stage, of seconds: Int) -> Bool {
        stage.gateway.operatorLine { line in
            guard line["event"] == "clock_stepped", let seen = Int(line["seconds"] ?? "") else { return false }
            // The two clocks are not read in one moment.
            return abs(seen - seconds) < 60
        } != nil
    }

    @Test(.holds("OPS-09", "JOSE-28")) func `tokens are judged by the new time at once, and connections do not notice`()
        throws
    {
        let (stage, clock) = try stage()
        let client = try stage.gateway.client()
        func status(_ field: String) throws -> Int {
            try client.send(request("GET", "/orders/a", fields: [field]))
            return try client.response().status
        }
        let now = bearer(stage, at: 0)
        let later = bearer(stage, at: Self.hour)
        #expect(try status(now) == 200)
        #expect(try status(later) == 401, "issued in the future")
        try clock.set(Int64(Self.hour))
        #expect(try status(now) == 401, "expired an hour ago, although known")
        #expect(try status(later) == 200)
        #expect(sawStep(stage, of: Self.hour))
        try clock.set(0)
        #expect(try status(later) == 401)
        #expect(try status(now) == 200)
        #expect(sawStep(stage, of: -Self.hour))
        // Another connection and the keys of issuers are no worse off.
        #expect(try stage.exchange("GET", "/orders/b", fields: [bearer(stage, at: 0)]).status == 200)
        #expect(try stage.gateway.status("/readyz") == 200)
        #expect(stage.upstream.connectionCount == 1)
    }

    @Test(.refuses("OPS-09"), arguments: [-20 * 365 * 86_400, 20 * 365 * 86_400])
    func `a clock that is decades wrong ends no connection, and is shown`(step: Int) throws {
        let (stage, clock) = try stage()
        let client = try stage.gateway.client()
        for moved in [0, step, step, 0] {
            try clock.set(Int64(moved))
            try client.send(request("GET", "/open/a"))
            #expect(try client.response().status == 200)
            try client.send(request("GET", "/orders/a", fields: [bearer(stage, at: moved)]))
            #expect(try client.response().status == 200)
            if moved == step { #expect(sawStep(stage, of: step)) }
        }
        #expect(stage.upstream.connectionCount == 1)
    }

    @Test(.holds("DPOP-15")) func `a proof that was used stays used when the clock steps ahead and back`() throws {
        let (stage, clock) = try stage()
        let proof = ProofCall().fields(stage)
        #expect(try stage.exchange("GET", "/bound/a", fields: proof).status == 200)
        try clock.set(Int64(Self.hour))
        // By now it is old enough to be forgotten: once each second the set is swept.
        #expect(sawStep(stage, of: Self.hour))
        #expect(eventually(within: .seconds(120)) { (try? self.remembered(stage)) == 0 })
        try clock.set(0)
        stage.upstream.forget()
        let again = try stage.exchange("GET", "/bound/a", fields: proof)
        #expect([401, 503].contains(again.status), "\(again.headText)")
        try stage.expectNothingForwarded()
    }

    /// Proofs that are remembered.
    private func remembered(_ stage: Stage) throws -> Int? {
        let page = text(try stage.gateway.admin("/metrics").body)
        let line = page.split(separator: "\n").first { $0.hasPrefix("portcullis_dpop_replay_entries ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }
}
