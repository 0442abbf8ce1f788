import Access
import Crypto
import Foundation
import Login
import OAuth
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import Gateway

@Suite struct `keys that are others than before` {
    private func settings(session: UInt8 = 1, nonce: UInt8 = 2, certificate: String? = nil) -> GatewaySettings {
        var listener = ListenerSettings(
            address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: "https://shop.example.com",
            authorities: ["shop.example.com"])
        listener.tls = certificate.map { TLSSettings(certificates: [.init(certificateFile: $0, keyFile: $0)]) }
        var settings = GatewaySettings(
            workers: 1, listeners: [listener],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)), issuers: [], routes: [])
        settings.logins = [
            LoginSettings(
                name: "web", client: 0, authorization: AuthorizationRequestSettings(),
                idToken: IDTokenRules(issuer: "https://id.example.com/", clientID: "shop-web"),
                session: SessionSettings(
                    cookieName: "__Host-web", keys: [Secret([UInt8](repeating: session, count: 32))]))
        ]
        settings.proofs.nonceKeys = [Secret([UInt8](repeating: nonce, count: 32))]
        return settings
    }

    @Test(.holds("ECO-57")) func `are named by what they are for, and only they`() throws {
        let before = KeyPrints(settings())
        #expect(KeyPrints(settings()).changes(from: before).isEmpty)
        let session = KeyPrints(settings(session: 9)).changes(from: before)
        #expect(session.map(\.kind) == [.sessionKeys] && session.map(\.name) == ["web"])
        let both = KeyPrints(settings(session: 9, nonce: 9)).changes(from: before)
        #expect(both.map(\.kind) == [.sessionKeys, .nonceKeys])
    }

    @Test(.refuses("ECO-57")) func `are not those of another listener with the same address`() {
        func settings(_ keys: UInt8...) -> GatewaySettings {
            var settings = self.settings()
            settings.listeners = keys.map { key in
                var listener = ListenerSettings(
                    address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: "https://shop.example.com",
                    authorities: ["shop.example.com"])
                listener.tls = TLSSettings(certificates: [])
                listener.tls?.ticketKeys = [Secret([UInt8](repeating: key, count: 32))]
                return listener
            }
            return settings
        }
        #expect(KeyPrints(settings(1, 2)).changes(from: KeyPrints(settings(1, 2))).isEmpty)
        let changes = KeyPrints(settings(1, 3)).changes(from: KeyPrints(settings(1, 2)))
        #expect(changes.map(\.kind) == [.ticketKeys] && changes.map(\.name) == ["https://shop.example.com"])
    }

    @Test(.refuses("ECO-57")) func `are not those that came or went`() {
        var without = settings()
        without.logins = []
        without.proofs.nonceKeys = []
        #expect(KeyPrints(without).changes(from: KeyPrints(settings())).isEmpty)
        #expect(KeyPrints(settings()).changes(from: KeyPrints(without)).isEmpty)
    }

    @Test(.holds("ECO-57")) func `are those of assertions too`() {
        func settings(_ byte: UInt8) -> GatewaySettings {
            var settings = self.settings()
            settings.assertionKeys.keys = [Secret([UInt8](repeating: byte, count: 32))]
            return settings
        }
        let changes = KeyPrints(settings(2)).changes(from: KeyPrints(settings(1)))
        #expect(changes.map(\.kind) == [.assertionKeys])
    }

    @Test(.holds("ECO-57")) func `are certificates too, by what is in their files`() throws {
        let folder = try TemporaryFolder.make(for: "prints")
        defer { TemporaryFolder.remove(folder) }
        let file = folder + "/tls.crt"
        try "one".write(toFile: file, atomically: true, encoding: .utf8)
        let before = KeyPrints(settings(certificate: file))
        try "two".write(toFile: file, atomically: true, encoding: .utf8)
        let changes = KeyPrints(settings(certificate: file)).changes(from: before)
        #expect(changes.map(\.kind) == [.tlsCertificate] && changes.map(\.name) == [file])
        // A file that cannot be read is none of them.
        #expect(KeyPrints(settings(certificate: folder + "/none")).changes(from: before).isEmpty)
    }

    @Test func `of the audit log itself take another start`() {
        var one = AuditSettings()
        one.subjectKey = Secret([UInt8](repeating: 1, count: 32))
        #expect(one.isSame(as: one))
        var other = one
        other.subjectKey = Secret([UInt8](repeating: 2, count: 32))
        #expect(!one.isSame(as: other))
        other = one
        other.subject = .plain
        #expect(!one.isSame(as: other))
        other = one
        other.destination = .standardError
        #expect(!one.isSame(as: other))
    }
}
