import Foundation
import TestSupport
import TestTraits
import Testing

/// Row OPS-07: a configuration that cannot be read, and files of it that come, go and change.
@Suite struct `reloads that fail` {
    private static let new = StagePlan(routes: ["{ path: /new/, upstream: $UPSTREAM, public: true }"])

    /// SIGHUP, and the number of reloads that were refused is this by then.
    private func expectRefused(_ stage: Stage, times: Int, at location: SourceLocation = #_sourceLocation) throws {
        stage.gateway.process.signal(SIGHUP)
        let series = "portcullis_config_reloads_total{result=\"refused\"}"
        #expect(eventually { stage.gateway.reading(series) == times }, sourceLocation: location)
        let isTold = eventually { stage.gateway.reading("portcullis_config_last_reload_successful") == 0 }
        #expect(isTold, sourceLocation: location)
        #expect(try stage.exchange("GET", "/open/a").status == 200, sourceLocation: location)
    }

    @Test(.refuses("OPS-07"))
    func `a file that is missing, no file, too large or no text is refused, and mended is taken`() throws {
        let stage = try Stage()
        let file = stage.gateway.folder + "/gateway.yaml"
        let files = FileManager.default
        try files.removeItem(atPath: file)
        try expectRefused(stage, times: 1)
        try files.createDirectory(atPath: file, withIntermediateDirectories: false)
        try expectRefused(stage, times: 2)
        try files.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        try expectRefused(stage, times: 3)
        try files.removeItem(atPath: file)
        var times = 3
        let comments = String(repeating: "# two megabytes of it\n", count: 100_000)
        for content in ["", comments, "routes: [", String(repeating: "[", count: 2000), "\u{0}\u{1}\u{2}"] {
            try stage.rewrite(content)
            times += 1
            try expectRefused(stage, times: times)
        }
        try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 211) }).write(to: URL(filePath: file))
        try expectRefused(stage, times: times + 1)
        try stage.rewrite(Self.new)
        try stage.reload()
        #expect(try stage.exchange("GET", "/new/a").status == 200)
        #expect(eventually { stage.gateway.reading("portcullis_config_last_reload_successful") == 1 })
    }

    /// The superuser may read everything.
    @Test(.refuses("OPS-07"), .enabled(if: geteuid() != 0))
    func `a file that may not be read any more is refused`() throws {
        let stage = try Stage()
        chmod(stage.gateway.folder + "/gateway.yaml", 0)
        try expectRefused(stage, times: 1)
        chmod(stage.gateway.folder + "/gateway.yaml", 0o600)
        try stage.reload()
    }

    @Test(.holds("OPS-07")) func `ten signals in a burst end with what the file says last`() throws {
        let stage = try Stage(StagePlan(workers: 2))
        for number in 0..<10 {
            // Every other one is broken: none of them may be what is served in the end.
            if number % 2 == 0 { try stage.rewrite("routes: [") } else { try stage.rewrite(Self.new) }
            stage.gateway.process.signal(SIGHUP)
        }
        try stage.rewrite(
            StagePlan(routes: Stage.ordinaryRoutes + ["{ path: /last/, upstream: $UPSTREAM, public: true }"]))
        for _ in 0..<10 { stage.gateway.process.signal(SIGHUP) }
        #expect(try eventually { try stage.exchange("GET", "/last/a").status == 200 })
        #expect(eventually { stage.gateway.reading("portcullis_config_last_reload_successful") == 1 })
        for _ in 0..<20 { #expect(try stage.exchange("GET", "/open/a").status == 200) }
        #expect(try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()]).status == 200)
        #expect(try stage.exchange("GET", "/new/a").status == 404)
    }

    @Test(.refuses("OPS-07", "OPS-08")) func `SIGTERM during a reload ends it`() throws {
        let stage = try Stage(StagePlan(routes: [Self.secretRoute], files: ["orders.secret": "first"]))
        let gate = Gate()
        let slow = try ScriptedIssuer(keys: stage.issuer.keys)
        slow.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .close))
        try stage.rewrite(Self.with(slow))
        stage.gateway.process.signal(SIGHUP)
        #expect(slow.server.waits { !$0.requests.isEmpty })
        stage.gateway.terminate()
        #expect(stage.gateway.process.waitForEnd(within: .seconds(25)) == .exited(0))
        gate.open()
    }

    /// The route with the secret, and one issuer more.
    private static func with(_ issuer: ScriptedIssuer) -> StagePlan {
        var plan = StagePlan(routes: [secretRoute])
        plan.issuers = "  slow: { url: \"\(issuer.url)\", insecure_allow_http: true, discovery: openid }"
        return plan
    }

    private static let secretRoute = """
        { path: /orders/, upstream: $UPSTREAM, token: { issuers: [main], audience: "\(TokenForge.audience)" }, \
        upstream_credential: { static: { file: $FOLDER/orders.secret, scheme: Bearer } } }
        """

    /// What the upstream is sent as credential now.
    private func credential(_ stage: Stage) throws -> String? {
        stage.upstream.forget()
        let response = try stage.exchange("GET", "/orders/a", fields: [stage.tokens.bearer()])
        #expect(response.status == 200, "\(response.headText)")
        return stage.upstream.requests.first?.fields.only("authorization")
    }

    @Test(.holds("OPS-07")) func `a secret that is renewed is used without being told`() throws {
        let stage = try Stage(StagePlan(routes: [Self.secretRoute], files: ["orders.secret": "first"]))
        #expect(try credential(stage) == "Bearer first")
        try Replacement.put("second", at: stage.gateway.folder + "/orders.secret")
        #expect(try eventually { try credential(stage) == "Bearer second" })
        #expect(stage.gateway.operatorLine { $0["event"] == "reloading" && $0["reason"] == "file" } != nil)
    }

    @Test(.holds("OPS-07")) func `a secret that is renewed while a reload waits for keys is not overlooked`() throws {
        let stage = try Stage(StagePlan(routes: [Self.secretRoute], files: ["orders.secret": "first"]))
        let gate = Gate()
        let slow = try ScriptedIssuer(keys: stage.issuer.keys)
        slow.answer(ScriptedIssuer.openIDPath, with: WireScript(.wait(gate), .close))
        try stage.rewrite(Self.with(slow))
        stage.gateway.process.signal(SIGHUP)
        // It has read all of the files by now, and waits for the new issuer.
        #expect(slow.server.waits { !$0.requests.isEmpty })
        try Replacement.put("second", at: stage.gateway.folder + "/orders.secret")
        gate.open()
        #expect(try eventually { try credential(stage) == "Bearer second" })
    }
}

