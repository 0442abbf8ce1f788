import TestSupport
import TestTraits
import Testing

/// Row SC-09, and HTTP-58 with a session: a cookie alone does not say that its user wants what is asked.
@Suite(.serialized, .byEachProtocol) struct `a request that another site could have made` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(routes: [
                "{ path: /app/, upstream: $UPSTREAM, login: { client: web, allowed_origins: [\"https://spa.test\"] }, websocket: true }",
                "{ path: /api/, upstream: $UPSTREAM, login: { client: web, require_header: true }, websocket: true }",
            ]))
    }
    private static let browser = Shared { try shared.get().login() }
    let stage: SessionStage
    let browser: CookieJar

    init() throws {
        stage = try Self.shared.get()
        browser = try Self.browser.get()
        stage.upstream.forget()
    }

    static let unsafe = ["POST", "PUT", "DELETE", "PATCH", "REPORT"]
    private static let sites: [String?] = [nil, "same-origin", "same-site", "cross-site", "none", "Same-Origin"]
    private static let origins: [String?] = [
        nil, "https://gateway.test", "https://spa.test", "https://evil.test", "https://sub.gateway.test", "null",
        "http://gateway.test", "https://gateway.test:8443", "HTTPS://GATEWAY.TEST",
    ]

    /// What the row says, written down anew: a foreign origin is never ours, and something must say that it is.
    private static func mayPass(site: String?, origin: String?, isMarked: Bool) -> Bool {
        // A page that lets no referrer out has no origin to show, and its browser says all the same that it is ours.
        if origin == "null" { return site == "same-origin" || site == "none" }
        if let origin, !["https://gateway.test", "https://spa.test"].contains(origin.lowercased()) { return false }
        return origin != nil || site == "same-origin" || site == "none" || isMarked
    }

    @Test(.holds("SC-09"), arguments: unsafe)
    func `is judged by what browsers say of the page, in every combination`(method: String) throws {
        for site in Self.sites {
            for origin in Self.origins {
                for isMarked in [false, true] {
                    var fields = browser.lines
                    if let site { fields.append("Sec-Fetch-Site: \(site)") }
                    if let origin { fields.append("Origin: \(origin)") }
                    if isMarked { fields.append("x-requested-by: script") }
                    let answer = try stage.exchange(method, "/app/a", fields: fields)
                    let expected = Self.mayPass(site: site, origin: origin, isMarked: isMarked)
                    #expect(answer.status == (expected ? 200 : 403), "\(method) \(fields.dropFirst())")
                    if !expected { expectTemplate(answer, status: 403) }
                }
            }
        }
        let passed = Self.sites.flatMap { site in
            Self.origins.flatMap { origin in
                [false, true].filter { Self.mayPass(site: site, origin: origin, isMarked: $0) }
            }
        }
        #expect(stage.upstream.requests.count == passed.count)
    }

    @Test(.refuses("SC-09"), arguments: ["GET", "HEAD", "OPTIONS"])
    func `is answered where it changes nothing, wherever it comes from`(method: String) throws {
        for fields in [[], ["Origin: https://evil.test"], ["Sec-Fetch-Site: cross-site", "Origin: null"]] {
            #expect(try stage.exchange(method, "/app/a", browser: browser, fields: fields).status == 200)
        }
    }

    @Test(.refuses("SC-09")) func `hides nothing behind a second line`() throws {
        let foreign = ["Origin: https://evil.test", "Origin: https://gateway.test"]
        #expect(try stage.exchange("POST", "/app/a", browser: browser, fields: foreign).status == 403)
        #expect(try stage.exchange("POST", "/app/a", browser: browser, fields: foreign.reversed()).status == 403)
        let sites = ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"]
        #expect(try stage.exchange("POST", "/app/a", browser: browser, fields: sites).status == 403)
        #expect(try stage.exchange("POST", "/app/a", browser: browser, fields: sites.reversed()).status == 403)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("SC-09")) func `without the header is refused for every method where the route asks for it`() throws
    {
        for method in Self.unsafe + ["GET", "HEAD", "OPTIONS"] {
            let answer = try stage.exchange(method, "/api/a", browser: browser, fields: ownPage)
            #expect(answer.status == 403, "\(method)")
        }
        #expect(stage.upstream.requests.isEmpty)
        for method in Self.unsafe + ["GET", "HEAD", "OPTIONS"] {
            let answer = try stage.exchange(method, "/api/a", browser: browser, fields: ["X-Requested-By: x"])
            #expect(answer.status == 200, "\(method)")
        }
    }

    @Test(.refuses("SC-09")) func `is not refused but sent to the login when it has no session`() throws {
        let answer = try stage.exchange("POST", "/app/a", fields: ["Origin: https://evil.test"])
        expectLoginNeeded(answer)
    }

    private func handshake(_ path: String, _ fields: [String]) throws -> WireResponse {
        stage.upstream.answer(path, with: .switching)
        let lines = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        return try stage.exchange("GET", path, browser: browser, fields: lines + fields)
    }

    @Test(
        .refuses("HTTP-58"),
        arguments: [
            [], ["Origin: https://evil.test"], ["Origin: null"], ["Origin: https://sub.gateway.test"],
            ["Sec-Fetch-Site: same-origin"], ["X-Requested-By: x"],
            ["Origin: https://gateway.test", "Origin: https://evil.test"],
        ])
    func `opens no WebSocket with a session: only a page of ours does`(fields: [String]) throws {
        for path in ["/app/socket", "/api/socket"] {
            expectTemplate(try handshake(path, fields), status: 403)
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("HTTP-58"), arguments: ["https://gateway.test", "https://spa.test"])
    func `from a page of ours opens a WebSocket, and the session stays here`(origin: String) throws {
        #expect(try handshake("/app/socket", ["Origin: \(origin)"]).status == 101)
        let seen = try stage.forwarded("/app/socket")
        #expect(seen.fields["cookie"] == [])
        #expect(seen.fields["origin"] == [origin])
    }

    @Test(.refuses("HTTP-58")) func `from a page of ours opens one where a header is asked for, which no page can add`()
        throws
    {
        #expect(try handshake("/api/socket", ["Origin: https://gateway.test"]).status == 101)
    }

    // MARK: the gateway's own pages

    @Test(
        .refuses("SC-10"),
        arguments: [[], ["Origin: https://evil.test"], ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"]])
    func `logs nobody out`(fields: [String]) throws {
        let mine = try stage.login()
        let answer = try stage.exchange("POST", "/.portcullis/logout/web", browser: mine, fields: fields)
        expectTemplate(answer, status: 403)
        #expect(answer.fields["set-cookie"] == [])
        let image = try stage.exchange(
            "GET", "/.portcullis/logout/web", browser: mine,
            fields: ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image", "Sec-Fetch-Site: cross-site"])
        #expect(image.fields["set-cookie"] == [])
        #expect(try stage.exchange("GET", "/app/a", browser: mine).status == 200)
        #expect(stage.server.revoked == [])
    }

    @Test(.holds("SC-10")) func `is asked about on a page, whose answer does log out`() throws {
        let mine = try stage.login()
        let asked = try stage.exchange("GET", "/.portcullis/logout/web", browser: mine, fields: navigation)
        expectPage(asked, status: 200)
        #expect(asked.bodyText.contains("method=\"post\""), "\(asked.bodyText)")
        #expect(try stage.exchange("GET", "/app/a", browser: mine).status == 200)
        let answer = try stage.exchange(
            "POST", "/.portcullis/logout/web", browser: mine,
            fields: ownPage + ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"])
        #expect([200, 303].contains(answer.status), "\(answer.headText)")
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: mine))
    }

    @Test(.refuses("SC-12")) func `learns nothing of a session, and a page of ours does`() throws {
        for fields in [[], ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site", "Origin: https://evil.test"]] {
            let answer = try stage.exchange("GET", "/.portcullis/session/web", browser: browser, fields: fields)
            #expect(answer.status == 403 && !answer.bodyText.contains("true"), "\(answer.bodyText)")
            #expect(!answer.fields.contains("access-control-allow-origin"))
        }
        let own = try stage.exchange("GET", "/.portcullis/session/web", browser: browser, fields: ownPage)
        expectTemplate(own, status: 200)
        #expect(own.bodyText.contains("\"authenticated\":true"))
        #expect(!own.fields.contains("access-control-allow-origin"))
        let nobody = try stage.exchange("GET", "/.portcullis/session/web", fields: ownPage)
        expectLoginNeeded(nobody)
    }
}

/// One of the gateway's own pages: framed by nobody, cached by nobody, with no script but its own.
func expectPage(_ response: WireResponse, status: Int, at location: SourceLocation = #_sourceLocation) {
    expectTemplate(response, status: status, at: location)
    #expect(response.fields.only("content-type") == "text/html; charset=utf-8", sourceLocation: location)
    let policy = response.fields.only("content-security-policy") ?? ""
    #expect(policy.contains("default-src 'none'"), "\(policy)", sourceLocation: location)
    #expect(policy.contains("frame-ancestors 'none'"), "\(policy)", sourceLocation: location)
    #expect(response.fields.only("referrer-policy") == "no-referrer", sourceLocation: location)
}
