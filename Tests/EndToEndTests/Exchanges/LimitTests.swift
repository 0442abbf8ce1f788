import TestSupport
import TestTraits
import Testing

/// Rows HTTP-65 and HTTP-66, OPS-05: how much one client may bring, and how slowly.
@Suite(.serialized, .byEachProtocol) struct `limits` {
    private static let shared = Shared {
        try Stage(
            StagePlan(
                settings: "limits: { request_body: 64KiB }"))
    }
    /// Where the time for a head is over soon, though not before a client that is late has begun to send it.
    private static let hasty = Shared {
        try Stage(StagePlan(settings: "timeouts: { request_head: 5s, keep_alive: 5m }"))
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func padded(_ count: Int) -> String { String(repeating: "a", count: count) }

    @Test(.holds("HTTP-65")) func `a request line up to its limit is served`() throws {
        let target = "/open/" + padded(8 * 1024 - 1 - "GET /open/ HTTP/1.1".utf8.count)
        let recorded = try stage.expectForwarded(request("GET", target), path: target)
        #expect(recorded.target == target)
    }

    @Test(.refuses("HTTP-65")) func `a longer request line is 414`() throws {
        try stage.expectRefused("GET /open/\(padded(9 * 1024)) HTTP/1.1\r\nHost: gateway.test\r\n\r\n", with: 414)
        guard WireProtocol.current == .http1 else { return }
        // Before its line has ended.
        try stage.expectRefused("GET /open/\(padded(20 * 1024))", with: 414)
    }

    @Test(
        .byHTTP1(because: "HTTP/2 bounds the octets of a header section beside, which ends the connection"),
        .refuses("HTTP-65")) func `a large header section is served and a larger one is 431`() throws
    {
        let lines = (0..<6).map { "X-\($0): " + padded(10_000) }
        try stage.expectForwarded(request("GET", "/open/a", fields: lines), path: "/open/a")
        let more = (0..<7).map { "X-\($0): " + padded(10_000) }
        try stage.expectRefused(request("GET", "/open/a", fields: more), with: 431)
    }

    @Test(.refuses("HTTP-65")) func `too many fields are 431`() throws {
        // Beside Host; in HTTP/2 beside four pseudo fields.
        let lines = (0..<(WireProtocol.current == .http1 ? 99 : 96)).map { "X-\($0): a" }
        try stage.expectForwarded(request("GET", "/open/a", fields: lines), path: "/open/a")
        try stage.expectRefused(request("GET", "/open/a", fields: lines + ["X-A: a"]), with: 431)
    }

    @Test(.refuses("HTTP-65")) func `one field that is too long is 431`() throws {
        try stage.expectForwarded(request("GET", "/open/a", fields: ["X-A: " + padded(32_000)]), path: "/open/a")
        try stage.expectRefused(request("GET", "/open/a", fields: ["X-A: " + padded(33_000)]), with: 431)
        guard WireProtocol.current == .http1 else { return }
        // Before its line has ended.
        try stage.expectRefused("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: " + padded(34_000), with: 431)
    }

    @Test(.refuses("HTTP-65")) func `a body up to the limit is served and a longer one is 413`() throws {
        let recorded = try stage.expectForwarded(request("POST", "/open/a", body: padded(64 * 1024)), path: "/open/a")
        #expect(recorded.bodyCount == 64 * 1024)
        let head = "POST /open/a HTTP/1.1\r\nHost: gateway.test\r\n"
        try stage.expectRefused(head + "Content-Length: 65537\r\n\r\n", with: 413)
        try stage.expectRefused(head + "Content-Length: 9223372036854775807\r\n\r\n", with: 413)
    }

    @Test(.refuses("HTTP-65")) func `a chunked body that grows past the limit is 413 and never complete`() throws {
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n")
        try client.send((0..<5).map { _ in "4000\r\n\(padded(0x4000))\r\n" }.joined())
        let response = try client.response()
        expectTemplate(response, status: 413)
        #expect(response.isLast)
        #expect(client.isOver())
        #expect(stage.upstream.requests.allSatisfy { !$0.isComplete })
    }

    @Test(.byHTTP1(because: "in HTTP/2 a head comes in frames"), .refuses("HTTP-66"))
    func `a head that does not end in time is 408`() throws {
        let stage = try Self.hasty.get()
        stage.reset()
        for start in ["GET /open/a HT", "GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: "] {
            let client = try stage.gateway.client()
            try client.send(start)
            let response = try client.response()
            expectTemplate(response, status: 408)
            #expect(response.announcesClose)
            #expect(client.isClosedByPeer())
        }
        try stage.expectNothingForwarded()
    }

    @Test(.byHTTP1(because: "in HTTP/2 a head comes in frames"), .holds("HTTP-66"))
    func `of hundreds whose time is over together each is told, and others are served`() throws {
        let stage = try Self.hasty.get()
        stage.reset()
        // More than a worker sees to at once, and not a multiple of it.
        let clients = try (0..<301).map { _ in
            let client = try stage.gateway.client()
            try client.send("GET /open/a HTTP/1.1\r\nHost: gate")
            return client
        }
        let busy = try stage.gateway.client()
        for client in clients {
            try busy.send(request("GET", "/open/busy"))
            #expect(try busy.response().status == 200)
            let response = try client.response()
            expectTemplate(response, status: 408)
            #expect(client.isClosedByPeer())
        }
        #expect(stage.upstream.requests.allSatisfy { $0.target == "/open/busy" })
    }

    @Test(
        .byHTTP1(because: "in HTTP/2 a head comes in frames"), .refuses("HTTP-66"),
        arguments: ["", request("GET", "/open/first")])
    func `a head that trickles is 408 at the same moment`(before: String) throws {
        let client = try Self.hasty.get().gateway.client()
        // The first head has its time from the connection on, the others from their first byte.
        if !before.isEmpty {
            try client.send(before)
            #expect(try client.response().status == 200)
        }
        let deadline = Deadline.patient
        try client.send("GET /open/a HTTP/1.1\r\nHost: gateway.test\r\nX-A: ")
        var response: WireResponse?
        while response == nil, !deadline.hasPassed {
            try? client.send("a")
            response = try? client.response(within: .milliseconds(50))
        }
        #expect(response?.status == 408)
    }

    @Test(.byHTTP1(because: "in HTTP/2 a head comes in frames"), .refuses("HTTP-66"))
    func `a connection that says nothing is closed without a word`() throws {
        let stage = try Stage(StagePlan(settings: "timeouts: { request_head: 8s, keep_alive: 700ms }"))
        let silent = try stage.gateway.client()
        #expect(
            text(try silent.bytesToEnd()).split(separator: "\r\n").first.map { $0 == "HTTP/1.1 408 Request Timeout" }
                ?? true)
        let idle = try stage.gateway.client()
        try idle.send(request("GET", "/open/a"))
        #expect(try idle.response().status == 200)
        #expect(idle.isClosedByPeer())
    }

