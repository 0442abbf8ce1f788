import TestSupport
import TestTraits
import Testing

/// Row ECO-76: connections whose client a proxy in front names, by a header of the PROXY protocol.
@Suite(.serialized, .byEachProtocol) struct `a connection behind a header of the PROXY protocol` {
    private typealias Stage = ProxyProtocolStage
    private static let shared = Shared { try ProxyProtocolStage() }
    let stage: ProxyProtocolStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    private static let ipv6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [9] + [UInt8](repeating: 0, count: 20)

    @Test(
        .holds("ECO-76"),
        arguments: [
            (Stage.line, "203.0.113.9"), (Stage.block, "203.0.113.9"),
            (Array("PROXY TCP6 2001:DB8::9 ::1 4711 443\r\n".utf8), "2001:db8::9"),
            (Stage.block(ipv6, family: 0x21), "2001:db8::9"),
            // One client must not count as two.
            (Array("PROXY TCP6 ::ffff:203.0.113.9 ::1 4711 443\r\n".utf8), "203.0.113.9"),
            (Array("PROXY TCP4 127.0.0.1 127.0.0.1 4711 443\r\n".utf8), "127.0.0.1"),
            // The proxy for itself, and for whom it knows no address of: a path is none, and makes nobody a local client.
            (Stage.local, "127.0.0.1"), (Array("PROXY UNKNOWN\r\n".utf8), "127.0.0.1"),
            (Array("PROXY UNKNOWN 203.0.113.9 203.0.113.9 1 2\r\n".utf8), "127.0.0.1"),
            (Stage.block([], family: 0), "127.0.0.1"),
            (Stage.block([UInt8](repeating: 0x2F, count: 216), family: 0x31), "127.0.0.1"),
            // The name in a certificate that the proxy saw identifies nobody.
            (
                Stage.block(
                    Array(Stage.block[16...]) + [0x20, 0, 13, 1, 0, 0, 0, 0, 0x22, 0, 5, 0x61, 0x64, 0x6D, 0x69, 0x6E]),
                "203.0.113.9"
            ),
        ])
    func `is whose that says, to upstreams and in the log`(header: [UInt8], client: String) throws {
        for listener in [Stage.Listener.plain, .secure] {
            let seen = try stage.forwarded(
                listener, behind: header, ["X-Forwarded-For: 1.2.3.4", "X-Real-IP: 1.2.3.4"])
            #expect(seen.fields["x-forwarded-for"] == [client])
            #expect(!seen.headText.contains("1.2.3.4") && !seen.headText.contains("admin"))
            #expect(try stage.loggedClient(seen) == client)
        }
    }

    @Test(.holds("ECO-76"), .refuses("ECO-76"))
    func `has its chain continued where the client that is named is a trusted proxy, whoever wrote the header`() throws
    {
        let chain = ["X-Forwarded-For: 198.51.100.7"]
        let trusted = try stage.forwarded(.trusting, behind: Stage.block, chain)
        #expect(trusted.fields["x-forwarded-for"] == ["198.51.100.7, 203.0.113.9"])
        #expect(try stage.loggedClient(trusted) == "198.51.100.7")
        let other = Array("PROXY TCP4 192.0.2.1 198.51.100.1 4711 443\r\n".utf8)
        for (header, client) in [(other, "192.0.2.1"), (Stage.local, "127.0.0.1")] {
            let seen = try stage.forwarded(.trusting, behind: header, chain)
            #expect(seen.fields["x-forwarded-for"] == [client])
            #expect(seen.fields["forwarded"].first?.contains(client) == true)
            #expect(try stage.loggedClient(seen) == client)
        }
    }

    @Test(.holds("ECO-76"), .byHTTP1(because: "the bytes that are cut are those before it"))
    func `may have it in any pieces`() throws {
        for header in [Stage.line, Stage.block] {
            let bytes = header + Array(request("GET", "/a").utf8)
            for cut in 1...header.count + 1 {
                let client = try RawClient(port: stage.gateway.port)
                try client.send(Array(bytes[..<cut]))
                try client.send(Array(bytes[cut...]))
                #expect(try client.response().status == 200, "cut after \(cut)")
            }
            let client = try RawClient(port: stage.gateway.port)
            for byte in bytes { try client.send([byte]) }
            #expect(try client.response().status == 200)
        }
        #expect(stage.upstream.requests.allSatisfy { $0.fields["x-forwarded-for"] == ["203.0.113.9"] })
    }

