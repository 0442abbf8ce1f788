import Testing
import TestSupport

/// One user in one browser, logged in by one of the cases.
struct LoginVisit: Sendable {
    let one: LoginCase
    let stage: LoginStage
    let browser: Browser
    /// The authorization URL that the browser was sent to.
    let authorizationURL: String
    /// The URL that the server sent the browser back to.
    let callbackURL: String
    /// What the gateway said to the server meanwhile, and the browser's own requests there.
    let talk: [Relay.Exchange]
    /// The page that was asked for, once it was there.
    let arrival: WireResponse

    /// The session's cookies then.
    let firstCookies: [String: String]

    /// Opens a page, logs in, and comes back to it.
    init(_ one: LoginCase, on stage: LoginStage, at location: SourceLocation = #_sourceLocation) throws {
        self.one = one
        self.stage = stage
        browser = stage.browser(speaking: one.version)
        let former = stage.talk.exchanges.count
        let page = stage.origin + "/\(one.name)/page?x=1&y=%20a"
        let start = try browser.send("GET", page)
        #expect(start.status == 303, "\(start.headText)", sourceLocation: location)
        let startURL = try browser.location(start, from: page, at: location)
        let sent = try browser.send("GET", startURL)
        #expect(sent.status == 303, "\(sent.headText)\(stage.gateway.diagnosis)", sourceLocation: location)
        authorizationURL = try browser.location(sent, from: startURL, at: location)
        let returned = try browser.authorize(authorizationURL, at: stage.server)
        callbackURL = try browser.location(returned, from: authorizationURL, at: location)
        try #require(
            callbackURL.hasPrefix(stage.origin + "/.portcullis/callback/\(one.name)?"), "\(callbackURL)",
            sourceLocation: location)
        let back = try browser.send("GET", callbackURL)
        #expect(back.status == 303, "\(back.headText)\(stage.gateway.diagnosis)", sourceLocation: location)
        let target = try browser.location(back, from: callbackURL, at: location)
        #expect(target == page, sourceLocation: location)
        arrival = try browser.send("GET", page)
        #expect(arrival.version == one.version.version, sourceLocation: location)
        #expect(arrival.status == 200, "\(arrival.headText)\(stage.gateway.diagnosis)", sourceLocation: location)
        let name = "__Host-portcullis-\(one.name)"
        firstCookies = browser.cookies(of: stage.origin).filter { $0.key.hasPrefix(name) }
        talk = Array(stage.talk.exchanges.dropFirst(former))
    }

    /// The page once more.
    func ask(_ path: String) throws -> WireResponse { try browser.send("GET", stage.origin + "/\(one.name)/\(path)") }

    /// The name of the cookie that the session has.
    var cookieName: String { "__Host-portcullis-\(one.name)" }

    /// The session's cookies as they are now.
    var cookies: [String: String] {
        browser.cookies(of: stage.origin).filter { $0.key.hasPrefix(cookieName) }
    }

    /// The requests to an endpoint of the server.
    func asked(_ endpoint: String) -> [Relay.Exchange] {
        talk.filter { $0.request.method == "POST" && $0.request.path.hasSuffix("/oidc/" + endpoint) }
    }

    /// Logs out here and at the server; whoever kept the cookies has nothing then.
    func logOut() throws {
        let session = cookies
        let url = stage.origin + "/.portcullis/logout/\(one.name)"
        let asked = try browser.send("POST", url, fields: ["Accept: text/html"])
        #expect(asked.status == 403, "\(asked.headText)")
        let still = try ask("still")
        #expect(still.status == 200, "\(still.headText)\(stage.gateway.diagnosis)")
        let ended = try browser.send("POST", url, fields: ["Accept: text/html", "Origin: \(stage.origin)"])
        #expect(ended.status == 303, "\(ended.headText)")
        #expect(cookies.isEmpty, "\(cookies.keys)")
        let server = try browser.location(ended, from: url)
        let confirmed = try browser.confirmLogout(server, at: stage.server)
        let back = try #require(confirmed, "\(server)")
        #expect(back.hasPrefix(stage.origin + "/.portcullis/logged-out/\(one.name)?state="), "\(back)")
        let page = try browser.send("GET", back)
        #expect(page.status == 200, "\(page.headText)")
        #expect(!browser.cookies(of: stage.origin).keys.contains("__Host-portcullis-logout"))
        for (name, value) in session { browser.keep(name, value, for: stage.origin) }
        #expect(try browser.send("GET", stage.origin + "/\(one.name)/api", fields: []).status == 401)
    }
}
