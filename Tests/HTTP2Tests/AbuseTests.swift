import HTTP2
import Rates
import TestTraits
import Testing

@Suite struct `abuse of an HTTP/2 connection` {
    /// Sends a piece for each of these streams, and each answer that is owed is taken.
    private func flood(
        _ count: Int, _ limits: ConnectionLimits = ConnectionLimits(), piece: (UInt32) -> [UInt8]
    ) throws -> ServerUnderTest {
        let server = try ServerUnderTest(limits)
        var bytes: [UInt8] = []
        for number in 0..<count {
            bytes += piece(UInt32(number * 2 + 1))
            guard bytes.count > 4000 else { continue }
            server.receive(bytes)
            bytes = []
        }
        server.receive(bytes)
        return server
    }

    private static func post(_ stream: UInt32, _ length: String? = nil) -> [UInt8] {
        Frames.request(stream, method: "POST", length.map { [("content-length", $0)] } ?? [], ends: false)
    }

    /// CVE-2023-44487 (rapid reset) and CVE-2025-8671 (made you reset).
    @Test(.refuses("H2-52"), arguments: 0..<7)
    func `by streams that end in a reset ends the connection, whoever resets them`(kind: Int) throws {
        let server = try flood(3000) { stream in
            switch kind {
            case 0: Frames.request(stream) + Frames.reset(stream)
            case 1: Self.post(stream) + Frames.windowUpdate(stream, 0x7fff_ffff)
            case 2: Self.post(stream, "5") + Frames.data(stream, "abcdef")
            case 3: Self.post(stream, "5") + Frames.data(stream, "abc", ends: true)
            case 4: Self.post(stream) + Frames.headers(stream, Frames.block([(":path", "/")]))
            case 5: Self.post(stream) + Frames.headers(stream, Frames.block([("x-a", "b")]), ends: false)
            default: Frames.request(stream, [("X-Upper", "b")])
            }
        }
        #expect(server.requests.count <= 220, "\(server.requests.count) exchanges were begun")
        #expect(server.connection.fault == .calm(.resets))
        #expect(server.goAways.last == 11)
        // It was asked politely first.
        #expect(server.goAways.first == 0)
        #expect(server.memory.used < 1 << 20)
    }

