import TestSupport
import TestTraits
import Testing

/// Rows HTTP-36 to HTTP-41: which bytes are whose response, and when a connection ends.
@Suite(.serialized, .byEachProtocol) struct `the framing of a response` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.byHTTP1(because: "streams of HTTP/2 have no order"), .holds("HTTP-36"))
    func `pipelined requests are answered in order`() throws {
        let gate = Gate()
        let slow = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
        stage.upstream.answer("/open/1", with: WireScript(.wait(gate), .text(slow + "one.")))
        stage.upstream.answer("/open/2", with: .answer(200, "two"))
        stage.upstream.answer("/open/3", with: .answer(200, "three"))
        let client = try stage.gateway.client()
        try client.send((1...3).map { request("GET", "/open/\($0)") }.joined())
        stage.upstream.waits { $0.requests.contains { $0.path == "/open/1" } }
        #expect(client.staysSilent())
        gate.open()
        #expect(try client.responses(3).map(\.bodyText) == ["one.", "two", "three"])
    }

    @Test(.holds("H2-66", "HTTP-36"), .refuses("H2-66", "HTTP-36"))
    func `each pipelined request is authenticated on its own`() throws {
        let client = try stage.gateway.client()
        let authorised = request("GET", "/orders/1", fields: [stage.tokens.bearer()])
        try client.send(authorised + request("GET", "/orders/2") + authorised)
        let responses = try client.responses(3)
        #expect(responses.map(\.status) == [200, 401, 200])
        #expect(stage.upstream.requests.map(\.path) == ["/orders/1", "/orders/1"])
    }

    @Test(.holds("H2-66", "HTTP-36"), .refuses("H2-66"))
    func `each pipelined request goes on with its own user, in whatever order their tokens come`() throws {
        let gate = Gate()
        defer { gate.open() }
        stage.upstream.answerAll(with: WireScript(.wait(gate), .echo))
        // Their tokens are alike in all but a name, the signature and an identifier, and as long as each other.
        let users = ["alice", "bobby", "carol"]
        let tokens = Dictionary(
            uniqueKeysWithValues: users.map {
                ($0, stage.tokens.bearer(["sub": quoted($0), "jti": quoted("t-" + $0)]))
            })
        let order = [0, 1, 2, 0, 0, 1, 1, 2, 1, 0, 2, 2].map { users[$0] }
        let client = try stage.gateway.client()
        // First nobody knows the tokens, then all of them are remembered.
        for round in ["new", "known"] {
            let requests = order.enumerated().map { number, user in
                // What another one says of its user is no more than that.
                let forged = "X-User: \(order[(number + 1) % order.count])"
                return request("GET", "/orders/\(round)-\(number)-\(user)", fields: [tokens[user] ?? "", forged])
            }
            try client.send(requests.joined() + request("GET", "/orders/\(round)-nobody"))
            // Over HTTP/2 all of them are under way at once.
            if client.http2 != nil {
                #expect(stage.upstream.waits { $0.requests.count == order.count * (round == "new" ? 1 : 2) })
            }
            gate.open()
            #expect(try client.responses(order.count + 1).map(\.status) == order.map { _ in 200 } + [401])
        }
        #expect(stage.upstream.requests.count == 2 * order.count)
        for seen in stage.upstream.requests {
            #expect(
                seen.fields["x-user"] == seen.path.split(separator: "-").last.map { [String($0)] }, "\(seen.headText)")
        }
    }

    @Test(.byHTTP1(because: "streams of HTTP/2 have no order"), .holds("HTTP-36"))
    func `a hundred pipelined requests keep their order`() throws {
        let client = try stage.gateway.client()
        try client.send((0..<100).map { request("GET", "/open/\($0)") }.joined())
        for number in 0..<100 {
            #expect(try client.response().bodyText.contains("\"/open/\(number)\""))
        }
    }

    @Test(.byHTTP1(because: "HTTP/2 has no field Connection"), .refuses("HTTP-37"))
    func `close is honoured and nothing after it is read`() throws {
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/1", fields: ["Connection: close"]) + request("GET", "/open/2"))
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response.announcesClose)
        #expect(client.isClosedByPeer())
        try stage.expectOnlyThese(["/open/1", "/open/sentinel"])
    }

    @Test(.byHTTP1(because: "each stream of HTTP/2 ends with its response"), .holds("HTTP-37"))
    func `without close the connection stays`() throws {
        let client = try stage.gateway.client()
        for number in 0..<5 {
            try client.send(request("GET", "/open/\(number)"))
            let response = try client.response()
            #expect(response.status == 200)
            #expect(!response.announcesClose)
        }
        #expect(client.staysSilent())
    }

    @Test(.refuses("HTTP-37")) func `an upstream that says close is not asked again on that connection`() throws {
        stage.upstream.answer("/open/1", with: .answer(200, "ok", fields: ["Connection: close"]))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/1"))
        let first = try client.response()
        #expect(!first.announcesClose)
        try client.send(request("GET", "/open/2"))
        #expect(try client.response().status == 200)
        let connections = stage.upstream.requests.map(\.connection)
        #expect(connections.count == 2 && connections[0] != connections[1])
    }

    @Test(.holds("HTTP-38")) func `a response to HEAD keeps the length and has no body`() throws {
        stage.upstream.answer("/open/a", with: .raw("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send(request("HEAD", "/open/a") + request("GET", "/open/b"))
        let head = try client.response(to: "HEAD")
        #expect(head.fields.only("content-length") == "1234")
        #expect(try client.response().status == 200)
    }

    @Test(.refuses("HTTP-38")) func `a refusal of HEAD has no body`() throws {
        let client = try stage.gateway.client()
        try client.send(request("HEAD", "/orders/a") + request("GET", "/open/b"))
        expectTemplate(try client.response(to: "HEAD"), status: 401)
        #expect(try client.response().status == 200)
    }

    @Test(.refuses("HTTP-38"), arguments: ["204", "304"])
    func `a body where none can be is cut off with its connection`(status: String) throws {
        stage.upstream.answer("/open/a", with: .raw("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\nhello"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        let response = try client.response()
        #expect("\(response.status)" == status)
        if status == "204" { #expect(response.fields["content-length"].isEmpty) }
        #expect(response.fields["transfer-encoding"].isEmpty)
        try client.send(request("GET", "/open/b"))
        #expect(try client.response().bodyText.contains("/open/b"))
        let connections = stage.upstream.requests.map(\.connection)
        #expect(connections.count == 2 && connections[0] != connections[1])
    }

    @Test(.holds("HTTP-38"), arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func `a 204 that announces a body is the last on its connection`(line: String) throws {
        let gate = Gate()
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned"
        let head = "HTTP/1.1 204 None\r\n\(line)\r\n\r\n"
        stage.upstream.answer("/open/a", with: WireScript(.text(head), .wait(gate), .text(poison)))
        let first = try stage.exchange("GET", "/open/a")
        #expect(first.status == 204 || first.status == 502)
        #expect(try stage.exchange("GET", "/open/b").bodyText.contains("/open/b"))
        gate.open()
        let connections = stage.upstream.requests.map(\.connection)
        #expect(connections.count == 2 && connections[0] != connections[1])
    }

    @Test(
        .holds("HTTP-65"), arguments: [200, 5_000, 30_000, 55_000],
        ["Content-Length: 400000", "Transfer-Encoding: chunked", "X-Until: close"])
    func `a response with a large head arrives whole however it is cut`(padding: Int, framing: String) throws {
        let fields = (0..<5).map { "X-\($0): " + String(repeating: "h", count: padding / 5) }.joined(separator: "\r\n")
        let head = "HTTP/1.1 200 OK\r\n\(framing)\r\n\(fields)\r\n\r\n"
        let isChunked = framing.hasPrefix("Transfer")
        let body =
            String(repeating: isChunked ? "4\r\nbody\r\n" : "body", count: 100_000) + (isChunked ? "0\r\n\r\n" : "")
        let bytes = Array((head + body).utf8)
        for cut in [20, padding / 2 + 20, head.utf8.count - 1, head.utf8.count + 1] {
            let gate = Gate()
            let script = WireScript(.bytes(Array(bytes[..<cut])), .wait(gate), .bytes(Array(bytes[cut...])), .close)
            stage.upstream.answer("/open/a", with: script)
            let client = try stage.gateway.client()
            try client.send(request("GET", "/open/a"))
            #expect(!client.isClosedByPeer(within: .milliseconds(5)))
            gate.open()
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response.body.count == 400_000)
            #expect(response.ending != .truncated)
        }
    }

    @Test(.refuses("HTTP-65")) func `an upstream head beyond all limits becomes 502`() throws {
        for lines in [(0..<300).map { "X-\($0): a" }, ["X-A: " + String(repeating: "a", count: 100_000)]] {
            stage.upstream.answer("/open/a", with: .answer(200, "ok", fields: lines))
            expectTemplate(try stage.exchange("GET", "/open/a"), status: 502)
        }
    }

    @Test(
        .refuses("HTTP-39"),
        arguments: [
            "Content-Length: 1\r\nContent-Length: 2", "Content-Length: 1, 2", "Content-Length: -1",
            "Content-Length: 1x",
            "Content-Length: 1\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 1",
            "Transfer-Encoding: gzip, chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
            "Content-Length: 99999999999999999999",
        ])
    func `a response that is framed twice or wrongly becomes 502`(lines: String) throws {
        stage.upstream.answer("/open/a", with: .rawThenClose("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\n0\r\n\r\n"))
        let response = try stage.exchange("GET", "/open/a")
        expectTemplate(response, status: 502)
    }

    @Test(.refuses("HTTP-40")) func `bytes after a response never become another's`() throws {
        let extra = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned"
        stage.upstream.answer("/open/a", with: .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + extra))
        let first = try stage.gateway.client()
        try first.send(request("GET", "/open/a"))
        #expect(try first.response().bodyText == "ok")
        for _ in 0..<3 {
            let next = try stage.exchange("GET", "/open/b")
            #expect(next.bodyText.contains("/open/b"))
        }
        let connections = stage.upstream.requests.map(\.connection)
        #expect(connections.dropFirst().allSatisfy { $0 != connections[0] })
        #expect(first.staysSilent())
    }

    @Test(.holds("HTTP-40")) func `bytes that arrive after the response close the idle connection`() throws {
        let gate = Gate()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        stage.upstream.answer("/open/a", with: WireScript(.text(answer), .wait(gate), .text(answer)))
        #expect(try stage.exchange("GET", "/open/a").bodyText == "ok")
        let connection = try #require(stage.upstream.requests.first?.connection)
        gate.open()
        #expect(stage.upstream.waits { ($0.endedConnections + $0.resetConnections).contains(connection) })
        #expect(try stage.exchange("GET", "/open/b").bodyText.contains("/open/b"))
    }

    @Test(.holds("H2-34", "HTTP-41")) func `a body that ends with its connection is framed anew`() throws {
        stage.upstream.answer("/open/a", with: .rawThenClose("HTTP/1.1 200 OK\r\n\r\nhello"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a") + request("GET", "/open/b"))
        let response = try client.response()
        #expect(response.ending == .lastChunk)
        #expect(response.bodyText == "hello")
        #expect(try client.response().status == 200)
    }

    @Test(.byHTTP1(because: "no request of HTTP/2 has a version"), .holds("HTTP-41"))
    func `towards HTTP 1.0 a body without a length ends with the connection`() throws {
        stage.upstream.answer(
            "/open/a", with: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send("GET /open/a HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        let response = try client.response()
        #expect(response.fields["transfer-encoding"].isEmpty)
        #expect(response.bodyText == "hello")
        #expect(client.isClosedByPeer())
    }

    @Test(.byHTTP1(because: "HTTP/2 has no chunks"), .refuses("HTTP-41"))
    func `a chunked body that is cut arrives without its last chunk`() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        let gate = Gate()
        stage.upstream.answer("/open/a", with: WireScript(.text(head), .wait(gate), .reset))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "\r\n\r\n")
        gate.open()
        let rest = text(try client.bytesToEnd())
        #expect(rest.contains("hello"))
        #expect(!rest.contains("0\r\n\r\n"))
    }

    @Test(
        .refuses("H2-34", "HTTP-41"),
        arguments: ["Content-Length: 10\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"])
    func `a body that ends early is not made whole`(rest: String) throws {
        stage.upstream.answer("/open/a", with: .rawThenClose("HTTP/1.1 200 OK\r\n\(rest)"))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().ending == .truncated)
        #expect(client.isClosedByPeer())
    }

    @Test(
        .refuses("H2-34", "HTTP-41"),
        arguments: ["5x\r\nhello\r\n0\r\n\r\n", "5\r\nhelloXX", "FFFFFFFFFFFFFFFFF\r\n"])
    func `a chunked body that breaks is not made whole`(body: String) throws {
        stage.upstream.answer("/open/a", with: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/a"))
        let response = try client.response()
        #expect(response.status == 502 || response.ending == .truncated)
    }
}

extension Stage {
    /// Exactly these paths reached the upstream, the good request sent here among them.
    func expectOnlyThese(_ paths: [String], at location: SourceLocation = #_sourceLocation) throws {
        _ = try exchange("GET", "/open/sentinel")
        #expect(upstream.requests.map(\.path) == paths, sourceLocation: location)
    }
}
