// SPDX-License-Identifier: Apache-2.0
import Testing
import TestSupport

/// Row HTTP-41 for answers that nobody takes.
@Suite(.serialized) struct `bodies that are not taken` {
    private static let shared = Shared { try Stage(StagePlan(settings: "timeouts: { response_body: 500ms }")) }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test func `HTTP-41 an answer that is not taken in time does not end as if it were whole`() throws {
        let size = 1 << 20
        // Just behind what the sockets hold: the upstream is done, and so is the exchange, while the rest still waits.
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        for times in [6, 24] {
            stage.upstream.answer("/open/\(times)", with: WireScript(.text(head), .pattern(times * size), .close))
            let client = try stage.gateway.client(receiveBuffer: 4096)
            try client.send("GET /open/\(times) HTTP/1.0\r\nHost: gateway.test\r\n\r\n")
            _ = try client.bytes(through: "\r\n\r\n")
            #expect(eventually(within: .seconds(30)) { isAlone(stage) })
            let received = try client.bytesToEnd(within: .seconds(60))
            #expect(client.wasReset || received.count == times * size, "\(received.count) bytes looked like the whole")
        }
    }

    /// Whether the gateway has no client connection any more.
    private func isAlone(_ stage: Stage) -> Bool {
        guard let page = try? stage.gateway.admin("/metrics").bodyText else { return false }
        return page.split(separator: "\n").contains { line in
            line.contains("connections{side=\"client\"}") && line.hasSuffix(" 0")
        }
    }
}
