import Crypto
import RESP
import SharedState
import StoreLink
import TestTraits
import Testing
import Transport

@testable import StoreClient

/// What settings say of the servers.
@Suite struct `the servers of a store` {
    @Test(
        .refuses("SH-06"),
        arguments: [
            "10.0.0.1", "store.internal", "127.evil.example", "127.0.0.1.example", "localhost.example", "::2",
            "127.", "2130706433",
        ])
    func `are not spoken to in the clear across a network that nobody allowed`(host: String) {
        var settings = StoreSettings()
        let place = LinkServer.Place.address(host: host, port: 6379)
        #expect(StoreServers(settings, tls: nil).server(at: place) == nil)
        settings.insecureAllowPlain = true
        #expect(StoreServers(settings, tls: nil).server(at: place)?.tls == nil)
        #expect(StoreServers(settings, tls: nil).server(at: place)?.place == place)
    }

    @Test(.holds("SH-06"), arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    func `are on this machine, or behind a Unix socket`(host: String) {
        let servers = StoreServers(StoreSettings(), tls: nil)
        #expect(servers.server(at: .address(host: host, port: 1)) != nil)
        #expect(servers.server(at: .unixSocket(path: "/s")) != nil)
    }

    @Test(.holds("SH-07"), arguments: [(10, 1_000_000), (250, 1_000_000), (1000, 1_000_000), (5000, 5_000_000)])
    func `are not silent while a command may take as long`(milliseconds: Int, silence: UInt64) {
        let settings = StoreSettings().with { $0.timeouts.command = .milliseconds(milliseconds) }
        #expect(StoreServers(settings, tls: nil).limits.silence == silence)
    }

    @Test(.holds("SH-05")) func `prove the name of the settings wherever they are, or their own`() throws {
        let tls = try ClientTLS(certificateAuthorityFile: nil, identity: nil)
        var settings = StoreSettings()
        let place = LinkServer.Place.address(host: "10.0.0.1", port: 6379)
        #expect(StoreServers(settings, tls: tls).server(at: place)?.serverName == "10.0.0.1")
        settings.tls.serverName = "store.internal"
        let server = StoreServers(settings, tls: tls).server(at: place)
        #expect(server?.serverName == "store.internal" && server?.tls != nil)
    }

    @Test(.refuses("SH-52")) func `are told who asks, and nobody else is`() {
        var settings = StoreSettings()
        settings.user = "portcullis"
        settings.password = Secret(Array("hunter2".utf8))
        let servers = StoreServers(settings, tls: nil)
        var shown = ""
        dump(servers, to: &shown)
        #expect(!shown.contains("hunter2") && !"\(servers)".contains("hunter2"))
    }

    @Test func `are given the times and bounds of the settings`() {
        var settings = StoreSettings()
        settings.timeouts.command = .milliseconds(40)
        settings.timeouts.connect = .seconds(3)
        settings.limits.inFlight = 7
        settings.limits.bytes = 1 << 20
        let servers = StoreServers(settings, tls: nil)
        #expect(servers.limits.command == 40_000 && servers.limits.connect == 3_000_000)
        #expect(servers.limits.commands == 7 && servers.limits.waitingBytes == 1 << 20)
        #expect(servers.scripts.count == StoreScripts.loading.count)
        var bytes: [UInt8] = []
        servers.replicationQuestion.write(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "*3\r\n$4\r\nWAIT\r\n$1\r\n1\r\n$2\r\n40\r\n")
    }
}
