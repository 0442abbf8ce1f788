import Access
import TestSupport
import Testing
import Transport

@testable import Gateway

@Suite struct `OPS-05 the connections to one upstream of one client` {
    /// A worker whose pool is filled by hand; none of its connections has a socket.
    private final class Stage {
        let idle: IdleWorker
        var worker: WorkerRef { idle.worker }
        var pool: UnsafeMutablePointer<UpstreamPool> { worker.pointee.upstreams.pools[0] }

        init(_ connections: Int, perClient: Int? = nil) throws {
            var limits = LimitSettings()
            limits.upstreamConnections = connections
            limits.shares.upstreamConnections = perClient
            idle = try IdleWorker(limits: limits)
        }

        func exchange(of client: Int) -> ExchangeRef {
            let exchange = worker.takeExchange()
            exchange.pointee.client.pointee.state = .exchanging
            exchange.pointee.address = PeerAddress(octets: (UInt64(client), 0), isIPv6: false)
            return exchange
        }

        /// Why a request of this client is refused for its share.
        func refused(_ client: Int) -> Refused? {
            let exchange = exchange(of: client)
            return idle.refused { worker throws(Refused) in
                try worker.judgeShare(exchange, of: worker.pointee.upstreams.pools[0])
            }
        }

        /// A connection that a request of this client has.
        func take(for client: Int) throws -> UpstreamRef {
            let upstream = try #require(worker.connect(pool, for: nil))
            worker.attach(exchange(of: client), upstream)
            upstream.pointee.state = .active
            return upstream
        }
    }

    @Test func `are half of them, and those that are left for others are as many`() throws {
        let stage = try Stage(8)
        for _ in 0..<4 {
            #expect(stage.refused(1) == nil)
            _ = try stage.take(for: 1)
        }
        let refused = try #require(stage.refused(1))
        #expect(refused.cause == .upstreamShareExhausted)
        #expect(
            refused.detail.expected
                == "4 connections of one client to an upstream (limits.upstream_connections_per_client)")
        #expect(refused.detail.found == "more of 1.0.0.0")
        for _ in 0..<2 {
            #expect(stage.refused(2) == nil)
            _ = try stage.take(for: 2)
        }
        #expect(stage.refused(2)?.detail.expected.hasPrefix("2 connections") == true)
        #expect(stage.refused(3) == nil)
    }

    @Test func `are as many as is said`() throws {
        let stage = try Stage(8, perClient: 1)
        #expect(stage.refused(1) == nil)
        _ = try stage.take(for: 1)
        #expect(stage.refused(1) != nil && stage.refused(2) == nil)
    }

    @Test func `are one of one, which the next client waits for`() throws {
        let stage = try Stage(1)
        #expect(stage.refused(1) == nil)
        _ = try stage.take(for: 1)
        // That there is none left is said otherwise, and first.
        let next = stage.exchange(of: 2)
        let hasRoom = stage.worker.hasRoom(stage.pool, for: next, of: UpstreamAddresses.nobody)
        #expect(!hasRoom && stage.refused(2) == nil)
    }

    @Test func `are not counted while so few are in use that they may be anybody's`() throws {
        let stage = try Stage(8)
        var held = try (0..<3).map { _ in try stage.take(for: 1) }
        #expect(stage.refused(1) == nil && stage.pool.pointee.users == nil)
        #expect(held.allSatisfy { $0.pointee.countedBy == 0 })
        held.append(try stage.take(for: 1))
        #expect(stage.refused(1) != nil && stage.pool.pointee.users?.count(of: (1, 0)) == 4)
        // A tick ends it only where few are left.
        stage.worker.closeUpstream(held.removeLast())
        stage.worker.endCounting()
        #expect(stage.pool.pointee.users?.count(of: (1, 0)) == 3)
        stage.worker.closeUpstream(held.removeLast())
        stage.worker.endCounting()
        #expect(stage.pool.pointee.users == nil)
        // What an earlier counting counted is none of the next one's.
        held += try (0..<2).map { _ in try stage.take(for: 2) }
        #expect(stage.refused(2) == nil && stage.pool.pointee.users?.count(of: (1, 0)) == 2)
        for upstream in held { stage.worker.closeUpstream(upstream) }
        #expect(stage.pool.pointee.users?.clients == 0)
    }

    @Test func `of whom nobody can tell apart are nobody's`() throws {
        let stage = try Stage(4)
        for _ in 0..<4 {
            let upstream = try #require(stage.worker.connect(stage.pool, for: nil))
            let exchange = stage.exchange(of: 0)
            exchange.pointee.address = PeerAddress(try #require(SocketAddress(unixPath: "/run/a.sock")))
            #expect(
                stage.idle.refusal { worker throws(Refused) in
                    try worker.judgeShare(exchange, of: worker.pointee.upstreams.pools[0])
                } == nil)
            stage.worker.attach(exchange, upstream)
        }
    }

    @Test func `are what a simple model says, whatever comes and goes`() throws {
        let stage = try Stage(40)
        var numbers = Numbers(seed: 13)
        var held: [(client: Int, upstream: UpstreamRef)] = []
        var refusals = 0
        for step in 0..<20_000 {
            // Fills, and empties again, some twenty times.
            let grows = numbers.below(100) < (step / 500 % 2 == 0 ? 75 : 25)
            if grows, held.count < 40 {
                let client = 1 + numbers.below(4)
                let own = held.count { $0.client == client }
                let mayHave = own < min(20, 40 - held.count)
                #expect((stage.refused(client) == nil) == mayHave, "\(own) of \(held.count)")
                if mayHave {
                    held.append((client, try stage.take(for: client)))
                } else {
                    refusals += 1
                }
            } else if !held.isEmpty {
                stage.worker.closeUpstream(held.remove(at: numbers.below(held.count)).upstream)
            }
            if numbers.below(10) == 0 { stage.worker.endCounting() }
        }
        #expect(refusals > 100)
        #expect(stage.pool.pointee.counting > 5)
    }
}
