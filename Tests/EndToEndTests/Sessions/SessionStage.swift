import Testing
import TestSupport

/// What is particular about a stage of logins; `$UPSTREAM`, `$ISSUER` and `$FOLDER` as in `StagePlan`.
struct LoginPlan: Sendable {
    var routes: [String]
    /// How the client `web` proves who it is.
    var authentication = SessionStage.secret
    /// Further keys of the client `web`, each with its indentation of four.
    var client: [String] = []
    /// Further clients of the same server, by name.
    var others: [String] = []
    /// Further keys of the last of them.
    var keysOfLast: [String] = []
    var workers = 1
    /// Further keys of the listener, each with its indentation of four.
    var listener: [String] = []
    /// Further top-level keys.
    var settings = ""
    /// Files beside the configuration, by name.
    var files: [String: String] = [:]
    /// Further members of the issuer, each with a comma in front.
    var issuer = ""
    /// Further variables of the gateway's environment.
    var environment: [String: String] = [:]
}

/// A gateway with logins between an upstream that records and an authorization server whose user agrees.
final class SessionStage: Sendable {
    let server: LoginServer
    let upstream: RecordingUpstream
    let gateway: GatewayProcess
    /// The configuration, with `$FOLDER` still in it, and the files beside it.
    let yaml: String
    private let files: [String: String]

    init(_ plan: LoginPlan) throws {
        server = try LoginServer()
        upstream = try RecordingUpstream()
        let yaml = """
            workers: \(plan.workers)
            listeners:
              - address: 127.0.0.1:0
                http2: true
                public_url: https://gateway.test
            \(plan.listener.map { "    " + $0 }.joined(separator: "\n"))
            admin: { address: "127.0.0.1:0" }
            issuers:
              main: { url: "$ISSUER", insecure_allow_http: true, discovery: openid\(plan.issuer) }
            clients:
            \(Self.client("web", plan.authentication))
            \(plan.client.map { "    " + $0 }.joined(separator: "\n"))
            \(plan.others.map { Self.client($0) }.joined(separator: "\n"))
            \(plan.keysOfLast.map { "    " + $0 }.joined(separator: "\n"))
            routes:
            \(plan.routes.map { "  - " + $0 }.joined(separator: "\n"))
            log: { level: debug, operator: stderr, access: stdout }
            \(plan.settings)

            """
        self.yaml = yaml.replacingOccurrences("$UPSTREAM", with: upstream.url).replacingOccurrences(
            "$ISSUER", with: server.url)
        files = ["web.secret": "a secret of the client's"].merging(plan.files) { $1 }
        gateway = try GatewayProcess(self.yaml, files: files, environment: plan.environment)
    }

    /// Another process of the same configuration, or of one that is changed so, at another port.
    func another(_ change: (String) -> String = { $0 }) throws -> GatewayProcess {
        try GatewayProcess(change(yaml), files: files)
    }

    /// A client that has the secret beside the configuration.
    static let secret = "{ method: client_secret_basic, secret: { file: $FOLDER/web.secret } }"

    private static func client(_ name: String, _ authentication: String = secret) -> String {
        """
          \(name):
            issuer: main
            id: \(name)
            authentication: \(authentication)
            id_token: { algorithm: ES256 }
        """
    }

    /// The session cookie's name.
    static let cookie = "__Host-portcullis-web"

    /// Forgets what earlier tests recorded and scripted.
    func reset() {
        upstream.forget()
        server.reset()
    }

    /// One request on a connection of its own.
    func exchange(
        _ method: String = "GET", _ target: String, browser: CookieJar = CookieJar(), fields: [String] = [],
        body: String = "", at other: GatewayProcess? = nil
    ) throws -> WireResponse {
        try (other ?? gateway).exchange(
            request(method, target, fields: browser.lines + fields, body: body), method: method)
    }

