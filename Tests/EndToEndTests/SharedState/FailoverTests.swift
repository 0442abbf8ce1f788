import Foundation
import TestSupport
import TestTraits
import Testing

@testable import StoreClientTests

/// Rows SH-62 and SH-77 over real sockets: gateways whose store becomes another server.
@Suite(.serialized) struct `proofs while another server becomes the primary` {
    enum Failover: CaseIterable {
        /// The process ends, stands still, is told by a Sentinel to hand over, or by an operator at the server itself.
        case crash, stop, command, ownCommand
    }

    private static let route = """
        { path: /bound/, upstream: $UPSTREAM, token: { issuers: [main], schemes: [DPoP, Bearer], \
        audience: "\(TokenForge.audience)" }, identity: { X-User: sub } }
        """

    /// One proof, and what became of it where.
    private struct Sent {
        let fields: [String]
        let gateway: Int
        let at: ContinuousClock.Instant
        let answer: WireResponse
    }

    private static func fleet(_ settings: String, workers: Int = 1) throws -> (stage: Stage, gateways: [GatewayProcess])
    {
        let stage = try Stage(
            StagePlan(routes: [route], settings: settings, files: Fleet.keys, workers: workers))
        return (stage, [stage.gateway, try stage.another()])
    }

    private static func send(_ fields: [String], to gateway: GatewayProcess) throws -> WireResponse {
        try gateway.exchange(request("GET", "/bound/a", fields: fields))
    }

    private static func begin(_ failover: Failover, _ store: Sentinels) throws {
        switch failover {
        case .crash: store.primary.kill()
        case .stop: store.primary.process.signal(SIGSTOP)
        case .command: try store.sentinels[0].ask("SENTINEL", "FAILOVER", Sentinels.name)
        case .ownCommand: try store.handOver()
        }
    }

    /// Sends one proof after the other, to each gateway in turn, until a moment after the Sentinels know another primary.
    private static func load(
        _ failover: Failover, _ store: Sentinels, _ stage: Stage, _ gateways: [GatewayProcess]
    ) throws -> (sent: [Sent], known: ContinuousClock.Instant) {
        var sent: [Sent] = []
        var known: ContinuousClock.Instant?
        let deadline = Deadline.patient
        while true {
            let gateway = sent.count % gateways.count
            let (fields, at) = (ProofCall().fields(stage), ContinuousClock.now)
            let answer = try send(fields, to: gateways[gateway])
            sent.append(Sent(fields: fields, gateway: gateway, at: at, answer: answer))
            if sent.count == 20 { try begin(failover, store) }
            if sent.count > 20, known == nil, try store.changed() >= 2 { known = .now }
            if let known, at > known + .milliseconds(2500) { return (sent, known) }
            if deadline.hasPassed { throw WireFailure.timedOut("no other primary") }
        }
    }

    /// Nobody is told that a proof was used which the store said nothing about.
    private static func expectNoBlame(_ sent: [Sent]) {
        for one in sent where one.answer.status != 200 {
            #expect(one.answer.status == 503, "\(one.answer.headText)")
            #expect(one.answer.fields.only("retry-after") == "1")
            #expect(one.answer.fields["www-authenticate"].isEmpty && one.answer.fields["set-cookie"].isEmpty)
        }
    }

    @Test(.holds("SH-77"), .refuses("SH-77", "SH-58"), arguments: Failover.allCases)
    func `are refused for the store's sake while there is none, and a second longer`(failover: Failover) throws {
        let store = try Sentinels()
        try store.primary.expect("SET", "pc:epoch", "AAAAAAAAAAAAAAAAAAAAAA.1")
        let (stage, gateways) = try Self.fleet(Fleet.settings(store, "shares: [proofs], " + Fleet.patiently))
        let (sent, known) = try Self.load(failover, store, stage, gateways)
        #expect(sent.prefix(20).allSatisfy { $0.answer.status == 200 }, "\(stage.gateway.diagnosis)")
        Self.expectNoBlame(sent)
        let late = sent.filter { $0.answer.status != 200 && $0.at > known + .seconds(1) }
        #expect(late.isEmpty, "\(late.count), the last \(late.last.map { $0.at - known } ?? .zero) after")
        // What passed before is used, wherever it comes again: nothing was lost on the way here.
        for one in sent.prefix(20) {
            let answer = try Self.send(one.fields, to: gateways[1 - one.gateway])
            #expect(answer.status == 401 || answer.status == 503, "\(answer.headText)")
        }
        if failover == .stop { store.primary.process.signal(SIGCONT) }
    }

