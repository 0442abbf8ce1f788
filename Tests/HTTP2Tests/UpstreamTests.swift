import CNGHTTP2
import TestTraits
import Testing

@testable import HTTP2

private func answer(
    _ stream: UInt32, _ fields: [(String, String)] = [(":status", "200")], ends: Bool = true
) -> [UInt8] {
    Frames.headers(stream, Frames.block(fields), ends: ends)
}

@Suite struct `a connection to an upstream over HTTP/2` {
    @Test(.holds("H2-19", "H2-77")) func `begins with preface and SETTINGS, and no push`() throws {
        let upstream = try UpstreamUnderTest(settings: nil)
        let settings = try #require(upstream.sent.first)
        #expect(settings.type == 4)
        let entries = stride(from: 0, to: settings.payload.count, by: 6).map { Array(settings.payload[$0..<($0 + 6)]) }
        #expect(entries.contains([0, 2, 0, 0, 0, 0]))
        #expect(!upstream.connection.hasSettings)
        #expect(upstream.connection.room == 100)
        upstream.receive(Frames.settings([(3, 7)]))
        #expect(upstream.connection.hasSettings)
        #expect(upstream.seen == [.settings])
        #expect(upstream.connection.room == 7)
    }

    @Test(.holds("H2-79")) func `is to be replaced before it has no numbers for streams`() throws {
        let upstream = try UpstreamUnderTest()
        #expect(!upstream.connection.isNearlySpent)
        let last = Int32.max - 1 << 20
        #expect(unsafe nghttp2_session_set_next_stream_id(upstream.connection.session.session, last) == 0)
        upstream.ask()
        #expect(upstream.connection.isNearlySpent && upstream.connection.room == 99)
    }