/// Row OPS-07: certificates that are renewed while the gateway runs, in every way in which that is done.
@Suite struct `certificates that are renewed` {
    /// A gateway whose certificate is in a folder of the test's own.
    private final class CertifiedGateway: Sendable {
        let authority: TestCertificate
        let folder: String
        let upstream: RecordingUpstream
        let gateway: GatewayProcess

        /// `prepare` puts `tls.crt` and `tls.key` into the folder; the first name is what is seen of a certificate.
        init(_ prepare: (_ folder: String, TestCertificate) throws -> Void) throws {
            authority = try TestCertificate.authority(named: "Authority of the tests")
            folder = try TemporaryFolder.make(for: "certificates")
            upstream = try RecordingUpstream()
            try prepare(folder, try authority.issue(names: ["first.test", "gateway.test"]))
            gateway = try GatewayProcess(
                """
                workers: 1
                listeners:
                  - address: 127.0.0.1:0
                    public_url: https://gateway.test
                    tls: { certificate: "\(folder)/tls.crt", key: "\(folder)/tls.key" }
                admin: { address: "127.0.0.1:0" }
                routes:
                  - { path: /open/, upstream: "\(upstream.url)", public: true }
                log: { level: debug }

                """)
        }

        deinit { TemporaryFolder.remove(folder) }

        func client() throws -> RawClient {
            try RawClient(
                port: gateway.port,
                tls: TLSClientOptions(serverName: "gateway.test", authority: authority.certificate))
        }

        /// The first name of the certificate that a new connection is shown; it is good to strict clients.
        var shown: String? { (try? client())?.tls?.peerCommonName }

        func another(_ name: String) throws -> TestCertificate { try authority.issue(names: [name, "gateway.test"]) }
    }

    private static func plain(_ folder: String, _ identity: TestCertificate) throws {
        try Replacement.put(identity.certificate, at: folder + "/tls.crt")
        try Replacement.put(identity.key, at: folder + "/tls.key")
    }

    @Test(.holds("OPS-07")) func `both files renamed into place are shown soon, and open connections go on`() throws {
        let stage = try CertifiedGateway(Self.plain)
        let before = try stage.client()
        #expect(before.tls?.peerCommonName == "first.test")
        try Self.plain(stage.folder, try stage.another("second.test"))
        #expect(eventually { stage.shown == "second.test" })
        try before.send(request("GET", "/open/a"))
        #expect(try before.response().status == 200)
        #expect(eventually { stage.gateway.reading("portcullis_config_last_reload_successful") == 1 })
    }