    /// Bytes that begin a connection are refused without an answer, and the operator learns why.
    private func expectClosed(
        _ bytes: [UInt8], _ listener: Stage.Listener = .plain, found: String, ends: Bool = false,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let before = stage.refusals
        let client = try RawClient(port: stage.gateway.ports[listener.rawValue])
        // It may be closed before the last of them.
        try? client.send(bytes)
        if ends { client.finishSending() }
        #expect(client.isClosedByPeer(), "\(found)", sourceLocation: location)
        let line = stage.gateway.operatorLine { $0["cause"] == "proxy_header_refused" && $0["found"] == found }
        #expect(line?["check"] == "ECO-76" && line?["client"] == "127.0.0.1", "\(found)", sourceLocation: location)
        #expect(stage.refusals == before + 1, sourceLocation: location)
        #expect(stage.upstream.requests.isEmpty, sourceLocation: location)
    }

    @Test(.refuses("ECO-76"), .byHTTP1(because: "no request is read")) func `is closed in silence without a good one`()
        throws
    {
        let asked = Array(request("GET", "/a").utf8)
        for listener in [Stage.Listener.plain, .secure] {
            try expectClosed(asked, listener, found: "other bytes")
            try expectClosed([0x16, 0x03, 0x01, 0x02, 0x00, 0x01], listener, found: "other bytes")
        }
        try expectClosed(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), found: "other bytes")
        try expectClosed(
            Array(("PROXY UNKNOWN " + String(repeating: "a", count: 93)).utf8), found: "a line of more than 107 bytes")
        try expectClosed(Array("PROXY TCP4 1.2.3.4\n".utf8) + asked, found: "a line that does not end with CR LF")
        try expectClosed(Stage.block([], family: 0x12) + asked, found: "a family of addresses that no connection is of")
        try expectClosed(Stage.block([1, 2, 3]) + asked, found: "a header that ends within its addresses")
        let addresses = Array(Stage.block[16...])
        try expectClosed(
            Stage.block(addresses + [4, 0xFF, 0xFF]) + asked, found: "a value that ends behind the header")
        try expectClosed(Stage.block(addresses + [3, 0, 4, 1, 2, 3, 4]) + asked, found: "a wrong checksum")
        try expectClosed(
            Array(Stage.block[..<14]) + [0x10, 0x01], found: "a header of more than 4112 bytes")
        try expectClosed(Array(Stage.line.dropLast()), found: "the connection's end within one", ends: true)
        try expectClosed([], found: "the connection's end", ends: true)
    }

    @Test(.refuses("ECO-76"), .byHTTP1(because: "no request is read"))
    func `is closed in silence when it comes from elsewhere`() throws {
        let before = stage.refusals
        for header in [Stage.line, Stage.block, Stage.local] {
            let client = try stage.client(.plain, behind: header, from: "127.0.0.2")
            try? client.send(request("GET", "/a"))
            #expect(client.isClosedByPeer())
        }
        #expect(stage.refusals == before + 3)
        let line = try #require(stage.gateway.operatorLine { $0["client"] == "127.0.0.2" })
        #expect(line["cause"] == "proxy_header_refused")
        #expect(line["expected"] == "an address in proxy_protocol.from of the listener")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("ECO-76"), .byHTTP1(because: "a second header is text of a client's")) func `has it once`() throws {
        let asked = Array(request("GET", "/a").utf8)
        for first in [Stage.line, Stage.block] {
            for second in [Stage.line, Stage.block, Stage.local] {
                for listener in [Stage.Listener.plain, .secure] {
                    // Behind the first one it is the client's own: of a request, or inside TLS.
                    let client = try stage.client(listener, behind: first)
                    try client.send(second + asked)
                    let answer = try? client.response()
                    #expect(answer == nil || answer?.status == 400, "\(answer?.headText ?? "")")
                }
            }
        }
        // Between the header and the handshake, in the place of one.
        let client = try RawClient(port: stage.gateway.ports[Stage.Listener.secure.rawValue], behind: Stage.block)
        try client.send(Stage.line + asked)
        #expect(try client.response().status == 400)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("ECO-76"), .byHTTP1(because: "a header is no text of it"))
    func `has none where none is read, nor at the listener of metrics`() throws {
        for header in [Stage.line, Stage.block] {
            for port in [stage.gateway.ports[Stage.Listener.bare.rawValue], stage.gateway.adminPort] {
                let client = try RawClient(port: port, behind: header)
                try client.send(request("GET", "/readyz"))
                let answer = try? client.response()
                #expect(answer == nil || answer?.status == 400, "\(answer?.headText ?? "")")
            }
        }
        #expect(stage.upstream.requests.isEmpty)
    }
}

/// Row ECO-76: what such a connection may take.
@Suite(.serialized) struct `a connection that awaits its header` {
    private typealias Stage = ProxyProtocolStage