    /// From the start's path to the callback's answer, which the jar has taken the cookies of.
    @discardableResult
    func callback(
        _ start: String, _ browser: inout CookieJar, at other: GatewayProcess? = nil
    ) throws -> WireResponse {
        let started = try exchange("GET", start, browser: browser, at: other)
        browser.take(started)
        let location = try #require(
            started.fields.only("location"), "\(started.headText)\(gateway.diagnosis)")
        let back = try server.authorize(location)
        guard back.hasPrefix("https://gateway.test/") else { throw WireFailure.malformed(back) }
        let answer = try exchange(
            "GET", String(back.dropFirst("https://gateway.test".utf8.count)), browser: browser, at: other)
        browser.take(answer)
        return answer
    }

    /// A browser that has logged in, at another gateway than the stage's own where one is given.
    func login(
        _ start: String = "/.portcullis/login/web?return_to=/app/a", at other: GatewayProcess? = nil
    ) throws -> CookieJar {
        var browser = CookieJar()
        let answer = try callback(start, &browser, at: other)
        guard answer.status == 303, browser[Self.cookie] != nil else {
            throw WireFailure.malformed("\(answer.headText)\(gateway.diagnosis)")
        }
        return browser
    }

    /// What the upstream was sent for this path, waiting for it.
    func forwarded(_ path: String, at location: SourceLocation = #_sourceLocation) throws -> WireRequest {
        try #require(upstream.onlyRequest(for: path), "\(gateway.diagnosis)", sourceLocation: location)
    }
}

/// A browser's cookies of one origin.
struct CookieJar: Sendable {
    private(set) var cookies: [(name: String, value: String)] = []

    /// The value of the cookie.
    subscript(_ name: String) -> String? {
        get { cookies.first { $0.name == name }?.value }
        set {
            cookies.removeAll { $0.name == name }
            if let newValue { cookies.append((name, newValue)) }
        }
    }

    /// The `Cookie` line, or none.
    var lines: [String] { cookies.isEmpty ? [] : ["Cookie: " + text] }

    /// The pairs as a line has them.
    var text: String { cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }

    /// Does what the answer's `Set-Cookie` lines say.
    mutating func take(_ response: WireResponse) {
        for line in response.fields["set-cookie"] {
            let pair = line.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let isEnd = line.lowercased().contains("max-age=0")
            self[String(pair[..<equals])] = isEnd ? nil : String(pair[pair.index(after: equals)...])
        }
    }
}

/// Fields of a browser that opens a page.
let navigation = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Sec-Fetch-Site: none"]
/// Fields of a page of ours that sends something.
let ownPage = ["Origin: https://gateway.test", "Sec-Fetch-Site: same-origin"]

/// E-LOGIN for everything but pages: 401, and JSON with the way to log in.
func expectLoginNeeded(
    _ response: WireResponse, login: String = "https://gateway.test/.portcullis/login/web",
    at location: SourceLocation = #_sourceLocation
) {
    expectTemplate(response, status: 401, at: location)
    #expect(response.fields.only("content-type") == "application/json", sourceLocation: location)
    #expect(
        response.bodyText == "{\"error\":\"login_required\",\"login\":\"\(login)\"}", "\(response.bodyText)",
        sourceLocation: location)
    #expect(response.fields.only("www-authenticate") == "Bearer realm=\"portcullis\"", sourceLocation: location)
    #expect(!response.fields.contains("location"), sourceLocation: location)
    #expect(response.fields.only("referrer-policy") == "no-referrer", sourceLocation: location)
}

/// E-LOGIN for a page: 303 to the login's beginning, which comes back to where the browser wanted to go.
func expectSentToLogin(
    _ response: WireResponse, returnTo: String, at location: SourceLocation = #_sourceLocation
) {
    expectTemplate(response, status: 303, at: location)
    #expect(
        response.fields.only("location") == "/.portcullis/login/web?return_to=\(returnTo)", "\(response.headText)",
        sourceLocation: location)
    #expect(response.fields.only("referrer-policy") == "no-referrer", sourceLocation: location)
    #expect(response.fields["www-authenticate"].isEmpty, sourceLocation: location)
}