    @Test(
        .refuses("H2-75"), arguments: ["HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "SSH-2.0-OpenSSH\r\n"])
    func `is over when the peer speaks something else`(text: String) throws {
        let upstream = try UpstreamUnderTest(settings: nil)
        upstream.ask()
        upstream.receive(Array(text.utf8))
        #expect(!upstream.connection.hasSettings)
        #expect(upstream.connection.isOver || upstream.connection.sentGoAway != nil)
    }

    @Test(.holds("H2-75", "H2-84")) func `carries a request, and nothing of HTTP/1.1's connection`() throws {
        let upstream = try UpstreamUnderTest()
        let head =
            "POST /a?b HTTP/1.1\r\nX-A: b\r\nHost: a.example:8443\r\nConnection: close\r\nTE: trailers\r\n"
            + "Transfer-Encoding: chunked\r\nAuthorization: Bearer t\r\nCookie: c=1\r\n\r\n"
        #expect(upstream.ask(head, Body("hello")) == 1)
        let fields = [
            ":method: POST", ":scheme: https", ":authority: a.example:8443", ":path: /a?b", "x-a: b", "te: trailers",
            "authorization: Bearer t", "cookie: c=1",
        ]
        #expect(upstream.sent.map(\.type) == [1, 0])
        let block = try #require(upstream.sent.first).payload
        #expect(upstream.decoder.fields(block) == fields)
        // Credentials are literals that are never indexed (RFC 7541 §6.2.3): with index 23 of the static table, and 32.
        #expect(block.contains([0x1f, 0x08]) && block.contains([0x1f, 0x11]))
        #expect(upstream.sent[1].text == "hello")
        #expect(upstream.sent[1].ends)
    }

    @Test(
        .refuses("H2-84"),
        arguments: [
            "Authorization", "Cookie", "DPoP", "X-API-Key", "X-Forwarded-Access-Token", "X-User-Id", "X-Assertion",
            "Client-Cert", "X-Forwarded-For", "Referer", "X-Request-ID", "Grpc-Encodings",
        ])
    func `does not let one request's credentials change another's length`(name: String) throws {
        let upstream = try UpstreamUnderTest()
        let head = { (byte: Character) in
            "GET / HTTP/1.1\r\nHost: a\r\n\(name): \(String(repeating: byte, count: 80))\r\n\r\n"
        }
        for byte in ["a", "a", "c"] as [Character] { upstream.ask(head(byte)) }
        let lengths = upstream.sent.map(\.payload.count)
        #expect(upstream.sent.count == 3)
        // Both letters have codes of five bits: a value that was sent before is as long as one that was not.
        #expect(lengths[1] == lengths[2])
        #expect(lengths[1] > 50)
    }

    @Test(.holds("H2-84"), arguments: ["User-Agent", "Accept", "Content-Type", "Grpc-Accept-Encoding"])
    func `sends what says nothing of anybody once, and its number from then on`(name: String) throws {
        let upstream = try UpstreamUnderTest()
        for _ in 0..<2 {
            upstream.ask("GET / HTTP/1.1\r\nHost: a\r\n\(name): \(String(repeating: "a", count: 80))\r\n\r\n")
        }
        let lengths = upstream.sent.map(\.payload.count)
        #expect(lengths[0] > 50 && lengths[1] < 10)
    }

    @Test(
        .refuses("H2-75"),
        arguments: [
            "", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET evil HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\rc\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX A: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX-A\r\nX-B: c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nAccept\r: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\nX-B: c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX-A: \0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX-A: b\r\n\r",
            "GET / HTTP/1.1\r\nHost: a\r\nX-A: a value that is longer than a vector\u{7f}\r\n\r\n",
        ])
    func `sends no head that is none`(head: String) throws {
        let upstream = try UpstreamUnderTest()
        #expect(upstream.ask(head) == nil)
        #expect(upstream.sent == [])
        #expect(upstream.connection.openStreams == 0)
    }

    @Test(.refuses("H2-75")) func `sends no head with a control octet anywhere in a value`() throws {
        let upstream = try UpstreamUnderTest()
        for count in 1..<40 {
            for place in 0..<count {
                for byte in ["\0", "\u{8}", "\n", "\r", "\u{1f}", "\u{7f}"] {
                    let value =
                        String(repeating: "\t", count: place) + byte + String(repeating: "a", count: count - 1 - place)
                    if upstream.ask("GET / HTTP/1.1\r\nHost: a\r\nX-A: \(value)\r\n\r\n") != nil {
                        Issue.record("\(byte.utf8.first ?? 0) at \(place) of \(count)")
                    }
                }
            }
        }
        #expect(upstream.sent == [])
    }

    @Test(.holds("H2-75")) func `sends names in lower case, whichever case came first`() throws {
        let upstream = try UpstreamUnderTest()
        let heads = [
            "USER-AGENT: a\r\nx-Long-Name: b\r\nDPoP: c\r\n", "user-agent: d\r\nX-LONG-NAME: e\r\nDPOP:f\r\n",
            "User-Agent:\t g\th \r\nX-long-name:\r\ndpop: i\r\n",
        ]
        for lines in heads { upstream.ask("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n") }
        let fields = upstream.sent.map { upstream.decoder.fields($0.payload).dropFirst(4) }
        #expect(
            fields.map(Array.init) == [
                ["user-agent: a", "x-long-name: b", "dpop: c"], ["user-agent: d", "x-long-name: e", "dpop: f"],
                ["user-agent: g\th", "x-long-name: ", "dpop: i"],
            ])
    }

    @Test(.holds("H2-81")) func `tells interim answers, the answer, its body and its trailers`() throws {
        let upstream = try UpstreamUnderTest()
        upstream.ask()
        upstream.receive(answer(1, [(":status", "103"), ("link", "</a>")], ends: false))
        upstream.receive(
            answer(
                1, [(":status", "200"), ("content-length", "5"), ("set-cookie", "a=1"), ("set-cookie", "b=2")],
                ends: false))
        upstream.receive(Frames.data(1, "he") + Frames.data(1, "llo"))
        upstream.receive(Frames.headers(1, Frames.block([("grpc-status", "0"), ("set-cookie", "x=1")])))
        #expect(
            upstream.seen == [
                .interim(1, "HTTP/1.1 103 \r\nlink: </a>\r\n\r\n"),
                .response(
                    1, "HTTP/1.1 200 \r\ncontent-length: 5\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\n", hasBody: true
                ),
                .content(1, "he"), .content(1, "llo"), .trailers(1, "grpc-status: 0\r\n"), .ended(1),
                .closed(1, mayRepeat: false),
            ])
    }

