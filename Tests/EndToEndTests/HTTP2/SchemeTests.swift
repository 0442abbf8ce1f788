import TestSupport
import TestTraits
import Testing

/// Row H2-26 over real sockets: who may say that a request in plain text came over TLS.
@Suite(.serialized) struct `the scheme of a stream` {
    private static let shared = Shared { try ProxyStage() }
    let stage: ProxyStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    /// A peer of a listener: an address of this machine.
    private func peer(_ listener: ProxyStage.Listener, _ address: String) throws -> FrameClient {
        try FrameClient(port: stage.gateway.ports[listener.rawValue], from: address)
    }

    private func ask(_ client: FrameClient, _ stream: UInt32, _ scheme: String, _ path: String) throws -> String? {
        let fields = [(":method", "GET"), (":scheme", scheme), (":path", path), (":authority", "gateway.test")]
        try client.client.send(FrameClient.section(stream, fields, ends: true))
        return try client.status(of: stream)
    }

    @Test(.holds("H2-26")) func `in plain text is http or https behind a trusted proxy, and makes no difference`()
        throws
    {
        let client = try peer(.trusting, "127.0.0.1")
        #expect(try ask(client, 1, "https", "/by/https") == "200", "\(stage.gateway.diagnosis)")
        #expect(try ask(client, 3, "http", "/by/http") == "200")
        for path in ["/by/https", "/by/http"] {
            let seen = try #require(stage.upstream.onlyRequest(for: path))
            #expect(
                seen.fields["x-forwarded-proto"] == ["https"] && seen.fields["x-forwarded-host"] == ["gateway.test"])
        }
    }

    @Test(
        .refuses("H2-26"),
        arguments: [
            (ProxyStage.Listener.plain, "127.0.0.1"), (.elsewhere, "127.0.0.1"), (.trusting, "127.0.0.2"),
        ])
    func `in plain text is nobody else's to choose, and other streams go on`(
        listener: ProxyStage.Listener, address: String
    ) throws {
        let client = try peer(listener, address)
        #expect(try ask(client, 1, "http", "/mine/before") == "200")
        #expect(try ask(client, 3, "https", "/mine/refused") == "400")
        #expect(try ask(client, 5, "http", "/mine/behind") == "200")
        #expect(stage.upstream.requests.map(\.path) == ["/mine/before", "/mine/behind"])
        #expect(client.lastStreams.isEmpty)
        let id = try #require(client.values("x-request-id", of: 3).first)
        let line = try #require(stage.gateway.operatorLine { $0["request_id"] == id })
        #expect(line["found"] == "scheme not the listener's" && line["cause"] == "malformed_message", "\(line.raw)")
    }

    @Test(.refuses("H2-26"), arguments: ["ftp", "httpsx", "wss"])
    func `is no other one, whoever says it`(scheme: String) throws {
        let client = try peer(.trusting, "127.0.0.1")
        #expect(try ask(client, 1, scheme, "/other") == "400")
        #expect(try ask(client, 3, "https", "/mine") == "200")
        #expect(stage.upstream.requests.map(\.path) == ["/mine"])
    }
}
