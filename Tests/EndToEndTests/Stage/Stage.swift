import Foundation
import Testing
import TestSupport

/// What is particular about a stage; `$UPSTREAM` and `$ISSUER` stand for the two addresses, `$FOLDER` for the files'.
struct StagePlan: Sendable {
    /// The `routes` list, each route in flow style.
    var routes = Stage.ordinaryRoutes
    /// What clients see; the gateway itself is spoken to without TLS, as behind a terminator.
    var publicURL = "http://gateway.test"
    /// Further top-level keys.
    var settings = ""
    /// Further keys of the admin listener, in flow style.
    var admin = ""
    /// Further keys of the issuer `main`, in flow style.
    var issuer = "discovery: openid"
    /// How the operator spells the issuer's host.
    var issuerHost = "127.0.0.1"
    /// A path of the issuer identifier.
    var issuerPath = ""
    /// Further issuers, a line each.
    var issuers = ""
    /// Files beside the configuration, by name.
    var files: [String: String] = [:]
    /// Threads that serve.
    var workers = 1
    /// Further variables of the gateway's environment.
    var environment: [String: String] = [:]
    /// How far the start must have come.
    var milestone = GatewayProcess.Milestone.ready
    /// What the issuer does before the gateway starts.
    var prepare: @Sendable (ScriptedIssuer) -> Void = { _ in }
}

/// A gateway between an upstream that records and an issuer that obeys, shared by the tests of one suite.
final class Stage: Sendable {
    let upstream: RecordingUpstream
    let issuer: ScriptedIssuer
    let tokens: TokenForge
    let gateway: GatewayProcess
    private let yaml: String
    private let plan: StagePlan

    /// Starts the gateway as planned, between an upstream and an issuer of its own.
    init(_ plan: StagePlan = StagePlan()) throws {
        let key = SigningKey(.p256, keyID: "main-1")
        upstream = try RecordingUpstream()
        issuer = try ScriptedIssuer(keys: SigningKey.keySet([key]))
        let issuerURL = issuer.url.replacingOccurrences("127.0.0.1", with: plan.issuerHost)
        tokens = TokenForge(issuer: issuerURL + plan.issuerPath, key: key)
        plan.prepare(issuer)
        self.plan = plan
        yaml = Self.yaml(plan)
            .replacingOccurrences("$UPSTREAM", with: upstream.url)
            .replacingOccurrences("$ISSUER", with: issuerURL)
        gateway = try GatewayProcess(
            yaml, files: plan.files, environment: plan.environment, until: plan.milestone)
    }

    /// Another process of the same configuration, at another port.
    func another() throws -> GatewayProcess {
        try GatewayProcess(yaml, files: plan.files, environment: plan.environment, until: plan.milestone)
    }

    /// A stage with these routes.
    convenience init(routes: [String]) throws { try self.init(StagePlan(routes: routes)) }

    /// A public subtree and one that needs a token with a scope.
    static let ordinaryRoutes = [
        "{ path: /open/, upstream: $UPSTREAM, public: true }",
        """
        { path: /orders/, upstream: $UPSTREAM, name: orders, token: { issuers: [main], \
        audience: "\(TokenForge.audience)", scopes: ["orders:read"] }, identity: { X-User: sub, X-Scopes: scope } }
        """,
    ]

    /// The whole configuration, with `$UPSTREAM`, `$ISSUER` and `$FOLDER` still in it.
    ///
    /// A request waits longer for keys than by default: the issuer is a thread of the tests, which may stand still.
    static func yaml(_ plan: StagePlan) -> String {
        """
        workers: \(plan.workers)
        listeners:
          - address: 127.0.0.1:0
            http2: true
            public_url: \(plan.publicURL)
        admin: { address: "127.0.0.1:0", \(plan.admin) }
        issuers:
          main: { url: "$ISSUER\(plan.issuerPath)", insecure_allow_http: true, \(plan.issuer) }
        \(plan.issuers)
        routes:
        \(plan.routes.map { "  - " + $0 }.joined(separator: "\n"))
        log: { level: debug, operator: stderr, access: stdout }
        \(plan.settings)
        \(plan.settings.contains("timeouts:") ? "" : "timeouts: { key_wait: 10s }")

        """
    }

    /// Forgets what earlier tests recorded and scripted.
    func reset() { upstream.forget() }

    /// A file with the gateway's configuration and the port that its admin listener has, for commands that ask it.
    func configurationWithAdminPort() throws -> String {
        let yaml = try String(contentsOfFile: gateway.folder + "/gateway.yaml", encoding: .utf8)
        let path = gateway.folder + "/reachable.yaml"
        try yaml.replacingOccurrences(
            "admin: { address: \"127.0.0.1:0\"", with: "admin: { address: \"127.0.0.1:\(gateway.adminPort)\""
        ).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// One request on a connection of its own.
    func exchange(
        _ method: String = "GET", _ target: String, fields: [String] = [], body: String = ""
    ) throws -> WireResponse {
        try gateway.exchange(request(method, target, fields: fields, body: body), method: method)
    }
}

/// A request with the Host line that the gateway expects; a body gets its length.
func request(_ method: String = "GET", _ target: String, fields: [String] = [], body: String = "") -> String {
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let lines = ["\(method) \(target) HTTP/1.1", "Host: gateway.test"] + fields + length
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}

extension String {
    /// This text with every `name` replaced.
    func replacingOccurrences(_ name: String, with value: String) -> String {
        split(separator: name, omittingEmptySubsequences: false).joined(separator: value)
    }
}

/// A suite's stage, started by its first test.
struct Shared<Value: Sendable>: Sendable {
    private let result: Result<Value, any Error>

    init(_ make: () throws -> Value) { result = Result { try make() } }

    func get() throws -> Value { try result.get() }
}
