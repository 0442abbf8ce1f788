import Access
import Configuration
import Gateway
import Issuers
import JOSE
import OAuth
import Telemetry
import Testing

@Suite struct `a configuration that loads` {
    @Test func `says everything that the gateway needs, defaults included`() throws {
        let settings = try settings(of: Sample().text)
        #expect(settings.workers == 3)
        #expect(settings.listeners.map(\.address) == [SocketAddressSettings(host: "127.0.0.1", port: 8443)])
        #expect(settings.listeners[0].publicURL == "https://shop.example.com")
        #expect(settings.listeners[0].tls == nil)
        #expect(settings.admin.address == SocketAddressSettings(host: "127.0.0.1", port: 9901))
        #expect(settings.issuers.map(\.name) == ["main"])
        #expect(settings.routes.map(\.name) == ["/"])
        #expect(settings.routes[0].methods == nil)
        #expect(settings.limits.requestBody == nil)
        #expect(settings.log.operatorDestination == .standardError)
        #expect(settings.log.accessDestination == .standardOutput)
    }

    @Test func `keeps the issuer's URL as it is spelt and gives its rules the same`() throws {
        let issuer = try settings(of: Sample(issuers: "issuers: { main: { url: https://ID.example.com/a/ } }").text)
            .issuers[0]
        #expect(issuer.url == "https://ID.example.com/a/")
        #expect(issuer.rules.issuer == "https://ID.example.com/a/")
        #expect(issuer.discovery == .automatic)
        #expect(issuer.keys == .discovered)
        #expect(issuer.rules.acceptedTypes == [.accessTokenJWT])
        #expect(issuer.rules.algorithms == SignatureAlgorithm.allCases)
        #expect(!issuer.insecureAllowHTTP)
    }

    @Test func `carries every relaxation of an issuer`() throws {
        let text = Sample.issuer(
            """
            discovery: oauth, algorithms: [ES256, EdDSA], accept_typ: [JWT, none], profile: legacy, leeway: 1m,
              scope_claim: scp, certificate_authority: ca.pem, allow_private: [10.0.0.0/8, "fd00::/8"],
              keys: { minimum_lifetime: 2m, maximum_lifetime: 2h, stale_limit: 0s, unknown_key_interval: 1m }
            """)
        let issuer = try settings(of: text).issuers[0]
        #expect(issuer.discovery == .oauth)
        #expect(issuer.rules.algorithms == [.es256, .edDSA])
        #expect(issuer.rules.acceptedTypes == [.accessTokenJWT, .plainJWT, .absent])
        #expect(issuer.rules.profile == .legacy)
        #expect(issuer.rules.leewaySeconds == 60)
        #expect(issuer.rules.scopeClaim == "scp")
        #expect(issuer.certificateAuthorityFile == "ca.pem")
        #expect(issuer.allowPrivate == ["10.0.0.0/8", "fd00::/8"])
        #expect(issuer.keyTimes.minimumLifetime == .seconds(120) && issuer.keyTimes.maximumLifetime == .seconds(7200))
        #expect(issuer.keyTimes.staleLimit == .zero)
        #expect(issuer.keyTimes.unknownKeyInterval == .seconds(60))
    }

    @Test func `takes keys from a file, a variable or an address, and then discovers nothing`() throws {
        let file = try settings(of: Sample.issuer("jwks: { file: jwks.json }")).issuers[0]
        #expect(file.keys == .document(Array(Fixture.keySet.utf8)))
        #expect(file.discovery == .none)
        let sources = ConfigurationSources.scripted(environment: ["JWKS": Fixture.keySet])
        let variable = try settings(of: Sample.issuer("jwks: { env: JWKS }"), from: sources).issuers[0]
        #expect(variable.keys == .document(Array(Fixture.keySet.utf8)))
        let address = try settings(of: Sample.issuer("jwks_uri: https://id.example.com/jwks")).issuers[0]
        #expect(address.keys == .url("https://id.example.com/jwks"))
        #expect(address.discovery == .none)
        let both = try settings(of: Sample.issuer("jwks_uri: https://id.example.com/jwks, discovery: openid"))
        #expect(both.issuers[0].discovery == .openIDConnect)
    }

    @Test func `accepts in Host what clients write for the public URL, and the extra hosts`() throws {
        let text = Sample(
            listeners: """
                listeners: [{ address: "[::1]:8443", public_url: https://Shop.Example.com:443/, hosts: [Orders.internal] }]
                """
        ).text
        let listener = try settings(of: text).listeners[0]
        #expect(listener.publicURL == "https://shop.example.com")
        #expect(listener.authorities == ["shop.example.com", "shop.example.com:443", "orders.internal"])
        #expect(listener.address == SocketAddressSettings(host: "::1", port: 8443))
    }

