import HTTP2
import TestTraits
import Testing

@Suite struct `windows of an HTTP/2 connection` {
    private func windows(_ server: ServerUnderTest, _ stream: UInt32) -> Int {
        server.frames(8).filter { $0.stream == stream }.reduce(0) { $0 + Int($1.lastStream) }
    }

    private func send(_ count: Int, to stream: UInt32, _ server: ServerUnderTest) {
        var left = count
        while left > 0 {
            server.receive(Frames.data(stream, [UInt8](repeating: 0x78, count: min(left, 16_384))))
            left -= min(left, 16_384)
        }
    }

    @Test(.holds("H2-42")) func `open again when bytes were taken, not when they came`() throws {
        let server = try ServerUnderTest()
        server.takes = false
        server.receive(Frames.request(1, method: "POST", ends: false))
        send(64 << 10, to: 1, server)
        #expect(windows(server, 1) == 0)
        #expect(windows(server, 0) == 0)
        server.connection.taken(1, 64 << 10)
        server.flush()
        #expect(windows(server, 1) == 64 << 10)
        send(64 << 10, to: 1, server)
        #expect(server.goAways == [] && server.resets == [])
        // More than has come is never given back.
        server.connection.taken(1, 1 << 30)
        server.flush()
        #expect(windows(server, 1) == 128 << 10)
    }

    @Test(.refuses("H2-42", "H2-45")) func `are not to be overrun, by a stream or by all`() throws {
        let server = try ServerUnderTest()
        server.takes = false
        server.receive(Frames.request(1, method: "POST", ends: false))
        send((64 << 10) + 1, to: 1, server)
        #expect(server.resets == [3] || server.goAways == [3])

        let many = try ServerUnderTest()
        many.takes = false
        for number in 0..<16 {
            let stream = UInt32(number * 2 + 1)
            many.receive(Frames.request(stream, method: "POST", ends: false))
            send(64 << 10, to: stream, many)
        }
        #expect(many.goAways == [])
        // A megabyte is in: a request without a body is still answered.
        many.receive(Frames.request(33))
        many.answer(33)
        #expect(many.seen.last == .closed(33))
        many.receive(Frames.request(35, method: "POST", ends: false) + Frames.data(35, "x"))
        #expect(many.goAways == [3])
    }

    @Test(.holds("H2-42")) func `grow for a stream whose request was let through`() throws {
        let server = try ServerUnderTest()
        server.takes = false
        server.receive(Frames.request(1, method: "POST", ends: false))
        server.connection.admit(1)
        server.flush()
        #expect(windows(server, 1) == 192 << 10)
        send(256 << 10, to: 1, server)
        #expect(server.goAways == [] && server.resets == [])
        send(1, to: 1, server)
        #expect(server.resets == [3])
    }

    @Test(
        .refuses("H2-45"),
        arguments: [
            (Frames.windowUpdate(0, 0), true), (Frames.windowUpdate(1, 0), false),
            (Frames.windowUpdate(0, 0x7fff_ffff), true),
            (Frames.windowUpdate(1, 0x7fff_ffff), false),
        ])
    func `are not opened by nothing, nor by more than there can be`(frame: [UInt8], isConnection: Bool) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", ends: false) + frame)
        #expect(server.goAways.count + server.resets.count == 1)
        if isConnection { #expect(server.goAways.count == 1) }
    }

    /// A server that has more for stream 1 than the window of the stream, or of the connection, lets it send.
    private func serverShortOfWindow(_ size: Int, initial: Int = 65_535) throws -> (ServerUnderTest, Body) {
        let server = try ServerUnderTest()
        server.receive(Frames.settings([(4, UInt32(initial))]) + Frames.request(1))
        server.sent = []
        let body = Body(String(repeating: "x", count: size))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        return (server, body)
    }

    private func sizes(_ server: ServerUnderTest) -> [Int] {
        defer { server.sent = [] }
        return server.frames(0).map(\.payload.count)
    }

    @Test(.holds("H2-44")) func `are waited for while they would cut a body to crumbs`() throws {
        let (server, _) = try serverShortOfWindow(65_535 + 10_000)
        let crumb = 65_535 - sizes(server).reduce(0, +)
        #expect(crumb < 1000)
        server.receive(Frames.windowUpdate(0, UInt32(500 - crumb)) + Frames.windowUpdate(1, 20_000))
        #expect(sizes(server) == [])
        server.receive(Frames.windowUpdate(0, 499))
        #expect(sizes(server) == [])
        server.receive(Frames.windowUpdate(0, 1))
        #expect(sizes(server) == [1000])
        // The stream's as well as the connection's.
        server.receive(Frames.windowUpdate(0, 100_000))
        #expect(sizes(server) == [9000 + crumb])
    }

