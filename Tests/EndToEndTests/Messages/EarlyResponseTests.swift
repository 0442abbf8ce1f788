import TestSupport
import TestTraits
import Testing

/// Rows HTTP-35 and HTTP-38: answers that come before the request has ended, and those that have no content.
@Suite(.serialized, .byEachProtocol) struct `an early answer` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static let tooLarge = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nno."

    @Test(.refuses("HTTP-35"), arguments: [WireScript.Step.readBody, .close, .reset])
    func `of an upstream reaches a client that is still sending, and ends both connections`(
        next: WireScript.Step
    ) throws {
        // A reset may overtake what came before it: the answer is to be there first.
        let gate = Gate()
        var steps: [WireScript.Step] = [.readSome(5), .text(Self.tooLarge), next]
        if case .reset = next { steps.insert(.wait(gate), at: 2) }
        stage.upstream.answer("/open/a", with: WireScript(exactly: steps))
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: 4000000\r\n\r\nhello")
        let answer = try client.response()
        gate.open()
        #expect(answer.status == 413)
        #expect(answer.bodyText == "no.")
        #expect(answer.isLast)
        // It may go on for a moment, as a client that looks at answers last does, without losing the answer to a reset.
        try? client.send([UInt8](repeating: 0x78, count: 100_000))
        #expect(client.isOver())
        #expect(stage.upstream.requests.map(\.isComplete) == [false])
        let connection = stage.upstream.requests[0].connection
        #expect(try stage.exchange("GET", "/open/b").status == 200)
        #expect(stage.upstream.requests.last?.connection != connection)
    }

    @Test(.byHTTP1(because: "streams of HTTP/2 are told apart by their numbers"), .refuses("HTTP-35"))
    func `to a chunked request is never followed by its last chunk`() throws {
        stage.upstream.answer("/open/a", with: WireScript(exactly: [.readSome(5), .text(Self.tooLarge), .readBody]))
        let client = try stage.gateway.client()
        try client.send(
            "POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        #expect(try client.response().status == 413)
        try? client.send("0\r\n\r\nGET /open/hidden HTTP/1.1\r\nHost: gateway.test\r\n\r\n")
        #expect(stage.upstream.waits { !($0.resetConnections + $0.endedConnections).isEmpty })
        #expect(stage.upstream.requests.map(\.path) == ["/open/a"])
        #expect(!text(stage.upstream.allBytes).contains("0\r\n\r\n"))
    }

    @Test(.holds("HTTP-38"), arguments: ["204 No Content", "304 Not Modified"])
    func `without content leaves both connections as they were`(status: String) throws {
        stage.upstream.answer("/open/a", with: .raw("HTTP/1.1 \(status)\r\nETag: \"x\"\r\n\r\n"))
        let client = try stage.gateway.client()
        for path in ["/open/a", "/open/b", "/open/a", "/open/b"] {
            try client.send(request("GET", path))
            let answer = try client.response()
            guard path == "/open/a" else { continue }
            #expect(status.hasPrefix("\(answer.status)"))
            #expect(answer.fields["content-length"] == [])
            #expect(answer.fields["transfer-encoding"] == [])
            #expect(answer.fields["etag"] == ["\"x\""])
        }
        #expect(Set(stage.upstream.requests.map(\.connection)).count == 1)
    }

    @Test(.holds("HTTP-38"), arguments: ["Content-Length: 5", "Transfer-Encoding: chunked", "X-None: 1"])
    func `to HEAD ends with its head, however its content would have been framed`(line: String) throws {
        stage.upstream.answer("/open/a", with: .raw("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n"))
        let client = try stage.gateway.client()
        try client.send(request("HEAD", "/open/a") + request("GET", "/open/b"))
        let head = try client.response(to: "HEAD")
        #expect(head.status == 200)
        #expect(head.ending == .noBody)
        #expect(head.fields["content-length"].count + head.fields["transfer-encoding"].count <= 1)
        if line.hasPrefix("Content-Length") { #expect(head.fields["content-length"] == ["5"]) }
        #expect(try client.response().bodyText.contains("/open/b"))
    }
}
