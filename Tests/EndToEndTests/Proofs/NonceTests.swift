import Glibc
import TestSupport
import TestTraits
import Testing

/// Rows DPOP-11 to DPOP-14: nonces of the resource server.
@Suite(.serialized, .byEachProtocol) struct `nonces for proofs` {
    private static func plan(_ settings: String = "") -> StagePlan {
        var plan = StagePlan()
        plan.routes =
            Stage.ordinaryRoutes + [
                """
                { path: /nonce/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
                dpop: { nonce: required }, audience: "\(TokenForge.audience)" } }
                """,
                """
                { path: /offer/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
                dpop: { nonce: optional }, audience: "\(TokenForge.audience)" } }
                """,
                """
                { path: /off/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP], \
                audience: "\(TokenForge.audience)" } }
                """,
            ]
        plan.files = ["nonce.key": "0123456789abcdef0123456789abcdef0123456789abcdef"]
        plan.settings = settings
        return plan
    }
    private static let shared = Shared { try Stage(plan()) }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func nonce(_ stage: Stage) throws -> String {
        let response = try ProofCall(path: "/nonce/a").send(stage)
        return try #require(response.fields.only("dpop-nonce"), "\(response.headText)")
    }

    private func expectNonceWanted(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) throws {
        expectTemplate(response, status: 401, at: location)
        let found = try challenge(response, at: location)
        #expect(found.scheme == "DPoP", sourceLocation: location)
        #expect(found["error"] == "use_dpop_nonce", sourceLocation: location)
        #expect(
            found["error_description"] == "Resource server requires nonce in DPoP proof", sourceLocation: location)
        #expect(found["algs"] == "ES256 PS256 EdDSA", sourceLocation: location)
        #expect(response.fields["dpop-nonce"].count == 1, "\(response.headText)", sourceLocation: location)
    }

    @Test(.refuses("DPOP-11")) func `a proof with the nonce of the refusal is accepted`() throws {
        let nonce = try nonce(stage)
        for _ in 0..<3 {
            let response = try ProofCall(path: "/nonce/a", claims: ["nonce": quoted(nonce)]).send(stage)
            #expect(response.status == 200, "\(response.headText)")
        }
    }

    @Test(.refuses("DPOP-11")) func `a proof without a nonce, or with one of another type, is asked for one`() throws {
        let response = try ProofCall(path: "/nonce/a").send(stage)
        try expectNonceWanted(response)
        try expectLogged(response, stage, check: "DPOP-11", cause: "proof_nonce_missing")
        try stage.expectNothingForwarded()
    }

    @Test(.holds("DPOP-11")) func `with a nonce the client's clock does not matter`() throws {
        let nonce = try nonce(stage)
        for clock in [-100_000, 100_000] {
            let call = ProofCall(path: "/nonce/a", claims: ["nonce": quoted(nonce)], clock: clock)
            #expect(try call.send(stage).status == 200)
        }
        let fields = ProofCall(path: "/nonce/a", claims: ["nonce": quoted(nonce)], clock: 100_000).fields(stage)
        #expect(try stage.exchange("GET", "/nonce/a", fields: fields).status == 200)
        try expectInvalidProof(stage.exchange("GET", "/nonce/a", fields: fields), stage, check: "DPOP-15")
    }

    @Test(.refuses("DPOP-11")) func `a client whose clock is wrong is asked for a nonce too`() throws {
        for clock in [-100_000, 100_000] {
            try expectNonceWanted(ProofCall(path: "/nonce/a", clock: clock).send(stage))
            let stale = ProofCall(path: "/nonce/a", claims: ["nonce": quoted("stale")], clock: clock)
            try expectNonceWanted(stale.send(stage))
        }
    }

    @Test(.refuses("DPOP-10")) func `where a nonce is optional its clock is judged, and the refusal brings a nonce`()
        throws
    {
        let response = try ProofCall(path: "/offer/a", clock: -100_000).send(stage)
        #expect(try challenge(response)["error"] == "invalid_dpop_proof")
        let nonce = try #require(response.fields.only("dpop-nonce"))
        let again = ProofCall(path: "/offer/a", claims: ["nonce": quoted(nonce)], clock: -100_000)
        #expect(try again.send(stage).status == 200)
    }

    @Test(.holds("DPOP-12")) func `a nonce of a replica with the same key is accepted`() throws {
        let settings = "dpop: { nonce_keys: [{ file: $FOLDER/nonce.key }] }"
        let one = try Stage(Self.plan(settings))
        let two = try Stage(Self.plan(settings))
        let nonce = try nonce(one)
        #expect(try ProofCall(path: "/nonce/a", claims: ["nonce": quoted(nonce)]).send(two).status == 200)
        try expectNonceWanted(ProofCall(path: "/nonce/a", claims: ["nonce": quoted(nonce)]).send(stage))
    }

    @Test(.refuses("DPOP-12")) func `a stranger's nonce or one with a bit changed is not accepted`() throws {
        let good = try nonce(stage)
        #expect(good.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) })
        var strangers = ["eyJ7S_zG.eyJH0-Z.HX4w-7v", "a", String(repeating: "A", count: 2000), good + "A"]
        for index in good.indices {
            var changed = good
            changed.replaceSubrange(index...index, with: good[index] == "A" ? "B" : "A")
            strangers.append(changed)
        }
        for nonce in strangers {
            let response = try ProofCall(path: "/nonce/a", claims: ["nonce": quoted(nonce)]).send(stage)
            try expectNonceWanted(response)
        }
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("DPOP-13")) func `the upstream's nonce is removed where the gateway judges proofs`() throws {
        stage.upstream.answer("/off/own", with: .answer(200, fields: ["DPoP-Nonce: theirs", "X-Other: 1"]))
        let response = try ProofCall(path: "/off/own").send(stage)
        #expect(response.status == 200)
        #expect(response.fields["dpop-nonce"].isEmpty)
        #expect(response.fields.only("x-other") == "1")
    }

    @Test(.refuses("DPOP-13")) func `there is never more than one nonce in a response`() throws {
        stage.upstream.answer("/offer/own", with: .answer(200, fields: ["DPoP-Nonce: theirs"]))
        let response = try ProofCall(path: "/offer/own").send(stage)
        #expect(response.status == 200)
        #expect(response.fields["dpop-nonce"].count == 1)
        #expect(response.fields.only("dpop-nonce") != "theirs")
    }

    @Test(.refuses("DPOP-14")) func `a response that brings a nonce may not be kept by a cache`() throws {
        stage.upstream.answer(
            "/offer/public",
            with: .answer(200, fields: ["Cache-Control: public, max-age=60", "Expires: Thu, 01 Jan 2037 00:00:00 GMT"]))
        let response = try ProofCall(path: "/offer/public").send(stage)
        #expect(response.status == 200)
        #expect(response.fields["cache-control"] == ["no-store"])
        #expect(response.fields["expires"].isEmpty)
        #expect(response.fields["dpop-nonce"].count == 1)
    }

    @Test(.holds("DPOP-14"), .refuses("DPOP-14"))
    func `with a fresh nonce none is offered, and the upstream's word on caches stands`() throws {
        stage.upstream.answer("/offer/kept", with: .answer(200, fields: ["Cache-Control: public, max-age=60"]))
        var response: WireResponse
        var tries = 0
        // One that was made at the end of a period is not fresh at the beginning of the next, five minutes before another.
        repeat {
            let nonce = try nonce(stage)
            response = try ProofCall(path: "/offer/kept", claims: ["nonce": quoted(nonce)]).send(stage)
            tries += 1
        } while tries < 3 && !response.fields["dpop-nonce"].isEmpty
        #expect(response.status == 200)
        #expect(response.fields["cache-control"] == ["public, max-age=60"])
        #expect(response.fields["dpop-nonce"].isEmpty)
    }

    /// A stage whose gateway's clock stands ten seconds into a period of nonces, which are 300 seconds long by default.
    private func stage(in clock: SteppedClock) throws -> (stage: Stage, ahead: Int) {
        let ahead = (300 - Int(time(nil)) % 300 + 10) % 300
        try clock.set(Int64(ahead))
        var plan = Self.plan()
        plan.environment = clock.environment
        return (try Stage(plan), ahead)
    }

    /// A call right in everything at a time so many seconds from now, with that nonce.
    private func call(_ nonce: String?, at seconds: Int, _ path: String) -> ProofCall {
        ProofCall(
            path: path, token: ["iat": moment(seconds), "exp": moment(seconds + 300)],
            claims: nonce.map { ["nonce": quoted($0)] } ?? [:], clock: seconds)
    }

    @Test(.holds("DPOP-14"), .refuses("DPOP-14"))
    func `a nonce near its end is good, and its answer brings the next one and may not be kept`() throws {
        let clock = try SteppedClock()
        let (stage, ahead) = try stage(in: clock)
        let nonce = try #require(try call(nil, at: ahead, "/nonce/a").send(stage).fields.only("dpop-nonce"))
        stage.upstream.answer(
            "/nonce/kept",
            with: .answer(
                200, fields: ["Cache-Control: public, max-age=60", "Expires: Thu, 01 Jan 2037 00:00:00 GMT", "Age: 7"]))
        let fresh = try call(nonce, at: ahead, "/nonce/kept").send(stage)
        #expect(fresh.status == 200 && fresh.fields["dpop-nonce"].isEmpty, "\(fresh.headText)")
        #expect(fresh.fields["cache-control"] == ["public, max-age=60"])

        try clock.set(Int64(ahead + 300))
        let ageing = try call(nonce, at: ahead + 300, "/nonce/kept").send(stage)
        #expect(ageing.status == 200, "\(ageing.headText)")
        let next = try #require(ageing.fields.only("dpop-nonce"), "\(ageing.headText)")
        #expect(next != nonce)
        #expect(ageing.fields["cache-control"] == ["no-store"], "\(ageing.headText)")
        #expect(ageing.fields["expires"].isEmpty, "\(ageing.headText)")
        let renewed = try call(next, at: ahead + 300, "/nonce/kept").send(stage)
        #expect(renewed.status == 200 && renewed.fields["dpop-nonce"].isEmpty, "\(renewed.headText)")
        #expect(renewed.fields["cache-control"] == ["public, max-age=60"])
    }

    @Test(.refuses("DPOP-14")) func `a nonce past its end is none, and nothing is forwarded for it`() throws {
        let clock = try SteppedClock()
        let (stage, ahead) = try stage(in: clock)
        let nonce = try #require(try call(nil, at: ahead, "/nonce/a").send(stage).fields.only("dpop-nonce"))
        try clock.set(Int64(ahead + 600))
        let late = try call(nonce, at: ahead + 600, "/nonce/a").send(stage)
        try expectNonceWanted(late)
        #expect(late.fields.only("dpop-nonce") != nonce)
        try stage.expectNothingForwarded()
        let next = try #require(late.fields.only("dpop-nonce"))
        #expect(try call(next, at: ahead + 600, "/nonce/a").send(stage).status == 200)
    }
}
