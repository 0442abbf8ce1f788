import Foundation
import TestSupport
import TestTraits
import Testing

/// Row ECO-40: what Kubernetes mounts is renewed under a running gateway, and nobody sends it a signal.
@Suite struct `a volume that Kubernetes mounts` {
    /// A gateway whose configuration, certificate and key are in one such volume.
    private final class MountedGateway: Sendable {
        let authority: TestCertificate
        let upstream: RecordingUpstream
        let gateway: GatewayProcess
        /// What the paths of certificate and key begin with.
        private let prefix: String

        /// A plain folder, where it is not mounted, has files that a person may edit.
        ///
        /// `settings` are further keys of the configuration; `secrets` is a volume with certificate and key alone.
        init(settings: String = "", isMounted: Bool = true, secrets: String? = nil) throws {
            authority = try TestCertificate.authority(named: "Authority of the tests")
            upstream = try RecordingUpstream()
            prefix = secrets.map { $0 + "/" } ?? ""
            let first = try authority.issue(names: ["first.test", "gateway.test"])
            let files = ["tls.crt": first.certificate, "tls.key": first.key]
            if let secrets { try KubernetesVolume.put(files, in: secrets) }
            gateway = try GatewayProcess(
                Self.text(route: "first", settings, upstream, prefix), files: files, isMounted: isMounted)
        }

        private static func text(
            route: String, _ settings: String, _ upstream: RecordingUpstream, _ prefix: String
        ) -> String {
            """
            workers: 1
            listeners:
              - address: 127.0.0.1:0
                public_url: https://gateway.test
                tls: { certificate: \(prefix)tls.crt, key: \(prefix)tls.key }
            admin: { address: "127.0.0.1:0" }
            routes: [{ path: /\(route)/, upstream: "\(upstream.url)", public: true }]
            log: { level: debug }
            \(settings)

            """
        }

        /// The configuration with one route of this name.
        func text(route: String, _ settings: String = "") -> String {
            Self.text(route: route, settings, upstream, prefix)
        }

        func identity(_ name: String) throws -> TestCertificate { try authority.issue(names: [name, "gateway.test"]) }

        /// Another version of all files; what is nil is not there.
        func swap(_ text: String, certificate: String?, key: String?) throws {
            var files = ["gateway.yaml": text]
            files["tls.crt"] = certificate
            files["tls.key"] = key
            try KubernetesVolume.put(files, in: gateway.folder)
        }

        func swap(_ text: String, _ identity: TestCertificate) throws {
            try swap(text, certificate: identity.certificate, key: identity.key)
        }

        /// The files that a person edits, one after the other.
        func edit(_ text: String, _ identity: TestCertificate) throws {
            let files = ["gateway.yaml": text, "tls.crt": identity.certificate, "tls.key": identity.key]
            for (name, content) in files.sorted(by: { $0.key < $1.key }) {
                try content.write(toFile: gateway.folder + "/" + name, atomically: false, encoding: .utf8)
            }
        }

        func client() throws -> RawClient {
            try RawClient(
                port: gateway.port,
                tls: TLSClientOptions(serverName: "gateway.test", authority: authority.certificate))
        }

        /// The first name of the certificate that a new connection is shown; it is good to strict clients.
        var shown: String? { (try? client())?.tls?.peerCommonName }

        func status(_ path: String) throws -> Int {
            let client = try client()
            try client.send(request("GET", path))
            return try client.response().status
        }

        func isSuccessful(_ value: Int) -> Bool {
            eventually { gateway.reading("portcullis_config_last_reload_successful") == value }
        }
    }

    @Test(.holds("ECO-40")) func `is served with all that was exchanged at once, text and certificate`() throws {
        let stage = try MountedGateway()
        #expect(try stage.status("/first/a") == 200)
        try stage.swap(stage.text(route: "second"), try stage.identity("second.test"))
        #expect(eventually { stage.shown == "second.test" })
        #expect(try stage.status("/second/a") == 200)
        #expect(try stage.status("/first/a") == 404)
        // And once more, by the text alone: what is watched is the link, not where it led.
        let certificate = try stage.identity("third.test")
        try stage.swap(stage.text(route: "third"), certificate)
        #expect(try eventually { try stage.status("/third/a") == 200 })
        try stage.swap(stage.text(route: "fourth"), certificate)
        #expect(try eventually { try stage.status("/fourth/a") == 200 })
        #expect(stage.gateway.operatorLog.filter { $0["event"] == "reload_refused" }.isEmpty)
        let line = stage.gateway.operatorLine { $0["event"] == "reloading" }
        #expect(line?["reason"] == "file")
    }

    @Test(.refuses("ECO-40")) func `with a broken configuration leaves the old one in force, and says so`() throws {
        let stage = try MountedGateway()
        let second = try stage.identity("second.test")
        try stage.swap("listeners: []\nroutes: [{ path: x }]\n", second)
        let line = stage.gateway.operatorLine { $0["event"] == "reload_refused" }
        #expect(line?["level"] == "error")
        #expect(line?["detail"]?.contains("gateway.yaml:1:") == true)
        #expect(stage.isSuccessful(0))
        #expect(try stage.status("/first/a") == 200)
        // The certificate belongs to the version that was refused: it is not served with the text of the one before.
        #expect(stage.shown == "first.test")
        // Nor is that of a second one.
        try stage.swap("routes: [", try stage.identity("other.test"))
        #expect(eventually { stage.gateway.reading("portcullis_config_reloads_total{result=\"refused\"}") == 2 })
        #expect(stage.gateway.reading("portcullis_config_reloads_total{result=\"applied\"}") == 0)
        #expect(stage.shown == "first.test")
        try stage.swap(stage.text(route: "second"), second)
        #expect(try eventually { try stage.status("/second/a") == 200 })
        #expect(stage.shown == "second.test")
        #expect(stage.isSuccessful(1))
    }

