import Foundation
import Testing
import TestSupport

/// A gateway with clients for logins at a real authorization server, where everything in between is written down.
final class LoginStage: Sendable {
    let server: AuthorizationServer
    /// What the gateway and browsers say to the server, and what it answers.
    let talk: Relay
    /// An upstream that gets access tokens, and one that gets none.
    let trusted: RecordingUpstream
    let plain: RecordingUpstream
    let gateway: GatewayProcess
    /// The gateway's own origin.
    let origin: String
    let authority: String
    /// Secrets of clients, by client.
    let secrets: [String: String]
    /// Private keys in PEM.
    let keys: [String]
    /// The way of the server's own requests to the gateway: in the clear, for it knows no authorities of ours.
    let side: Relay
    private let front: Relay
    private let visits = Watched<[String: LoginVisit]>([:])
    private let browsers = Watched<[Browser]>([])

    /// The audience of access tokens.
    static let resource = "https://orders.example/api"

    /// What is particular about a stage; `$ORIGIN`, `$PLAIN` and `$TRUSTED` stand for addresses.
    struct Plan {
        /// Clients of the server, by name, with the options of `add-client`.
        var registrations: [(name: String, options: [String])] = []
        /// Clients and routes of the gateway, a line each.
        var clients: [String] = []
        var routes: [String] = []
        /// Seconds that access tokens are good.
        var accessTokenSeconds = 300
        /// The server speaks https, and knows clients by their certificates.
        var isCertified = false
        /// Whether the gateway speaks HTTP/2 to browsers, and to the server when that fetches a request object.
        var speaksHTTP2 = true
    }

    init(_ plan: Plan) throws {
        talk = try Relay(readsAlong: !plan.isCertified)
        front = try Relay()
        side = try Relay(readsAlong: true)
        trusted = try RecordingUpstream(fallback: .answer(200, "for you alone"))
        plain = try RecordingUpstream(fallback: .answer(200, "for you alone"))
        let (origin, plainURL, trustedURL) = ("https://localhost:\(front.port)", plain.url, trusted.url)
        self.origin = origin
        let authority = try TestCertificate.authority(named: "Authority of the gateway")
        self.authority = authority.certificate
        let identity = try authority.issue(names: ["localhost"])
        let certificates = try AuthorizationServer.Certificates(
            authority: authority, server: authority.issue(names: ["127.0.0.1"]))
        server = try AuthorizationServer(
            accessTokenSeconds: plan.accessTokenSeconds, front: talk,
            certificates: plan.isCertified ? certificates : nil)
        let client = try authority.issue(names: ["client.test"])
        var files = [
            "s.crt": identity.certificate, "s.key": identity.key, "client.crt": client.certificate,
            "client.key": client.key, "authority.crt": authority.certificate,
        ]
        for name in ["client.pem", "object.pem"] {
            let pem = try SigningKey(.p256, keyID: name).pem()
            files[name] = pem
            try pem.write(toFile: server.place(name), atomically: false, encoding: .utf8)
        }
        var secrets: [String: String] = [:]
        for (name, options) in plan.registrations {
            let options = options.map { [server, side] in
                $0.replacingOccurrences("$ORIGIN", with: origin).replacingOccurrences("$PLACE/", with: server.place(""))
                    .replacingOccurrences("$SIDE", with: "http://127.0.0.1:\(side.port)")
            }
            let secret = Self.random()
            files[name + ".secret"] = secret
            secrets[name] = secret
            try server.addClient(name, options + ["--secret", secret])
        }
        self.secrets = secrets
        keys = [files["client.pem"] ?? "", files["object.pem"] ?? "", identity.key, client.key]
        let yaml = Self.yaml(
            plan, origin: origin, side: "https://127.0.0.1:\(side.port)", issuer: server.issuer
        )
        .replacingOccurrences("$PLAIN", with: plainURL).replacingOccurrences("$TRUSTED", with: trustedURL)
        gateway = try GatewayProcess(yaml, files: files, listeners: 2)
        front.lead(to: gateway.ports[0])
        side.lead(to: gateway.ports[1])
    }

    private static func yaml(_ plan: Plan, origin: String, side: String, issuer: String) -> String {
        let trust =
            plan.isCertified ? "certificate_authority: $FOLDER/authority.crt" : "insecure_allow_http: true"
        return """
            workers: 2
            listeners:
              - { address: "127.0.0.1:0", http2: \(plan.speaksHTTP2), public_url: "\(origin)", tls: { certificate: $FOLDER/s.crt, key: $FOLDER/s.key } }
              - { address: "127.0.0.1:0", public_url: "\(side)" }
            admin: { address: "127.0.0.1:0" }
            issuers:
              main: { url: "\(issuer)", discovery: openid, \(trust) }
            clients:
            \(plan.clients.map { "  " + $0 }.joined(separator: "\n"))
            routes:
            \(plan.routes.map { "  " + $0 }.joined(separator: "\n"))
            log: { level: debug, operator: stderr, access: stdout }

            """
    }

    private static func random() -> String {
        (0..<4).map { _ in String(UInt64.random(in: 1 << 60...UInt64.max), radix: 36) }.joined()
    }

    /// A new browser, which speaks to the gateway as the test does, or as it is told.
    func browser(speaking version: WireProtocol? = nil) -> Browser {
        let browser = Browser(trusting: authority, testing: origin, speaking: version)
        browsers.withLock { $0.append(browser) }
        return browser
    }

    /// Every browser that was opened here.
    var allBrowsers: [Browser] { browsers.now }

    /// A login by this case that lasts: an earlier test's, or a new one.
    func visit(_ one: LoginCase) throws -> LoginVisit {
        if let known = visits.now[one.name] { return known }
        let made = try LoginVisit(one, on: self)
        visits.withLock { $0[one.name] = made }
        return made
    }

    /// The visit is over.
    func forget(_ one: LoginCase) { visits.withLock { $0[one.name] = nil } }

    /// The upstream of a case.
    func upstream(_ one: LoginCase) -> RecordingUpstream { one.passesToken ? trusted : plain }
}
