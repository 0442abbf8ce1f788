import TestSupport
import TestTraits
import Testing

/// Row SC-16 over real sockets: a session whose cookie is of a domain, at hosts that have its login and at others.
@Suite(.serialized, .byEachProtocol) struct `a session of several hosts` {
    private static let cookie = "__Secure-portcullis-web"

    /// Where sessions are.
    enum Place: CaseIterable {
        case cookie, memory, shared
        /// In the store, and for now in the browser too.
        case moving
    }

    private static func plan(_ session: String, _ settings: String = "", _ files: [String: String] = [:]) -> LoginPlan {
        LoginPlan(
            routes: [
                "{ host: a.app.test, path: /, upstream: $UPSTREAM, login: web, identity: { X-User: sub } }",
                "{ host: b.app.test, path: /, upstream: $UPSTREAM, login: web, identity: { X-User: sub } }",
                "{ host: c.app.test, path: /, upstream: $UPSTREAM, public: true }",
                "{ host: d.app.test, path: /, upstream: $UPSTREAM, login: second, identity: { X-User: sub } }",
                "{ path: /open/, upstream: $UPSTREAM, public: true }",
            ],
            client: ["session: { domain: App.test\(session) }", "logout: { backchannel: true, frontchannel: true }"],
            others: ["second"],
            settings:
                "hosts: [{ host: a.app.test }, { host: b.app.test }, { host: c.app.test }, { host: d.app.test }]\n"
                + settings, files: files)
    }

    private static let shared = Shared { try SessionStage(plan("")) }
    private let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    /// A stage with sessions in that place, and the store that it needs.
    private func stage(_ place: Place) throws -> (stage: SessionStage, store: StoreServer?) {
        switch place {
        case .cookie: return (stage, nil)
        case .memory: return (try SessionStage(Self.plan(", store: memory")), nil)
        case .shared, .moving:
            let store = try StoreServer()
            let accepted = place == .moving ? ", accept: [cookie]" : ""
            let session = ", store: shared\(accepted), keys: [{ file: $FOLDER/session.key }]"
            return (try SessionStage(Self.plan(session, Fleet.settings(store, ""), Fleet.keys)), store)
        }
    }

    /// One request of a browser, which takes what the answer sets.
    @discardableResult
    private func exchange(
        _ method: String = "GET", _ target: String, at host: String, _ browser: inout SiteJar, fields: [String] = [],
        on stage: SessionStage? = nil
    ) throws -> WireResponse {
        let message = request(method, target, fields: browser.lines(for: host, target) + fields)
            .replacingOccurrences("Host: gateway.test", with: "Host: \(host)")
        let answer = try (stage ?? self.stage).gateway.exchange(message, method: method)
        browser.take(answer, from: host)
        return answer
    }

    /// The same of a browser that is looked at afterwards no more.
    private func ask(
        _ target: String, at host: String, _ browser: SiteJar, fields: [String] = [], on stage: SessionStage? = nil
    ) throws -> WireResponse {
        var copy = browser
        return try exchange("GET", target, at: host, &copy, fields: fields, on: stage)
    }

    /// A browser that logs in at this host; the answer to its callback.
    @discardableResult
    private func logIn(
        _ login: String = "web", at host: String, _ browser: inout SiteJar, on stage: SessionStage? = nil
    ) throws -> WireResponse {
        let place = stage ?? self.stage
        let started = try exchange(
            "GET", "/.portcullis/login/\(login)?return_to=/app", at: host, &browser, on: stage)
        let location = try #require(started.fields.only("location"), "\(started.headText)\(place.gateway.diagnosis)")
        let back = try place.server.authorize(location)
        try #require(back.hasPrefix("https://\(host)/.portcullis/callback/\(login)?"), "\(back)")
        let path = String(back.dropFirst("https://\(host)".utf8.count))
        let answer = try exchange("GET", path, at: host, &browser, on: stage)
        #expect(answer.status == 303 && answer.fields.only("location") == "/app", "\(answer.headText)")
        return answer
    }

    private func ownPage(of host: String) -> [String] { ["Origin: https://\(host)", "Sec-Fetch-Site: same-origin"] }

