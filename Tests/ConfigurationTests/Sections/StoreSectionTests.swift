import Access
import Crypto
import SharedState
import TestTraits
import Testing

@testable import Configuration

/// What becomes of the settings of a store; as a whole a configuration with them is refused by this version.
@Suite struct `the settings of a store` {
    private func settings(of text: String) throws -> StoreSettings {
        let problems = ProblemList()
        let node = try YAMLReader.read(Array(text.utf8))
        let place = Place(position: node.position, path: "store")
        let checked = ShapeCheck(problems: problems).check(node, .object(StoreSection.shape), at: place, for: nil)
        let translation = Translation(problems: problems, sources: .scripted(), folder: ".")
        let settings = StoreSection.translate(checked?.object, translation)
        #expect(problems.inOrder.filter { $0.severity == .error }.map(\.found) == [])
        return try #require(settings)
    }

    @Test func `are the reference's where nothing is said but where it is`() throws {
        let settings = try settings(of: "url: unix:/run/redis.sock")
        #expect(settings.addresses == [.unixSocket(path: "/run/redis.sock")])
        #expect(settings.topology == .standalone && settings.database == 0 && settings.sentinel == nil)
        #expect(settings.user == nil && settings.password == nil && settings.keys.isEmpty && settings.prefix == "pc")
        #expect(settings.shares == [.sessions, .proofs, .logins, .limits])
        #expect(settings.durability == .primary && settings.proofsWhenDown == .refuse)
        #expect(settings.afterFailover == .accept)
        #expect(settings.recheck == .seconds(10) && settings.readiness == .lenient && settings.format == 2)
        #expect(settings.timeouts.connect == .seconds(1) && settings.timeouts.command == .milliseconds(250))
        #expect(settings.limits.inFlight == 4096 && settings.limits.bytes == 4 << 20)
        #expect(settings.limits.connections == .perWorker && !settings.insecureAllowPlain)
        #expect(settings.tls.minimumVersion == .tls12 && settings.tls.serverName == nil)
    }

    @Test(.holds("SH-59"), .refuses("SH-59"))
    func `say where proofs are remembered, and what counts without the store`()
        throws
    {
        func sharing(_ lines: String) throws -> ProofSettings.Sharing {
            ProofSettings.Sharing(try settings(of: "url: unix:/run/redis.sock\n" + lines))
        }
        #expect(try sharing("") == .required)
        #expect(try sharing("when_down: { proofs: refuse }") == .required)
        #expect(try sharing("when_down: { proofs: local }") == .whileReachable)
        #expect(try sharing("shares: [sessions, logins]\nwhen_down: { proofs: local }") == .none)
        #expect(ProofSettings.Sharing(nil) == .none)
    }

    @Test(.holds("SH-02", "SH-08", "SH-09")) func `are what is said`() throws {
        let settings = try settings(
            of: """
                url: rediss://Store.internal/7
                topology: sentinel
                sentinel:
                  name: main
                  url: ["rediss://one.internal", "rediss://two.internal:27000"]
                  user: watcher
                  password: { file: other.secret }
                user: shop
                password: { file: basic.secret }
                tls:
                  certificate_authority: ca.pem
                  server_name: redis.internal
                  client_certificate: tls.crt
                  client_key: { file: tls.key }
                  minimum_version: "1.3"
                keys: [{ file: raw.session }, { file: hex.session }]
                prefix: shop-1
                shares: [proofs]
                durability: replica
                after_failover: refuse
                when_down: { proofs: local }
                recheck: 0s
                timeouts: { connect: 2s, command: 100ms }
                limits: { in_flight: 100, bytes: 1MiB, connections: per_process }
                readiness: strict
                format: 1
                """)
        #expect(settings.addresses == [.network(host: "store.internal", port: 6379, isSecure: true)])
        #expect(settings.database == 7 && settings.topology == .sentinel)
        let sentinel = try #require(settings.sentinel)
        #expect(sentinel.name == "main" && sentinel.user == "watcher")
        #expect(
            sentinel.addresses == [
                .network(host: "one.internal", port: 26_379, isSecure: true),
                .network(host: "two.internal", port: 27_000, isSecure: true),
            ])
        #expect(sentinel.password?.count == 40)
        #expect(settings.user == "shop" && settings.password?.reveal() == Array("user:pass?>".utf8))
        #expect(settings.tls.serverName == "redis.internal" && settings.tls.minimumVersion == .tls13)
        #expect(settings.tls.certificateAuthorityFile == "ca.pem")
        #expect(settings.tls.clientCertificateFile == "tls.crt" && settings.tls.clientKeyFile == "tls.key")
        #expect(settings.keys.map { $0.count } == [32, 32] && settings.keys[0].reveal() == Array(0..<32))
        #expect(settings.prefix == "shop-1" && settings.shares == [.proofs])
        #expect(settings.durability == .replica && settings.proofsWhenDown == .local)
        #expect(settings.afterFailover == .refuse)
        #expect(settings.recheck == .zero && settings.readiness == .strict)
        #expect(settings.timeouts.connect == .seconds(2) && settings.timeouts.command == .milliseconds(100))
        #expect(settings.limits.inFlight == 100 && settings.limits.bytes == 1 << 20)
        #expect(settings.limits.connections == .perProcess)
    }

    @Test(.refuses("SH-02")) func `print no secret`() throws {
        let settings = try settings(
            of: "{ url: unix:/run/redis.sock, password: { file: basic.secret }, keys: [{ file: raw.session }] }")
        #expect(!"\(settings)".contains("user:pass") && "\(settings)".contains("[secret]"))
    }

    @Test func `of a session may name the store, and the one that sessions come from`() throws {
        for (text, store, accepts) in [
            ("store: shared, accept: [cookie]", "shared", ["cookie"]),
            ("store: cookie, accept: [shared]", "cookie", ["shared"]),
        ] {
            let node = try YAMLReader.read(Array("{ \(text) }".utf8))
            let problems = ProblemList()
            let checked = ShapeCheck(problems: problems).check(
                node, .object(SessionSection.shape), at: Place(position: node.position, path: "session"), for: nil)
            #expect(checked?.object?.text("store")?.text == store)
            #expect(checked?.object?.texts("accept").map(\.text) == accepts)
            #expect(!problems.hasErrors)
        }
    }
}
