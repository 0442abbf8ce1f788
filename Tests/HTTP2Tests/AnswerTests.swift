import HTTP2
import TestTraits
import Testing

@Suite struct `an answer over HTTP/2` {
    private func fields(of head: String) throws -> [String]? {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        guard server.answer(1, head) else { return nil }
        return server.decoder.fields(try #require(server.sent.first).payload)
    }

    @Test(.holds("H2-33")) func `has names in lower case, and its length`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A:  b \t\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
        #expect(
            try fields(of: head)
                == [":status: 200", "content-length: 0", "x-a: b", "set-cookie: a=1", "set-cookie: b=2"])
    }

    @Test(.refuses("H2-33"))
    func `has none of the fields that speak of a connection of HTTP/1.1`() throws {
        let head =
            "HTTP/1.1 200 OK\r\nConnection: close\r\nKeep-Alive: timeout=5\r\nTransfer-Encoding: chunked\r\n"
            + "Upgrade: h2c\r\nProxy-Connection: close\r\nHTTP2-Settings: AAAA\r\nX-A: b\r\n\r\n"
        #expect(try fields(of: head) == [":status: 200", "x-a: b"])
    }

    @Test(
        .refuses("H2-33"),
        arguments: [
            "HTTP/1.1 200 OK\r\nX-A: b\rc\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: b\nc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX A: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\n: b\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A\r\n\r\n", "HTTP/1.1 200 OK\r\nX-A: b",
            "HTTP/1.1 2",
            "HTTP/1.1 200 OK\r\nX-A: b\0\r\n\r\n", "", "HTTP/1.1 xyz OK\r\n\r\n",
        ])
    func `is not sent when it is none`(head: String) throws {
        #expect(try fields(of: head) == nil)
    }

    @Test(.holds("H2-33"), .refuses("H2-33"))
    func `has each octet of a name and of a value looked at, wherever it is`() throws {
        for count in [1, 7, 8, 9, 15, 16, 17, 23, 24, 31, 33] {
            let server = try ServerUnderTest()
            func isTaken(_ line: String) -> Bool {
                server.answer(1, "HTTP/1.1 103 Early Hints\r\n\(line)\r\n\r\n")
            }
            server.receive(Frames.request(1))
            let plain = [UInt8]((0..<count).map { UInt8($0 % 26) + 0x41 })
            let text = String(decoding: plain, as: UTF8.self)
            #expect(isTaken("\(text): \(text)"))
            let fields = try server.decoder.fields(#require(server.sent.first).payload)
            #expect(fields == [":status: 103", "\(text.lowercased()): \(text)"])
            for place in 0..<count {
                var other = plain
                other[place] = 0x7f
                let broken = String(decoding: other, as: UTF8.self)
                #expect(!isTaken("\(broken): a"), "a name of \(count) with DEL at \(place)")
                #expect(!isTaken("a: \(broken)"), "a value of \(count) with DEL at \(place)")
                other[place] = 0x09
                let tabbed = String(decoding: other, as: UTF8.self)
                #expect(!isTaken("\(tabbed): a"), "a name of \(count) with HTAB at \(place)")
                #expect(isTaken("a: \(tabbed)"), "a value of \(count) with HTAB at \(place)")
            }
        }
    }

    @Test(.holds("H2-51")) func `has its trailers behind its body, and its end on them`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        #expect(server.trailers(1, "Grpc-Status: 0\r\nSet-Cookie: a=1\r\ngrpc-message: ok\r\n"))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", Body("hello"))
        #expect(server.sent.map(\.type) == [1, 0, 1])
        #expect(server.sent.map(\.ends) == [false, false, true])
        _ = server.decoder.fields(server.sent[0].payload)
        #expect(server.decoder.fields(server.sent[2].payload) == ["grpc-status: 0", "grpc-message: ok"])
        #expect(server.seen.last == .closed(1))
    }

    @Test(.holds("H2-51")) func `may learn its trailers after its body has ended`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        let body = Body("hello")
        body.trailersFollow = true
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        #expect(server.sent.map(\.ends) == [false, false])
        #expect(server.sent.map(\.text).last == "hello")
        #expect(server.trailers(1, "x-sum: 7\r\n"))
        server.flush()
        #expect(server.sent.map(\.type) == [1, 0, 1])
        #expect(server.sent.last?.ends == true)
        #expect(!server.trailers(1, "x-sum: 8\r\n"))
    }

    @Test(.refuses("H2-51")) func `has nothing behind its end`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n")
        #expect(server.sent.map(\.ends) == [true])
        #expect(!server.trailers(1, "x-sum: 7\r\n"))
        #expect(!server.answer(1))
        server.flush()
        #expect(server.sent.count == 1)
    }

    @Test func `ends with its last bytes, not with a frame behind them`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", Body("hello"))
        #expect(server.frames(0).map(\.ends) == [true])
    }

    @Test(.holds("H2-43")) func `waits while its source has nothing, and goes on when that says so`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1))
        let body = Body("one", ends: false)
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", body)
        #expect(server.frames(0).map(\.text) == ["one"])
        body.bytes = Array("two".utf8)
        body.ends = true
        server.flush()
        #expect(server.frames(0).count == 1)
        server.connection.resume(1)
        server.connection.resume(7)
        server.flush()
        #expect(server.frames(0).map(\.text) == ["one", "two"])
    }

    @Test(.refuses("H2-43", "H2-46")) func `without a window stops no other, and downloads take turns`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.settings([(4, 1000)]) + Frames.request(1) + Frames.request(3))
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", Body(String(repeating: "x", count: 100_000)))
        #expect(server.frames(0).map(\.payload.count) == [1000])
        server.answer(3, "HTTP/1.1 200 OK\r\n\r\n", Body("free"))
        #expect(server.frames(0).last?.text == "free")
        #expect(server.seen.last == .closed(3))

        let fair = try ServerUnderTest()
        fair.receive(Frames.settings([(4, 1 << 20)]) + Frames.windowUpdate(0, 1 << 24))
        for stream in [1, 3, 5] as [UInt32] { fair.receive(Frames.request(stream)) }
        for stream in [1, 3, 5] as [Int32] {
            let body = Body(String(repeating: "x", count: 100_000))
            fair.connection.setPlace(stream, body.place)
            _ = Array("HTTP/1.1 200 OK\r\n\r\n".utf8).withUnsafeBufferPointer {
                fair.connection.submitHead(stream, $0, ends: false)
            }
            kept.append(body)
        }
        fair.flush()
        #expect(Set(fair.frames(0).prefix(3).map(\.stream)) == [1, 3, 5])
    }

    private let kept = Bodies()

    @Test(arguments: [1024, 2048, 5000, 16 << 10])
    func `is the same whatever room there is to write it`(room: Int) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.settings([(4, 1 << 20)]) + Frames.windowUpdate(0, 1 << 20) + Frames.request(1))
        let text = String((0..<50_000).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        let body = Body(text)
        kept.append(body)
        server.connection.setPlace(1, body.place)
        let value = String(repeating: "v", count: 9000)
        _ = Array("HTTP/1.1 200 OK\r\nX-A: \(value)\r\n\r\n".utf8).withUnsafeBufferPointer {
            server.connection.submitHead(1, $0, ends: false)
        }
        server.flush(capacity: room)
        #expect(
            server.decoder.fields(try #require(server.frames(1).first).payload) == [":status: 200", "x-a: \(value)"])
        #expect(server.frames(0).map(\.text).joined() == text)
        #expect(server.seen.last == .closed(1))
    }
}

/// Bodies that live as long as their test.
final class Bodies {
    private var all: [Body] = []
    func append(_ body: Body) { all.append(body) }
}
