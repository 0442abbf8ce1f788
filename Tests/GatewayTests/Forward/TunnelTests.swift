import Access
import HTTP1
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the time of a tunnel` {
    @Test(
        .holds("HTTP-60"),
        arguments: [
            // silence, end, now, patience
            (60_000, 1000 as Int64, 990 as Int64, 10_000),
            (60_000, 1000, 1000, 0),
            (60_000, 1000, 2000, 0),
            (60_000, 1_000_000, 1000, 60_000),
            (1500, 1001, 1000, 1000),
            (1500, 1002, 1000, 1500),
            (0, 1002, 1000, 0),
            // A session that never ends, and one whose end is behind us, by any clock.
            (60_000, .max, 1_700_000_000, 60_000),
            (60_000, .max, -1, 60_000),
            (60_000, .min, 1_700_000_000, 0),
        ])
    func `is over with silence or with its token, whichever is first`(
        silence: Int, end: Int64, now: Int64, patience: Int
    ) {
        #expect(WorkerRef.patience(silence: silence, until: end, now: now) == patience)
    }

    @Test(.holds("HTTP-60"))
    func `is a second more for a frame under way, however often it is told, and whatever comes`() throws {
        let idle = try IdleWorker()
        defer { withExtendedLifetime(idle) {} }
        let worker = idle.worker
        let client = worker.takeClient()
        let exchange = worker.takeExchange(of: client)
        client.pointee.state = .tunnelling
        client.pointee.exchange = exchange
        let begun: [UInt8] = [0x82, 0x05, 0x00]
        exchange.pointee.frames.pass(begun.span)
        worker.setTunnelTimeout(client, exchange, silence: 3_600_000)
        worker.endSoon(client)
        #expect(exchange.pointee.endsAtFrame)
        let deadline = client.pointee.timeout.deadline
        #expect(deadline == worker.pointee.connections.wheel.now + 11)
        worker.endSoon(client)
        #expect(client.pointee.state == .tunnelling)
        worker.setTunnelTimeout(client, exchange, silence: 3_600_000)
        #expect(client.pointee.timeout.deadline == deadline)
    }
}
