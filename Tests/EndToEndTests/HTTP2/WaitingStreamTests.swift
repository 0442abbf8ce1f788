import Glibc
import TestSupport
import TestTraits
import Testing

private typealias Frame = FrameClient.Frame

/// Rows H2-16 and RS-24: streams that their client resets while they wait for somebody's word, beside others that wait on.
@Suite(.serialized) struct `streams that are reset while they wait` {
    /// Which of six streams are reset.
    private static let some: [Int] = [0, 2, 4]
    private static let all = Array(0..<6)
    /// Of these streams part of the content is here while they wait.
    private static let withContent: Set<Int> = [2, 3]
    private static let content = [UInt8](repeating: 97, count: 5000)
    /// No more of one client's requests may wait than eight: places that are not given back are soon missed.
    private static let limits = "limits: { parked_requests: 16 }"

    /// Somebody who is asked about each request of a path.
    private struct Asked {
        let gateway: GatewayProcess
        let upstream: RecordingUpstream
        let path: String
        /// What a stream brings, by which of the six it is.
        let fields: (Int) -> [(String, String)]
    }

    private func waits(_ count: Int, _ asked: Asked, at location: SourceLocation = #_sourceLocation) {
        #expect(
            eventually { asked.gateway.reading("portcullis_parked_requests") == count },
            "\(asked.gateway.reading("portcullis_parked_requests") ?? -1)", sourceLocation: location)
    }

    /// Six streams wait, some are reset, and then the word comes: it is the others' alone, and the connection goes on.
    private func expectOthersServed(
        _ asked: Asked, _ client: FrameClient, round: UInt32 = 0, resets: [Int], word: () -> Void
    ) throws {
        asked.upstream.forget()
        let streams = (0..<6).map { round * 100 + 1 + UInt32($0) * 2 }
        let reset = resets.map { streams[$0] }
        let kept = streams.filter { !reset.contains($0) }
        func path(_ stream: UInt32) -> String { "\(asked.path)\(stream)" }
        for (number, stream) in streams.enumerated() {
            let sends = Self.withContent.contains(number)
            try client.client.send(
                FrameClient.request(
                    stream, path(stream), method: sends ? "POST" : "GET", asked.fields(number), ends: !sends))
            if sends { try client.client.send(FrameClient.frame(Frame.data, stream: stream, Self.content)) }
        }
        waits(streams.count, asked)
        for stream in reset { try client.client.send(FrameClient.reset(stream)) }
        waits(kept.count, asked)
        #expect(eventually { asked.gateway.reading("portcullis_http2_open_streams") == kept.count })
        // Others of the connection are served meanwhile.
        let beside = streams[5] + 2
        try client.get(beside, "/open/beside")
        #expect(try client.status(of: beside) == "200")
        #expect(asked.upstream.requests.map(\.path) == ["/open/beside"])
        for number in Self.withContent where kept.contains(streams[number]) {
            try client.client.send(FrameClient.frame(Frame.data, flags: 1, stream: streams[number]))
        }
        word()
        var left = Set(kept)
        while !left.isEmpty {
            let frame = try client.next()
            if frame.ends || frame.type == Frame.reset { left.remove(frame.stream) }
        }
        for stream in kept { #expect(client.fields[stream]?.first == ":status: 200", "\(asked.gateway.diagnosis)") }
        // Whoever is asked next is answered by the same connection, and by nothing that was meant for another.
        try client.get(beside + 2, path(beside + 2), asked.fields(0))
        #expect(try client.status(of: beside + 2) == "200")
        for stream in reset { #expect(client.fields[stream] == nil) }
        waits(0, asked)
        #expect(eventually { asked.gateway.reading("portcullis_http2_open_streams") == 0 })
        #expect(client.lastStreams.isEmpty && asked.gateway.process.isRunning)
        #expect(
            Set(asked.upstream.requests.map(\.path)) == Set(["/open/beside"] + (kept + [beside + 2]).map(path)))
        for seen in asked.upstream.requests where seen.method == "POST" {
            #expect(seen.isComplete && seen.bodyCount == Self.content.count)
        }
        for stream in reset {
            let line = asked.gateway.accessLine { $0["path"] == path(stream) }
            #expect(line?["ended"] == "client_left" && line?["reset_by"] == "client", "\(line?.raw ?? "none")")
        }
    }

    /// The client goes, and nothing is left of it.
    private func expectNothingLeft(_ client: FrameClient, _ gateway: GatewayProcess) throws {
        client.client.close()
        #expect(eventually { gateway.connections("client") == 0 })
        #expect(try gateway.exchange(request("GET", "/open/last")).status == 200)
    }

    @Test(.holds("H2-16"), .refuses("RS-24"), arguments: [some, all])
    func `for an issuer's keys get none of its answer, and cost the others nothing`(resets: [Int]) throws {
        let gate = Gate()
        defer { gate.open() }
        let stage = try Stage(
            StagePlan(
                settings: "timeouts: { key_wait: 60s }\n" + Self.limits, milestone: .listening,
                prepare: {
                    $0.answer(
                        ScriptedIssuer.openIDPath,
                        with: WireScript(.wait(gate), .text(Stage.document($0.metadata()))))
                }))
        let client = try FrameClient(port: stage.gateway.port)
        let asked = Asked(gateway: stage.gateway, upstream: stage.upstream, path: "/orders/") { _ in
            [("authorization", "Bearer " + stage.tokens.token())]
        }
        try expectOthersServed(asked, client, resets: resets) {
            gate.open()
            #expect(eventually { stage.gateway.reading("portcullis_issuer_ready{issuer=\"main\"}") == 1 })
        }
        try expectNothingLeft(client, stage.gateway)
    }

    @Test(.holds("H2-16"), .refuses("RS-24"), arguments: [some, all])
    func `for an answer about a token get none of it, and cost the others nothing`(resets: [Int]) throws {
        var plan = StagePlan.lookups()
        plan.settings += "\n" + Self.limits
        let stage = try Stage(plan)
        let client = try FrameClient(port: stage.gateway.port)
        for round in UInt32(0)..<3 {
            let gate = Gate()
            defer { gate.open() }
            stage.introspect(behind: gate)
            // Two have a token in common, about which is asked once: the first of them is reset.
            let tokens = (0..<6).map { _ in opaqueToken() }
            let asked = Asked(gateway: stage.gateway, upstream: stage.upstream, path: "/orders/") {
                [("authorization", "Bearer " + tokens[$0 == 1 ? 0 : $0])]
            }
            let before = stage.lookups
            try expectOthersServed(asked, client, round: round, resets: resets) {
                #expect(eventually { stage.lookups >= before + 5 } && stage.lookups == before + 5)
                gate.open()
            }
        }
        try expectNothingLeft(client, stage.gateway)
    }

    @Test(.holds("H2-16"), .refuses("H2-16"), arguments: [some, all])
    func `for the word of the session store get none of it, and cost the others nothing`(resets: [Int]) throws {
        let store = try StoreServer()
        defer { store.signal(SIGCONT) }
        let stage = try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web }",
                    "{ path: /open/, upstream: $UPSTREAM, public: true }",
                ], client: ["session: { store: shared, keys: [{ file: $FOLDER/session.key }] }"],
                settings: Fleet.settings(store, "recheck: 0s, " + Fleet.patiently) + "\n" + Self.limits,
                files: Fleet.keys))
        let browser = try stage.login()
        let client = try FrameClient(port: stage.gateway.port)
        let asked = Asked(gateway: stage.gateway, upstream: stage.upstream, path: "/app/") { _ in
            [("cookie", browser.text), ("origin", "https://gateway.test"), ("sec-fetch-site", "same-origin")]
        }
        for round in UInt32(0)..<3 {
            store.signal(SIGSTOP)
            try expectOthersServed(asked, client, round: round, resets: resets) { store.signal(SIGCONT) }
        }
        try expectNothingLeft(client, stage.gateway)
    }
}
