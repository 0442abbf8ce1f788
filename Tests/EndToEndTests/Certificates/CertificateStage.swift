import Testing
import TestSupport

/// A gateway whose listeners ask clients for certificates in different ways, or believe a terminator in front.
final class CertificateStage: Sendable {
    /// The listeners, in the order of the configuration.
    enum Listener: Int {
        /// TLS; a certificate may be shown, whoever signed it.
        case optional
        /// TLS; a certificate must be shown, whoever signed it.
        case required
        /// TLS; a certificate of the clients' authority must be shown.
        case authority
        /// TLS without client certificates.
        case off
        /// Plain, behind a terminator that is believed.
        case trusting
        /// Plain, behind a terminator elsewhere: nobody here is believed.
        case mistrusting
        /// TLS with client certificates, behind a terminator that is believed.
        case both
    }

    let server: TestCertificate
    let authority: TestCertificate
    let client: TestCertificate
    let other: TestCertificate
    let stranger: TestCertificate
    let upstream: RecordingUpstream
    let issuer: ScriptedIssuer
    let tokens: TokenForge
    let gateway: GatewayProcess

    init() throws {
        let key = SigningKey(.p256, keyID: "main-1")
        server = try TestCertificate.authority(named: "Authority of servers")
        authority = try TestCertificate.authority(named: "Authority of clients")
        client = try authority.issue(names: ["client.test"])
        other = try authority.issue(names: ["other.test"])
        stranger = try TestCertificate.selfSigned(named: "stranger.test", rsaBits: 2048)
        upstream = try RecordingUpstream()
        issuer = try ScriptedIssuer(keys: SigningKey.keySet([key]))
        issuer.introspect(introspected())
        tokens = TokenForge(issuer: issuer.url, key: key)
        let identity = try server.issue(names: ["gateway.test"])
        gateway = try GatewayProcess(
            Self.yaml(upstream: upstream.url, issuer: issuer.url),
            files: [
                "s.crt": identity.certificate, "s.key": identity.key, "clients.crt": authority.certificate,
                "asker.secret": "secret\n",
            ], listeners: 7)
    }

    private static func yaml(upstream: String, issuer: String) -> String {
        let tls = "certificate: $FOLDER/s.crt, key: $FOLDER/s.key"
        let listener = "- { address: \"127.0.0.1:0\", http2: true, public_url: \"https://gateway.test\""
        let token = "issuers: [main], schemes: [Bearer, DPoP], audience: \"\(TokenForge.audience)\""
        return """
            workers: 1
            listeners:
              \(listener), tls: { \(tls), client_certificates: optional } }
              \(listener), tls: { \(tls), client_certificates: { request: required, trust: any } } }
              \(listener), tls: { \(tls), client_certificates: { request: required, \
            trust: { authorities: $FOLDER/clients.crt } } } }
              \(listener), tls: { \(tls) } }
              \(listener), client_cert_from: ["127.0.0.1/32"] }
              \(listener), client_cert_from: ["10.0.0.0/8"] }
              \(listener), tls: { \(tls), client_certificates: optional }, client_cert_from: ["127.0.0.1/32"] }
            admin: { address: "127.0.0.1:0" }
            issuers:
              main: { url: "\(issuer)", discovery: openid, insecure_allow_http: true, introspection: { \
            client: asker, cache: 0s, negative_cache: 0s, timeout: 30s } }
            clients:
              asker: { issuer: main, id: asker, authentication: { method: client_secret_basic, \
            secret: { file: $FOLDER/asker.secret } } }
            routes:
              - { path: /open/, upstream: "\(upstream)", public: true }
              - { path: /told/, upstream: "\(upstream)", public: true, client_cert: true }
              - { path: /bound/, upstream: "\(upstream)", token: { \(token) } }
            log: { level: debug, operator: stderr, access: stdout }

            """
    }

    /// A connection to one listener, over TLS where that speaks it.
    func connect(
        _ listener: Listener, _ certificate: TestCertificate? = nil, session: TLSSession? = nil,
        version: TLSVersion? = nil
    ) throws -> RawClient {
        let port = gateway.ports[listener.rawValue]
        if listener == .trusting || listener == .mistrusting { return try RawClient(port: port) }
        var options = TLSClientOptions(serverName: "gateway.test", authority: server.certificate)
        options.identity = certificate
        options.session = session
        if let version {
            options.minimum = version
            options.maximum = version
        }
        return try RawClient(port: port, tls: options)
    }

    /// A token bound to a certificate.
    func token(_ certificate: TestCertificate, _ claims: [String: String?] = [:]) -> String {
        tokens.token(["cnf": certificate.confirmation].merging(claims) { $1 })
    }

    /// One request with a token as Bearer.
    func ask(_ connection: RawClient, _ token: String, fields: [String] = []) throws -> WireResponse {
        try connection.send(request("GET", "/bound/a", fields: ["Authorization: Bearer \(token)"] + fields))
        return try connection.response()
    }

    /// E-TOKEN for the scheme Bearer, the check in the operator's log, and nothing for the upstream.
    func expectRefused(
        _ response: WireResponse, check: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        expectTemplate(response, status: 401, at: location)
        let found = try #require(try challenges(response)["Bearer"], "\(response.headText)", sourceLocation: location)
        #expect(found["error"] == "invalid_token", "\(response.headText)", sourceLocation: location)
        try expectCheck(response, check, at: location)
    }

    /// The operator's line of this response names the check that failed.
    func expectCheck(_ response: WireResponse, _ check: String, at location: SourceLocation = #_sourceLocation) throws {
        let id = response.fields.only("x-request-id")
        let line = try #require(
            gateway.operatorLine(where: { $0["request_id"] == id && $0["event"] == "refused" }),
            sourceLocation: location)
        #expect(line["check"] == check, "\(line)", sourceLocation: location)
    }

    /// Nothing reached the upstream since the last `forget()` but the good request sent here.
    func expectNothingForwarded(at location: SourceLocation = #_sourceLocation) throws {
        let good = try connect(.trusting)
        try good.send(request("GET", "/open/sentinel"))
        #expect(try good.response().status == 200, sourceLocation: location)
        #expect(upstream.requests.map(\.path) == ["/open/sentinel"], sourceLocation: location)
    }
}
