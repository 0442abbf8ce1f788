import Testing
import TestSupport

/// The instruments measure before they are trusted: raw client against recording upstream, without a gateway.
@Suite struct `the harness` {
    let upstream: RecordingUpstream

    init() throws { upstream = try RecordingUpstream() }

    @Test func `records a request however it is cut`() throws {
        let request = "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
        for cut in 1..<request.utf8.count {
            upstream.forget()
            let client = try RawClient(port: upstream.port)
            try client.send(request, cutAt: [cut])
            let response = try client.response()
            #expect(response.status == 200)
            let recorded = try #require(upstream.onlyRequest(for: "/a"))
            #expect(recorded.target == "/a?b=c")
            #expect(recorded.bodyText == "hello")
            #expect(recorded.isComplete)
            #expect(upstream.allBytes == Array(request.utf8))
        }
    }

    @Test func `decodes chunks and trailers of a request`() throws {
        let client = try RawClient(port: upstream.port)
        try client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        try client.send("3\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: 1\r\n\r\n")
        _ = try client.response()
        let request = try #require(upstream.requests.first)
        #expect(request.bodyText == "abc0123456789")
        #expect(request.chunks == [3, 10])
        #expect(request.trailers == ["X: 1"])
    }

    @Test func `notes what is no request`() throws {
        let client = try RawClient(port: upstream.port)
        try client.send("GET / HTTP/1.1\r\nbad line\r\n\r\n")
        #expect(client.isClosedByPeer())
        #expect(upstream.requests.isEmpty)
        #expect(upstream.now.malformed.count == 1)
    }

    @Test func `notes a request that is framed twice`() throws {
        let client = try RawClient(port: upstream.port)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc")
        #expect(client.isClosedByPeer())
        #expect(upstream.requests.isEmpty)
    }

    @Test func `plays a script and tells an end from a cut`() throws {
        upstream.answer("/end", with: .rawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"))
        upstream.answer("/cut", with: WireScript(.text("HTTP/1.1 200 OK\r\n"), .reset))
        let first = try RawClient(port: upstream.port)
        try first.send("GET /end HTTP/1.1\r\n\r\n")
        #expect(try first.response().ending == .truncated)
        #expect(first.isClosedByPeer())
        #expect(!first.wasReset)
        let second = try RawClient(port: upstream.port)
        try second.send("GET /cut HTTP/1.1\r\n\r\n")
        #expect(throws: WireFailure.self) { try second.response() }
        #expect(second.wasReset)
    }

    @Test func `waits at a gate and answers in pieces`() throws {
        let gate = Gate()
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        upstream.answer("/", with: WireScript(.text(head + "2\r\nab\r\n"), .wait(gate), .text("0\r\n\r\n")))
        let client = try RawClient(port: upstream.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(text(try client.bytes(through: "ab\r\n")) == head + "2\r\nab\r\n")
        #expect(client.staysSilent())
        gate.open()
        #expect(text(try client.bytes(through: "\r\n\r\n")) == "0\r\n\r\n")
    }

    @Test func `tells a silent peer from one that closed`() throws {
        let client = try RawClient(port: upstream.port)
        #expect(!client.isClosedByPeer(within: .milliseconds(50)))
        upstream.waits { $0.connectionCount == 1 }
        upstream.closeConnections()
        #expect(client.isClosedByPeer())
    }

    @Test func `measures how far a sender got against a reader that does not read`() throws {
        upstream.answer("/", with: WireScript(.text("HTTP/1.1 200 OK\r\n\r\n"), .pattern(64 * 1024 * 1024), .close))
        let client = try RawClient(port: upstream.port, receiveBuffer: 16 * 1024)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        _ = try client.bytes(through: "\r\n\r\n")
        upstream.waits { $0.sentCount > 0 }
        #expect(upstream.now.sentCount < 32 * 1024 * 1024)
        try client.discard(64 * 1024 * 1024)
        #expect(client.isClosedByPeer())
    }

    @Test func `speaks TLS with a name and verifies it`() throws {
        let authority = try TestCertificate.authority(named: "Test authority")
        let secure = try RecordingUpstream(identity: authority.issue(names: ["a.test", "127.0.0.1"]))
        let options = TLSClientOptions(serverName: "a.test", authority: authority.certificate)
        let client = try RawClient(port: secure.port, tls: options)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.response().status == 200)
        #expect(client.tls?.version == "TLSv1.3")
        #expect(client.tls?.peerCommonName == "a.test")
        #expect(secure.now.serverNames == ["a.test"])
        #expect(throws: WireFailure.self) {
            try RawClient(
                port: secure.port, tls: TLSClientOptions(serverName: "b.test", authority: authority.certificate))
        }
        let stranger = try TestCertificate.authority(named: "Test authority")
        #expect(throws: WireFailure.self) {
            try RawClient(
                port: secure.port, tls: TLSClientOptions(serverName: "a.test", authority: stranger.certificate))
        }
    }

    @Test func `starts a program, reads its lines and learns its end`() throws {
        let child = try ChildProcess("/bin/sh", ["-c", "echo one; echo two >&2; printf rest; exit 3"])
        #expect(child.waitForEnd() == .exited(3))
        #expect(child.output.wait { $0.count == 2 })
        #expect(child.output.now == ["one", "rest"])
        #expect(child.errors.wait { $0 == ["two"] })
        let endless = try ChildProcess("/bin/sh", ["-c", "while :; do read x < /dev/zero; done"])
        #expect(endless.memory() > 0)
        endless.signal(15)
        #expect(endless.waitForEnd() == .killed(15))
    }

    @Test func `reads challenges strictly`() throws {
        let challenge = try WireChallenge(#"Bearer realm="a \"b\"", error="invalid_token", scope="x y""#)
        #expect(challenge.scheme == "Bearer")
        #expect(challenge.names == ["realm", "error", "scope"])
        #expect(challenge["realm"] == #"a "b""#)
        #expect(challenge["scope"] == "x y")
        for bad in [
            "Bearer", "Bearer realm=x", #"Bearer realm="a", realm="b""#, #"Bearer realm="a",error="b""#,
            #"Bearer realm="a"#, #"Bearer error="a\"b""#, #"Bearer realm="é""#,
        ] {
            #expect(throws: WireFailure.self) { try WireChallenge(bad) }
        }
    }

    @Test func `an issuer serves metadata and keys and counts fetches`() throws {
        let issuer = try ScriptedIssuer(keys: #"{"keys":[]}"#)
        for _ in 0..<2 {
            let client = try RawClient(port: issuer.server.port)
            try client.send("GET /jwks.json HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.response().bodyText == #"{"keys":[]}"#)
        }
        #expect(issuer.fetches() == 2)
        #expect(issuer.fetches(ScriptedIssuer.openIDPath) == 0)
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
    ])
    func `a client refuses a response that two readers could read differently`(answer: String) throws {
        upstream.answerAll(with: .rawThenClose(answer))
        let client = try RawClient(port: upstream.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(throws: WireFailure.self) { try client.response() }
    }

    @Test func `an upstream whose port was given back ends no other`() throws {
        var gone: RecordingUpstream? = try RecordingUpstream()
        gone?.stop()
        gone?.releasePort()
        // One of these gets its descriptor's number.
        let others = try (0..<20).map { _ in try RecordingUpstream() }
        gone = nil
        for other in others {
            let client = try RawClient(port: other.port)
            try client.send("GET / HTTP/1.1\r\n\r\n")
            #expect(try client.response().status == 200)
        }
    }
}
