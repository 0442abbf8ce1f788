import TestSupport
import TestTraits
import Testing

/// Row HTTP-70: what bodies say is nobody's business here, and what comes in time goes on in time.
@Suite(.serialized, .byEachProtocol) struct `bodies that are not looked into` {
    private static let shared = Shared { try Stage() }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A megabyte of zeros as a gzip member of a kilobyte, byte by byte what gzip makes of it.
    private static let bomb: [UInt8] =
        [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff, 0xed, 0xc1, 0x31, 1, 0, 0, 0, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 8, 0x5f,
            0xa0,
        ] + [UInt8](repeating: 0, count: 1016) + [0x3e, 3, 0x1c, 0xea, 0x38, 0xa7, 0, 0, 0x10, 0]

    @Test(.holds("HTTP-70")) func `ten gigabytes in ten megabytes of gzip pass as they are`() throws {
        let count = 10_240
        let body = [UInt8]((0..<count).map { _ in Self.bomb }.joined())
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nCache-Control: no-transform\r\nContent-Length: "
        _ = try stage.exchange("GET", "/open/warm")
        let before = stage.gateway.process.memory()
        for framing in ["\(body.count)\r\n\r\n", nil] {
            let bytes =
                framing.map { Array((head + $0).utf8) + body }
                ?? Array(
                    (head.replacingOccurrences("Content-Length: ", with: "Transfer-Encoding: chunked\r\n\r\n")
                        + String(body.count, radix: 16) + "\r\n").utf8) + body + Array("\r\n0\r\n\r\n".utf8)
            stage.upstream.answer("/open/a", with: WireScript(.bytes(bytes)))
            let response = try stage.exchange("GET", "/open/a", fields: ["Accept-Encoding: gzip"])
            #expect(response.body == body)
            #expect(response.fields.only("content-encoding") == "gzip")
            #expect(response.fields.only("cache-control") == "no-transform")
            #expect(stage.gateway.process.memory() - before < 4 * 1024)
        }
    }

    @Test(.holds("HTTP-70")) func `an event is on its way within 50 ms of its coming`() throws {
        var added: [Duration] = []
        // A machine that stands still in one round does not in each; a gateway that keeps events back does.
        for _ in 0..<5 {
            added = try addedDelays()
            if added[15] < .milliseconds(50), added[27] < .milliseconds(150) { break }
        }
        #expect(added[15] < .milliseconds(50), "half of them: \(added)")
        // The machine may be late now and then; a gateway that is late for every tenth event is late itself.
        #expect(added[27] < .milliseconds(150), "nine of ten: \(added)")
    }

    /// What the gateway adds to the time of thirty events, the least first.
    private func addedDelays() throws -> [Duration] {
        let gates = (0..<30).map { _ in Gate() }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        var steps: [WireScript.Step] = [.text(head)]
        for (number, gate) in gates.enumerated() { steps += [.wait(gate), .text("a\r\ndata: \(number + 10)\n\n\r\n")] }
        let script = WireScript(exactly: steps + [.text("0\r\n\r\n")])
        stage.upstream.answer("/open/events", with: script)
        let direct = try RawClient(port: stage.upstream.port, speaking: .http1)
        let through = try stage.gateway.client()
        // The same stream without the gateway tells how long the test's own threads take.
        let own = try delays(direct, "/open/events", gates)
        let fresh = gates.map { _ in Gate() }
        var again: [WireScript.Step] = [.text(head)]
        for (number, gate) in fresh.enumerated() { again += [.wait(gate), .text("a\r\ndata: \(number + 10)\n\n\r\n")] }
        stage.upstream.answer("/open/events", with: WireScript(exactly: again + [.text("0\r\n\r\n")]))
        return zip(try delays(through, "/open/events", fresh), own).map { $0 - $1 }
    }

    /// The times from each event's going out to its arrival, shortest first.
    private func delays(_ client: RawClient, _ path: String, _ gates: [Gate]) throws -> [Duration] {
        try client.send(request("GET", path))
        _ = try client.bytes(through: "\r\n\r\n")
        let clock = ContinuousClock()
        let times = try gates.enumerated().map { number, gate in
            try clock.measure {
                gate.open()
                _ = try client.bytes(through: "data: \(number + 10)\n\n")
            }
        }
        _ = try client.bytes(through: "0\r\n\r\n")
        return times.sorted()
    }
}