    @Test func `keeps another port in what it accepts in Host`() throws {
        let text = Sample(listeners: "listeners: [{ address: 127.0.0.1:1, public_url: 'https://[::1]:8443' }]").text
        #expect(try settings(of: text).listeners[0].authorities == ["[::1]:8443"])
    }

    @Test func `has one certificate or several`() throws {
        let one = try settings(of: Sample.listener("tls: { certificate: tls.crt, key: tls.key }")).listeners[0]
        #expect(one.tls?.certificates == [.init(certificateFile: "tls.crt", keyFile: "tls.key")])
        #expect(one.tls?.minimumVersion == .tls12)
        let pair = "{ certificate: tls.crt, key: tls.key }"
        let two = try settings(
            of: Sample.listener("tls: { certificates: [\(pair), \(pair)], minimum_version: \"1.3\" }"))
        #expect(two.listeners[0].tls?.certificates.count == 2)
        #expect(two.listeners[0].tls?.minimumVersion == .tls13)
    }

    @Test func `finds files beside itself`() throws {
        let sources = ConfigurationSources.scripted(files: [
            "/etc/p/gateway.yaml": Fixture.file(
                Sample.listener("tls: { certificate: tls.crt, key: /run/tls.key }") + "log: { access: ./access.log }\n"),
            "/etc/p/tls.crt": Fixture.file(Fixture.certificate), "/run/tls.key": Fixture.file(Fixture.key),
        ])
        let settings = try Configuration.load(path: "/etc/p/gateway.yaml", from: sources).settings
        #expect(
            settings.listeners[0].tls?.certificates
                == [.init(certificateFile: "/etc/p/tls.crt", keyFile: "/run/tls.key")])
        #expect(settings.log.accessDestination == .file("/etc/p/./access.log"))
    }

    @Test func `carries limits, timeouts, log and cache`() throws {
        let text = Sample(
            rest: """
                workers: 7
                limits: { request_line: 4KiB, request_body: 10MiB, access_token: 8KiB, field_count: 50 }
                timeouts: { drain: 500ms, drain_delay: 10s, tunnel_idle: 2h }
                log: { level: debug, operator: off, access: /var/log/access.log }
                token_cache: { entries: 5, bytes: 1GiB }
                """
        ).text
        let settings = try settings(of: text)
        #expect(settings.workers == 7)
        #expect(settings.limits.requestLine == 4096)
        #expect(settings.limits.requestBody == 10 << 20)
        #expect(settings.limits.accessToken == 8192)
        #expect(settings.issuers[0].rules.maximumTokenBytes == 8192)
        #expect(settings.limits.fieldCount == 50)
        #expect(settings.timeouts.drain == .milliseconds(500))
        #expect(settings.timeouts.drainDelay == .seconds(10))
        #expect(settings.timeouts.tunnelIdle == .seconds(7200))
        #expect(settings.log.level == .debug)
        #expect(settings.log.operatorDestination == .off)
        #expect(settings.log.accessDestination == .file("/var/log/access.log"))
        #expect(settings.tokenCache.entries == 5)
        #expect(settings.tokenCache.bytes == 1 << 30)
    }

    @Test func `carries the shares of one client`() throws {
        let text = Sample(
            rest: """
                limits:
                  login_rate_per_client: 1
                  login_burst_per_client: 2
                  refusal_rate_per_client: 6
                  logins_per_client: 3
                  login_bodies_per_client: 1MiB
                  handshakes_per_client: 4
                  handshake_rate_per_client: 10
                  handshake_burst_per_client: 11
                  upstream_connections_per_client: 12
                  parked_requests_per_client: 5
                  lookups_per_client: 7
                  bad_token_rate_per_client: 8
                  bad_token_burst_per_client: 9
                """
        ).text
        let shares = try settings(of: text).limits.shares
        #expect(shares.loginRate == 1)
        #expect(shares.loginBurst == 2)
        #expect(shares.refusalRate == 6)
        #expect(shares.logins == 3)
        #expect(shares.loginBodies == 1 << 20)
        #expect(shares.handshakes == 4)
        #expect(shares.handshakeRate == 10)
        #expect(shares.handshakeBurst == 11)
        #expect(shares.upstreamConnections == 12)
        #expect(shares.parkedRequests == 5)
        #expect(shares.lookups == 7)
        #expect(shares.badTokens == .init(perSecond: 8, burst: 9))
    }

    @Test func `may be as empty of issuers as its routes are public`() throws {
        let settings = try settings(
            of: Sample(
                issuers: "", routes: "routes: [{ path: /, upstream: http://127.0.0.1:3000, public: true }]"
            ).text)
        #expect(settings.issuers.isEmpty)
        guard case .publicAccess = settings.routes[0].access else {
            Issue.record("the route is not public")
            return
        }
    }
}
