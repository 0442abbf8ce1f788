import HTTP1
import HTTP2
import TestTraits
import Testing

@Suite struct `streams of one connection` {
    @Test(.holds("H2-10", "H2-46")) func `are answered each for itself, and leave in one write`() throws {
        let server = try ServerUnderTest()
        server.receive((0..<50).flatMap { Frames.request(UInt32($0 * 2 + 1), path: "/\($0)") })
        #expect(server.requests.count == 50)
        var bodies: [Body] = []
        for stream in server.requests {
            let body = Body("answer to \(stream)")
            bodies.append(body)
            server.connection.setPlace(stream, body.place)
            _ = Array("HTTP/1.1 200 OK\r\n\r\n".utf8).withUnsafeBufferPointer {
                server.connection.submitHead(stream, $0, ends: false)
            }
        }
        server.writes = 0
        server.flush()
        #expect(server.writes == 1)
        #expect(Set(server.frames(0).map { "\($0.stream): \($0.text)" }).count == 50)
        #expect(server.connection.openStreams == 0)
    }

    @Test(.refuses("H2-10")) func `are unharmed by a malformed one between them`() throws {
        #expect(try fate(of: [(":method", "GET")]) == nil)
    }

    @Test(.holds("H2-11", "H2-16")) func `that the client has left cost the connection nothing`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", Body(String(repeating: "x", count: 100_000)))
        #expect(server.seen.last != .closed(1))
        server.receive(Frames.reset(1))
        #expect(server.seen.suffix(2) == [.reset(1, 8, byPeer: true), .closed(1)])
        // Late frames of a stream that is over.
        server.receive(Frames.windowUpdate(1, 100) + Frames.request(3))
        #expect(server.requests == [1, 3])
        #expect(!server.answer(1))
    }

    @Test(
        .refuses("H2-11"),
        arguments: [
            Frames.request(5) + Frames.request(3), Frames.request(2), Frames.data(0, "x"), Frames.data(9, "x"),
            Frames.reset(9), Frames.windowUpdate(9, 1),
        ])
    func `have numbers that are odd and rise, or the connection is over`(bytes: [UInt8]) throws {
        let server = try ServerUnderTest()
        server.receive(bytes)
        #expect(server.goAways.count == 1)
        #expect(server.connection.isOver || server.connection.openStreams > 0)
    }

    @Test(.holds("H2-12", "H2-13")) func `carry a body and what follows it`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", [("content-length", "5")], ends: false))
        server.receive(Frames.data(1, "he") + Frames.data(1, "llo"))
        server.receive(Frames.headers(1, Frames.block([("x-sum", "7"), ("authorization", "Bearer evil")])))
        #expect(
            Array(server.seen.dropFirst()) == [
                .content(1, "he"), .content(1, "llo"), .trailers(1, "x-sum: 7\r\n"), .ended(1),
            ])
    }

    @Test(
        .refuses("H2-12"),
        arguments: [
            Frames.headers(1, Frames.block([("x-a", "b")]), ends: false),
            Frames.headers(1, Frames.block([(":path", "/x")])), Frames.headers(1, Frames.block([("x-a", "b\r\nc: d")])),
            Frames.headers(1, Frames.block([("connection", "close")])),
            Frames.headers(1, Frames.block([("X-A", "b")])),
            Frames.headers(1, Frames.block([(String, String)](repeating: ("x-a", "b"), count: 200))),
        ])
    func `are reset by trailers that are none, before they end`(trailers: [UInt8]) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", ends: false) + Frames.data(1, "x"))
        server.receive(trailers)
        #expect(!server.seen.contains(.ended(1)))
        #expect(server.seen.contains(.reset(1, 1, byPeer: false)))
        #expect(server.resets == [1])
        #expect(server.seen.last == .closed(1))
    }

    @Test(
        .refuses("H2-13"),
        arguments: [
            ("5", [], true), ("5", [("abc", true)], false), ("5", [("abcdef", true)], false),
            ("5", [("abcdef", false)], false),
            ("0", [("GET / HTTP/1.1\r\n\r\n", true)], false), ("5", [("abc", false), ("", true)], false),
        ] as [(String, [(String, Bool)], Bool)])
    func `are reset when the body is not as long as was said`(
        length: String, pieces: [(String, Bool)], ends: Bool
    ) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", [("content-length", length)], ends: ends))
        for piece in pieces { server.receive(Frames.data(1, piece.0, ends: piece.1)) }
        #expect(!server.seen.contains(.ended(1)))
        #expect(server.resets == [1])
        // A request that was told is taken back before its body can have ended.
        #expect(server.requests.isEmpty || server.seen.contains(.reset(1, 1, byPeer: false)))
    }

    @Test(.refuses("H2-13")) func `are reset when trailers come too early`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", [("content-length", "5")], ends: false))
        server.receive(Frames.data(1, "abc") + Frames.headers(1, Frames.block([("x-sum", "7")])))
        #expect(!server.seen.contains(.ended(1)))
        #expect(server.seen.contains(.reset(1, 1, byPeer: false)))
    }

    @Test(
        .refuses("H2-23"), arguments: [["5", "5"], ["+5"], ["5, 5"], [""], ["-1"], ["0x5"], ["99999999999999999999"]])
    func `never have a length with two readings`(lengths: [String]) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", lengths.map { ("content-length", $0) }, ends: false))
        #expect(server.requests.isEmpty || server.verdicts[1] != .complete)
    }

    @Test(.holds("H2-23")) func `have their length in the head if it was said, and nothing about framing else`() throws
    {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", [("content-length", "5")], ends: false))
        server.receive(Frames.request(3, method: "POST", ends: false))
        #expect(
            server.seen == [
                .request(
                    1, "POST / HTTP/1.1\r\nhost: a.example\r\ncontent-length: 5\r\n\r\n", hasBody: true, isTunnel: false
                ),
                .request(3, "POST / HTTP/1.1\r\nhost: a.example\r\n\r\n", hasBody: true, isTunnel: false),
            ])
    }

    @Test(.holds("H2-14")) func `carry padding that nobody sees`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", ends: false))
        server.receive(Frames.padded(1, "hello", padding: 200) + Frames.frame(0x4a, [1, 2]))
        server.receive(Frames.padded(1, "", padding: 9, ends: true))
        #expect(Array(server.seen.dropFirst()) == [.content(1, "hello"), .ended(1)])
    }

    @Test(
        .refuses("H2-14"),
        arguments: [
            (Frames.data(1, [UInt8](repeating: 0, count: 16_385)), UInt32(6)),
            (Frames.frame(0, flags: 8, stream: 1, [9, 1, 2]), 1), (Frames.frame(6, [1]), 6),
        ] as [([UInt8], UInt32)])
    func `end with the connection at a frame of no right size`(frame: [UInt8], code: UInt32) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", ends: false) + frame)
        #expect(server.goAways == [code])
    }

    @Test(.holds("H2-17")) func `that were answered too early end without an error`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, method: "POST", ends: false) + Frames.data(1, "x"))
        server.answer(1, "HTTP/1.1 401 Unauthorized\r\n\r\n")
        #expect(server.resets == [0])
        #expect(server.seen.last == .closed(1))
        server.receive(Frames.data(1, "more of it") + Frames.request(3))
        #expect(server.requests == [1, 3])
    }

    @Test(.refuses("H2-17", "H2-42")) func `that were answered too early give their window back`() throws {
        let server = try ServerUnderTest()
        server.takes = false
        let piece = [UInt8](repeating: 0x78, count: 16_000)
        for number in 0..<200 {
            let stream = UInt32(number * 2 + 1)
            server.now += 1_000_000
            server.receive(Frames.request(stream, method: "POST", ends: false) + Frames.data(stream, piece))
            server.answer(Int32(stream), "HTTP/1.1 401 Unauthorized\r\n\r\n")
            server.receive(Frames.data(stream, piece) + Frames.data(stream, piece))
        }
        // Nine megabytes have come, through a window of one that nobody took a byte from.
        #expect(server.requests.count == 200)
        #expect(server.goAways == [])
        let given = server.frames(8).filter { $0.stream == 0 }.reduce(0) { $0 + Int($1.lastStream) }
        #expect(given > 200 * 48_000 - (1 << 20))
    }

    @Test(.refuses("H2-18")) func `are never switched to another protocol`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        #expect(!server.answer(1, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"))
        #expect(server.sent == [])
    }

    @Test(.holds("H2-18")) func `carry interim answers before the last one`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        server.answer(1, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", Body())
        #expect(server.sent.map(\.ends) == [false])
        server.answer(1, "HTTP/1.1 200\r\n\r\n")
        #expect(
            server.sent.map { server.decoder.fields($0.payload) } == [
                [":status: 103", "link: </a>"], [":status: 200"],
            ])
        #expect(server.sent.map(\.ends) == [false, true])
    }

    @Test(.refuses("H2-19")) func `are never promised`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1) + Frames.frame(5, flags: 4, stream: 1, Frames.bigEndian(2)))
        #expect(server.goAways == [1])
    }
}
