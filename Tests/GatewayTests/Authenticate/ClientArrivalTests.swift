import Access
import TestTraits
import Testing
import Transport

@testable import Gateway

@Suite struct `what a connection says of its client` {
    /// Whether a peer's `Client-Cert` is believed by a worker with these terminators.
    private func isBelieved(_ peer: String, _ terminators: [String]) throws -> Bool {
        let idle = try IdleWorker(terminators: terminators)
        let exchange = idle.worker.takeExchange()
        defer { idle.worker.giveBack(exchange) }
        let client = exchange.pointee.client
        client.pointee.peer = PeerAddress(try #require(SocketAddress(literal: peer, port: 443)))
        return ClientArrival(client: client, worker: idle.worker, exchange: exchange).isFromTerminator
    }

    @Test(.holds("MTLS-07"), .refuses("MTLS-07"))
    func `is that a terminator stands in front only where its address is configured as one`() throws {
        #expect(try isBelieved("10.0.0.7", ["10.0.0.7/32"]))
        for stranger in ["10.0.0.8", "192.0.2.1", "::1"] {
            #expect(try !isBelieved(stranger, ["10.0.0.7/32"]), "\(stranger)")
        }
        #expect(try !isBelieved("10.0.0.7", []), "nobody is a terminator by default")
    }
}