    @Test(.holds("SH-62"), .refuses("SH-62"), arguments: Failover.allCases)
    func `pass no second time where the operator says so, whatever the new primary lacks`(failover: Failover) throws {
        let store = try Sentinels()
        try store.primary.expect("SET", "pc:epoch", "AAAAAAAAAAAAAAAAAAAAAA.1")
        let (stage, gateways) = try Self.fleet(
            Fleet.settings(store, "shares: [proofs], after_failover: refuse"), workers: 2)
        let (sent, _) = try Self.load(failover, store, stage, gateways)
        Self.expectNoBlame(sent)
        let accepted = sent.filter { $0.answer.status == 200 }
        #expect(accepted.count >= 20)
        // As if the old one had died before it sent them on.
        let heir = try #require(store.replicas.first { "\($0.port)" == (try? store.named()) })
        for name in try heir.ask("KEYS", "pc:p:*").text.split(separator: " ") { try heir.ask("DEL", String(name)) }
        for one in accepted {
            for gateway in gateways {
                let answer = try Self.send(one.fields, to: gateway)
                #expect(answer.status == 401 || answer.status == 503, "\(answer.headText)")
            }
        }
        if failover == .stop { store.primary.process.signal(SIGCONT) }
    }

    /// The watch looks each second at the server that has the store's epoch: it is not the one that is lost here.
    @Test(.refuses("SH-62")) func `pass no second time where one shard of a cluster has another primary`() throws {
        let store = try RedisCluster()
        try store.writeEpochs()
        let (stage, gateways) = try Self.fleet(
            Fleet.settings(store, "shares: [proofs], after_failover: refuse"), workers: 2)
        var accepted: [[String]] = []
        #expect(
            eventually {
                let fields = ProofCall().fields(stage)
                guard (try? Self.send(fields, to: gateways[0]))?.status == 200 else { return false }
                accepted.append(fields)
                return accepted.count == 60
            }, "\(stage.gateway.diagnosis)")
        for gateway in gateways {
            let metrics = try gateway.admin("/metrics").bodyText
            #expect(metrics.contains("portcullis_store_forgot_total 0"), "a start is no failover")
        }
        let shard = try #require(store.primaries.firstIndex { $0 !== store.primary(of: "pc:epoch") })
        let heir = store.replicas[shard]
        store.primaries[shard].kill()
        #expect(
            try eventually {
                try heir.ask("ROLE").text.hasPrefix("master")
                    && heir.ask("CLUSTER", "INFO").text.contains("cluster_state:ok")
            })
        // As if the old one had died before it sent them on.
        let lost = try heir.ask("KEYS", "pc:p:*").text.split(separator: " ")
        #expect(!lost.isEmpty)
        for name in lost { try heir.ask("DEL", String(name)) }
        var (number, statuses) = (0, [Int: Int]())
        let isBack = eventually {
            for _ in 0..<20 {
                statuses[(try? Self.send(accepted[number % 60], to: gateways[1]))?.status ?? 0, default: 0] += 1
                number += 1
            }
            let metrics = (try? gateways[1].admin("/metrics"))?.bodyText ?? ""
            return metrics.contains("portcullis_store_up{node=\"127.0.0.1:\(heir.port)\"} 1")
        }
        #expect(isBack)
        for fields in accepted { statuses[try Self.send(fields, to: gateways[1]).status, default: 0] += 1 }
        #expect(Set(statuses.keys).isSubset(of: [401, 503]), "\(statuses)")
    }

    /// A worker that does not watch the store may be the first to reach it again.
    @Test(.refuses("SH-62")) func `pass no second time at whichever worker is back first`() throws {
        let store = try StoreServer()
        let (stage, gateways) = try Self.fleet(
            Fleet.settings(store, "shares: [proofs], after_failover: refuse"), workers: 4)
        for _ in 0..<4 {
            var accepted: [[String]] = []
            #expect(
                eventually {
                    let fields = ProofCall().fields(stage)
                    guard (try? Self.send(fields, to: gateways[0]))?.status == 200 else { return false }
                    accepted.append(fields)
                    return accepted.count == 40
                }, "\(stage.gateway.diagnosis)")
            store.kill()
            // With the epoch that it had, and nothing else.
            try store.start()
            var number = 0
            var statuses: [Int: Int] = [:]
            // Until all workers are back; who accepts one proof twice does it in the first moments.
            let areBack = eventually {
                for _ in 0..<8 {
                    let answer = try? Self.send(accepted[number % accepted.count], to: gateways[1])
                    statuses[answer?.status ?? 0, default: 0] += 1
                    number += 1
                }
                let up = "portcullis_store_up{node=\"\(store.path)\"} 1"
                return statuses[503, default: 0] >= 40
                    && (try? gateways[1].admin("/metrics"))?.bodyText.contains(up) ?? false
            }
            #expect(areBack)
            for fields in accepted {
                let status = try Self.send(fields, to: gateways[1]).status
                statuses[status, default: 0] += 1
            }
            #expect(statuses[200] == nil, "\(statuses)")
            #expect(Set(statuses.keys).isSubset(of: [401, 503]), "\(statuses)")
            // The window of what the store may have lost is longer than a test: another process has none.
            break
        }
    }
}
