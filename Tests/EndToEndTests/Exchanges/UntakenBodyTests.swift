import TestSupport
import TestTraits
import Testing

/// Row HTTP-41 for answers that nobody takes.
@Suite(.serialized) struct `bodies that are not taken` {
    private static let shared = Shared { try Stage(StagePlan(settings: "timeouts: { response_body: 500ms }")) }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(.refuses("HTTP-41")) func `an answer that is not taken in time does not end as if it were whole`() throws {
        // What leaves the upstream when nobody reads; of little less than that a rest waits in the gateway while the
        // upstream, and with it the exchange, is done.
        try expectUnlikeTheWhole(24 << 20)
        let line = try #require(stage.gateway.accessLine { $0["path"] == "/open/\(24 << 20)" })
        let taken = try #require(line["response_bytes"].flatMap { Int($0) })
        for less in stride(from: 4096, to: 256 << 10, by: 32 << 10) { try expectUnlikeTheWhole(taken - less) }
    }

    /// Has an HTTP/1.0 client begin to read when the gateway has given it up.
    private func expectUnlikeTheWhole(_ size: Int) throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        stage.upstream.answer("/open/\(size)", with: WireScript(.text(head), .pattern(size), .close))
        let client = try stage.gateway.client(receiveBuffer: 4096)
        try client.send("GET /open/\(size) HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
        _ = try client.bytes(through: "\r\n\r\n")
        #expect(eventually(within: .seconds(120)) { isAlone(stage) })
        let count = try client.bytesToEnd(within: .seconds(60)).count
        #expect(client.wasReset || count == size, "\(count) bytes of \(size) looked like the whole")
    }

    /// Whether the gateway has no client connection any more.
    private func isAlone(_ stage: Stage) -> Bool {
        guard let page = try? stage.gateway.admin("/metrics").bodyText else { return false }
        return page.split(separator: "\n").contains { line in
            line.contains("connections{side=\"client\"}") && line.hasSuffix(" 0")
        }
    }
}
