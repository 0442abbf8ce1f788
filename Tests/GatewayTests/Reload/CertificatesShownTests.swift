import Access
import Crypto
import Foundation
import Issuers
import OAuth
import Telemetry
import TestSupport
import TestTraits
import Testing

@testable import Gateway

/// Row ECO-56: until when what the gateway shows is good.
@Suite struct `certificates that are shown` {
    private let folder: String

    init() throws { folder = try TemporaryFolder.make(for: "certificates-shown") }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder + "/" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func settings(listener: [String], upstream: [String], client: [String]) throws -> GatewaySettings {
        var listenerSettings = ListenerSettings(
            address: SocketAddressSettings(host: "127.0.0.1", port: 0), publicURL: "https://shop.test",
            authorities: ["shop.test"])
        let certificates = listener.map { CertificateFiles(certificateFile: $0, keyFile: "unread") }
        listenerSettings.tls = TLSSettings(certificates: certificates)
        let routes = upstream.enumerated().map { index, file in
            var settings = UpstreamSettings(host: "127.0.0.1", port: 1, tls: true)
            settings.clientCertificate = CertificateFiles(certificateFile: file, keyFile: "unread")
            return RouteSettings(
                name: "r\(index)", path: "/\(index)", upstream: settings,
                access: .token(TokenSettings(issuers: ["main"], audiences: ["x"])), identity: [])
        }
        var settings = GatewaySettings(
            workers: 1, listeners: [listenerSettings, listenerSettings],
            admin: AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 0)), issuers: [],
            routes: routes)
        settings.clients = try client.enumerated().map { index, file in
            let method: ClientCredentials.Method =
                index == 0
                ? .tls(certificateFile: file, keyFile: "unread")
                : .selfSignedTLS(certificateFile: file, keyFile: "unread")
            return ClientSettings(
                name: "c\(index)", issuer: 0, credentials: try ClientCredentials(clientID: "c", method: method))
        }
        let secret = try ClientCredentials(clientID: "d", method: .secretBasic(Secret(Array("a secret".utf8))))
        settings.clients.append(ClientSettings(name: "other", issuer: 0, credentials: secret))
        return settings
    }

    @Test(.holds("ECO-56")) func `are told with their use and their end, each once for each use`() throws {
        let authority = try TestCertificate.authority(named: "authority")
        let leaf = try authority.issue(names: ["shop.test"], secondsLeft: 1000)
        // The chain's second certificate is good for longer.
        let chain = try file("chain.pem", leaf.certificate + authority.certificate)
        let other = try file("other.pem", authority.issue(names: ["a"], secondsLeft: 5000).certificate)
        let shown = ServingReadings.Certificate.shown(
            by: try settings(listener: [chain], upstream: [other, other], client: [other, chain]))
        #expect(shown.map(\.use) == [.listener, .upstream, .client, .client])
        #expect(shown.map(\.file) == [chain, other, other, chain])
        let now = Int64(Date().timeIntervalSince1970)
        for (certificate, left) in zip(shown, [1000, 5000, 5000, 1000] as [Int64]) {
            #expect((left - 60...left + 60).contains(certificate.notAfter - now), "\(certificate)")
        }
    }

    @Test(.refuses("ECO-56")) func `are left out where there is none in the file, whatever it is`() throws {
        let empty = try file("empty.pem", "")
        let nonsense = try file("nonsense.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        let endless = "/dev/zero"
        let shown = ServingReadings.Certificate.shown(
            by: try settings(
                listener: [empty, nonsense, folder, folder + "/missing.pem", endless], upstream: [], client: []))
        #expect(shown.isEmpty)
    }
}
