import TestSupport
import TestTraits
import Testing

/// Rows OPS-03 and HTTP-41: a response that is not whole does not look like a success in the logs.
@Suite(.serialized, .byEachProtocol) struct `a response that is not whole` {
    private static let shared = Shared {
        try Stage(
            routes: Stage.ordinaryRoutes + [
                // Of its own, so that a server of the tests that stands still is not late for the others.
                "{ path: /halting/, upstream: $UPSTREAM, public: true, timeouts: { response_body: 300ms } }"
            ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A path that the log has from this test by this protocol alone.
    private func own(_ path: String) -> String { "\(path)-\(WireProtocol.current)" }

    private static let part = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"

    @Test(.holds("OPS-03")) func `is said to have ended where the upstream closed`() throws {
        let path = own("/open/closed")
        stage.upstream.answer(path, with: WireScript(.text(Self.part), .reset))
        let client = try stage.gateway.client()
        try client.send(request("GET", path))
        _ = try? client.bytesToEnd()
        let line = stage.gateway.accessLine { $0["path"] == path }
        // A reset may overtake the part that came before it: then nothing was answered, and that is a refusal.
        if line?["status"] == "200" {
            #expect(line?["ended"] == "upstream_closed")
            let event = stage.gateway.operatorLine {
                $0["event"] == "upstream_broke_off" && $0["request_id"] == line?["request_id"]
            }
            #expect(event?["route"] == line?["route"])
        } else {
            #expect(line?["cause"] == "upstream_closed")
        }
    }

    @Test(.holds("OPS-03")) func `is said to have ended where the upstream stalled, with the request's id`() throws {
        let gate = Gate()
        defer { gate.open() }
        let path = own("/halting/stalled")
        stage.upstream.answer(path, with: WireScript(.text(Self.part), .wait(gate)))
        let client = try stage.gateway.client()
        try client.send(request("GET", path))
        _ = try? client.bytesToEnd()
        let line = stage.gateway.accessLine { $0["path"] == path }
        #expect(line?["ended"] == "upstream_timed_out")
        let event = stage.gateway.operatorLine {
            $0["event"] == "upstream_timed_out" && $0["request_id"] == line?["request_id"]
        }
        #expect(event?["route"] == line?["route"])
    }

    @Test(.holds("OPS-03")) func `has no such member when it is whole`() throws {
        let path = own("/open/whole")
        #expect(try stage.exchange("GET", path).status == 200)
        let line = stage.gateway.accessLine { $0["path"] == path }
        #expect(line != nil && line?["ended"] == nil)
    }
}
