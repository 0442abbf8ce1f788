import HTTP2
import TestTraits
import Testing

@Suite struct `priorities over HTTP/2` {
    @Test(.holds("H2-47"), arguments: ["u=0", "u=7, i", "i=?0"])
    func `pass with requests and with answers`(value: String) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, [("priority", value)]))
        guard case .request(1, let head, _, _) = server.seen.first else {
            Issue.record("not taken")
            return
        }
        #expect(head.contains("priority: \(value)\r\n"))
        server.answer(1, "HTTP/1.1 200 OK\r\nPriority: \(value)\r\n\r\n")
        let fields = server.decoder.fields(try #require(server.sent.first).payload)
        #expect(fields == [":status: 200", "priority: \(value)"])
    }

    @Test(.refuses("H2-47"), arguments: ["u=9", "u=-1", "high", "u=", "\"", "u=1;;", "u=1, u=2"])
    func `that mean nothing are no reason to refuse a request`(value: String) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.request(1, [("priority", value)]))
        #expect(server.requests == [1])
        #expect(server.resets == [] && server.goAways == [])
    }

    @Test(.refuses("H2-47")) func `let no download wait for another's end`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.settings([(4, 1 << 20)]) + Frames.windowUpdate(0, 1 << 24))
        server.receive(Frames.request(1, [("priority", "u=7")]) + Frames.request(3))
        server.receive(Frames.request(5, [("priority", "u=0")]))
        // PRIORITY_UPDATE (RFC 9218 §7.1).
        server.receive(Frames.frame(16, Frames.bigEndian(5) + Array("u=0".utf8)))
        let bodies = (0..<3).map { _ in Body(String(repeating: "x", count: 100_000)) }
        for (stream, body) in zip([1, 3, 5] as [Int32], bodies) {
            server.connection.setPlace(stream, body.place)
            _ = Array("HTTP/1.1 200 OK\r\n\r\n".utf8).withUnsafeBufferPointer {
                server.connection.submitHead(stream, $0, ends: false)
            }
        }
        server.flush()
        #expect(Set(server.frames(0).prefix(3).map(\.stream)) == [1, 3, 5])
        #expect(server.goAways == [])
        withExtendedLifetime(bodies) {}
    }
}
