import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport

@testable import StoreClient

/// Three primaries, each with a replica.
final class RedisCluster {
    let primaries: [RedisNode]
    let replicas: [RedisNode]

    var nodes: [RedisNode] { primaries + replicas }

    /// With certificates, one for each node, all of them speak TLS alone.
    init(
        replicas count: Int = 3, _ arguments: [String] = [], certificates: [CertificateFiles.Words] = []
    ) throws {
        let all = try RedisCluster.start(3 + count, arguments, certificates)
        primaries = Array(all[..<3])
        replicas = Array(all[3...])
        let bounds = [0, 5461, 10_923, 16_384]
        for (index, node) in primaries.enumerated() {
            try node.expect("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
            try node.expect("CLUSTER", "ADDSLOTSRANGE", "\(bounds[index])", "\(bounds[index + 1] - 1)")
        }
        for node in all { try all[0].expect("CLUSTER", "MEET", "127.0.0.1", "\(node.port)", "\(node.busPort())") }
        let areKnown = try eventually {
            try all.allSatisfy { try $0.clusterInformation("cluster_known_nodes") == all.count }
        }
        guard areKnown else { throw WireFailure.timedOut("the nodes do not know each other") }
        for (index, node) in replicas.enumerated() {
            // What a node was told of a primary a moment ago it may have no epoch of yet.
            let isTaken = try eventually {
                try node.ask("CLUSTER", "REPLICATE", primaries[index % 3].clusterName()).text == "OK"
            }
            guard isTaken else { throw WireFailure.timedOut("no replica") }
        }
        try awaitWhole()
    }

    /// Waits until all nodes think that all is well.
    func awaitWhole() throws {
        let isWhole = try eventually {
            try nodes.allSatisfy { try $0.ask("CLUSTER", "INFO").text.contains("cluster_state:ok") }
                && replicas.allSatisfy { try $0.information("master_link_status") == "up" }
        }
        guard isWhole else { throw WireFailure.timedOut("the cluster does not come about") }
    }

    private static func start(
        _ count: Int, _ arguments: [String], _ certificates: [CertificateFiles.Words]
    ) throws -> [RedisNode] {
        var nodes: [RedisNode] = []
        for index in 0..<count {
            let certificate = certificates.isEmpty ? nil : certificates[index]
            nodes.append(
                try RedisNode(
                    [
                        "--cluster-enabled", "yes", "--cluster-node-timeout", "700",
                        "--cluster-replica-validity-factor",
                        "0",
                    ] + (certificate == nil ? [] : ["--tls-cluster", "yes"]) + arguments,
                    needsBus: true, certificate: certificate))
        }
        return nodes
    }

    /// Gives it the words by which gateways know that no shard forgot anything, as one has that is in use.
    func writeEpochs() throws {
        let tags = StoreServers(settings, tls: nil).epochTags
        for name in ["pc:epoch"] + tags.map({ "pc:epoch:{\($0)}" }) {
            try primary(of: name).expect("SET", name, "AAAAAAAAAAAAAAAAAAAAAA.1")
        }
    }

    var settings: StoreSettings {
        var settings = StoreSettings(addresses: primaries.map(\.address))
        settings.topology = .cluster
        return settings
    }

    /// The primary that a key is at, as the cluster was made.
    func primary(of key: String) -> RedisNode {
        let slot = HashSlot.of(key.utf8Span.span)
        return primaries[slot < 5461 ? 0 : slot < 10_923 ? 1 : 2]
    }
}

extension RedisNode {
    func expect(_ words: String...) throws {
        let reply = try admin().ask(words)
        guard reply.text == "OK" else { throw WireFailure.malformed("\(words): \(reply.text)") }
    }

    func clusterName() throws -> String { try ask("CLUSTER", "MYID").text }

    /// Its port for other nodes, as it tells.
    func busPort() throws -> String {
        try ask("CONFIG", "GET", "cluster-port").text.split(separator: " ").last.map(String.init) ?? ""
    }

    func clusterInformation(_ name: String) throws -> Int {
        let lines = try ask("CLUSTER", "INFO").text.split(separator: "\r\n")
        return lines.first { $0.hasPrefix(name + ":") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }
}
