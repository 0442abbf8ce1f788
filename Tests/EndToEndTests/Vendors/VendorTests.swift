import TestSupport
import TestTraits
import Testing

/// Every example for a vendor's server, as it is in the file, in front of a server that answers as the vendor documents.
@Suite(.byEachProtocol) struct `the example for a vendor's server` {
    /// Fields of a form of ours that somebody submits.
    private static let ownForm = [
        "Origin: \(VendorStage.origin)", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate",
        "Sec-Fetch-Dest: document", "Accept: text/html",
    ]

    @Test(arguments: Vendor.all)
    func `signs a user in, keeps them, and signs them out`(
        vendor: Vendor
    ) throws {
        let stage = try VendorStage(vendor)
        var visit = try VendorVisit(stage)
        expectRequest(visit, on: stage)
        try expectKnown(&visit.browser, on: stage)
        if vendor.givesRefreshToken {
            try expectRenewed(&visit.browser, on: stage)
        } else {
            // The access token is of no use by now, and nobody asks for another.
            #expect(stage.server.forms("token_endpoint").map { $0["grant_type"] } == ["authorization_code"])
        }
        try expectSignedOut(&visit.browser, on: stage)
    }

    /// CF-02 … CF-05: what the server is asked, and that the example says what must be registered for it.
    private func expectRequest(_ visit: VendorVisit, on stage: VendorStage) {
        let parameters = visit.parameters, example = stage.example
        #expect(parameters["response_type"] == "code")
        #expect(parameters["code_challenge_method"] == "S256")
        #expect(parameters["nonce"]?.isEmpty == false)
        #expect(parameters["redirect_uri"] == VendorStage.origin + "/.portcullis/callback/shop")
        #expect(example.contains(" \(parameters["redirect_uri"] ?? "?")\n"))
        let scopes = (parameters["scope"] ?? "").split(separator: " ")
        #expect(scopes.contains("openid") && scopes.allSatisfy { example.contains($0) }, "\(scopes)")
        #expect(parameters["resource"] == nil && parameters["request"] == nil)
        #expect((parameters["prompt"] == "select_account") == example.contains("prompt: select_account"))
        guard example.contains("authorization_request: pushed") else { return #expect(visit.sent == parameters) }
        #expect(Set(visit.sent.keys) == ["client_id", "request_uri"])
    }

    /// The upstream is told who it is, and gets neither cookie nor token.
    private func expectKnown(
        _ browser: inout CookieJar, on stage: VendorStage, at location: SourceLocation = #_sourceLocation
    ) throws {
        let page = try stage.open("/known", &browser)
        #expect(page.status == 200, "\(page.headText)\(stage.gateway.diagnosis)", sourceLocation: location)
        let seen = try #require(stage.upstream.requests.last { $0.path == "/known" }, sourceLocation: location)
        for (field, value) in stage.server.vendor.identity {
            #expect(seen.fields.only(field) == value, "\(field)", sourceLocation: location)
        }
        #expect(!seen.fields.contains("cookie") && !seen.fields.contains("authorization"), sourceLocation: location)
    }

    private func expectRenewed(_ browser: inout CookieJar, on stage: VendorStage) throws {
        var jar = browser
        var statuses: Set<Int> = []
        let isRenewed = try eventually(within: .seconds(120)) {
            statuses.insert(try stage.open("/poll", &jar).status)
            return stage.server.forms("token_endpoint").contains { $0["grant_type"] == "refresh_token" }
        }
        #expect(isRenewed && statuses == [200], "\(statuses)\(stage.gateway.diagnosis)")
        let line = stage.gateway.operatorLine { $0["event"] == "session_refreshed" }
        #expect(line?["outcome"] == "refreshed", "\(stage.gateway.diagnosis)")
        try expectKnown(&jar, on: stage)
        browser = jar
    }

    private func expectSignedOut(_ browser: inout CookieJar, on stage: VendorStage) throws {
        let vendor = stage.server.vendor, former = browser
        let answer = try stage.exchange(
            "POST", "/.portcullis/logout/shop", browser: browser, fields: Self.ownForm)
        browser.take(answer)
        if stage.example.contains("at_server: false") {
            #expect(answer.status == 200 && !answer.fields.contains("location"), "\(answer.headText)")
        } else {
            #expect(answer.status == 303, "\(answer.headText)")
            let endpoint = try #require(stage.server.metadata["end_session_endpoint"])
            let url = try #require(answer.fields.only("location"))
            #expect(url.hasPrefix(endpoint + "?"), "\(url)")
            let sent = WireForm.parameters(url.split(separator: "?", maxSplits: 1).last.map(String.init) ?? "")
            #expect(try SeenToken(try #require(sent["id_token_hint"])).text("sub") == vendor.subject)
            let back = try #require(sent["post_logout_redirect_uri"]), state = try #require(sent["state"])
            #expect(back == VendorStage.origin + "/.portcullis/logged-out/shop")
            #expect(stage.example.contains(" \(back)\n"), "the example does not say that \(back) is to be registered")
            let landing = try stage.target(back) + (vendor.returnsLogoutState ? "?state=\(state)" : "")
            let page = try stage.open(landing, &browser)
            let leadsOn = stage.example.contains("landing: /goodbye")
            #expect(page.status == (leadsOn ? 303 : 200), "\(page.headText)")
            #expect(page.fields.only("location") == (leadsOn ? "/goodbye" : nil))
        }
        // Neither this browser nor a copy of its cookies is anybody's now.
        for var jar in [browser, former] { #expect(try stage.open("/known", &jar).status == 303) }
        guard vendor.givesRefreshToken, stage.server.metadata["revocation_endpoint"] != nil else { return }
        #expect(eventually { !stage.server.forms("revocation_endpoint").isEmpty }, "\(stage.gateway.diagnosis)")
    }

    @Test(.holds("RS-13"), arguments: Vendor.all) func `lets the vendor's access tokens into its API`(
        vendor: Vendor
    ) throws {
        let stage = try VendorStage(vendor)
        guard let shape = vendor.accessToken else { return try expectOpenedBySessionAlone(stage) }
        let answer = try stage.call(stage.server.accessToken())
        #expect(answer.status == 200, "\(answer.headText)\(stage.gateway.diagnosis)")
        let seen = try #require(stage.api.requests.last { $0.path == "/api/orders" })
        for (field, value) in shape.identity { #expect(seen.fields.only(field) == value, "\(field)") }
        #expect(!seen.fields.contains("authorization"))
        #expect(stage.upstream.requests.isEmpty)
    }

    /// Where an API takes no access tokens, a script of ours has the session, and nobody else gets in.
    private func expectOpenedBySessionAlone(_ stage: VendorStage) throws {
        let visit = try VendorVisit(stage)
        #expect(try stage.call(stage.server.accessToken()).status == 401)
        let bare = try stage.exchange("GET", "/api/orders", browser: visit.browser)
        #expect(bare.status == 403, "\(bare.headText)")
        #expect(stage.api.requests.isEmpty)
        let answer = try stage.exchange(
            "GET", "/api/orders", browser: visit.browser,
            fields: ["X-Requested-By: app", "Sec-Fetch-Site: same-origin"])
        #expect(answer.status == 200, "\(answer.headText)\(stage.gateway.diagnosis)")
        let seen = try #require(stage.api.requests.last { $0.path == "/api/orders" })
        guard stage.example.contains("upstream_credential: pass") else {
            for (field, value) in stage.server.vendor.identity { #expect(seen.fields.only(field) == value, "\(field)") }
            return #expect(!seen.fields.contains("authorization"))
        }
        let passed = seen.fields.only("authorization")
        #expect(stage.server.given.contains { passed == "Bearer " + $0 }, "\(passed ?? "no token")")
    }

    @Test(.refuses("RS-13", "RS-18", "RS-19", "RS-20"), arguments: Vendor.all.filter { $0.accessToken != nil })
    func `lets no other token of the vendor's into its API`(vendor: Vendor) throws {
        let stage = try VendorStage(vendor)
        let shape = try #require(vendor.accessToken)
        let server = stage.server
        let strangers = [
            ("for another audience", server.accessToken(audience: "\"https://elsewhere.example/api\"")),
            ("an ID token of a login", server.idToken(nonce: "n-0S6_WzA2Mj")),
            ("an ID token of a refresh", server.idToken(nonce: nil)),
        ]
        for (kind, token) in strangers {
            let answer = try stage.call(token)
            #expect(answer.status == 401, "\(kind): \(answer.headText)")
            #expect(try challenge(answer)["error"] == "invalid_token", "\(kind)")
        }
        if let changed = shape.withoutRights {
            let answer = try stage.call(server.accessToken(changed: changed))
            #expect(answer.status == 403, "\(answer.headText)")
        }
        if shape.introspection != nil {
            // Signed by the server's key, and nothing that the server knows of: revoked, or made by who has the key.
            let answer = try stage.call(vendor.accessToken(issuer: server.issuer, now: 1_700_000_000))
            #expect(answer.status == 401, "\(answer.headText)")
        }
        #expect(stage.api.requests.isEmpty)
    }

    @Test(.refuses("OIDC-03"), arguments: Vendor.all) func `signs nobody in by an ID token for another client`(
        vendor: Vendor
    ) throws {
        let stage = try VendorStage(vendor)
        stage.server.changeIDTokens(vendor.clientID, to: "another-client")
        var browser = CookieJar()
        let url = try stage.authorizationURL(from: "/page", &browser)
        let callback = try stage.server.authorize(url).callback
        let back = try stage.open(try stage.target(callback), &browser)
        #expect(back.status == 502, "\(back.headText)")
        let line = stage.gateway.operatorLine { $0["event"] == "refused" && $0["status"] == "502" }
        #expect(line?["check"] == "OIDC-03", "\(stage.gateway.diagnosis)")
        #expect(browser["__Host-portcullis-shop"] == nil)
        #expect(try stage.open("/page", &browser).status == 303)
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("JAR-01", "JAR-03")) func `signs requests as Auth0 takes them`() throws {
        let stage = try VendorStage(.auth0)
        _ = try VendorVisit(stage)
        let push = try #require(stage.server.forms("pushed_authorization_request_endpoint").first)
        #expect(Set(push.keys) == ["client_id", "client_secret", "request"])
        let object = try SeenToken(try #require(push["request"]))
        #expect(object.header["alg"] as? String == "PS256")
        #expect(object.header["typ"] as? String == "oauth-authz-req+jwt")
        #expect(stage.example.contains("key_id: \(object.header["kid"] as? String ?? "?") "))
        #expect(object.text("iss") == Vendor.auth0.clientID && object.text("client_id") == Vendor.auth0.clientID)
        #expect(object.text("aud") == stage.server.issuer && stage.server.issuer.hasSuffix("/"))
        #expect(object.text("audience") == "https://api.example.com")
        #expect((1...64).contains((object.text("jti") ?? "").utf8.count))
    }

    @Test(.refuses("RS-20")) func `lets nobody in who has a Google account of no organization, or of another one`()
        throws
    {
        for other in ["", "\"hd\":\"elsewhere.example\","] {
            let stage = try VendorStage(.google)
            stage.server.changeIDTokens("\"hd\":\"example.com\",", to: other)
            var visit = try VendorVisit(stage)
            let page = try stage.open("/page", &visit.browser)
            #expect(page.status == 403, "\(page.headText)")
            #expect(stage.upstream.requests.isEmpty)
        }
    }

    @Test(.holds("LO-05", "LO-08"), arguments: Vendor.all.filter { $0.logoutClaims != nil })
    func `ends a session that the server ended`(vendor: Vendor) throws {
        let stage = try VendorStage(vendor)
        var visit = try VendorVisit(stage)
        try expectKnown(&visit.browser, on: stage)
        let target = "/.portcullis/backchannel-logout/shop"
        #expect(stage.example.contains(" \(VendorStage.origin)\(target)\n"))
        let told = try stage.exchange(
            "POST", target, fields: ["Content-Type: application/x-www-form-urlencoded"],
            body: "logout_token=\(stage.server.logoutToken())")
        #expect(told.status == 200, "\(told.headText)\(told.bodyText)")
        #expect(try stage.open("/known", &visit.browser).status == 303)
    }
}