    @Test(.holds("H2-51")) func `tells an answer of trailers alone as such`() throws {
        let upstream = try UpstreamUnderTest()
        upstream.ask()
        upstream.receive(answer(1, [(":status", "200"), ("grpc-status", "12")]))
        #expect(
            upstream.seen == [
                .response(1, "HTTP/1.1 200 \r\ngrpc-status: 12\r\n\r\n", hasBody: false), .closed(1, mayRepeat: false),
            ])
    }

    @Test(
        .refuses("H2-81"),
        arguments: [
            answer(1, [("x-a", "b")]), answer(1, [(":status", "101")]), answer(1, [(":status", "20")]),
            answer(1, [(":status", "2x0")]), answer(1, [(":status", "200"), (":status", "200")]),
            answer(1, [(":status", "200"), (":path", "/")]), answer(1, [(":status", "200"), ("connection", "close")]),
            answer(1, [(":status", "200"), ("x-a", "b\r\nc: d")]), answer(1, [(":status", "200"), ("x-a", " b")]),
            answer(1, [(":status", "200"), ("transfer-encoding", "chunked")]), answer(1, [(":status", "103")]),
            answer(1, [("x-a", "b"), (":status", "200")]), answer(1, [(":status", "200"), ("X-A", "b")]),
            answer(1, [(":status", "600")]), answer(1, [(":status", "200"), ("content-length", "5")]),
            answer(1, [(":status", "200")] + (0..<120).map { ("x-\($0)", "b") }),
        ])
    func `resets an answer whose head is none`(bytes: [UInt8]) throws {
        let upstream = try UpstreamUnderTest()
        upstream.ask()
        upstream.receive(bytes)
        // Whose end had come is over without a reset.
        #expect(upstream.resets == [1] || upstream.resets == [])
        #expect(!upstream.seen.contains { if case .response = $0 { true } else { false } })
        #expect(
            upstream.seen.contains { if case .malformed = $0 { true } else if case .reset = $0 { true } else { false } }
        )
        #expect(upstream.seen.last == .closed(1, mayRepeat: false))
        #expect(upstream.ask() == 3)
    }

    @Test(
        .refuses("H2-81"),
        arguments: [
            [Frames.data(1, "abcdef")], [Frames.data(1, "abc", ends: true)],
            [Frames.data(1, "abc"), Frames.headers(1, Frames.block([("x-a", "b")]))],
            [Frames.data(1, "abcde"), Frames.headers(1, Frames.block([(":status", "200")]))],
            [Frames.data(1, "abcde"), Frames.headers(1, Frames.block([("x-a", "b")]), ends: false)],
        ])
    func `resets an answer that is not as it said`(frames: [[UInt8]]) throws {
        let upstream = try UpstreamUnderTest()
        upstream.ask()
        upstream.receive(answer(1, [(":status", "200"), ("content-length", "5")], ends: false))
        for frame in frames { upstream.receive(frame) }
        #expect(upstream.seen.contains(.reset(1, 1, byPeer: false)))
        #expect(!upstream.seen.contains(.ended(1)))
    }

    @Test(.refuses("H2-19")) func `is over with a promise`() throws {
        let upstream = try UpstreamUnderTest()
        upstream.ask()
        upstream.receive(Frames.frame(5, flags: 4, stream: 1, Frames.bigEndian(2)))
        #expect(upstream.connection.sentGoAway == .protocolError)
    }

    @Test(.holds("H2-78", "H2-79")) func `says which streams may be sent again when the peer goes`() throws {
        let upstream = try UpstreamUnderTest()
        for _ in 0..<3 { upstream.ask() }
        // One more that was not written when it came.
        upstream.ask(flushes: false)
        upstream.receive(Frames.goAway(3))
        #expect(upstream.connection.room == 0)
        #expect(upstream.ask() == nil)
        #expect(upstream.seen.contains(.goAway(0)))
        #expect(upstream.seen.contains(.closed(5, mayRepeat: true)))
        #expect(upstream.seen.contains(.closed(7, mayRepeat: true)))
        // Those it took end as they would have.
        upstream.receive(answer(1) + answer(3))
        #expect(upstream.seen.contains(.closed(1, mayRepeat: false)))
        #expect(upstream.seen.contains(.closed(3, mayRepeat: false)))
        #expect(upstream.connection.isOver)
    }

    @Test(.refuses("H2-78")) func `never says so of a stream that was answered or reset otherwise`() throws {
        let upstream = try UpstreamUnderTest()
        for _ in 0..<4 { upstream.ask() }
        upstream.receive(answer(1, ends: false) + Frames.reset(1, 7))
        upstream.receive(Frames.reset(3, 8) + Frames.reset(5, 7))
        #expect(upstream.seen.contains(.closed(1, mayRepeat: false)))
        #expect(upstream.seen.contains(.closed(3, mayRepeat: false)))
        #expect(upstream.seen.contains(.closed(5, mayRepeat: true)))
        #expect(upstream.seen.contains(.reset(5, 7, byPeer: true)))
        #expect(upstream.connection.openStreams == 1)
    }

    @Test(.refuses("H2-77", "H2-79")) func `opens no stream above the peer's limit`() throws {
        let upstream = try UpstreamUnderTest(settings: Frames.settings([(3, 2)]))
        #expect(upstream.ask() == 1)
        #expect(upstream.ask() == 3)
        #expect(upstream.ask() == nil)
        upstream.receive(answer(1))
        #expect(upstream.ask() == 5)
        upstream.receive(Frames.settings([(3, 0)]) + answer(3) + answer(5))
        #expect(upstream.connection.room == 0)
        #expect(upstream.ask() == nil)
        #expect(upstream.frames(1).count == 3)
    }

    @Test(.holds("H2-80")) func `lets a whole answer stand that is followed by a reset without an error`() throws {
        let upstream = try UpstreamUnderTest()
        upstream.ask("POST / HTTP/1.1\r\nHost: a\r\n\r\n", Body("x", ends: false))
        upstream.receive(answer(1) + Frames.reset(1, 0))
        #expect(upstream.seen.first == .response(1, "HTTP/1.1 200 \r\n\r\n", hasBody: false))
        #expect(upstream.seen.contains(.reset(1, 0, byPeer: true)))
    }

    @Test(.refuses("H2-80")) func `tells a reset in the middle of an answer`() throws {
        let upstream = try UpstreamUnderTest()
        upstream.ask()
        upstream.receive(answer(1, ends: false) + Frames.data(1, "ab") + Frames.reset(1, 2))
        #expect(upstream.seen.suffix(2) == [.reset(1, 2, byPeer: true), .closed(1, mayRepeat: false)])
        #expect(!upstream.seen.contains(.ended(1)))
    }

    @Test func `can be left before a request was written`() throws {
        let upstream = try UpstreamUnderTest()
        let stream = try #require(upstream.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n", flushes: false))
        upstream.connection.reset(stream, .cancel)
        upstream.flush()
        #expect(upstream.frames(1).isEmpty)
        #expect(upstream.connection.openStreams == 0)
        #expect(upstream.seen == [.closed(1, mayRepeat: true)])
    }

    @Test func `sends a body as it comes, and trailers behind it`() throws {
        let upstream = try UpstreamUnderTest()
        let body = Body("one", ends: false)
        upstream.ask("POST / HTTP/1.1\r\nHost: a\r\n\r\n", body)
        (body.bytes, body.ends) = (Array("two".utf8), true)
        #expect(Array("x-sum: 7\r\n".utf8).withUnsafeBufferPointer { upstream.connection.submitTrailers(1, $0) })
        upstream.connection.resume(1)
        upstream.flush()
        #expect(upstream.frames(0).map(\.text) == ["one", "two"])
        #expect(upstream.sent.last?.type == 1 && upstream.sent.last?.ends == true)
    }
}

extension Array where Element == UInt8 {
    func contains(_ bytes: [UInt8]) -> Bool { indices.contains { self[$0...].starts(with: bytes) } }
}
