import TestSupport
import TestTraits
import Testing

/// A stream that sends as much as it announced, and has not ended.
@Suite(.serialized) struct `content of the announced length` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xff), type, flags, 0, 0, 0, stream] + payload
    }

    /// Literals, which no table takes.
    private static func block(_ fields: [(String, String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes.append(0)
            for text in [name, value] {
                bytes.append(UInt8(text.utf8.count))
                bytes += Array(text.utf8)
            }
        }
        return bytes
    }

    private static let head = block([
        (":method", "POST"), (":scheme", "http"), (":path", "/open/body"), (":authority", "gateway.test"),
        ("content-length", "5"),
    ])
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])

    /// The client, when all of the content but its last byte has arrived.
    private func sendContent() throws -> RawClient {
        let client = try stage.gateway.client()
        let content = Self.frame(0, 0, 1, Array("hello".utf8))
        try client.send(Self.preface + Self.frame(1, 4, 1, Self.head) + content)
        #expect(
            stage.upstream.waits {
                String(decoding: $0.rawBytes.values.joined(), as: UTF8.self).contains("\r\n\r\nhell")
            })
        return client
    }

    @Test(
        .refuses("H2-12", "H2-13"),
        arguments: [
            frame(0, 1, 1, Array("!".utf8)), frame(1, 5, 1, block([(":path", "/")])),
            frame(1, 5, 1, block([("X-Upper", "a")])), frame(1, 4, 1, block([("x-a", "b")])),
            frame(3, 0, 1, [0, 0, 0, 8]),
        ])
    func `is no whole request at the upstream when the stream breaks a rule behind it, or is left`(end: [UInt8]) throws
    {
        let client = try sendContent()
        try client.send(end)
        #expect(stage.upstream.waits { !$0.endedConnections.isEmpty || !$0.resetConnections.isEmpty })
        #expect(!String(decoding: stage.upstream.allBytes, as: UTF8.self).contains("hello"))
        #expect(!stage.upstream.requests.contains { $0.isComplete })
    }

    @Test(.holds("H2-12", "H2-13"), arguments: [frame(0, 1, 1, []), frame(1, 5, 1, block([("x-sum", "1")]))])
    func `is a whole request when the stream ends behind it`(end: [UInt8]) throws {
        let client = try sendContent()
        #expect(!stage.upstream.requests.contains { $0.isComplete })
        try client.send(end)
        #expect(stage.upstream.waits { $0.requests.contains { $0.isComplete && $0.body == Array("hello".utf8) } })
        client.close()
    }

    @Test(.refuses("H2-52", "H2-55")) func `does not keep a connection that was told to calm down`() throws {
        let client = try sendContent()
        try client.send((0..<1500).flatMap { _ in Self.frame(6, 0, 0, [UInt8](repeating: 0, count: 8)) })
        // The stream has no end, and the time for its content is far longer than this.
        let received = try client.bytesToEnd(within: .seconds(20))
        let farewell = Self.frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 11])
        #expect(received.indices.contains { received[$0...].starts(with: farewell) })
    }
}
