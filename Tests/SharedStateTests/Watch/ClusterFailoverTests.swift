import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// What the servers of a cluster say of themselves, and the watch that hears it.
private final class Shards {
    var watch: EpochWatch

    init(failover: StoreSettings.AfterFailover = .refuse) throws {
        watch = EpochWatch(
            try Sample.names(), tags: Array(0..<128), past: .seconds(60), future: .seconds(10), failover: failover)
    }

    static let now = WatchTime(wall: Sample.now * 1000, monotonic: 0)

    static func information(_ run: String, _ history: String, former: String? = nil) -> [UInt8] {
        let former = former ?? String(repeating: "0", count: 40)
        return
            "# Server\r\nredis_version:7.0.15\r\nrun_id:\(run)\r\n# Replication\r\nmaster_replid:\(history)\r\nmaster_replid2:\(former)\r\ncluster_enabled:1\r\n"
            .bytes
    }

    /// Whether a connection that is opened tells of a failover.
    func isFailover(_ place: String, _ information: [UInt8]?, worker: Int = 0) -> Bool {
        watch.greeted(information: information, by: place, worker: worker, at: Self.now).forgetting == .failover
    }

    /// Three primaries, met by two workers.
    func start() {
        for worker in 0..<2 {
            for shard in 0..<3 {
                let isOne = isFailover("s\(shard)", Self.information("r\(shard)", "h\(shard)"), worker: worker)
                #expect(!isOne)
            }
            watch.metAllServers()
        }
        #expect(watch.forgottenUntil == .min)
    }
}

@Suite struct `the watch over a cluster whose shards have other primaries` {
    @Test(.holds("SH-62")) func `knows the servers that it has met, whoever connects to them again`() throws {
        let shards = try Shards()
        shards.start()
        for worker in 0..<4 {
            for shard in 0..<3 {
                #expect(!shards.isFailover("s\(shard)", Shards.information("r\(shard)", "h\(shard)"), worker: worker))
            }
        }
        #expect(shards.watch.forgottenUntil == .min)
    }

    @Test(.refuses("SH-62")) func `refuses proofs from before a replica was made primary, in whichever shard`() throws {
        for shard in 0..<3 {
            let shards = try Shards()
            shards.start()
            let heir = Shards.information("r9", "h9", former: "h\(shard)")
            #expect(shards.isFailover("s9", heir))
            #expect(shards.watch.forgottenUntil == Sample.now + 11)
            #expect(!shards.isFailover("s9", heir, worker: 1), "each worker meets it, and it is counted once")
            // The one that was primary before, with the heir's history.
            #expect(shards.isFailover("s\(shard)", Shards.information("r\(shard)", "h7", former: "h9")))
        }
    }

    @Test(.refuses("SH-62")) func `refuses them after a restart, of the same history or of another`() throws {
        for history in ["h1", "h8"] {
            let shards = try Shards()
            shards.start()
            #expect(shards.isFailover("s1", Shards.information("r8", history)))
        }
    }

    @Test(.refuses("SH-62")) func `finds an heir while not all of the cluster was met, and one that joins afterwards`()
        throws
    {
        let shards = try Shards()
        #expect(!shards.isFailover("s0", Shards.information("r0", "h0")))
        #expect(!shards.isFailover("s1", Shards.information("r1", "h1", former: "h5")), "before this process began")
        #expect(shards.isFailover("s9", Shards.information("r9", "h9", former: "h0")))
        #expect(!shards.isFailover("s2", Shards.information("r2", "h2")))
        shards.watch.metAllServers()
        #expect(shards.isFailover("s3", Shards.information("r3", "h3")), "nobody says where it has its data from")
    }

    @Test(.refuses("SH-62")) func `takes each connection for a failover, where it may not look at a server`() throws {
        let shards = try Shards()
        for worker in 0..<2 {
            for shard in 0..<3 { #expect(!shards.isFailover("s\(shard)", nil, worker: worker)) }
        }
        shards.watch.metAllServers()
        #expect(shards.isFailover("s1", nil, worker: 1))
        #expect(shards.isFailover("s9", nil))
        #expect(shards.isFailover("s0", Shards.information("r0", "h0")), "what it was before nobody knows")
        #expect(!shards.isFailover("s0", Shards.information("r0", "h0")))
    }

    @Test(.holds("SH-62")) func `accepts all of it where the operator has not said otherwise`() throws {
        let shards = try Shards(failover: .accept)
        shards.start()
        #expect(!shards.isFailover("s9", Shards.information("r9", "h9", former: "h0")))
        #expect(!shards.isFailover("s1", nil))
        #expect(shards.watch.forgottenUntil == .min)
    }

    /// The slot of the store's epoch is at another server then, which has lost nothing.
    @Test(.holds("SH-62")) func `does not take an epoch that moves for a failover`() throws {
        for isMet in [true, false] {
            let shards = try Shards()
            shards.start()
            func inform(_ information: [UInt8]) -> EpochWatch.Forgetting? {
                let asked = shards.watch.connected(at: Shards.now, word: [])
                let question = asked.first { $0.question.arguments[0] == "INFO".bytes }
                guard let question else { return nil }
                defer { shards.watch.lost() }
                return shards.watch.answered(question.number, .bytes(information), at: Shards.now).forgetting
            }
            #expect(inform(Shards.information("r0", "h0")) == nil)
            let next = isMet ? Shards.information("r1", "h1") : Shards.information("r6", "h6")
            #expect(inform(next) == (isMet ? nil : .failover))
        }
    }

    @Test func `keeps no more places than a liar can name`() throws {
        let shards = try Shards()
        for number in 0..<3000 {
            #expect(!shards.isFailover("n\(number)", Shards.information("r\(number)", "h\(number)")))
        }
        shards.watch.metAllServers()
        #expect(shards.isFailover("n0", Shards.information("r0", "h0")), "it was forgotten")
        #expect(!shards.isFailover("n2999", Shards.information("r2999", "h2999")))
    }
}
