import Foundation
import TestSupport
import TestTraits
import Testing

/// Row ECO-67 over real sockets: the name of the handshake, Host and the listener's rules for certificates.
@Suite(.serialized) struct `hosts of two listeners` {
    /// One that asks nobody for a certificate, and one that asks everybody, with one certificate for all names.
    private final class HostStage: Sendable {
        let authority: TestCertificate
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        init() throws {
            authority = try TestCertificate.authority(named: "Authority of the tests")
            upstream = try RecordingUpstream()
            let all = try authority.issue(names: ["a.test", "b.test", "w.test", "own.test", "mutual.test"])
            let tls = "certificate: $FOLDER/all.crt, key: $FOLDER/all.key"
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  - { address: "127.0.0.1:0", name: open, http2: true, public_url: "https://own.test", tls: { \(tls) } }
                  - { address: "127.0.0.1:0", name: mutual, http2: true, public_url: "https://mutual.test", tls: { \(tls), client_certificates: required } }
                admin: { address: "127.0.0.1:0" }
                hosts: [{ host: a.test, listeners: [open] }, { host: b.test, listeners: [mutual] }, { host: "*.test" }]
                routes:
                  - { host: a.test, path: /, upstream: "\(upstream.url)", public: true }
                  - { host: b.test, path: /, upstream: "\(upstream.url)", public: true }
                  - { host: "*.test", path: /, upstream: "\(upstream.url)", public: true }
                  - { path: /, upstream: "\(upstream.url)", public: true, name: rest }
                log: { level: debug }
                """,
                files: ["all.crt": all.certificate, "all.key": all.key], listeners: 2)
        }
    }

    private static let shared = Shared { try HostStage() }
    private let stage: HostStage

    init() throws {
        stage = try Self.shared.get()
        stage.upstream.forget()
    }

    private func status(_ host: String, under name: String?, speaking version: WireProtocol) throws -> Int {
        var options = TLSClientOptions(serverName: name)
        options.authority = stage.authority.certificate
        let client = try RawClient(port: stage.gateway.ports[0], tls: options, speaking: version)
        defer { client.close() }
        try client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try client.response().status
    }

    @Test(.holds("ECO-67"), .refuses("ECO-67"))
    func `are answered where they are served, and 421 elsewhere, whatever the certificate covers`() throws {
        // By HTTP/2 one connection is for all names of the certificate: what another listener serves is not among them.
        for (host, status) in [
            ("a.test", 200), ("w.test", 200), ("own.test", 200), ("b.test", 421), ("mutual.test", 421),
        ] {
            #expect(try self.status(host, under: "a.test", speaking: .http2) == status, "\(host)")
            #expect(try self.status(host, under: host, speaking: .http1) == status, "\(host)")
            #expect(try self.status(host, under: nil, speaking: .http1) == status, "\(host)")
        }
        // By HTTP/1.1 a connection is for one name.
        #expect(try status("w.test", under: "a.test", speaking: .http1) == 421)
        #expect(stage.upstream.requests.count == 9)
    }
}

@Suite struct `hosts whose certificates are in a folder` {
    @Test(.holds("ECO-66")) func `show each its own, by the name of the handshake`() throws {
        let authority = try TestCertificate.authority(named: "Authority of the tests")
        let upstream = try RecordingUpstream()
        var files: [String: String] = [:]
        for name in ["own", "a", "b"] {
            let issued = try authority.issue(names: ["\(name).test"])
            files[name + ".crt"] = issued.certificate
            files[name + ".key"] = issued.key
        }
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners: [{ address: "127.0.0.1:0", public_url: "https://own.test", tls: { certificate_folder: $FOLDER } }]
            admin: { address: "127.0.0.1:0" }
            hosts: [{ host: a.test }, { host: b.test }]
            routes:
              - { host: a.test, path: /, upstream: "\(upstream.url)", public: true }
              - { host: b.test, path: /, upstream: "\(upstream.url)", public: true }
              - { path: /, upstream: "\(upstream.url)", public: true }
            """,
            files: files)
        for name in ["a.test", "b.test", "own.test"] {
            let options = TLSClientOptions(serverName: name, authority: authority.certificate)
            let client = try RawClient(port: gateway.port, tls: options)
            #expect(client.tls?.peerCommonName == name)
            try client.send("GET / HTTP/1.1\r\nHost: \(name)\r\n\r\n")
            #expect(try client.response().status == 200, "\(name)")
        }
    }

    @Test(.holds("OPS-07", "ECO-66"), .refuses("OPS-07")) func `come and go with their files`() throws {
        let authority = try TestCertificate.authority(named: "Authority of the tests")
        let upstream = try RecordingUpstream()
        let folder = try TemporaryFolder.make(for: "hosts")
        defer { TemporaryFolder.remove(folder) }
        func put(_ name: String) throws {
            let issued = try authority.issue(names: ["\(name).test"])
            try Replacement.put(issued.certificate, at: "\(folder)/\(name).crt")
            try Replacement.put(issued.key, at: "\(folder)/\(name).key")
        }
        try put("own")
        let gateway = try GatewayProcess(
            """
            workers: 1
            listeners:
              - { address: "127.0.0.1:0", public_url: "https://own.test", tls: { certificate_folder: \(folder) } }
            admin: { address: "127.0.0.1:0" }
            hosts: [{ host: "*.test" }]
            routes:
              - { host: "*.test", path: /, upstream: "\(upstream.url)", public: true }
              - { path: /, upstream: "\(upstream.url)", public: true }
            log: { level: debug }

            """)
        func client(_ name: String) throws -> RawClient {
            try RawClient(port: gateway.port, tls: TLSClientOptions(serverName: "\(name).test"))
        }
        func shown(_ name: String) -> String? { (try? client(name))?.tls?.peerCommonName }
        #expect(shown("zebra") == "own.test", "the first answers where none fits")
        try put("zebra")
        #expect(eventually { shown("zebra") == "zebra.test" })
        #expect(shown("own") == "own.test")
        let open = try client("zebra")
        try FileManager.default.removeItem(atPath: folder + "/zebra.crt")
        try FileManager.default.removeItem(atPath: folder + "/zebra.key")
        #expect(eventually { shown("zebra") == "own.test" })
        #expect(shown("own") == "own.test")
        // Whoever was let in under it goes on.
        try open.send("GET / HTTP/1.1\r\nHost: zebra.test\r\n\r\n")
        #expect(try open.response().status == 200)
        #expect(eventually { gateway.reading("portcullis_config_last_reload_successful") == 1 })
    }
}
