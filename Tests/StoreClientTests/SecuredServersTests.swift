import Foundation
import RESP
import SharedState
import StoreLink
import TestSupport
import TestTraits
import Testing
import Transport

@testable import StoreClient

/// Servers that others announce, over TLS: each proves the name of the settings, or its own.
@Suite(.serialized) struct `a store whose servers speak TLS` {
    private let files: CertificateFiles
    private let tls: ClientTLS

    init() throws {
        files = try CertificateFiles()
        tls = try ClientTLS(certificateAuthorityFile: files.authorityFile, identity: nil)
    }

    /// One Sentinel with a certificate for a name, and a user, which watches this primary.
    private func sentinel(of node: RedisNode, _ name: String) throws -> (sentinel: Sentinel, settings: StoreSettings) {
        let port = try RedisNode.freePort()
        let lines = [
            "port 0", "tls-port \(port)", "bind 127.0.0.1",
            "sentinel monitor \(Sentinels.name) 127.0.0.1 \(node.port) 1",
            "user portcullis on >word ~* &* +@all", "user default on nopass -@all +auth +ping",
        ]
        let text = (lines + (try files.words(name)).lines).joined(separator: "\n") + "\n"
        let sentinel = try Sentinel(text, port: port, in: nil)
        var settings = StoreSettings()
        settings.topology = .sentinel
        var named = StoreSettings.Sentinel(name: Sentinels.name)
        named.addresses = [.network(host: "127.0.0.1", port: port, isSecure: true)]
        named.user = "portcullis"
        named.password = secret("word")
        settings.sentinel = named
        return (sentinel, settings)
    }

    private func expectRefused(_ talk: StoreTalk, at place: LinkServer.Place) {
        #expect(talk.turns { talk.losses.contains { $0.place == place } })
        let losses = talk.losses.filter { $0.place == place }.map(\.loss)
        for loss in losses {
            guard case .tlsRefused(let reason) = loss else {
                Issue.record("\(loss)")
                continue
            }
            #expect(reason.contains("name") || reason.contains("address"), "the log says why: \(reason)")
            #expect(loss.found == reason)
        }
        #expect(!talk.connected.contains(place))
    }

    @Test(.holds("SH-05", "SH-03")) func `is found by Sentinels that prove the name of the settings, as it does`()
        throws
    {
        let node = try RedisNode(certificate: files.words("store.internal"))
        var (sentinel, settings) = try sentinel(of: node, "store.internal")
        settings.tls.serverName = "store.internal"
        let talk = try StoreTalk(settings, tls: tls)
        #expect(talk.opens(), "\(talk.losses)")
        #expect(talk.connected == [node.place] && talk.losses.isEmpty)
        #expect(talk.ask("SET", "pc:p:x", "1") == .reply("OK"))
        settings.sentinel?.password = secret("other")
        let wrong = try StoreTalk(settings, tls: tls)
        #expect(wrong.turns { !wrong.losses.isEmpty })
        #expect(wrong.losses.first?.loss == .authenticationRefused(.wrongPassword))
        #expect(wrong.connected.isEmpty && sentinel.process.isRunning)
    }

    @Test(.holds("SH-05")) func `is found where each server proves the address that it has`() throws {
        let node = try RedisNode(certificate: files.words("127.0.0.1"))
        let (sentinel, settings) = try sentinel(of: node, "127.0.0.1")
        let talk = try StoreTalk(settings, tls: tls)
        #expect(talk.opens(), "\(talk.losses)")
        #expect(talk.losses.isEmpty && sentinel.process.isRunning)
    }

    @Test(.refuses("SH-05", "SH-03")) func `is not used where a Sentinel names a server that proves another name`()
        throws
    {
        let node = try RedisNode(certificate: files.words("other.internal"))
        let (sentinel, settings) = try sentinel(of: node, "127.0.0.1")
        let talk = try StoreTalk(settings, tls: tls)
        expectRefused(talk, at: node.place)
        #expect(talk.ask("GET", "pc:p:x") == .down && sentinel.process.isRunning)
        #expect(try node.calls("get") == 0)
    }

    @Test(.refuses("SH-05")) func `is not asked of a Sentinel that proves another name`() throws {
        let node = try RedisNode(certificate: files.words("127.0.0.1"))
        let (sentinel, settings) = try sentinel(of: node, "other.internal")
        let talk = try StoreTalk(settings, tls: tls)
        expectRefused(talk, at: .address(host: "127.0.0.1", port: sentinel.port))
        #expect(talk.connected.isEmpty && talk.links.states.isEmpty)
    }

    @Test(.holds("SH-05", "SH-04"), arguments: [nil, "store.internal"] as [String?])
    func `is a cluster whose nodes prove the name of the settings, or theirs`(name: String?) throws {
        let certificates = try (0..<3).map { _ in try files.words(name ?? "localhost") }
        // Announced by a name of their own, which is what they prove then.
        let cluster = try RedisCluster(
            replicas: 0,
            ["--cluster-announce-hostname", "localhost", "--cluster-preferred-endpoint-type", "hostname"],
            certificates: certificates)
        var settings = cluster.settings
        settings.tls.serverName = name
        settings.addresses = cluster.primaries.map { .network(host: "localhost", port: $0.port, isSecure: true) }
        let talk = try StoreTalk(settings, tls: tls)
        #expect(talk.turns { (0..<HashSlot.count).allSatisfy { talk.links.isUp(slot: $0) } }, "\(talk.losses)")
        #expect(
            Set(talk.links.states.map(\.place))
                == Set(cluster.primaries.map { .address(host: "localhost", port: $0.port) }))
        for number in 0..<60 { #expect(talk.ask("SET", "pc:p:\(number)", "1", "NX") == .reply("OK")) }
    }

    @Test(.refuses("SH-05", "SH-04")) func `is a cluster without the node that proves another name`() throws {
        let names = ["127.0.0.1", "127.0.0.1", "other.internal"]
        let cluster = try RedisCluster(replicas: 0, certificates: try names.map { try files.words($0) })
        let talk = try StoreTalk(cluster.settings, tls: tls)
        #expect(talk.turns { talk.links.isUp(slot: 0) && talk.links.isUp(slot: 10_000) }, "\(talk.losses)")
        expectRefused(talk, at: cluster.primaries[2].place)
        for number in 0..<60 {
            let key = "pc:p:\(number)"
            let isThere = cluster.primary(of: key) !== cluster.primaries[2]
            #expect(talk.ask("SET", key, "1", "NX") == (isThere ? .reply("OK") : .down))
        }
        #expect(try cluster.primaries[2].calls("set") == 0)
    }
}
