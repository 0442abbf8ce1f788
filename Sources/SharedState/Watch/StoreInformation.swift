import Bytes

/// What a server says of itself, as far as somebody here wants to know it; nil for what it does not say (SH-10).
package struct StoreInformation: Sendable, Equatable {
    /// Of this run of the server's process.
    private(set) var runID: [UInt8]?
    /// Of the history of writes that this primary goes on with: another one after each failover, and each restart.
    private(set) var replicationID: [UInt8]?
    /// Of the history that it went on with when it was made primary; nil where it was none's replica.
    private(set) var formerReplicationID: [UInt8]?
    /// Keys that it threw away, because its memory was full, since it started.
    private(set) var evictedKeys: Int64?
    private var policy: [UInt8]?
    private var version: [UInt8]?
    private var isCluster: Bool?
    private var replicas: Int64?
    /// Replicas that are near enough; it says so where it needs some to take writes.
    private var goodReplicas: Int64?

    /// Asks for it: those parts alone in which something is that is read here.
    package static let question: [[UInt8]] = [
        .word("INFO"), .word("server"), .word("memory"), .word("stats"), .word("replication"), .word("cluster"),
    ]

    /// Why a server is not what it has to be.
    package enum Unsuitability: Sendable, Equatable {
        /// It does not know commands that are used: Redis has them from 7.0, Valkey from its first release.
        case tooOld(version: String)
        /// It throws keys away when its memory is full, used proofs and sessions among them.
        case evicting(policy: String)
        /// It is part of a cluster, and the configuration says another topology.
        case cluster
        /// The configuration says that it is part of a cluster.
        case noCluster
        /// It has no replica, and a write counts only when one has it.
        case noReplica
        /// It takes no writes, because its replicas are gone.
        case cutOff
    }

    /// Reads lines of `name:value`; what else is there is for others.
    init(_ text: [UInt8]) {
        for line in text.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon - line.startIndex <= 32 else { continue }
            let value = Array(line[(colon + 1)...].prefix(64))
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "run_id": runID = value
            case "master_replid": replicationID = value
            case "master_replid2": formerReplicationID = value.allSatisfy { $0 == UInt8(ascii: "0") } ? nil : value
            case "evicted_keys": evictedKeys = StoreNumber.parse(value).flatMap { $0 >= 0 ? $0 : nil }
            case "maxmemory_policy": policy = value
            case "redis_version": version = value
            case "connected_slaves": replicas = StoreNumber.parse(value)
            case "min_slaves_good_slaves": goodReplicas = StoreNumber.parse(value)
            case "cluster_enabled": isCluster = value == [UInt8(ascii: "1")]
            default: continue
            }
        }
    }

    /// Whether keys are thrown away when memory is full; nil where it does not say so.
    package var isEvicting: Bool? { policy.map { $0 != .word("noeviction") } }

    /// Whether it needs replicas to take writes, and has none that is near enough: perhaps one of them is the primary by now,
    /// for everybody but this server and whoever still reaches it.
    package var isCutOff: Bool { goodReplicas == 0 }

    /// All that keeps it from being the store of a gateway, or from being a good one.
    package func unsuitabilities(
        as topology: StoreSettings.Topology, _ durability: StoreSettings.Durability = .primary
    ) -> [Unsuitability] {
        var found: [Unsuitability] = []
        if let version, let major = StoreNumber.parse(Array(version.prefix { $0 != UInt8(ascii: ".") })), major < 7 {
            found.append(.tooOld(version: StoreInformation.word(version)))
        }
        if durability == .replica, replicas == 0 { found.append(.noReplica) }
        if isCutOff { found.append(.cutOff) }
        if let policy, isEvicting == true { found.append(.evicting(policy: StoreInformation.word(policy))) }
        switch (topology, isCluster) {
        case (.standalone, true), (.sentinel, true): found.append(.cluster)
        case (.cluster, false): found.append(.noCluster)
        case (.standalone, _), (.sentinel, _), (.cluster, _): break
        }
        return found
    }

    /// What a server says goes into the log: a word of it, whatever is there.
    private static func word(_ text: [UInt8]) -> String {
        String(decoding: text.prefix(32).filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
    }
}
