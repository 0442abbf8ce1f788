import Crypto
import TestSupport

/// An OAuth 2.0 server that is no OpenID provider, with the shapes that GitHub documents, at two origins as there.
///
/// Its user always agrees. It reads what it is sent as strictly as GitHub does: a client in the form, a code once and with its
/// verifier, an API that wants a `User-Agent`.
final class GitHubServer: Sendable {
    struct Habits: Sendable {
        /// What `GET /user` says; status and JSON.
        var user = (200, GitHubServer.octocat())
        /// What `GET /user/emails` says.
        var emails = (200, GitHubServer.emails())
        /// What is answered to a code or a refresh token instead, with status 200.
        var tokenAnswer: String?
        /// Seconds that tokens of the app are good, with a refresh token beside them; nil: for good, and none.
        var tokenSeconds: Int?
        var scope = "read:user,user:email"
        /// Parameters of the response beside `code` and `state`.
        var response = ""
        /// The API does not answer.
        var isAPIDown = false
    }

    private struct State: Sendable {
        var habits = Habits()
        var codes: [String: [String: String]] = [:]
        var refreshTokens: Set<String> = []
        var accessTokens: Set<String> = []
        var count = 0
    }

    let web: RecordingUpstream
    let api: RecordingUpstream
    private let state = Watched(State())
    static let secret = "a secret of the app's"
    static let client = "Iv23liAbCdEf"

    init() throws {
        web = try RecordingUpstream(fallback: .answer(404, "Not Found"))
        api = try RecordingUpstream(fallback: .answer(404, "{\"message\":\"Not Found\"}"))
        publish()
    }

    private func publish() {
        web.answer("/login/oauth/access_token", with: WireScript(.reply { [weak self] in self?.token($0) ?? [] }))
        for path in ["/user", "/user/emails"] {
            api.answer(path, with: WireScript(.reply { [weak self] in self?.say($0) ?? [] }, .close))
        }
    }

    /// `GET /user`, much shortened; the documents have no address of mail there unless it is public.
    static func octocat(id: String? = "583231", more: String = "") -> String {
        let id = id.map { "\"id\":\($0)," } ?? ""
        return
            "{\"login\":\"octocat\",\(id)\"node_id\":\"MDQ6VXNlcjU4MzIzMQ==\",\"type\":\"User\",\"site_admin\":false,"
            + "\"name\":\"monalisa octocat\",\"email\":null,\"two_factor_authentication\":true\(more)}"
    }

    /// `GET /user/emails`.
    static func emails(_ email: String = "octocat@github.com", verified: Bool = true, primary: Bool = true) -> String {
        "[{\"email\":\"octocat@users.noreply.example\",\"verified\":true,\"primary\":false,\"visibility\":null},"
            + "{\"email\":\"\(email)\",\"verified\":\(verified),\"primary\":\(primary),\"visibility\":\"public\"}]"
    }

    func change(_ body: (inout Habits) -> Void) { state.withLock { body(&$0.habits) } }

    /// As it was at first, with nothing remembered of what it was asked.
    func reset() {
        state.withLock { $0.habits = Habits() }
        web.forget()
        api.forget()
        publish()
    }

    /// Plays the browser and its user: from the URL it was sent to, to the callback's.
    func authorize(_ location: String) throws -> String {
        let start = web.url + "/login/oauth/authorize?"
        guard location.hasPrefix(start) else { throw WireFailure.malformed(location) }
        let parameters = WireForm.parameters(String(location.dropFirst(start.utf8.count)))
        guard let target = parameters["redirect_uri"], let sent = parameters["state"],
            parameters["client_id"] == Self.client
        else { throw WireFailure.malformed(location) }
        return state.withLock { state in
            state.count += 1
            let code = "code\(state.count)"
            state.codes[code] = parameters
            return "\(target)?code=\(code)&state=\(sent)\(state.habits.response)"
        }
    }

    /// The forms that the token endpoint was sent.
    var tokenRequests: [[String: String]] {
        web.requests.filter { $0.path == "/login/oauth/access_token" }.map { WireForm.parameters($0.bodyText) }
    }

    private func token(_ request: WireRequest) -> [UInt8] {
        // Asked for nothing else it answers with a form, which says nothing to a client that reads JSON.
        guard request.fields.only("accept") == "application/json" else {
            return Self.reply(200, "error=not_asked_for_json", type: "application/x-www-form-urlencoded")
        }
        let form = WireForm.parameters(request.bodyText)
        if let answer = state.now.habits.tokenAnswer { return Self.reply(200, answer) }
        guard form["client_id"] == Self.client, form["client_secret"] == Self.secret else {
            return Self.reply(200, "{\"error\":\"incorrect_client_credentials\",\"error_description\":\"No.\"}")
        }
        return state.withLock { state in
            if form["grant_type"] == "refresh_token" {
                guard state.refreshTokens.remove(form["refresh_token"] ?? "") != nil else {
                    return Self.reply(200, "{\"error\":\"bad_refresh_token\"}")
                }
                return Self.tokens(&state)
            }
            let verifier = Array((form["code_verifier"] ?? "").utf8)
            guard let parameters = state.codes.removeValue(forKey: form["code"] ?? ""),
                parameters["redirect_uri"] == form["redirect_uri"], parameters["code_challenge_method"] == "S256",
                parameters["code_challenge"] == SHA256.hash(verifier.span).base64URL
            else { return Self.reply(200, "{\"error\":\"bad_verification_code\"}") }
            return Self.tokens(&state)
        }
    }

    private static func tokens(_ state: inout State) -> [UInt8] {
        state.count += 1
        let access = "gho_access\(state.count)"
        state.accessTokens.insert(access)
        var expiry = ""
        if let seconds = state.habits.tokenSeconds {
            let refresh = "ghr_refresh\(state.count)"
            state.refreshTokens.insert(refresh)
            expiry = ",\"expires_in\":\(seconds),\"refresh_token\":\"\(refresh)\",\"refresh_token_expires_in\":15897600"
        }
        return reply(
            200,
            "{\"access_token\":\"\(access)\",\"scope\":\"\(state.habits.scope)\",\"token_type\":\"bearer\"\(expiry)}")
    }

    private func say(_ request: WireRequest) -> [UInt8] {
        let now = state.now
        if now.habits.isAPIDown { return [] }
        guard !(request.fields.only("user-agent") ?? "").isEmpty else {
            return Self.reply(403, "Request forbidden by administrative rules.", type: "text/html")
        }
        let field = request.fields.only("authorization") ?? ""
        guard field.hasPrefix("Bearer "), now.accessTokens.contains(String(field.dropFirst(7))) else {
            return Self.reply(401, "{\"message\":\"Bad credentials\",\"status\":\"401\"}")
        }
        let (status, body) = request.path == "/user" ? now.habits.user : now.habits.emails
        return Self.reply(status, body)
    }

    private static func reply(_ status: Int, _ body: String, type: String = "application/json; charset=utf-8")
        -> [UInt8]
    {
        Array(
            """
            HTTP/1.1 \(status) Scripted\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\
            Connection: close\r\n\r\n\(body)
            """.utf8)
    }
}
