import Foundation
import TestSupport
import TestTraits
import Testing

/// Row HTTP-73, SNI of row HTTP-21, and TLS towards the upstream.
@Suite(.serialized) struct `TLS` {
    /// Two listeners with different policies, and upstreams of which one is the wrong one.
    private final class SecureStage: Sendable {
        let authority: TestCertificate
        let upstream: RecordingUpstream
        let misnamed: RecordingUpstream
        let stranger: RecordingUpstream
        let clear: PlainServer
        let gateway: GatewayProcess

        init() throws {
            authority = try TestCertificate.authority(named: "Authority of the tests")
            let other = try TestCertificate.authority(named: "Another authority")
            upstream = try RecordingUpstream(identity: authority.issue(names: ["inner.test"]))
            misnamed = try RecordingUpstream(identity: authority.issue(names: ["wrong.test"]))
            stranger = try RecordingUpstream(identity: other.issue(names: ["inner.test"]))
            clear = try PlainServer()
            let first = try authority.issue(names: ["a.test", "shared.test"])
            let second = try authority.issue(names: ["b.test"])
            let third = try authority.issue(names: ["c.test"])
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  - address: 127.0.0.1:0
                    public_url: https://a.test
                    hosts: [b.test, shared.test]
                    tls:
                      certificates:
                        - { certificate: $FOLDER/first.crt, key: $FOLDER/first.key }
                        - { certificate: $FOLDER/second.crt, key: $FOLDER/second.key }
                  - address: 127.0.0.1:0
                    public_url: https://c.test
                    tls: { certificate: $FOLDER/third.crt, key: $FOLDER/third.key, minimum_version: "1.3" }
                admin: { address: "127.0.0.1:0" }
                routes:
                  - path: /good/
                    public: true
                    upstream: { url: "\(upstream.url)", certificate_authority: $FOLDER/ca.crt, server_name: inner.test }
                  - path: /misnamed/
                    public: true
                    upstream: { url: "\(misnamed.url)", certificate_authority: $FOLDER/ca.crt, server_name: inner.test }
                  - path: /stranger/
                    public: true
                    upstream: { url: "\(stranger.url)", certificate_authority: $FOLDER/ca.crt, server_name: inner.test }
                  - path: /socket/
                    public: true
                    websocket: true
                    upstream: { url: "\(upstream.url)", certificate_authority: $FOLDER/ca.crt, server_name: inner.test }
                  - { path: /system/, public: true, upstream: "\(upstream.url)" }
                  - { path: /clear/, public: true, upstream: "https://127.0.0.1:\(clear.port)" }
                log: { level: debug }
                timeouts: { upstream_connect: 2m, request_head: 5m }

                """,
                files: [
                    "ca.crt": authority.certificate, "first.crt": first.certificate, "first.key": first.key,
                    "second.crt": second.certificate, "second.key": second.key, "third.crt": third.certificate,
                    "third.key": third.key,
                ], listeners: 2)
        }
    }

    /// Answers whatever it is sent in plain HTTP, as servers do when TLS is spoken to their other port.
    private final class PlainServer: Sendable {
        let port: UInt16
        private let listener: Socket

        init() throws {
            (listener, port) = try Socket.listen()
            Thread.detachNewThread { [listener] in
                var sockets: [Socket] = []
                while let socket = listener.accept() {
                    let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
                    try? socket.write(Array(answer.utf8), until: .patient)
                    sockets.append(socket)
                }
            }
        }

        deinit { listener.stopListening() }
    }

    private static let shared = Shared { try SecureStage() }
    private let stage: SecureStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    private func client(_ name: String, listener: Int = 0) throws -> RawClient {
        let options = TLSClientOptions(serverName: name, authority: stage.authority.certificate)
        return try RawClient(port: stage.gateway.ports[listener], tls: options)
    }

    private func get(_ path: String, host: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    }

    @Test(.holds("HTTP-73")) func `TLS 1.3 and 1.2 are spoken`() throws {
        for version in [TLSVersion.tls12, .tls13] {
            var options = TLSClientOptions(serverName: "a.test", authority: stage.authority.certificate)
            options.minimum = version
            options.maximum = version
            let client = try RawClient(port: stage.gateway.ports[0], tls: options)
            #expect(client.tls?.version == (version == .tls12 ? "TLSv1.2" : "TLSv1.3"))
            try client.send(get("/good/a", host: "a.test"))
            #expect(try client.response().status == 200)
        }
    }

    @Test(.refuses("HTTP-73")) func `TLS 1.1 is refused, and 1.2 where 1.3 is the least`() throws {
        var old = TLSClientOptions(serverName: "a.test")
        old.minimum = .tls11
        old.maximum = .tls11
        #expect(throws: WireFailure.self) { try RawClient(port: stage.gateway.ports[0], tls: old) }
        var former = TLSClientOptions(serverName: "c.test")
        former.maximum = .tls12
        #expect(throws: WireFailure.self) { try RawClient(port: stage.gateway.ports[1], tls: former) }
    }

    @Test(
        .holds("HTTP-73"),
        arguments: [
            ("X25519", true), ("P-256", true), ("P-384", true), ("X448", false), ("P-521", false), ("ffdhe2048", false),
        ])
    func `secrets are agreed on in the groups of BCP 195 alone`(group: String, isSpoken: Bool) throws {
        var options = TLSClientOptions(serverName: "a.test", authority: stage.authority.certificate)
        options.minimum = .tls13
        options.groups = group
        guard isSpoken else {
            #expect(throws: WireFailure.self) { try RawClient(port: stage.gateway.ports[0], tls: options) }
            return
        }
        let client = try RawClient(port: stage.gateway.ports[0], tls: options)
        try client.send(get("/good/a", host: "a.test"))
        #expect(try client.response().status == 200)
    }

    @Test(.refuses("HTTP-73"))
    func `data ahead of the handshake is offered to nobody, and is no request when it comes`() throws {
        var options = TLSClientOptions(serverName: "a.test", authority: stage.authority.certificate)
        options.minimum = .tls13
        let first = try RawClient(port: stage.gateway.ports[0], tls: options)
        try first.send(get("/good/first", host: "a.test"))
        #expect(try first.response().status == 200)
        // The ticket has come before the answer.
        let session = try #require(first.tls?.session)
        #expect(session.maximumEarlyData == 0)
        // A client that sends it all the same, and once more when it is told that it came to nothing.
        options.session = session.believing(maximumEarlyData: 16_384)
        options.earlyData = Array(get("/good/early", host: "a.test").utf8)
        let hasty = try RawClient(port: stage.gateway.ports[0], tls: options)
        #expect(hasty.tls?.isResumed == true)
        #expect(hasty.tls?.isEarlyDataAccepted == false)
        try hasty.send(get("/good/early", host: "a.test"))
        #expect(try hasty.response().status == 200)
        #expect(hasty.staysSilent())
        #expect(stage.upstream.requests.map(\.path) == ["/good/first", "/good/early"])
    }

    @Test(.holds("HTTP-73")) func `records are not compressed, whatever a client offers`() throws {
        let client = try RawClient(port: stage.gateway.ports[0])
        try client.send(ClientHello(compressions: [ClientHello.deflate, 0]).bytes)
        #expect(try ClientHello.answer(from: client) == .hello(compression: 0))
        let only = try RawClient(port: stage.gateway.ports[0])
        try only.send(ClientHello(compressions: [ClientHello.deflate]).bytes)
        #expect(try ClientHello.answer(from: only) == .alert)
        #expect(only.isClosedByPeer())
    }

    @Test(.holds("HTTP-21")) func `SNI chooses the certificate`() throws {
        #expect(try client("a.test").tls?.peerCommonName == "a.test")
        #expect(try client("shared.test").tls?.peerCommonName == "a.test")
        #expect(try client("b.test").tls?.peerCommonName == "b.test")
        #expect(try client("c.test", listener: 1).tls?.peerCommonName == "c.test")
        let nameless = try RawClient(port: stage.gateway.ports[0], tls: TLSClientOptions())
        #expect(nameless.tls?.peerCommonName == "a.test")
    }

    @Test(.refuses("HTTP-21")) func `a host under another certificate's name is answered 421`() throws {
        let client = try client("a.test")
        try client.send(get("/good/a", host: "b.test"))
        expectTemplate(try client.response(), status: 421)
        let crossed = try self.client("b.test")
        try crossed.send(get("/good/a", host: "a.test"))
        expectTemplate(try crossed.response(), status: 421)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("HTTP-21")) func `a host of another listener is answered 421`() throws {
        // Without a name in the handshake, with which Host could disagree, the listener alone tells.
        let nameless = try RawClient(port: stage.gateway.ports[0], tls: TLSClientOptions())
        for client in [try client("a.test"), nameless] {
            try client.send(get("/good/a", host: "c.test"))
            expectTemplate(try client.response(), status: 421)
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("HTTP-21")) func `a host that the certificate covers is served`() throws {
        for name in ["a.test", "shared.test", "b.test"] {
            let client = try client(name)
            try client.send(get("/good/a", host: name))
            #expect(try client.response().status == 200)
        }
    }

    @Test(.holds("H2-70"), .refuses("H2-70"))
    func `one connection of HTTP/2 serves the hosts that its certificate names, and goes on behind others`() throws {
        let options = TLSClientOptions(serverName: "a.test", authority: stage.authority.certificate)
        let client = try RawClient(port: stage.gateway.ports[0], tls: options, speaking: .http2)
        for (host, status) in [
            ("a.test", 200), ("shared.test", 200), ("b.test", 421), ("c.test", 421), ("shared.test", 200),
        ] {
            try client.send(get("/good/a", host: host))
            let response = try client.response()
            #expect(response.status == status, "\(host) \(response.headText)")
            if status == 421 { #expect(response.fields.only("cache-control") == "no-store") }
        }
        #expect(stage.upstream.requests.count == 3)
    }

    @Test(.refuses("H2-01")) func `what ALPN has not agreed on is not spoken`() throws {
        func offering(_ protocols: [String]) throws -> RawClient {
            var options = TLSClientOptions(serverName: "a.test", authority: stage.authority.certificate)
            options.applicationProtocols = protocols
            return try RawClient(port: stage.gateway.ports[0], tls: options)
        }
        for protocols in [["http/1.1"], []] {
            let client = try offering(protocols)
            try client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            let status = try client.response().status
            #expect([400, 505].contains(status), "\(protocols) \(status)")
            #expect(client.isClosedByPeer())
        }
        let newer = try offering(["h2"])
        try newer.send(get("/good/a", host: "a.test"))
        #expect(!text(try newer.bytesToEnd()).contains("HTTP/1.1"))
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test func `a TLS upstream is verified by authority and name`() throws {
        let client = try client("a.test")
        for _ in 0..<3 {
            try client.send(get("/good/a", host: "a.test"))
            #expect(try client.response().status == 200)
        }
        #expect(Set(stage.upstream.requests.map(\.connection)).count == 1)
    }

    @Test(arguments: [
        ("/misnamed/a", "hostname mismatch"), ("/stranger/a", "unable to get local issuer certificate"),
        ("/system/a", "certificate"), ("/clear/a", "something that is no TLS, such as plain HTTP"),
    ])
    func `a TLS upstream that cannot prove its name is 502`(path: String, problem: String) throws {
        let client = try client("a.test")
        try client.send(get(path, host: "a.test"))
        let response = try client.response()
        expectTemplate(response, status: 502)
        let identifier = try #require(response.fields.only("x-request-id"))
        let line = try #require(stage.gateway.operatorLine { $0["request_id"] == identifier })
        #expect(line["found"]?.contains(problem) == true, "\(line.raw)")
        #expect(stage.upstream.requests.isEmpty)
        #expect(stage.misnamed.receivedCount + stage.stranger.receivedCount == 0)
    }

    @Test func `a TLS upstream is asked by the configured name`() throws {
        stage.upstream.closeConnections()
        let client = try client("a.test")
        try client.send(get("/good/a", host: "a.test"))
        #expect(try client.response().status == 200)
        #expect(stage.upstream.now.serverNames == ["inner.test"])
    }

    @Test func `bytes that are no handshake end the connection and nothing else`() throws {
        let plain = try RawClient(port: stage.gateway.ports[0])
        try plain.send("GET /good/a HTTP/1.1\r\nHost: a.test\r\n\r\n")
        _ = try plain.bytesToEnd()
        #expect(stage.upstream.requests.isEmpty)
        let client = try client("a.test")
        try client.send(get("/good/a", host: "a.test"))
        #expect(try client.response().status == 200)
    }

    @Test func `messages are framed alike over TLS`() throws {
        let client = try client("a.test")
        let body = String(repeating: "x", count: 100_000)
        let message = "POST /good/a HTTP/1.1\r\nHost: a.test\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
        try client.send(message + get("/good/b", host: "a.test"))
        #expect(try client.response().status == 200)
        #expect(try client.response().bodyText.contains("/good/b"))
        #expect(stage.upstream.requests.first?.bodyCount == body.utf8.count)
        let refused = try self.client("a.test")
        try refused.send("GET /good/a HTTP/1.1\r\nHost: a.test\r\nA : b\r\n\r\n")
        expectTemplate(try refused.response(), status: 400)
        #expect(refused.isClosedByPeer())
        #expect(!refused.wasReset, "closed without close_notify")
    }

    @Test(.holds("HTTP-58")) func `a WebSocket passes TLS on both sides`() throws {
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        stage.upstream.answer("/socket/a", with: WireScript(.text(answer), .tunnel))
        let client = try client("a.test")
        try client.send(
            "GET /socket/a HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        #expect(try client.response().status == 101)
        for size in [1, 1000, 100_000] {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size)
            try client.send(bytes)
            #expect(try client.bytes(size) == bytes)
        }
    }

    @Test func `a large download passes TLS on both sides with back-pressure`() throws {
        let size = 16 << 20
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        stage.upstream.answer("/good/large", with: WireScript(.text(head), .pattern(size)))
        let client = try client("a.test")
        try client.send(get("/good/large", host: "a.test"))
        _ = try client.bytes(through: "\r\n\r\n")
        try client.discard(size)
        #expect(client.staysSilent())
    }

    @Test(.refuses("HTTP-73")) func `an unfinished record holds up nobody else`() throws {
        // A record header that announces more than is sent: once before a handshake, once within one.
        let beginnings: [[UInt8]] = [[22, 3, 1], [22, 3, 1, 2, 0, 1, 0, 1, 0xFC]]
        for beginning in beginnings {
            let idle = try RawClient(port: stage.gateway.ports[0])
            try idle.send(beginning)
            let client = try client("a.test")
            try client.send(get("/good/a", host: "a.test"))
            #expect(try client.response().status == 200)
            idle.close()
        }
    }

    @Test(.refuses("HTTP-36")) func `a body behind another request over TLS is read to its end`() throws {
        let gate = Gate()
        stage.upstream.answer(
            "/good/slow", with: WireScript(.wait(gate), .text("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")))
        let client = try client("a.test")
        try client.send(get("/good/slow", host: "a.test"))
        #expect(stage.upstream.waits { $0.requests.count == 1 })
        let body = String(repeating: "b", count: 12_000)
        try client.send("POST /good/next HTTP/1.1\r\nHost: a.test\r\nContent-Length: 12000\r\n\r\n" + body)
        // The gateway turns on meanwhile: when another connection is answered, it has read a part of this one.
        let other = try self.client("a.test")
        try other.send(get("/good/other", host: "a.test"))
        #expect(try other.response().status == 200)
        gate.open()
        #expect(try client.responses(2).map(\.status) == [200, 200])
        #expect(stage.upstream.requests.last?.body.count == body.utf8.count)
    }
}