    @Test(.holds("H2-44"), arguments: [true, false])
    func `are not waited for by the last bytes of a body`(ofConnection: Bool) throws {
        let (server, body) = try serverShortOfWindow(65_535 + 300)
        #expect(sizes(server).reduce(0, +) + body.bytes.count == 65_535 + 300)
        #expect(body.bytes.count < 1000)
        server.receive(Frames.windowUpdate(ofConnection ? 1 : 0, 20_000))
        server.receive(Frames.windowUpdate(ofConnection ? 0 : 1, 299))
        #expect(sizes(server) == [])
        let left = body.bytes.count
        server.receive(Frames.windowUpdate(ofConnection ? 0 : 1, 1))
        #expect(sizes(server) == [left])
        #expect(body.bytes.isEmpty && server.seen.last == .closed(1))
    }

    @Test(.holds("H2-44"), arguments: [(1, 1), (200, 100), (1200, 600), (3000, 1000)])
    func `are waited for no longer than for half of one where a client's are small`(initial: Int, least: Int) throws {
        let (server, _) = try serverShortOfWindow(20_000, initial: initial)
        #expect(sizes(server).reduce(0, +) == initial)
        if least > 1 {
            server.receive(Frames.windowUpdate(1, UInt32(least - 1)))
            #expect(sizes(server) == [])
        }
        server.receive(Frames.windowUpdate(1, 1))
        #expect(sizes(server) == [least])
    }

    @Test(.holds("H2-44")) func `are there again when the client's settings make them larger`() throws {
        let (server, _) = try serverShortOfWindow(20_000, initial: 4000)
        #expect(sizes(server) == [4000])
        server.receive(Frames.windowUpdate(1, 500))
        #expect(sizes(server) == [])
        server.receive(Frames.settings([(4, 30_000)]))
        #expect(sizes(server).reduce(0, +) == 16_000)
    }

    @Test(.holds("H2-44")) func `are waited for by several streams at once`() throws {
        let (server, first) = try serverShortOfWindow(65_535)
        server.receive(Frames.request(3) + Frames.request(5))
        let (second, third) = (Body(String(repeating: "y", count: 3000)), Body(String(repeating: "z", count: 200)))
        server.answer(3, "HTTP/1.1 200 OK\r\n\r\n", second)
        server.answer(5, "HTTP/1.1 200 OK\r\n\r\n", third)
        _ = sizes(server)
        #expect(first.bytes.isEmpty)
        server.receive(Frames.windowUpdate(0, 199))
        #expect(sizes(server) == [])
        server.receive(Frames.windowUpdate(0, 1))
        #expect(sizes(server) == [200])
        #expect(third.bytes.isEmpty)
        // A stream that is gone takes nothing of what comes.
        server.receive(Frames.reset(3))
        server.receive(Frames.windowUpdate(0, 100_000))
        #expect(sizes(server) == [])
        #expect(server.connection.openStreams == 0)
    }

    @Test(.refuses("H2-45")) func `that a setting made negative overflow all the same`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", Body(String(repeating: "x", count: 70_000)))
        server.receive(Frames.settings([(4, 0)]))
        server.receive(Frames.windowUpdate(1, 0x7fff_ffff))
        server.receive(Frames.settings([(4, 0x7fff_ffff)]))
        #expect(server.goAways + server.resets == [3])
    }

    @Test(.holds("H2-45")) func `do not shrink by padding, nor by what comes for a stream that is over`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", ends: false))
        for _ in 0..<1000 { server.receive(Frames.padded(1, "xy", padding: 250)) }
        #expect(server.connection.fault == nil)
        #expect(server.goAways == [])
        #expect(windows(server, 1) > 1000 * 253 - (64 << 10))
    }

    @Test(.refuses("H2-16")) func `of a stream that was reset come back to the connection`() throws {
        let server = try ServerUnderTest()
        server.takes = false
        for number in 0..<100 {
            let stream = UInt32(number * 2 + 1)
            server.now += 1_000_000
            server.receive(Frames.request(stream, method: "POST", ends: false))
            send(30_000, to: stream, server)
            server.receive(Frames.reset(stream))
            // Whoever says so later is not believed a second time.
            server.connection.taken(Int32(stream), 30_000)
        }
        #expect(server.goAways == [])
        #expect(windows(server, 0) <= 100 * 30_000)
        #expect(windows(server, 0) > 100 * 30_000 - (1 << 20))
    }
}
