import TestSupport
import TestTraits
import Testing

/// Row HTTP-63: what comes before an answer.
@Suite(.serialized, .byEachProtocol) struct `interim responses` {
    private static let shared = Shared {
        try Stage(
            routes: Stage.ordinaryRoutes + [
                """
                { path: /proofs/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
                audience: "\(TokenForge.audience)" } }
                """
            ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func interim(_ status: String, _ fields: [String] = []) -> String {
        (["HTTP/1.1 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    @Test(.holds("HTTP-63")) func `are relayed before the answer, in their order`() throws {
        let hints = ["Link: </a.css>; rel=preload", "Link: </b.js>; rel=preload"]
        stage.upstream.answer(
            "/open/a",
            with: .raw(
                interim("103 Early Hints", [hints[0]]) + interim("102 Processing") + interim("103 Hm", [hints[1]])
                    + Self.answer))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a") + request("GET", "/open/b"))
        let responses = try client.responses(5)
        #expect(responses.map(\.status) == [103, 102, 103, 200, 200])
        #expect(responses.map(\.version) == [String](repeating: WireProtocol.current.version, count: 5))
        if WireProtocol.current == .http1 { #expect(responses[2].reason == "Hm") }
        #expect(responses[0].fields.all.map { "\($0.name.lowercased()): \($0.value)" } == [hints[0].lowercased()])
        #expect(responses[1].fields.all.isEmpty)
        #expect(responses[2].fields.all.map { "\($0.name.lowercased()): \($0.value)" } == [hints[1].lowercased()])
        #expect(responses[3].bodyText == "ok")
    }

    @Test(.holds("HTTP-63")) func `reach the client while the answer is still to come`() throws {
        let gate = Gate()
        stage.upstream.answer(
            "/open/a",
            with: WireScript(.text(interim("103 Early Hints", ["Link: </a.css>"])), .wait(gate), .text(Self.answer)))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 103)
        #expect(client.staysSilent())
        gate.open()
        #expect(try client.response().status == 200)
    }

    @Test(.refuses("HTTP-63")) func `have nothing that frames, ends, or names users`() throws {
        let fields = [
            "Content-Length: 5", "Connection: close, X-Hop", "X-Hop: 1", "Keep-Alive: x",
            "Upgrade: h2c", "Trailer: A", "X-User: mallory", "x_user: mallory", "X-Forwarded-For: 1.2.3.4",
            "Forwarded: for=x",
            "Set-Cookie: __Host-portcullis-web=evil", "Set-Cookie: app=1", "Link: </a.css>", "X-Kept: 1",
        ]
        stage.upstream.answer("/open/a", with: .raw(interim("103 Early Hints", fields) + Self.answer))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        let hints = try client.response()
        #expect(hints.status == 103)
        #expect(
            hints.fields.all.map { "\($0.name.lowercased()): \($0.value)" } == [
                "set-cookie: app=1", "link: </a.css>", "x-kept: 1",
            ])
        #expect(try client.response().status == 200)
        #expect(client.staysSilent())
    }

    @Test(.holds("HTTP-63"), .refuses("HTTP-63")) func `bring no nonce of an upstream's where proofs are judged here`()
        throws
    {
        stage.upstream.answer(
            "/proofs/a", with: .raw(interim("103 Early Hints", ["DPoP-Nonce: theirs", "X-Kept: 1"]) + Self.answer))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/proofs/a", fields: [stage.tokens.bearer()]))
        #expect(try client.response().fields.all.map { "\($0.name.lowercased()): \($0.value)" } == ["x-kept: 1"])
    }

    @Test(.holds("HTTP-63"), .refuses("HTTP-63")) func `are not relayed when they are a 100, which was answered here`()
        throws
    {
        stage.upstream.answer("/open/a", with: .raw(interim("100 Continue") + interim("100 Continue") + Self.answer))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        try client.send(
            "POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try client.response().status == 100)
        try client.send("hi")
        #expect(try client.response().status == 200)
        #expect(client.staysSilent())
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .refuses("HTTP-63")) func `are unknown to HTTP 1.0`()
        throws
    {
        stage.upstream.answer("/open/a", with: .raw(interim("103 Early Hints", ["Link: </a.css>"]) + Self.answer))
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        #expect(try client.response().status == 200)
        #expect(client.isClosedByPeer())
    }

    @Test(.holds("HTTP-63"), arguments: [("103 Early Hints", 8), ("100 Continue", 0)])
    func `are eight at most`(status: String, relayed: Int) throws {
        let one = interim(status)
        stage.upstream.answer("/open/a", with: .raw(String(repeating: one, count: 8) + Self.answer))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(
            try client.responses(relayed + 1).map(\.status) == [Int](repeating: 103, count: relayed) + [200])
        stage.upstream.answer("/open/a", with: .raw(String(repeating: one, count: 9) + Self.answer))
        try client.send(request("GET", "/open/a"))
        let responses = try client.responses(relayed + 1)
        #expect(responses.map(\.status) == [Int](repeating: 103, count: relayed) + [502])
        expectTemplate(try #require(responses.last), status: 502)
    }

    /// Has the upstream say these pieces, each only after the gateway has read the one before.
    private func sayOneByOne(_ pieces: [[UInt8]], to client: RawClient) throws {
        let said = pieces.dropLast().map { _ in Gate() }
        let read = pieces.dropLast().map { _ in Gate() }
        var steps: [WireScript.Step] = []
        for (number, piece) in pieces.dropLast().enumerated() {
            // `reply` with nothing: a word to the test that what stands before it was sent.
            let signal = WireScript.Step.reply { _ in
                said[number].open()
                return []
            }
            steps += [.bytes(piece), signal, .wait(read[number])]
        }
        // Nothing is waited for behind the last: the connection is free then, and may be given somebody else's request.
        steps.append(.bytes(pieces.last ?? []))
        stage.upstream.answer("/open/a", with: WireScript(exactly: steps))
        try client.send(request("GET", "/open/a"))
        for number in said.indices {
            #expect(said[number].wait())
            // One loop serves everybody: when it has answered somebody else, it has read what was there before.
            #expect(try stage.exchange("GET", "/open/turn").status == 200)
            read[number].open()
        }
    }

    @Test(.byHTTP1(because: "how an upstream cuts is nothing that a client sees"), .holds("HTTP-63"))
    func `may be cut anywhere`() throws {
        let hint = interim("103 Early Hints", ["Link: </a.css>"])
        for pieces in everyCut(of: Array((hint + Self.answer).utf8)) {
            let client = try stage.gateway.client()
            try sayOneByOne(pieces, to: client)
            let responses = try client.responses(2)
            #expect(responses.map(\.status) == [103, 200], "\(pieces.map(\.count))")
            #expect(responses[0].fields.all.map { "\($0.name.lowercased()): \($0.value)" } == ["link: </a.css>"])
            #expect(responses[1].bodyText == "ok")
        }
    }

    @Test(.byHTTP1(because: "a Unix socket that is full: HTTP/2 has windows for it"), .holds("HTTP-63"))
    func `that a client does not take in time come whole or not at all, and the answer behind them`()
        throws
    {
        // A Unix socket: the kernel takes some two hundred kilobytes for a client that does not read, and no more.
        let folder = try TemporaryFolder.make(for: "hints")
        defer { TemporaryFolder.remove(folder) }
        let path = "\(folder)/web.sock"
        var plan = StagePlan()
        plan.publicURL += "\n  - { address: \"unix:\(path)\", public_url: \"http://gateway.test\" }"
        let stage = try Stage(plan)
        let field = "X-Padding: " + String(repeating: "x", count: 30_000)
        let hints = [UInt8](String(repeating: interim("103 Early Hints", [field, field]), count: 8).utf8)
        let isSaid = Gate()
        let signal = WireScript.Step.reply { _ in
            isSaid.open()
            return []
        }
        stage.upstream.answer(
            "/open/a", with: WireScript(exactly: [.bytes(hints), .text(Self.answer), signal]))
        let client = try RawClient(unixPath: path)
        try client.send(request("GET", "/open/a"))
        #expect(isSaid.wait())
        // The gateway has met a client that takes no more, and others wait for neither.
        #expect(try stage.exchange("GET", "/open/b").status == 200)
        var responses = [try client.response()]
        while responses.last?.status == 103 { responses.append(try client.response()) }
        let relayed = responses.dropLast()
        #expect((1...8).contains(relayed.count), "\(relayed.count) of 8")
        #expect(relayed.allSatisfy { $0.status == 103 && $0.fields["x-padding"].map(\.count) == [30_000, 30_000] })
        #expect(responses.last?.status == 200)
        #expect(responses.last?.bodyText == "ok")
        #expect(client.staysSilent())
    }

    @Test(.refuses("HTTP-63"))
    func `before a connection that breaks are followed by 502, and the request is not sent twice`() throws {
        stage.upstream.answer("/open/a", with: WireScript(.text(interim("103 Early Hints")), .close))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/b"))
        #expect(try client.response().status == 200)
        try client.send(request("GET", "/open/a"))
        #expect(try client.responses(2).map(\.status) == [103, 502])
        #expect(stage.upstream.requests.count { $0.path == "/open/a" } == 1)
    }

    @Test(.refuses("HTTP-63")) func `to a client that went away end the exchange and nothing else`() throws {
        let gate = Gate()
        stage.upstream.answer(
            "/open/a",
            with: WireScript(
                .wait(gate), .text(String(repeating: interim("103 Early Hints", ["Link: </a.css>"]), count: 8)),
                .text(Self.answer)))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        stage.upstream.waits { !$0.requests.isEmpty }
        client.reset()
        gate.open()
        #expect(try stage.exchange("GET", "/open/b").status == 200)
    }
}
