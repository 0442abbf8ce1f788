import Foundation
import TestSupport
import TestTraits
import Testing

/// Row HTTP-70: bodies pass through; they do not pile up.
@Suite(.serialized, .byEachProtocol) struct `streaming` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// 64 MB, or 1 GB when `PORTCULLIS_LARGE` is set.
    private static let large =
        ProcessInfo.processInfo.environment["PORTCULLIS_LARGE"] == nil ? 64 << 20 : 1 << 30

    /// What must stay behind while nobody reads; the kernel's own buffers may hold tens of megabytes.
    private static let unread = 8 << 20

    /// How far the gateway may grow while a body passes, in kilobytes.
    private static let growth = 8 * 1024

    @Test(.holds("HTTP-70")) func `a large download passes a slow reader through flat memory`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.large)\r\n\r\n"
        stage.upstream.answer("/open/a", with: WireScript(.text(head), .pattern(Self.large)))
        _ = try stage.exchange("GET", "/open/warm")
        let before = stage.gateway.process.memory()
        let client = try stage.gateway.client(receiveBuffer: 64 * 1024)
        try client.send(request("GET", "/open/a"))
        _ = try client.bytes(through: "\r\n\r\n")
        // The client does not read: what the upstream could send is what the gateway and two sockets hold.
        let held = settled { stage.upstream.now.sentCount }
        #expect(held < Self.large - Self.unread, "\(held) bytes left the upstream while nobody read")
        #expect(stage.gateway.process.memory() - before < Self.growth)
        try client.discard(Self.large, within: .seconds(120))
        #expect(stage.gateway.process.memory() - before < Self.growth)
        #expect(client.staysSilent())
    }

    @Test(.holds("HTTP-70")) func `a large upload waits for a slow upstream in flat memory`() throws {
        let gate = Gate()
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        stage.upstream.answer("/open/a", with: WireScript(exactly: [.wait(gate), .readBody, .text(answer)]))
        _ = try stage.exchange("GET", "/open/warm")
        let before = stage.gateway.process.memory()
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nContent-Length: \(Self.large)\r\n\r\n")
        let sent = Watched(0)
        let block = [UInt8](repeating: UInt8(ascii: "u"), count: 64 * 1024)
        let count = Self.large / block.count
        let done = Gate()
        let sender = Unshared(client)
        Thread.detachNewThread {
            for _ in 0..<count {
                guard (try? sender.value.send(block, within: .seconds(120))) != nil else { break }
                sent.withLock { $0 += block.count }
            }
            done.open()
        }
        let held = settled { sent.now }
        #expect(held < Self.large - Self.unread, "\(held) bytes left the client while nobody read")
        #expect(stage.gateway.process.memory() - before < Self.growth)
        gate.open()
        #expect(done.wait(within: .seconds(120)))
        #expect(try client.response(within: .seconds(60)).bodyText == "ok")
        let recorded = try #require(stage.upstream.onlyRequest(for: "/open/a"))
        #expect(recorded.bodyCount == Self.large)
        #expect(recorded.isComplete)
        #expect(stage.gateway.process.memory() - before < Self.growth)
    }

    @Test(.holds("HTTP-70")) func `a chunked download of many pieces arrives whole`() throws {
        let pieces = (0..<2000).map { number in "\(number)," }
        let chunks = pieces.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined()
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        stage.upstream.answer("/open/a", with: .raw(head + chunks + "0\r\nX-Trailer: 1\r\n\r\n"))
        let response = try stage.exchange("GET", "/open/a")
        #expect(response.ending == .lastChunk)
        #expect(response.bodyText == pieces.joined())
    }

    @Test(.holds("HTTP-70")) func `an event reaches the client as it is sent`() throws {
        let gates = (0..<3).map { _ in Gate() }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        var steps: [WireScript.Step] = [.text(head)]
        for (number, gate) in gates.enumerated() {
            steps += [.wait(gate), .text("9\r\ndata: \(number)\n\n\r\n")]
        }
        stage.upstream.answer("/open/events", with: WireScript(exactly: steps + [.text("0\r\n\r\n")]))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/events"))
        _ = try client.bytes(through: "\r\n\r\n")
        for (number, gate) in gates.enumerated() {
            gate.open()
            _ = try client.bytes(through: "data: \(number)\n\n")
        }
        #expect(text(try client.bytes(through: "0\r\n\r\n")).hasSuffix("0\r\n\r\n"))
    }

    @Test(.holds("HTTP-70")) func `an event stream without a length is passed on piece by piece`() throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"
        stage.upstream.answer("/open/events", with: WireScript(.text(head), .wait(gate), .text("data: 2\n\n"), .close))
        let client = try stage.gateway.client()
        try client.send(request("GET", "/open/events"))
        _ = try client.bytes(through: "data: 1\n\n")
        gate.open()
        #expect(text(try client.bytes(through: "0\r\n\r\n")).contains("data: 2\n\n"))
    }

    @Test(.holds("HTTP-70")) func `a request body is passed on piece by piece`() throws {
        let client = try stage.gateway.client()
        try client.send("POST /open/a HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
        #expect(stage.upstream.waits { $0.requests.first?.bodyText == "one" })
        try client.send("3\r\ntwo\r\n")
        #expect(stage.upstream.waits { $0.requests.first?.bodyText == "onetwo" })
        try client.send("0\r\n\r\n")
        #expect(try client.response().status == 200)
    }

    @Test(.holds("HTTP-70")) func `a compressed body is passed on as it is`() throws {
        let bomb = "\u{1f}\u{8b}not really gzip"
        let fields = ["Content-Encoding: gzip", "Cache-Control: no-transform"]
        stage.upstream.answer("/open/a", with: .answer(200, bomb, fields: fields))
        let response = try stage.exchange("GET", "/open/a", fields: ["Accept-Encoding: gzip"])
        #expect(response.bodyText == bomb)
        #expect(response.fields.only("content-encoding") == "gzip")
        #expect(response.fields.only("cache-control") == "no-transform")
    }

    @Test func `a hundred downloads at once arrive whole`() throws {
        let size = 256 * 1024
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        stage.upstream.answerAll(with: WireScript(.text(head), .pattern(size)))
        let clients = try (0..<100).map { _ in try stage.gateway.client(receiveBuffer: 8 * 1024) }
        for client in clients { try client.send(request("GET", "/open/a")) }
        for client in clients {
            let response = try client.response()
            #expect(response.body.count == size)
        }
    }
}

/// A value handed to one thread; the test keeps the others away from what that thread uses.
private struct Unshared<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