    @Test(.holds("SC-16"), arguments: Place.allCases)
    func `is begun at either, and known at both by one cookie`(place: Place) throws {
        let (stage, store) = try self.stage(place)
        defer { withExtendedLifetime(store) {} }
        for (first, other) in [("a.app.test", "b.app.test"), ("b.app.test", "a.app.test")] {
            var browser = SiteJar()
            expectLoginNeeded(
                try ask("/app", at: first, browser, on: stage), login: "https://\(first)/.portcullis/login/web")
            let answer = try logIn(at: first, &browser, on: stage)
            let set = answer.fields["set-cookie"].filter { $0.hasPrefix(Self.cookie) }
            #expect(
                set.count == 1 && set[0].hasSuffix("; Domain=app.test; Path=/; Secure; HttpOnly; SameSite=Lax"),
                "\(set)")
            // The cookies of the login itself stay at their host.
            let others = answer.fields["set-cookie"].filter { !$0.hasPrefix(Self.cookie) }
            #expect(!others.isEmpty && others.allSatisfy { $0.hasPrefix("__Host-") && !$0.contains("Domain") })
            #expect(browser.refused == [])
            for (index, host) in [first, other].enumerated() {
                let path = "/app/\(index)\(first)"
                #expect(try ask(path, at: host, browser, on: stage).status == 200)
                #expect(try stage.forwarded(path).fields["x-user"] == ["alice"])
            }
        }
    }

    @Test(.holds("SC-16"), .refuses("SC-16"), arguments: Place.allCases)
    func `is over at both after a logout at one, with its cookie`(place: Place) throws {
        let (stage, store) = try self.stage(place)
        defer { withExtendedLifetime(store) {} }
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser, on: stage)
        let copy = browser
        // A page of one of the hosts is not one of the other.
        let foreign = try exchange(
            "POST", "/.portcullis/logout/web", at: "b.app.test", &browser, fields: ownPage(of: "a.app.test"), on: stage)
        #expect(foreign.status == 403, "\(foreign.headText)")
        let answer = try exchange(
            "POST", "/.portcullis/logout/web", at: "b.app.test", &browser, fields: ownPage(of: "b.app.test"), on: stage)
        #expect(answer.status == 200, "\(answer.headText)")
        #expect(browser.names(for: "a.app.test").allSatisfy { $0.hasPrefix("__Host-") })
        for host in ["a.app.test", "b.app.test"] {
            expectLoginNeeded(
                try ask("/app", at: host, copy, on: stage), login: "https://\(host)/.portcullis/login/web")
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("SC-16"), .refuses("SC-16")) func `is over at both by the server's word to one`() throws {
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        let token = stage.server.logoutToken(session: stage.server.lastSession, audience: "web")
        let message = request(
            "POST", "/.portcullis/backchannel-logout/web",
            fields: ["Content-Type: application/x-www-form-urlencoded"], body: "logout_token=\(token)")
        let answer = try stage.gateway.exchange(
            message.replacingOccurrences("Host: gateway.test", with: "Host: b.app.test"), method: "POST")
        #expect(answer.status == 200, "\(answer.headText)")
        for host in ["a.app.test", "b.app.test"] {
            expectLoginNeeded(try ask("/app", at: host, browser), login: "https://\(host)/.portcullis/login/web")
        }
    }

    @Test(.holds("SC-16")) func `is renewed at one for both`() throws {
        stage.server.change { $0.tokenSeconds = 5 }
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        let before = try #require(browser.value(of: Self.cookie, for: "a.app.test"))
        var mine = browser
        let isRefreshed = eventually {
            _ = try? exchange("GET", "/app/poll", at: "b.app.test", &mine)
            return mine.value(of: Self.cookie, for: "a.app.test") != before
        }
        #expect(isRefreshed)
        // One of that name, in the old one's place.
        #expect(mine.names(for: "a.app.test").filter { $0 == Self.cookie }.count == 1)
        #expect(try ask("/app", at: "a.app.test", mine).status == 200)
    }

    @Test(.refuses("SC-16")) func `is nothing to another client, and nowhere else`() throws {
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        let value = try #require(browser.value(of: Self.cookie, for: "d.app.test"))
        for name in [Self.cookie, "__Host-portcullis-second", "__Secure-portcullis-second", "__Host-portcullis-web"] {
            let answer = try ask("/app", at: "d.app.test", SiteJar(), fields: ["Cookie: \(name)=\(value)"])
            expectLoginNeeded(answer, login: "https://d.app.test/.portcullis/login/second")
        }
        let renamed = ["Cookie: __Host-portcullis-web=\(value)"]
        #expect(try ask("/app", at: "a.app.test", SiteJar(), fields: renamed).status == 401)
        for path in ["login", "logout", "session"] {
            #expect(try ask("/.portcullis/\(path)/web", at: "c.app.test", browser).status == 404)
            #expect(try ask("/.portcullis/\(path)/web", at: "gateway.test", browser).status == 404)
        }
        #expect(browser.names(for: "gateway.test").isEmpty && browser.names(for: "evilapp.test").isEmpty)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("SC-16")) func `never reaches an upstream, at whichever host browsers bring its cookie to`() throws {
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        try logIn("second", at: "d.app.test", &browser)
        let value = try #require(browser.value(of: Self.cookie, for: "d.app.test"))
        let cases = [
            ("a.app.test", "/app/w"), ("c.app.test", "/app/x"), ("d.app.test", "/app/y"), ("gateway.test", "/open/z"),
        ]
        for (host, path) in cases {
            let more = [
                "Cookie: first=1; \(Self.cookie).1=gone; __SECURE-portcullis-WEB.2=gone; __Host-portcullis-web=gone; "
                    + "__secure-portcullis-another=gone; __Secure-app=2"
            ]
            #expect(try ask(path, at: host, browser, fields: more).status == 200, "\(host)")
            let seen = try stage.forwarded(path)
            #expect(
                seen.fields["cookie"].joined(separator: "; ") == "first=1; __Secure-app=2", "\(host) \(seen.headText)")
        }
        // Sent by hand where no browser would send it.
        #expect(
            try ask("/open/v", at: "gateway.test", SiteJar(), fields: ["Cookie: \(Self.cookie)=\(value)"]).status == 200
        )
        #expect(try stage.forwarded("/open/v").fields["cookie"] == [])
        #expect(!text(stage.upstream.allBytes).contains(value))
    }

    @Test(
        .refuses("SC-16"), arguments: [cookie, "__secure-PORTCULLIS-web", "\(cookie).1", "__Secure-portcullis-other"])
    func `is planted by no upstream`(name: String) throws {
        let lines = [
            "app=1; Domain=app.test", "\(name)=evil; Domain=app.test; Path=/; Secure", "__Secure-app=2; Secure",
        ]
        stage.upstream.answer("/app/planted", with: .answer(200, fields: lines.map { "Set-Cookie: \($0)" }))
        let answer = try ask("/app/planted", at: "c.app.test", SiteJar())
        #expect(answer.fields["set-cookie"] == [lines[0], lines[2]], "\(answer.headText)")
    }

    @Test(.refuses("SC-16", "SC-06"))
    func `beside another one of its name lets nobody in, and is not given up for that one`() throws {
        var mallory = SiteJar()
        stage.server.change { $0.subject = "mallory" }
        try logIn(at: "b.app.test", &mallory)
        let planted = try #require(mallory.value(of: Self.cookie, for: "b.app.test"))
        stage.server.change { $0.subject = "alice" }
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        let value = try #require(browser.value(of: Self.cookie, for: "a.app.test"))
        stage.upstream.forget()
        // A path that only the planted one has is known to nobody: it stays, and so does the session's own.
        var tossed = browser
        tossed.plant(Self.cookie, planted, domain: "app.test", path: "/app")
        for _ in 0..<2 {
            let answer = try exchange("GET", "/app", at: "a.app.test", &tossed)
            expectLoginNeeded(answer, login: "https://a.app.test/.portcullis/login/web")
            let ended = answer.fields["set-cookie"]
            #expect(ended.count == 8 && ended.allSatisfy { $0.contains("; Max-Age=0") }, "\(ended)")
            #expect(ended.allSatisfy { !$0.contains("Domain=app.test;") }, "\(ended)")
            #expect(tossed.values(of: Self.cookie, for: "a.app.test", "/app") == [planted, value])
        }
        // Where it would be alone, it is what it is; the session's own path still has the session's own.
        #expect(try ask("/other", at: "a.app.test", tossed).status == 200)
        #expect(stage.upstream.requests.map(\.path) == ["/other"])
        #expect(try stage.forwarded("/other").fields["x-user"] == ["alice"])
    }

    @Test(.refuses("SC-16"), arguments: [false, true])
    func `ends by its user's logout, though another host planted one for that path`(isSession: Bool) throws {
        var planted = "nothing"
        if isSession {
            var mallory = SiteJar()
            stage.server.change { $0.subject = "mallory" }
            try logIn(at: "b.app.test", &mallory)
            planted = try #require(mallory.value(of: Self.cookie, for: "b.app.test"))
            stage.server.change { $0.subject = "alice" }
        }
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        let copy = browser
        browser.plant(Self.cookie, planted, domain: "app.test", path: "/.portcullis")
        let answer = try exchange(
            "POST", "/.portcullis/logout/web", at: "a.app.test", &browser, fields: ownPage(of: "a.app.test"))
        #expect(answer.status == 200, "\(answer.headText)")
        #expect(browser.value(of: Self.cookie, for: "a.app.test") == nil)
        #expect(try ask("/app", at: "b.app.test", copy).status == 401)
    }

    @Test(.refuses("SC-16", "CF-34"))
    func `ends by the next login in its browser too, though another host planted one for that path`() throws {
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        let copy = browser
        #expect(try ask("/app", at: "b.app.test", copy).status == 200)
        browser.plant(Self.cookie, "nothing", domain: "app.test", path: "/.portcullis")
        stage.server.change { $0.subject = "mallory" }
        try logIn(at: "a.app.test", &browser)
        #expect(try ask("/app", at: "b.app.test", copy).status == 401)
        #expect(try ask("/app", at: "b.app.test", browser).status == 200)
    }

    @Test(.holds("SC-16"), .refuses("SC-16"), arguments: [nil, "a.app.test", "test.example"])
    func `is found again once what another domain or this host alone had of its name is deleted`(domain: String?) throws
    {
        var browser = SiteJar()
        try logIn(at: "a.app.test", &browser)
        // A browser would not take one of a strange domain: then there is nothing to delete.
        browser.plant(Self.cookie, "of-before", domain: domain ?? "a.app.test", isOfHost: domain == nil)
        if domain != "test.example" {
            expectLoginNeeded(
                try exchange("GET", "/app", at: "a.app.test", &browser),
                login: "https://a.app.test/.portcullis/login/web")
        }
        #expect(try ask("/app", at: "a.app.test", browser).status == 200)
    }

    @Test(.holds("SC-16")) func `takes the place of the cookie that one host had before`() throws {
        var browser = SiteJar()
        browser.plant("__Host-portcullis-web", "of-before", domain: "a.app.test", isOfHost: true)
        #expect(try ask("/app", at: "a.app.test", browser).status == 401)
        let answer = try logIn(at: "a.app.test", &browser)
        #expect(
            answer.fields["set-cookie"].contains(
                "__Host-portcullis-web=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"), "\(answer.headText)")
        #expect(browser.value(of: "__Host-portcullis-web", for: "a.app.test") == nil)
        #expect(try ask("/app", at: "a.app.test", browser).status == 200)
    }
}

