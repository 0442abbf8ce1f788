import Crypto
import TestSupport
import TestTraits
import Testing

@testable import SharedState

@Suite struct `what a server says of itself` {
    private let text =
        "# Server\r\nredis_version:7.0.15\r\nrun_id:5d\r\n\r\n# Memory\r\nmaxmemory_policy:allkeys-lru\r\n# Stats\r\nevicted_keys:12\r\n# Replication\r\nrole:master\r\nmaster_replid:ab\r\n# Cluster\r\ncluster_enabled:0\r\n"

    @Test func `is read line by line, and the rest left alone`() {
        let information = StoreInformation(text.bytes)
        #expect(information.runID == "5d".bytes && information.replicationID == "ab".bytes)
        #expect(information.evictedKeys == 12 && information.isEvicting == true)
        #expect(StoreInformation("evicted_keys:-1\r\nrun_id\r\n:x\r\n".bytes).evictedKeys == nil)
        #expect(StoreInformation([]).isEvicting == nil)
        #expect(StoreInformation([]).unsuitabilities(as: .standalone) == [])
    }

    @Test func `is read at every cut and every changed byte without harm`() {
        for start in everyStart(of: text.bytes) { _ = StoreInformation(start).unsuitabilities(as: .cluster) }
        for (_, bytes) in everyChange(of: "evicted_keys:12\r\nredis_version:6.2\r\n".bytes) {
            _ = StoreInformation(bytes).unsuitabilities(as: .standalone)
        }
    }

    @Test func `tells what keeps it from being a gateway's store`() {
        let information = StoreInformation(text.bytes)
        #expect(information.unsuitabilities(as: .standalone) == [.evicting(policy: "allkeys-lru")])
        let alone = StoreInformation("role:master\r\nconnected_slaves:0\r\n".bytes)
        #expect(alone.unsuitabilities(as: .standalone, .replica) == [.noReplica])
        #expect(alone.unsuitabilities(as: .standalone) == [] && !alone.isCutOff)
        let cutOff = StoreInformation("role:master\r\nmin_slaves_good_slaves:0\r\n".bytes)
        #expect(cutOff.unsuitabilities(as: .sentinel) == [.cutOff] && cutOff.isCutOff)
        #expect(!StoreInformation("min_slaves_good_slaves:1\r\n".bytes).isCutOff)
        #expect(information.unsuitabilities(as: .cluster) == [.evicting(policy: "allkeys-lru"), .noCluster])
        let cluster = StoreInformation("redis_version:6.2.14\r\ncluster_enabled:1\r\n".bytes)
        #expect(cluster.unsuitabilities(as: .sentinel) == [.tooOld(version: "6.2.14"), .cluster])
        #expect(cluster.unsuitabilities(as: .cluster) == [.tooOld(version: "6.2.14")])
        let loud = StoreInformation("maxmemory_policy:all\u{1B}[31m keys\r\n".bytes)
        #expect(loud.unsuitabilities(as: .standalone) == [.evicting(policy: "all[31mkeys")])
    }

    @Test func `is what a real server says, where the user may ask`() throws {
        let server = try RedisServer.shared.get()
        let command = ReadInformation(key: try Sample.names().epoch)
        let information = try server.administrator().ask(command)
        #expect(information.runID?.count == 40 && information.replicationID?.count == 40)
        #expect(information.evictedKeys == 0 && information.isEvicting == false)
        #expect(information.unsuitabilities(as: .standalone) == [])
        #expect(information.unsuitabilities(as: .cluster) == [.noCluster])
        let client = try server.client()
        #expect(throws: StoreRefusal.refused("NOPERM")) { try client.ask(command) }
    }
}
