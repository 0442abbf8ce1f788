import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing

@testable import StoreClient

/// Three primaries with a replica each, as people run them.
@Suite(.serialized) struct `a store that is a cluster` {
    @Test(.holds("SH-04"), .holds("SH-85")) func `answers for every slot, and while one is moved under load`() throws {
        let cluster = try RedisCluster()
        let talk = try StoreTalk(cluster.settings)
        #expect(talk.turns { (0..<HashSlot.count).allSatisfy { talk.links.isUp(slot: $0) } })
        #expect(talk.connected.count == 3)
        #expect(talk.epochs.count == 129, "one of the store, and one of each part of the slots, by whoever has them")
        for number in 0..<300 { #expect(talk.ask("SET", "pc:p:\(number)", "1", "NX") == .reply("OK")) }
        for node in cluster.primaries { #expect(try node.information("db0").hasPrefix("keys=")) }

        let key = "pc:{moved}:0"
        let (source, slot) = (cluster.primary(of: key), HashSlot.of(key.utf8Span.span))
        let target = try #require(cluster.primaries.first { $0 !== source })
        let move = SlotMove(slot, from: source, to: target)
        let load = talk.load(key: { "pc:{moved}:\($0)" }) { move.isOver.now }
        #expect(move.failure.now == nil)
        #expect(load.answered > 100)
        #expect(load.failures.isEmpty, "\(load.failures.prefix(5))")
        #expect(talk.links.redirects > 0)
        #expect(talk.turns { talk.links.table.owner(of: slot).flatMap { talk.links.table.places[$0] } == target.place })
        #expect(talk.losses.isEmpty && talk.toldTwice == 0)
        let maps = try cluster.nodes.reduce(0) { try $0 + $1.calls("cluster|slots") }
        #expect(maps < 12, "one for the start, and once a second at most for what moves")
    }

    @Test(.holds("SH-04")) func `gives a slot to a server that had none, without an error`() throws {
        let cluster = try RedisCluster(replicas: 0)
        let fresh = try RedisNode(["--cluster-enabled", "yes", "--cluster-node-timeout", "700"], needsBus: true)
        try cluster.primaries[0].expect("CLUSTER", "MEET", "127.0.0.1", "\(fresh.port)", fresh.busPort())
        #expect(
            try eventually {
                try (cluster.nodes + [fresh]).allSatisfy { try $0.clusterInformation("cluster_known_nodes") == 4 }
                    && fresh.ask("CLUSTER", "INFO").text.contains("cluster_state:ok")
            })
        let talk = try StoreTalk(cluster.settings)
        #expect(talk.opens("pc:{moved}:0"))
        let key = "pc:{moved}:0"
        let slot = HashSlot.of(key.utf8Span.span)
        let move = SlotMove(slot, from: cluster.primary(of: key), to: fresh)
        let load = talk.load(key: { "pc:{moved}:\($0)" }) { move.isOver.now }
        #expect(move.failure.now == nil)
        #expect(load.failures.isEmpty, "\(load.failures.prefix(5))")
        #expect(talk.turns { talk.links.table.owner(of: slot).flatMap { talk.links.table.places[$0] } == fresh.place })
    }

    @Test(.holds("SH-77"), .refuses("SH-77")) func `is without one of its primaries no longer than the cluster is`()
        throws
    {
        let cluster = try RedisCluster()
        let talk = try StoreTalk(cluster.settings)
        #expect(talk.turns { (0..<HashSlot.count).allSatisfy { talk.links.isUp(slot: $0) } })
        let victim = cluster.primaries[0]
        let heir = cluster.replicas[0]
        victim.kill()
        var isServed: UInt64?
        let admin = try heir.admin()
        var last: UInt64 = 0
        // Until two seconds after the replica serves the slots.
        let load = try talk.load {
            let now = monotonicMicroseconds()
            if isServed == nil, now > last + 20_000 {
                last = now
                if try admin.ask("CLUSTER", "INFO").text.contains("cluster_state:ok"),
                    try admin.ask("ROLE").text.hasPrefix("master")
                {
                    isServed = now
                }
            }
            return isServed.map { now > $0 + 2_000_000 } ?? false
        }
        let served = try #require(isServed)
        #expect(load.failures.count > 0)
        let late = load.failures.filter { $0.at > served + 1_200_000 }
        #expect(late.isEmpty, "\(late.first?.at ?? 0) \(served) \(late.first.map { "\($0)" } ?? "")")
        #expect(load.failures.allSatisfy { [.down, .unknown, .notSent, .refused(.clusterDown)].contains($0.told) })
        try victim.restart()
        #expect(
            talk.turns { talk.links.states.count == 3 && talk.links.states.allSatisfy(\.isUp) },
            "the one that is back is a replica, and not used")
        #expect(talk.links.states.contains { $0.place == heir.place })
    }