    private func expectLate(_ stage: ProxyProtocolStage, _ milliseconds: Int, found: String) {
        let line = stage.gateway.operatorLine { $0["cause"] == "proxy_header_refused" }
        #expect(line?["expected"] == "a header of the PROXY protocol within \(milliseconds) ms")
        #expect(line?["found"] == found)
        #expect(stage.refusals == 1)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("ECO-76")) func `has three seconds for it, however long a head may take`() throws {
        let stage = try Stage("timeouts: { request_head: 5m }")
        let client = try RawClient(port: stage.gateway.port)
        #expect(client.isClosedByPeer())
        expectLate(stage, 3000, found: "nothing")
    }

    @Test(.refuses("ECO-76")) func `has no more time for a byte now and then`() throws {
        let stage = try Stage("timeouts: { request_head: 600ms }")
        let client = try RawClient(port: stage.gateway.port)
        for byte in Stage.line {
            guard (try? client.send([byte])) != nil, client.staysSilent(for: .milliseconds(50)) else { break }
        }
        #expect(client.isClosedByPeer())
        expectLate(stage, 600, found: "part of one")
        // The first head has what is left of its time, and is answered when that is over.
        let slow = try stage.client(.plain, behind: Stage.line)
        try slow.send("GET /a HTTP/1.1\r\n")
        #expect(try slow.response().status == 408)
    }

    @Test(.holds("ECO-76"), .refuses("ECO-76"))
    func `is counted for its client as soon as that is named, and never for the proxy`() throws {
        let stage = try Stage("limits: { connections: 40, connections_per_client: 3 }")
        let gate = Gate()
        stage.upstream.answerAll(
            with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")))
        // The proxy's own connections, and those that have named nobody yet.
        let own = try (0..<5).map { _ in try stage.client(.plain, behind: Stage.local) }
        for client in own { try client.send(request("GET", "/a")) }
        let silent = try (0..<5).map { _ in try RawClient(port: stage.gateway.port) }
        let clients = try (0..<3).map { _ in try stage.client(.plain, behind: Stage.block) }
        for client in clients { try client.send(request("GET", "/a")) }
        #expect(stage.upstream.waits { $0.requests.count == 8 })
        let more = try stage.client(.plain, behind: Stage.line)
        try? more.send(request("GET", "/more"))
        let answer = text(try more.bytesToEnd())
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 429"), "\(answer)")
        let line = try #require(stage.gateway.operatorLine { $0["event"] == "connections_refused" })
        #expect(line["client"] == "203.0.113.9")
        let other = try stage.client(.plain, behind: Array("PROXY TCP4 203.0.113.8 198.51.100.1 1 2\r\n".utf8))
        try other.send(request("GET", "/a"))
        #expect(stage.upstream.waits { $0.requests.count == 9 })
        gate.open()
        for client in own + clients + [other] { #expect(try client.response().status == 200) }
        #expect(!stage.upstream.requests.contains { $0.path == "/more" })
        // Whoever has left makes room.
        clients.forEach { $0.close() }
        #expect(
            eventually {
                guard let client = try? stage.client(.plain, behind: Stage.line) else { return false }
                try? client.send(request("GET", "/b"))
                return (try? client.response().status) == 200
            })
        withExtendedLifetime(silent) {}
    }
}

/// Row ECO-76: a listener that begins to read headers, and that ends it.
@Suite struct `a reload about headers of the PROXY protocol` {
    @Test(.holds("ECO-76"), .refuses("ECO-76")) func `lets no connection of before pass for one that had its header`()
        throws
    {
        let stage = try Stage()
        let older = try stage.gateway.client()
        try older.send(request("GET", "/open/a"))
        #expect(try older.response().status == 200)
        var plan = StagePlan()
        plan.publicURL += "\n    proxy_protocol: { from: [127.0.0.1/32] }"
        try stage.rewrite(plan)
        try stage.reload()
        // One answer more, which says that it is the last.
        try older.send(request("GET", "/open/b"))
        #expect(try older.response().status == 200)
        #expect(older.isClosedByPeer())
        let bare = try stage.gateway.client()
        try? bare.send(request("GET", "/open/c"))
        #expect(bare.isClosedByPeer())
        let named = try RawClient(port: stage.gateway.port, behind: ProxyProtocolStage.block)
        try named.send(request("GET", "/open/d"))
        #expect(try named.response().status == 200)
        #expect(stage.upstream.onlyRequest(for: "/open/d")?.fields["x-forwarded-for"] == ["203.0.113.9"])
        try stage.rewrite(StagePlan())
        try stage.reload(times: 2)
        try named.send(request("GET", "/open/e"))
        #expect(try named.response().status == 200)
        #expect(named.isClosedByPeer())
        #expect(try stage.exchange("GET", "/open/f").status == 200)
        #expect(!stage.upstream.requests.contains { $0.path == "/open/c" })
    }
}
