import Bytes
import TestSupport
import TestTraits
import Testing

/// Rows SC-11, STEP-04, CF-32 and what upstreams get of a session beside its token.
@Suite(.serialized, .byEachProtocol) struct `what a session may do` {
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    """
                    { path: /both/, upstream: $UPSTREAM, login: web, token: { issuers: [main], audience: api, \
                    schemes: [Bearer] }, identity: { X-User: sub } }
                    """,
                    "{ path: /app/, upstream: $UPSTREAM, login: web, identity: { X-User: sub } }",
                    "{ path: /gold/, upstream: $UPSTREAM, login: { client: web, acr_values: [gold], max_age: 5m } }",
                    "{ path: /staff/, upstream: $UPSTREAM, login: { client: web, claims: { groups: [staff] } } }",
                    "{ path: /write/, upstream: $UPSTREAM, login: { client: web, scopes: [orders] } }",
                    "{ path: /said/, upstream: $UPSTREAM, login: web, upstream_credential: { assertion: { audience: stock } } }",
                ], client: ["scopes: [openid, orders]"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        stage.server.change { $0.scope = "openid orders" }
    }

    @Test(.refuses("SC-11")) func `a bad token is not mended by a good session`() throws {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/both/a", browser: browser).status == 200)
        stage.upstream.forget()
        for value in ["Bearer wrong", "Bearer a.b.c", "Basic YTpi", "Bearer", "DPoP x", "Bearer a, Bearer b"] {
            let answer = try stage.exchange("GET", "/both/a", browser: browser, fields: ["Authorization: \(value)"])
            #expect([400, 401].contains(answer.status), "\(value): \(answer.headText)")
            #expect(answer.fields.contains("www-authenticate"))
            #expect(!answer.bodyText.contains("login_required"))
        }
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.holds("SC-11")) func `a request with neither is offered both`() throws {
        let answer = try stage.exchange("GET", "/both/a")
        #expect(answer.status == 401 && answer.bodyText.contains("login_required"), "\(answer.headText)")
        #expect(answer.fields["www-authenticate"].count == 1)
        expectSentToLogin(try stage.exchange("GET", "/both/a", fields: navigation), returnTo: "%2Fboth%2Fa")
    }

    @Test(.refuses("SC-11")) func `where only sessions count, Authorization is no credential and goes nowhere`() throws
    {
        expectLoginNeeded(try stage.exchange("GET", "/app/a", fields: ["Authorization: Bearer whatever"]))
        let browser = try stage.login()
        for lines in [["Authorization: Bearer wrong"], ["Authorization: Basic YTpi", "Authorization: Basic YTpi"]] {
            stage.upstream.forget()
            #expect(try stage.exchange("GET", "/app/a", browser: browser, fields: lines).status == 200)
            let seen = try stage.forwarded("/app/a")
            #expect(seen.fields["authorization"] == [] && seen.fields["x-user"] == ["alice"])
        }
    }

    @Test(.holds("STEP-04")) func `a page that asks for more sends its user for it, and shows itself then`() throws {
        var browser = try stage.login()
        let weak = browser
        let asked = try stage.exchange("GET", "/gold/a?x=1", browser: browser, fields: navigation)
        #expect(asked.status == 303, "\(asked.headText)")
        let start = try #require(asked.fields.only("location"))
        #expect(start == "/.portcullis/login/web?return_to=%2Fgold%2Fa%3Fx%3D1&step_up=0")
        stage.server.change { $0.acr = "gold" }
        let answer = try stage.callback(start + "&shown=1", &browser)
        #expect(answer.status == 303 && answer.fields.only("location") == "/gold/a?x=1", "\(answer.headText)")
        #expect(try stage.exchange("GET", "/gold/a?x=1", browser: browser).status == 200)
        // SC-05: the weaker session is over.
        expectLoginNeeded(try stage.exchange("GET", "/app/a", browser: weak))
    }

    @Test(.holds("STEP-04"), .refuses("STEP-04"))
    func `a script that asks for more is told where, and nothing is shown`() throws {
        let browser = try stage.login()
        let answer = try stage.exchange("GET", "/gold/a", browser: browser)
        expectLoginNeeded(answer, login: "https://gateway.test/.portcullis/login/web?step_up=0")
        #expect(stage.upstream.requests.isEmpty)
    }

    @Test(.refuses("STEP-04")) func `a server that does not listen is asked twice, then its user is told`() throws {
        var browser = try stage.login()
        stage.server.change { $0.acr = "bronze" }
        let again = try stage.callback("/.portcullis/login/web?return_to=%2Fgold%2Fa&step_up=0", &browser)
        let location = try #require(again.fields.only("location"), "\(again.headText)")
        #expect(location.contains("prompt=login") && location.contains("acr_values=gold"), "\(location)")
        let back = try stage.server.authorize(location)
        let last = try stage.exchange(
            "GET", String(back.dropFirst("https://gateway.test".utf8.count)), browser: browser)
        expectPage(last, status: 403)
        #expect(!last.fields.contains("location"))
        // What the browser had before is still its own.
        #expect(try stage.exchange("GET", "/app/a", browser: browser).status == 200)
    }

    @Test(.refuses("STEP-04")) func `an authentication of long ago is no fresh one`() throws {
        stage.server.change {
            $0.acr = "gold"
            $0.authenticationAge = 3600
        }
        let browser = try stage.login()
        let answer = try stage.exchange("GET", "/gold/a", browser: browser, fields: navigation)
        #expect(answer.status == 303 && answer.fields.only("location")?.hasSuffix("&step_up=0") == true)
    }

    @Test(.refuses("CF-32")) func `a session without the scope or the claim is refused, and not sent anywhere`() throws
    {
        stage.server.change { $0.claims = ["groups": "[\"guests\"]"] }
        let browser = try stage.login()
        let claims = try stage.exchange("GET", "/staff/a", browser: browser, fields: navigation)
        expectTemplate(claims, status: 403)
        #expect(!claims.fields.contains("location") && !claims.fields.contains("www-authenticate"))
        stage.server.change { $0.claims = ["groups": "[\"guests\",\"staff\"]"] }
        #expect(try stage.exchange("GET", "/staff/a", browser: try stage.login()).status == 200)
    }

    @Test(.holds("CF-32")) func `a login that is granted less than a route needs says so at once`() throws {
        stage.server.change { $0.scope = "openid" }
        var browser = CookieJar()
        let answer = try stage.callback("/.portcullis/login/web?return_to=/write/a", &browser)
        // Other routes of this client are content with less: the login goes through, and this route says no.
        #expect(answer.status == 303)
        expectTemplate(try stage.exchange("GET", "/write/a", browser: browser, fields: navigation), status: 403)
    }

    @Test(.holds("RS-25")) func `an assertion says who the session's user is`() throws {
        let browser = try stage.login()
        #expect(try stage.exchange("GET", "/said/a", browser: browser).status == 200)
        let seen = try stage.forwarded("/said/a")
        let value = try #require(seen.fields.only("authorization"))
        #expect(value.hasPrefix("Bearer ") && value.split(separator: ".").count == 3)
        #expect(!stage.server.issued.contains(String(value.dropFirst(7))))
        let claims = unpadded(String(value.split(separator: ".")[1]))
        #expect(claims.contains("\"sub\":\"alice\"") && claims.contains("\"aud\":\"stock\""), "\(claims)")
    }
}

/// The text of a JWT's segment.
private func unpadded(_ segment: String) -> String {
    Base64URL.decode(Array(segment.utf8).span).map { text($0) } ?? ""
}