    @Test(.holds("SH-85"), .refuses("SH-85"))
    func `without one of its shards answers for the others, and is not asked without end`() throws {
        let cluster = try RedisCluster(replicas: 0, ["--cluster-require-full-coverage", "no"])
        let talk = try StoreTalk(cluster.settings)
        #expect(talk.turns { (0..<HashSlot.count).allSatisfy { talk.links.isUp(slot: $0) } })
        let gone = cluster.primaries[1]
        gone.kill()
        let others = [cluster.primaries[0], cluster.primaries[2]]
        #expect(try eventually { try others.allSatisfy { try $0.clusterInformation("cluster_slots_fail") > 0 } })
        let before = try others.reduce(0) { try $0 + $1.calls("cluster|slots") }
        let began = monotonicMicroseconds()
        let load = talk.load { monotonicMicroseconds() > began + 2_500_000 }
        #expect(load.failures.allSatisfy { cluster.primary(of: $0.key) === gone }, "\(load.failures.prefix(3))")
        #expect(load.failures.count > 0 && load.failures.count < load.answered)
        let maps = try others.reduce(0) { try $0 + $1.calls("cluster|slots") } - before
        #expect(maps <= 4, "\(maps) maps in 2.5 seconds")
    }

    @Test(.refuses("SH-85")) func `that is down as a whole is asked for its map once a second at most`() throws {
        let cluster = try RedisCluster(replicas: 0)
        let talk = try StoreTalk(cluster.settings)
        #expect(talk.turns { (0..<HashSlot.count).allSatisfy { talk.links.isUp(slot: $0) } })
        cluster.primaries[2].kill()
        #expect(talk.turns { !talk.losses.isEmpty })
        let others = Array(cluster.primaries[..<2])
        #expect(
            try eventually {
                try others.allSatisfy { try $0.ask("CLUSTER", "INFO").text.contains("cluster_state:fail") }
            })
        let before = try others.reduce(0) { try $0 + $1.calls("cluster|slots") }
        let asked = try others.reduce(0) { try $0 + $1.calls("set") }
        let began = monotonicMicroseconds()
        let load = talk.load { monotonicMicroseconds() > began + 2_000_000 }
        #expect(load.failures.count == load.answered)
        #expect(load.failures.allSatisfy { [.notSent, .down, .refused(.clusterDown)].contains($0.told) })
        #expect(try others.reduce(0) { try $0 + $1.calls("cluster|slots") } - before <= 4)
        // Eight at a time, each for 250 ms, asked with pauses that double.
        #expect(try others.reduce(0) { try $0 + $1.calls("set") } - asked <= 8 * 9 * 8)
    }

    @Test(.refuses("SH-10")) func `that is asked as one server names the setting that is wrong`() throws {
        let cluster = try RedisCluster(replicas: 0)
        for node in cluster.primaries {
            let talk = try StoreTalk(settings(node))
            #expect(talk.turns { !talk.unsuitable.isEmpty })
            #expect(talk.unsuitable.first?.setting == "store.topology")
            #expect(talk.unsuitable.first?.found == "a server of a cluster")
        }
    }
}
