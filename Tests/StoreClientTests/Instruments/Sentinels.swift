import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport

@testable import StoreClient

/// A primary, two replicas, and three Sentinels that watch them.
final class Sentinels {
    static let name = "portcullis"
    let primary: RedisNode
    let replicas: [RedisNode]
    private(set) var sentinels: [Sentinel] = []

    /// Sentinels that know each other from the beginning: to hear of one another takes them seconds.
    ///
    /// `arguments` are those of the servers, `further` those of the replicas besides, `lines` the Sentinels' own.
    init(
        _ arguments: [String] = [], replicas further: [String] = [], lines: [String] = [],
        in network: PrivateNetwork? = nil
    ) throws {
        let primary = try RedisNode(arguments, in: network)
        self.primary = primary
        replicas = try (0..<2).map { _ in
            try RedisNode(["--replicaof", "127.0.0.1 \(primary.port)"] + arguments + further, in: network)
        }
        let replicas = replicas
        let areThere = try eventually {
            try primary.information("connected_slaves") == "2"
                && replicas.allSatisfy { try $0.information("master_link_status") == "up" }
        }
        guard areThere else { throw WireFailure.timedOut("no replicas") }
        // What comes behind the first data may be sent to them up to a second later.
        let admin = try primary.admin()
        var writes = 0
        let areFed = try eventually {
            try admin.ask("INCR", "writes")
            if try admin.ask("WAIT", "2", "100") == .integer(2) { writes += 1 }
            return writes == 3
        }
        guard areFed else { throw WireFailure.timedOut("replicas are behind") }
        let identities = (1...3).map { String(repeating: "\($0)", count: 40) }
        let ports = try (0..<3).map { _ in try RedisNode.freePort() }
        for index in 0..<3 {
            var text = """
                port \(ports[index])
                bind 127.0.0.1
                sentinel myid \(identities[index])
                sentinel monitor \(Sentinels.name) 127.0.0.1 \(primary.port) 2
                sentinel down-after-milliseconds \(Sentinels.name) 500
                sentinel failover-timeout \(Sentinels.name) 3000

                """
            for replica in replicas { text += "sentinel known-replica \(Sentinels.name) 127.0.0.1 \(replica.port)\n" }
            for other in 0..<3 where other != index {
                text += "sentinel known-sentinel \(Sentinels.name) 127.0.0.1 \(ports[other]) \(identities[other])\n"
            }
            for line in lines { text += line + "\n" }
            sentinels.append(try Sentinel(text, port: ports[index], in: network))
        }
    }

    var settings: StoreSettings {
        var settings = StoreSettings()
        settings.topology = .sentinel
        var sentinel = StoreSettings.Sentinel(name: Sentinels.name)
        sentinel.addresses = sentinels.map { .network(host: "127.0.0.1", port: $0.port, isSecure: false) }
        settings.sentinel = sentinel
        return settings
    }

    /// The port of the primary that a Sentinel names.
    func named(by index: Int = 0) throws -> String {
        let reply = try sentinels[index].ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", Sentinels.name)
        guard case .array(let parts) = reply, parts.count == 2 else { return "" }
        return parts[1].text
    }

    /// Has the primary hand over to its first replica by itself (`FAILOVER`), as an operator may who knows of no Sentinels.
    ///
    /// They find it out when they ask the servers what they are: each ten seconds, and more often here.
    func handOver() throws {
        for sentinel in sentinels { try sentinel.ask("SENTINEL", "DEBUG", "INFO-PERIOD", "200") }
        try primary.expect("FAILOVER", "TO", "127.0.0.1", "\(replicas[0].port)")
    }

    /// How many of the Sentinels name another primary than the first.
    func changed() throws -> Int { try (0..<3).count { try named(by: $0) != "\(primary.port)" } }
}

/// One Sentinel, which writes its own configuration anew.
final class Sentinel {
    let port: UInt16
    let folder: String
    let process: ChildProcess

    init(_ text: String, port: UInt16, in network: PrivateNetwork?) throws {
        self.port = port
        folder = try TemporaryFolder.make(for: "sentinel")
        let file = folder + "/sentinel.conf"
        try (text + "unixsocket \(folder)/s\n").write(toFile: file, atomically: true, encoding: .utf8)
        let process = try StoreProgram.start([file, "--sentinel"], in: network)
        self.process = process
        let isReady = process.output.wait { $0.contains { $0.contains("Sentinel ID is") } || !process.isRunning }
        guard isReady, process.isRunning else { throw WireFailure.timedOut("sentinel: \(process.output.now)") }
    }

    @discardableResult
    func ask(_ words: String...) throws -> StoreReply { try RedisAdmin(unixPath: folder + "/s").ask(words) }

    deinit {
        process.signal(SIGKILL)
        _ = process.waitForEnd()
        TemporaryFolder.remove(folder)
    }
}
