import HTTP1
import HTTP2
import TestTraits
import Testing

private func opening(_ changes: [(String, String?)] = [], _ more: [(String, String)] = []) -> [(String, String)] {
    [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/chat"),
        (":authority", "a.example"),
    ].compactMap { name, value in
        guard let change = changes.first(where: { $0.0 == name }) else { return (name, value) }
        return change.1.map { (name, $0) }
    } + more
}

private var announced: ConnectionLimits {
    var limits = ConnectionLimits()
    limits.announcesTunnels = true
    return limits
}

@Suite struct `CONNECT over HTTP/2` {
    @Test(.holds("H2-36", "H2-37"))
    func `opens a WebSocket where that was announced, with a key of ours in its last line`() throws {
        let server = try ServerUnderTest(announced)
        let fields = opening([], [("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="), ("origin", "https://a.example")])
        server.receive(Frames.headers(1, Frames.block(fields), ends: false))
        let head =
            "GET /chat HTTP/1.1\r\nhost: a.example\r\norigin: https://a.example\r\nconnection: Upgrade\r\n"
            + "upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        #expect(server.seen == [.request(1, head, hasBody: true, isTunnel: true)])
        #expect(server.verdicts[1] == .complete)
        // The answer to the handshake is 101, and 200 here (RFC 8441 §5).
        let body = Body("pong", ends: false)
        #expect(
            server.answer(
                1,
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: x\r\nSec-WebSocket-Protocol: chat\r\n\r\n", body))
        #expect(server.decoder.fields(server.sent[0].payload) == [":status: 200", "sec-websocket-protocol: chat"])
        server.receive(Frames.data(1, "ping"))
        #expect(server.seen.last == .content(1, "ping"))
        #expect(server.sent.last?.text == "pong")
        body.ends = true
        server.connection.resume(1)
        server.flush()
        // A tunnel's other half stays open: the client ends it itself.
        #expect(server.resets == [])
        server.receive(Frames.data(1, "", ends: true))
        #expect(server.seen.suffix(2) == [.ended(1), .closed(1)])
    }

    @Test(
        .refuses("H2-37"),
        arguments: [
            (opening(), false, nil), (opening([(":protocol", "connect-udp")]), true, HeadFault.tunnelProtocolUnknown),
            (opening([(":scheme", nil)]), true, nil), (opening([(":path", nil)]), true, nil),
            (opening([(":authority", nil)]), true, nil), (opening([(":method", "GET")]), true, nil),
            (opening([], [("content-length", "5")]), true, .tunnelWithLength),
        ] as [([(String, String)], Bool, HeadFault?)])
    func `is refused where it was not announced, or opens something else`(
        fields: [(String, String)], isAnnounced: Bool, fault: HeadFault?
    ) throws {
        let request = Frames.headers(3, Frames.block(fields), ends: false)
        switch try fate(of: request, isAnnounced ? announced : ConnectionLimits()) {
        case nil: #expect(fault == nil)
        case .refused(_, let found): #expect(fault == nil || fault == found)
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test(.refuses("H2-36")) func `connects nobody to what a client names`() throws {
        let plain = [(":method", "CONNECT"), (":authority", "127.0.0.1:22")]
        #expect(try fate(of: Frames.headers(3, Frames.block(plain), ends: false)) == .refused(3, .connectNotOffered))
        for more in [(":scheme", "https"), (":path", "/")] {
            switch try fate(of: Frames.headers(3, Frames.block(plain + [more]), ends: false)) {
            case nil, .refused(_, .connectNotOffered): break
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        #expect(try fate(of: Frames.headers(3, Frames.block([(":method", "CONNECT")]))) == nil)
    }

    @Test(.holds("H2-06"), .refuses("H2-06"))
    func `is announced where a route has WebSockets, and never elsewhere`() throws {
        for limits in [announced, ConnectionLimits()] {
            let server = try ServerUnderTest(limits, preface: false)
            server.flush()
            let settings = try #require(server.sent.first)
            #expect(settings.type == 4)
            let ids = stride(from: 0, to: settings.payload.count, by: 6).map { settings.payload[$0 + 1] }
            #expect(ids.contains(8) == limits.announcesTunnels)
            // Streams, window, header list and no priorities of RFC 7540; never push.
            #expect(Set(ids).isSuperset(of: [3, 4, 6, 9]))
            #expect(!ids.contains(2))
        }
    }
}