/// A browser's cookies of many hosts, kept and sent by its rules (RFC 6265bis §5.7, §5.8.3).
private struct SiteJar {
    private struct Kept {
        var name: String
        var value: String
        var domain: String
        var isOfHost: Bool
        var path: String

        func isSame(as other: Kept) -> Bool {
            name == other.name && domain == other.domain && isOfHost == other.isOfHost && path == other.path
        }

        func isSent(to host: String, _ target: String) -> Bool {
            let isThere = domain == host || !isOfHost && host.hasSuffix("." + domain)
            return isThere && (path == "/" || target == path || target.hasPrefix(path + "/"))
        }
    }

    private var kept: [Kept] = []
    /// Lines that a browser does not take.
    private(set) var refused: [String] = []

    /// Does what the answer's `Set-Cookie` lines say.
    mutating func take(_ response: WireResponse, from host: String) {
        for line in response.fields["set-cookie"] {
            let parts = line.split(separator: ";").map { String($0.drop { $0 == " " }) }
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            func attribute(_ name: String) -> String? {
                parts.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
            }
            let domain = attribute("Domain")
            let cookie = Kept(
                name: pair[0], value: pair[1], domain: domain ?? host, isOfHost: domain == nil,
                path: attribute("Path") ?? "/")
            let isRight =
                (domain.map { host == $0 || host.hasSuffix("." + $0) } ?? true)
                && (!pair[0].hasPrefix("__") || parts.contains("Secure"))
                && (!pair[0].hasPrefix("__Host-") || domain == nil && cookie.path == "/")
            guard isRight else {
                refused.append(line)
                continue
            }
            kept.removeAll { $0.isSame(as: cookie) }
            if attribute("Max-Age") != "0" { kept.append(cookie) }
        }
    }

    /// A cookie that some other host set, or this one long ago.
    mutating func plant(_ name: String, _ value: String, domain: String, path: String = "/", isOfHost: Bool = false) {
        kept.append(Kept(name: name, value: value, domain: domain, isOfHost: isOfHost, path: path))
    }

    /// The `Cookie` line for this request, or none; longer paths come first.
    func lines(for host: String, _ target: String) -> [String] {
        let sent = sent(to: host, target)
        return sent.isEmpty ? [] : ["Cookie: " + sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")]
    }

    func names(for host: String) -> [String] { sent(to: host, "/").map(\.name) }

    func value(of name: String, for host: String) -> String? { values(of: name, for: host, "/").first }

    func values(of name: String, for host: String, _ target: String) -> [String] {
        sent(to: host, target).filter { $0.name == name }.map(\.value)
    }

    private func sent(to host: String, _ target: String) -> [Kept] {
        let path = String(target.prefix { $0 != "?" })
        return kept.filter { $0.isSent(to: host, path) }.sorted { $0.path.utf8.count > $1.path.utf8.count }
    }
}
