import Crypto
import Foundation
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState
@testable import SharedStateTests

/// `portcullis sessions`, at a real store with the user of the article, and without any gateway.
@Suite(.serialized) struct `portcullis sessions` {
    private let folder: String
    private let server: RedisServer
    private let store: SharedSessionStore
    private let configuration: String

    init() throws {
        folder = try TemporaryFolder.make(for: "sessions")
        configuration = folder + "/portcullis.yaml"
        server = try RedisServer()
        var settings = StoreSettings()
        settings.keys = [Sample.key()]
        store = SharedSessionStore(
            try SharedStore(settings, asking: try RedisAsking(server)), settings: Replica.settings(),
            for: SharedSessionClient(name: "shop"), executor: OwnThreads.shared)
        try keep(Sample.key().reveal(), in: "store.key")
        try keep(Sample.key(200).reveal(), in: "session.key")
        try keep(Array("correct".utf8), in: "password")
        try configure(server.path)
    }

    /// A secret that its owner alone reads.
    private func keep(_ secret: [UInt8], in file: String) throws {
        let path = folder + "/" + file
        try Data(secret).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func configure(_ socket: String) throws {
        try """
        listeners: [{ address: 127.0.0.1:8443, public_url: https://shop.example.com }]
        issuers: { main: { url: "\(Sample.issuer)" } }
        routes: [{ path: /, upstream: http://127.0.0.1:3000, login: shop }]
        clients:
          shop:
            issuer: main
            id: shop-web
            authentication: { method: client_secret_basic, secret: { file: password } }
            session: { store: shared, keys: [{ file: session.key }] }
        store:
          url: unix:\(socket)
          user: portcullis
          password: { file: password }
          keys: [{ file: store.key }]
          timeouts: { connect: 100ms }
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    private func run(_ words: String...) throws -> (end: ProcessEnd?, output: [String], errors: [String]) {
        let child = try ChildProcess(GatewayProcess.binary, ["sessions"] + words)
        let end = child.waitForEnd()
        return (end, child.output.now, child.errors.now)
    }

    private func create(_ subject: String) async throws -> [UInt8] {
        try await store.create(Sample.session(subject: subject), now: Sample.now, onLeaving: { _ in })
    }

    @Test(.holds("SH-29"), .refuses("SH-29")) func `lists what a user has, ends one, and then the others`() async throws
    {
        defer { TemporaryFolder.remove(folder) }
        for _ in 0..<3 { _ = try await create("alice") }
        _ = try await create("bob")
        let listed = try run("list", configuration, "--issuer", "main", "--subject", "alice")
        #expect(listed.end == .exited(0), "\(listed.errors)")
        try #require(listed.output.count == 4)
        #expect(listed.output[0].hasPrefix("NAME "))
        let names = listed.output.dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(
            names.allSatisfy { $0.utf8.count == 22 } && listed.output.dropFirst().allSatisfy { $0.contains("shop") })
        let one = try run("end", configuration, "--id", names[1])
        #expect(one.end == .exited(0) && one.output == ["ended 1"], "\(one.errors)")
        let rest = try run("end", configuration, "--issuer", Sample.issuer, "--subject", "alice")
        #expect(rest.output == ["ended 2"], "\(rest.errors)")
        #expect(try run("list", configuration, "--subject", "alice").output == ["no session"])
        #expect(try run("list", configuration, "--subject", "bob").output.count == 2)
        #expect(try run("end", configuration, "--sid", "s-1").output == ["ended 1"])
    }

    @Test func `says what is missing, and what the store says`() throws {
        defer { TemporaryFolder.remove(folder) }
        for (words, found) in [
            (["list", configuration], "--subject or --sid"),
            (["list", configuration, "--subject", "a", "--sid", "b"], "--subject or --sid"),
            (["end", configuration], "--subject, --sid or --id"),
            (["end", configuration, "--id", "x"], "22 characters"),
            (["end", configuration, "--id", "-x"], "22 characters"),
            (["list", configuration, "--subject", "a", "--issuer", "other"], "--issuer: main"),
            (["list", configuration, "--subject", "a", "--client", "other"], "--client: shop"),
        ] {
            let child = try ChildProcess(GatewayProcess.binary, ["sessions"] + words)
            #expect(child.waitForEnd() == .exited(2), "\(words)")
            #expect(child.errors.now.first?.contains(found) == true, "\(child.errors.now)")
        }
        try keep(Array("wrong".utf8), in: "password")
        let refused = try run("list", configuration, "--subject", "alice")
        #expect(refused.end == .exited(1))
        #expect(refused.errors.first?.contains("user or password refused") == true, "\(refused.errors)")
        #expect(!refused.errors.joined().contains("wrong\n"))
        try configure(folder + "/nobody.sock")
        let down = try run("end", configuration, "--subject", "alice")
        #expect(down.end == .exited(1), "nothing was ended, and that is not said")
        #expect(down.output.isEmpty)
    }
}