    @Test(.holds("OPS-07")) func `a folder that is exchanged by a link, as Kubernetes does it, is shown soon`() throws {
        // tls.crt → ..data/tls.crt, ..data → ..1; another folder is filled, and the link renamed to it.
        let files = FileManager.default
        func fill(_ folder: String, _ version: String, _ identity: TestCertificate) throws {
            try files.createDirectory(atPath: folder + "/" + version, withIntermediateDirectories: false)
            try Self.plain(folder + "/" + version, identity)
            try files.createSymbolicLink(atPath: folder + "/..new", withDestinationPath: version)
            #expect(rename(folder + "/..new", folder + "/..data") == 0)
        }
        let stage = try CertifiedGateway { folder, identity in
            try fill(folder, "..1", identity)
            for name in ["tls.crt", "tls.key"] {
                try files.createSymbolicLink(atPath: folder + "/" + name, withDestinationPath: "..data/" + name)
            }
        }
        #expect(stage.shown == "first.test")
        try fill(stage.folder, "..2", try stage.another("second.test"))
        try files.removeItem(atPath: stage.folder + "/..1")
        #expect(eventually { stage.shown == "second.test" })
        // And once more: what is watched is the link, not where it led.
        try fill(stage.folder, "..3", try stage.another("third.test"))
        #expect(eventually { stage.shown == "third.test" })
    }

    @Test(.refuses("OPS-07")) func `a certificate whose key comes later is refused in between, and shown with it`()
        throws
    {
        let stage = try CertifiedGateway(Self.plain)
        let second = try stage.another("second.test")
        try Replacement.put(second.certificate, at: stage.folder + "/tls.crt")
        #expect(stage.gateway.operatorLine { $0["event"] == "reload_refused" } != nil)
        #expect(stage.shown == "first.test")
        #expect(eventually { stage.gateway.reading("portcullis_config_last_reload_successful") == 0 })
        try Replacement.put(second.key, at: stage.folder + "/tls.key")
        #expect(eventually { stage.shown == "second.test" })
        #expect(eventually { stage.gateway.reading("portcullis_config_last_reload_successful") == 1 })
    }

    @Test(.holds("OPS-07")) func `a certificate that is gone stays in use until there is another`() throws {
        let stage = try CertifiedGateway(Self.plain)
        try FileManager.default.removeItem(atPath: stage.folder + "/tls.crt")
        stage.gateway.process.signal(SIGHUP)
        #expect(stage.gateway.operatorLine { $0["event"] == "reload_refused" } != nil)
        #expect(stage.shown == "first.test")
        let client = try stage.client()
        try client.send(request("GET", "/open/a"))
        #expect(try client.response().status == 200)
        try Self.plain(stage.folder, try stage.another("second.test"))
        #expect(eventually { stage.shown == "second.test" })
    }

    @Test(.holds("OPS-07")) func `a certificate that is written in pieces is not read in the middle`() throws {
        let stage = try CertifiedGateway(Self.plain)
        let second = try stage.another("second.test")
        // As an editor or `cp` does it: emptied, then written bit by bit, into the file that is there.
        for (name, content) in [("tls.crt", second.certificate), ("tls.key", second.key)] {
            let file = try #require(FileHandle(forWritingAtPath: stage.folder + "/" + name))
            try file.truncate(atOffset: 0)
            let bytes = Array(content.utf8)
            for start in stride(from: 0, to: bytes.count, by: 100) {
                // Seen before each piece: behind the last one both files are whole, and may be shown at once.
                #expect(stage.shown == "first.test")
                try file.write(contentsOf: Data(bytes[start..<min(start + 100, bytes.count)]))
            }
            try file.close()
        }
        #expect(eventually { stage.shown == "second.test" })
        #expect(eventually { stage.gateway.reading("portcullis_config_last_reload_successful") == 1 })
    }
}

/// Files that take the place of others in one step.
enum Replacement {
    /// Writes the text beside the path, readable for its owner alone, and renames it there.
    static func put(_ content: String, at path: String) throws {
        let beside = path + ".new"
        try content.write(toFile: beside, atomically: false, encoding: .utf8)
        guard chmod(beside, 0o600) == 0, rename(beside, path) == 0 else { throw WireFailure.system("rename", errno) }
    }
}