    @Test(.refuses("H2-52")) func `by heads that are malformed ends it too, though each is answered`() throws {
        let server = try ServerUnderTest()
        for number in 0..<300 {
            server.receive(Frames.request(UInt32(number * 2 + 1), [("x-a", " b")]))
            server.answer(Int32(number * 2 + 1), "HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        #expect(server.connection.fault == .calm(.resets))
        #expect(server.seen.count { if case .refused = $0 { true } else { false } } <= 201)
    }

    @Test(.holds("H2-52")) func `is not a browser that leaves fifty images`() throws {
        let server = try ServerUnderTest()
        for number in 0..<50 { server.receive(Frames.request(UInt32(number * 2 + 1))) }
        for number in 0..<50 { server.receive(Frames.reset(UInt32(number * 2 + 1))) }
        server.receive(Frames.request(101))
        #expect(server.requests.count == 51)
        #expect(server.goAways == [])
        // Nor one that does so each ten seconds.
        var stream: UInt32 = 103
        for _ in 0..<20 {
            server.now += 10_000_000
            for _ in 0..<50 {
                server.receive(Frames.request(stream) + Frames.reset(stream))
                stream += 2
            }
        }
        #expect(server.requests.count == 1051)
        #expect(server.goAways == [])
    }

    @Test(.refuses("H2-52")) func `starts with a quarter of the budget after a connection that was calmed`() throws {
        let server = try flood(300, ConnectionLimits().afterCalm()) { Frames.request($0) + Frames.reset($0) }
        #expect(server.requests.count <= 52)
        #expect(server.connection.fault == .calm(.resets))
    }

    /// CVE-2019-9512, -9513, -9514, -9515, -9518: frames that cost their sender next to nothing.
    @Test(.refuses("H2-55"), arguments: 0..<12)
    func `by frames that carry nothing ends the connection`(kind: Int) throws {
        let server = try ServerUnderTest()
        server.receive(Self.post(1))
        let frame =
            switch kind {
            case 0: Frames.ping()
            case 1: Frames.settings()
            case 2: Frames.frame(2, stream: 1, [0, 0, 0, 0, 16])
            case 3: Frames.frame(16, Frames.bigEndian(1) + Array("u=1".utf8))
            case 4: Frames.frame(0x4a, [])
            case 5: Frames.data(1, "")
            case 6: Frames.padded(1, "", padding: 1)
            case 7: Frames.windowUpdate(0, 1)
            case 8: Frames.windowUpdate(1, 65)
            case 9: Frames.ping(ack: true)
            case 10: Frames.frame(7, Frames.bigEndian(0) + Frames.bigEndian(0))
            default: Frames.frame(4, [0, 4] + Frames.bigEndian(65_535))
            }
        let before = server.memory.used
        for _ in 0..<1000 where server.connection.fault == nil {
            server.receive((0..<100).flatMap { _ in frame })
        }
        #expect(server.connection.fault == .calm(.cheapFrames))
        #expect(server.goAways == [11])
        #expect(server.memory.used - before < 256 << 10)
    }

    /// The library ignores these without a word.
    @Test(.refuses("H2-55"), arguments: [UInt32(1), 65_000])
    func `by windows of a stream that is over ends the connection`(increment: UInt32) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1) + Frames.reset(1))
        for _ in 0..<1000 where server.connection.fault == nil {
            server.receive((0..<100).flatMap { _ in Frames.windowUpdate(1, increment) })
        }
        #expect(server.connection.fault == .calm(.cheapFrames))
    }

    @Test(.holds("H2-55")) func `is not a client that enlarges the windows of answers it has got whole`() throws {
        let server = try ServerUnderTest()
        for number in 0..<5000 {
            let stream = UInt32(number * 2 + 1)
            server.receive(Frames.request(stream))
            server.answer(Int32(stream), "HTTP/1.1 200 OK\r\n\r\n", Body("hello"))
            server.receive(Frames.windowUpdate(stream, 16_000) + Frames.windowUpdate(0, 16_000))
        }
        #expect(server.connection.fault == nil)
    }

    @Test(.holds("H2-55")) func `is not a client that looks whether we live while it downloads`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1) + Frames.windowUpdate(0, 1 << 30) + Frames.windowUpdate(1, 1 << 30))
        let body = Body(ends: false)
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        for _ in 0..<3000 {
            server.now += 20_000
            body.bytes = [UInt8](repeating: 0x78, count: 16_000)
            server.connection.resume(1)
            server.flush()
            // A ping for the bandwidth, and the windows of what came.
            server.receive(Frames.ping() + Frames.windowUpdate(0, 16_000) + Frames.windowUpdate(1, 16_000))
            server.sent = []
        }
        #expect(server.connection.fault == nil)
    }

    @Test(.holds("H2-55"))
    func `is not a client of gRPC, which answers each small message with windows as small`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1) + Frames.windowUpdate(0, 1 << 30) + Frames.windowUpdate(1, 1 << 30))
        let body = Body(ends: false)
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        for _ in 0..<3000 {
            server.now += 500
            body.bytes = [UInt8](repeating: 0x78, count: 9)
            server.connection.resume(1)
            server.flush()
            server.receive(Frames.ping() + Frames.windowUpdate(0, 9) + Frames.windowUpdate(1, 9))
            server.sent = []
        }
        #expect(server.connection.fault == nil)
    }

    /// A client that answers each frame by itself: what was small once stays small, unless small windows are waited with.
    @Test(.holds("H2-55"), arguments: [33, 500])
    func `is not a client that gives back the window of each frame, of small ones too`(size: Int) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        let body = Body(ends: false)
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        // The upstream has little at first, so that each frame is small until the window is full of them; then much.
        for _ in 0..<(65_535 / size) where server.connection.fault == nil {
            body.bytes = [UInt8](repeating: 0x78, count: size)
            server.connection.resume(1)
            server.flush()
        }
        body.bytes = [UInt8](repeating: 0x78, count: 2 << 20)
        server.connection.resume(1)
        var (owed, count) = ([Int](), 0)
        while server.connection.fault == nil {
            owed += server.frames(0).map(\.payload.count)
            server.sent = []
            guard count < owed.count else { break }
            let increment = UInt32(owed[count])
            count += 1
            server.now += 20
            server.receive(Frames.windowUpdate(0, increment))
            server.receive(Frames.windowUpdate(1, increment))
        }
        #expect(server.connection.fault == nil)
        #expect(body.bytes.isEmpty)
        // Small windows became large ones again.
        #expect(owed.suffix(1000).filter { $0 < 1000 }.count <= 2)
    }

    /// CVE-2019-9511: each byte of window has a frame of one byte sent.
    @Test(.refuses("H2-55")) func `by opening a window a byte at a time ends the connection`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.frame(4, [0, 4] + Frames.bigEndian(0)) + Frames.request(1))
        let body = Body(String(repeating: "x", count: 60_000))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        for _ in 0..<3000 where server.connection.fault == nil {
            server.now += 500
            server.receive(Frames.windowUpdate(1, 1))
            server.flush()
            server.sent = []
        }
        #expect(server.connection.fault == .calm(.cheapFrames))
    }

    /// CVE-2019-9517: who does not read has us keep what we owe.
    @Test(.refuses("H2-56")) func `by never reading our answers ends the connection within bounds`() throws {
        let server = try ServerUnderTest()
        let before = server.memory.used
        for _ in 0..<200 where server.connection.fault == nil {
            server.now += 1_000_000
            server.receive((0..<50).flatMap { _ in Frames.ping() }, sends: false)
        }
        #expect(server.connection.fault != nil)
        #expect(server.memory.used - before < 256 << 10)
    }

    @Test(.holds("H2-56")) func `is not a client whose pings are answered before other output`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", Body(String(repeating: "x", count: 60_000)))
        server.receive(Frames.request(3))
        let body = Body(String(repeating: "y", count: 60_000))
        server.connection.setPlace(3, body.place)
        _ = Array("HTTP/1.1 200 OK\r\n\r\n".utf8).withUnsafeBufferPointer {
            server.connection.submitHead(3, $0, ends: false)
        }
        server.sent = []
        server.receive(Frames.ping(7))
        #expect(server.sent.first == SentFrame(type: 6, flags: 1, stream: 0, payload: [UInt8](repeating: 7, count: 8)))
    }

    @Test(.refuses("H2-60")) func `is looked at no further once the connection is over`() throws {
        let server = try flood(300) { Frames.request($0) + Frames.reset($0) }
        let count = server.seen.count
        server.receive(Frames.request(1001) + Frames.ping())
        #expect(server.seen.count == count)
        #expect(!server.connection.wantsToSend)
    }

    @Test(.holds("H2-60")) func `leaves answers that were begun to their end`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        let body = Body("one", ends: false)
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        for number in 1..<300 {
            server.receive(Frames.request(UInt32(number * 2 + 1)) + Frames.reset(UInt32(number * 2 + 1)))
        }
        #expect(server.connection.fault == .calm(.resets))
        #expect(!server.connection.isOver)
        (body.bytes, body.ends) = (Array("two".utf8), true)
        server.connection.resume(1)
        server.flush()
        #expect(server.frames(0).map(\.text) == ["one", "two"])
        // One request is left, whose reset was not looked at any more.
        #expect(server.connection.openStreams == 1)
        if let last = server.requests.last { server.answer(last) }
        #expect(server.connection.isOver)
    }
}