    @Test(.refuses("HTTP-66")) func `a download that nobody takes and one that stalls come to an end`() throws {
        let slow = try Stage(StagePlan(settings: "timeouts: { response_body: 400ms }"))
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"
        slow.upstream.answer("/open/unread", with: WireScript(.text(head), .pattern(64 << 20)))
        let unread = try slow.gateway.client(receiveBuffer: 16 * 1024)
        try unread.send(request("GET", "/open/unread"))
        #expect(
            slow.upstream.waits { !($0.endedConnections + $0.resetConnections).isEmpty || $0.sentCount == 64 << 20 })
        #expect(slow.upstream.now.sentCount < 64 << 20)
        let gate = Gate()
        slow.upstream.answer("/open/stalled", with: WireScript(.text(head + "beginning"), .wait(gate)))
        let stalled = try slow.gateway.client()
        try stalled.send(request("GET", "/open/stalled"))
        #expect(try stalled.response().ending == .truncated)
        gate.open()
    }

    @Test(.byHTTP1(because: "HTTP/2 bounds the streams of a connection"), .refuses("OPS-05"))
    func `a flood of pipelined requests that nobody reads the answers of is not taken in`()
        throws
    {
        #expect(try stage.exchange("GET", "/open/warm").status == 200)
        let before = stage.gateway.process.memory()
        let flood = try RawClient(port: stage.gateway.port, receiveBuffer: 8 * 1024)
        let message = String(repeating: request("GET", "/open/flood", fields: ["X-A: " + padded(500)]), count: 100)
        // Ends when the kernel's buffers are full on both sides: sending then blocks until the limit.
        for _ in 0..<2000 {
            guard (try? flood.send(Array(message.utf8), within: .milliseconds(300))) != nil else { break }
        }
        #expect(stage.gateway.process.memory() - before < 8 * 1024)
        #expect(try stage.exchange("GET", "/open/other").status == 200)
        flood.reset()
    }

    @Test(.refuses("OPS-05")) func `more requests than an upstream may have are 503`() throws {
        let narrow = try Stage(StagePlan(settings: "limits: { upstream_connections: 2 }"))
        let gate = Gate()
        narrow.upstream.answerAll(
            with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")))
        // Of two clients: one alone has no more than it leaves.
        let clients = try (2...3).map { try RawClient(port: narrow.gateway.port, from: "127.0.0.\($0)") }
        for client in clients { try client.send(request("GET", "/open/a")) }
        #expect(narrow.upstream.waits { $0.requests.count == 2 })
        let third = try narrow.exchange("GET", "/open/b")
        expectTemplate(third, status: 503)
        gate.open()
        for client in clients { #expect(try client.response().status == 200) }
        narrow.reset()
        #expect(try narrow.exchange("GET", "/open/c").status == 200)
    }
}
