import TestTraits
import Testing

@testable import Access

@Suite struct `an upstream's settings` {
    @Test(
        .holds("DPOP-45"),
        arguments: [
            ("app.example", 80, false, "http://app.example"), ("app.example", 443, true, "https://app.example"),
            ("app.example", 443, false, "http://app.example:443"), ("app.example", 80, true, "https://app.example:80"),
            ("::1", 8080, false, "http://[::1]:8080"), ("::1", 443, true, "https://[::1]"),
            ("127.0.0.1", 1, false, "http://127.0.0.1:1"),
        ] as [(String, UInt16, Bool, String)])
    func `have the base that a URL of it begins with`(host: String, port: UInt16, tls: Bool, base: String) {
        #expect(UpstreamSettings(host: host, port: port, tls: tls).base == base)
    }

    @Test func `of a Unix socket have a base without the path`() {
        let settings = UpstreamSettings(servers: [.unixSocket(path: "/run/app.sock")], tls: true)
        #expect(settings.base == "https://localhost")
        #expect(settings.host == "localhost")
        #expect(settings.name == "unix:/run/app.sock")
    }

    @Test func `name every server, and take the host of the first`() {
        let settings = UpstreamSettings(servers: [
            .address(host: "one", port: 1), .address(host: "::2", port: 2), .unixSocket(path: "/three"),
        ])
        #expect(settings.name == "one:1,[::2]:2,unix:/three")
        #expect(settings.host == "one")
    }

    @Test func `without a server still have words`() {
        let settings = UpstreamSettings(servers: [])
        #expect(settings.name.isEmpty && settings.host.isEmpty)
        #expect(settings.base == "http://localhost")
    }

    @Test(.refuses("HTTP-75")) func `verify what they connect to by TLS 1.2 at least`() {
        let settings = UpstreamSettings(host: "app.example", port: 443, tls: true)
        #expect(settings.minimumVersion == .tls12)
        #expect(settings.certificateAuthorityFile == nil && settings.serverName == nil)
        #expect(settings.clientCertificate == nil)
    }
}