    @Test(.holds("ECO-40")) func `with a broken configuration keeps no certificate of another from being renewed`()
        throws
    {
        let secrets = try TemporaryFolder.make(for: "secrets")
        defer { TemporaryFolder.remove(secrets) }
        let stage = try MountedGateway(secrets: secrets)
        try stage.swap("routes: [", try stage.identity("unused.test"))
        #expect(stage.isSuccessful(0))
        let second = try stage.identity("second.test")
        try KubernetesVolume.put(["tls.crt": second.certificate, "tls.key": second.key], in: secrets)
        #expect(eventually { stage.shown == "second.test" })
        #expect(try stage.status("/first/a") == 200)
        // The file is as broken as before, and the next version of it is taken.
        #expect(stage.isSuccessful(0))
        #expect(try eventually { text(try stage.gateway.admin("/readyz").body).contains("\"state\":\"refused\"") })
        try stage.swap(stage.text(route: "second"), second)
        #expect(try eventually { try stage.status("/second/a") == 200 })
        #expect(stage.isSuccessful(1))
    }

    @Test(.refuses("ECO-40")) func `with half of its files leaves the old ones in force, and says so`() throws {
        let stage = try MountedGateway()
        let second = try stage.identity("second.test")
        let third = try stage.identity("third.test")
        for (certificate, key) in [(second.certificate, nil), (second.certificate, third.key), (nil, third.key)] {
            let refused = stage.gateway.reading("portcullis_config_reloads_total{result=\"refused\"}") ?? 0
            try stage.swap(stage.text(route: "second"), certificate: certificate, key: key)
            #expect(
                eventually {
                    (stage.gateway.reading("portcullis_config_reloads_total{result=\"refused\"}") ?? 0) > refused
                })
            #expect(stage.isSuccessful(0))
            #expect(stage.shown == "first.test")
            #expect(try stage.status("/first/a") == 200)
        }
        try stage.swap(stage.text(route: "third"), third)
        #expect(eventually { stage.shown == "third.test" })
        #expect(try stage.status("/third/a") == 200)
        #expect(stage.isSuccessful(1))
    }

    @Test(.holds("ECO-40")) func `fails no handshake while its certificate is exchanged again and again`() throws {
        let stage = try MountedGateway()
        let isOver = Watched(false)
        let failed = Watched<[String]>([])
        let shaken = Watched(0)
        let threads = (0..<2).map { _ in
            Thread {
                while !isOver.now {
                    do {
                        let name = try stage.client().tls?.peerCommonName
                        if name?.hasSuffix(".test") != true { failed.withLock { $0.append("\(name ?? "none")") } }
                        shaken.withLock { $0 += 1 }
                    } catch {
                        failed.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        for thread in threads { thread.start() }
        // A signal behind each has files read in the midst of the next exchange, as looking at them once a second would
        // once in years.
        for number in 1...40 {
            try stage.swap(stage.text(route: "first"), try stage.identity("n\(number).test"))
            stage.gateway.process.signal(SIGHUP)
            let enough = shaken.now + 4
            #expect(shaken.wait { $0 >= enough })
        }
        #expect(eventually { stage.shown == "n40.test" })
        isOver.withLock { $0 = true }
        #expect(failed.now == [])
        #expect(shaken.now > 160)
        #expect(stage.isSuccessful(1))
    }

    @Test(.refuses("ECO-40"), arguments: [("watch: false", true), ("", false), ("watch: false", false)])
    func `is read at a signal alone where a person edits it, and its certificate is renewed all the same`(
        settings: String, isMounted: Bool
    ) throws {
        let stage = try MountedGateway(settings: settings, isMounted: isMounted)
        // Half of an edit, which loads.
        let text = stage.text(route: "second", settings)
        let second = try stage.identity("second.test")
        if isMounted { try stage.swap(text, second) } else { try stage.edit(text, second) }
        #expect(eventually { stage.shown == "second.test" })
        #expect(try stage.status("/first/a") == 200)
        #expect(try stage.status("/second/a") == 404)
        stage.gateway.process.signal(SIGHUP)
        #expect(try eventually { try stage.status("/second/a") == 200 })
        #expect(try stage.status("/first/a") == 404)
    }

    @Test(.holds("ECO-40")) func `need not be one for its text to be watched where the configuration says so`() throws {
        let stage = try MountedGateway(settings: "watch: true", isMounted: false)
        let first = try stage.identity("first.test")
        try stage.edit(stage.text(route: "second"), first)
        #expect(try eventually { try stage.status("/second/a") == 200 })
        // It says so no more.
        let third = try stage.identity("third.test")
        try stage.edit(stage.text(route: "third"), third)
        #expect(eventually { stage.shown == "third.test" })
        #expect(try stage.status("/second/a") == 200)
    }

    @Test(.holds("ECO-40")) func `of which a file was missing is served as soon as it is there`() throws {
        let stage = try MountedGateway(isMounted: false)
        let folder = stage.gateway.folder
        try stage.text(route: "second").replacingOccurrences("tls.", with: "later.")
            .write(toFile: folder + "/gateway.yaml", atomically: true, encoding: .utf8)
        stage.gateway.process.signal(SIGHUP)
        #expect(stage.isSuccessful(0))
        let later = try stage.identity("later.test")
        try later.certificate.write(toFile: folder + "/later.crt", atomically: true, encoding: .utf8)
        try later.key.write(toFile: folder + "/later.key", atomically: true, encoding: .utf8)
        chmod(folder + "/later.key", 0o600)
        #expect(eventually { stage.shown == "later.test" })
        #expect(try stage.status("/second/a") == 200)
        #expect(stage.isSuccessful(1))
    }
}
