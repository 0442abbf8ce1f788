import TestSupport
import TestTraits
import Testing

/// Rows RS-01 to RS-10: where a token may stand, and what a client learns when none does.
@Suite(.serialized, .byEachProtocol) struct `credentials and challenges` {
    private static let shared = Shared {
        try Stage(
            routes: Stage.ordinaryRoutes + [
                #"""
                { path: /named/, upstream: $UPSTREAM, token: { issuers: [main], audience: "https://api.test/orders", \
                realm: 'the "inner" \ ring', scopes: ["a:b", "c"] } }
                """#.replacingOccurrences("\\\n", with: ""),
                """
                { path: /optional/, upstream: $UPSTREAM, token: { issuers: [main], optional: true, \
                audience: "https://api.test/orders" }, identity: { X-User: sub } }
                """,
                """
                { path: /ignoring/, upstream: $UPSTREAM, token: { issuers: [main], query_token: ignore, \
                audience: "https://api.test/orders" } }
                """,
            ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func ask(_ path: String = "/orders/a", _ fields: String...) throws -> WireResponse {
        try stage.exchange("GET", path, fields: fields)
    }

    @Test(.holds("RS-01"), arguments: ["Bearer ", "bearer ", "BEARER ", "bEaReR "])
    func `the scheme has no case and the token is taken whole`(scheme: String) throws {
        let response = try ask("/orders/a", "Authorization: \(scheme)\(stage.tokens.token())")
        #expect(response.status == 200, "\(response.headText)")
    }

    @Test(.refuses("RS-01"), arguments: ["Bearer\t", "Bearer\t ", "Bearer \t"])
    func `a tab is no space`(scheme: String) throws {
        try expectInvalidRequest(ask("/orders/a", "Authorization: \(scheme)\(stage.tokens.token())"))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("RS-01")) func `the token has a case`() throws {
        try expectInvalidToken(ask("/orders/a", "Authorization: Bearer \(stage.tokens.token().lowercased())"))
    }

    @Test(.holds("RS-02")) func `without credentials the challenge names realm and scopes and no error`() throws {
        let response = try ask()
        try expectNoCredentials(response)
        let found = try challenge(response)
        #expect(found["scope"] == "orders:read")
        #expect(Set(found.names).isSubset(of: ["realm", "scope", "resource_metadata"]))
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("RS-03"),
        arguments: [
            "Basic eDp5", "Digest username=\"x\"", "Negotiate abc", "DPoP abc", "MTLS abc", "Bearerx abc", "Token abc",
        ])
    func `another scheme counts as none`(credentials: String) throws {
        try expectNoCredentials(ask("/orders/a", "Authorization: \(credentials)"))
        try stage.expectNothingForwarded()
    }

    @Test(
        .holds("RS-04"),
        arguments: [
            "Bearer", "Bearer ", "Bearer a b", "Bearer \"x\"", "Bearer a,b", "Bearer =", "Bearer a=b", "Bearer ä",
        ])
    func `credentials of another shape are a bad request`(credentials: String) throws {
        try expectInvalidRequest(ask("/orders/a", "Authorization: \(credentials)"))
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("RS-04"), arguments: ["Bearer abc", "Bearer a.b.c", "Bearer a==", "Bearer -._~+/", "bearer a.b.c.d.e"])
    func `credentials that are no token are an invalid token`(credentials: String) throws {
        try expectInvalidToken(ask("/orders/a", "Authorization: \(credentials)"))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("RS-05"), .refuses("RS-05")) func `more than one token is a bad request`() throws {
        let token = stage.tokens.token()
        let line = "Authorization: Bearer \(token)"
        try expectInvalidRequest(ask("/orders/a", line, line))
        try expectInvalidRequest(ask("/orders/a", line, "authorization: Basic eDp5"))
        try expectInvalidRequest(ask("/orders/a", "Authorization: Bearer \(token), Bearer \(token)"))
        try expectInvalidRequest(ask("/orders/a?access_token=\(token)", line))
        try expectInvalidRequest(ask("/orders/a?x=y&access_token=z", line))
        try expectInvalidRequest(ask("/orders/a?x=y&access%5Ftoken=z", line))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("RS-05")) func `one token is enough`() throws {
        #expect(try ask("/orders/a?token=x&my_access_token=y", stage.tokens.bearer()).status == 200)
    }

    @Test(.refuses("RS-06")) func `a token in the query is no credential and is not logged`() throws {
        let token = stage.tokens.token()
        try expectNoCredentials(ask("/orders/a?access_token=\(token)"))
        try stage.expectNothingForwarded()
        _ = stage.gateway.accessLine { $0.raw.contains("/open/sentinel") }
        #expect(!stage.gateway.allLogText.contains(token))
    }

    @Test(.holds("RS-06")) func `a route may ignore the query's token beside a header`() throws {
        let token = stage.tokens.token()
        #expect(try ask("/ignoring/a?access_token=x", "Authorization: Bearer \(token)").status == 200)
        try expectNoCredentials(ask("/ignoring/a?access_token=\(token)"))
    }

    @Test(.refuses("RS-07")) func `a token in a form is no credential`() throws {
        let body = "access_token=\(stage.tokens.token())"
        let type = "Content-Type: application/x-www-form-urlencoded"
        try expectNoCredentials(stage.exchange("POST", "/orders/a", fields: [type], body: body))
        try stage.expectNothingForwarded()
    }

    @Test(.holds("RS-07")) func `a form that holds a token beside a header travels unread`() throws {
        let form = "access_token=not-looked-at"
        let type = "Content-Type: application/x-www-form-urlencoded"
        let response = try stage.exchange(
            "POST", "/orders/a", fields: [type, stage.tokens.bearer(["scope": quoted("orders:read orders:write")])],
            body: form)
        #expect(response.status == 200)
        #expect(stage.upstream.requests.map(\.bodyText) == [form])
    }

    @Test(.holds("RS-08")) func `every challenge parses strictly and escapes its realm`() throws {
        let found = try challenge(ask("/named/a"))
        #expect(found["realm"] == #"the "inner" \ ring"#)
        #expect(found["scope"] == "a:b c")
        let refusals: [WireResponse] = [
            try ask("/named/a", "Authorization: Bearer x"), try ask("/named/a", "Authorization: Bearer"),
            try ask("/named/a", stage.tokens.bearer()), try ask("/named/a", stage.tokens.bearer(["aud": quoted("x")])),
        ]
        #expect(refusals.map(\.status) == [401, 400, 403, 401])
        for refusal in refusals {
            let values = refusal.fields["www-authenticate"]
            #expect(values.count == 1)
            for value in values { #expect(throws: Never.self) { try WireChallenge(value) } }
        }
    }

    @Test(.holds("RS-09")) func `without a token an optional route forwards nobody`() throws {
        let recorded = try stage.expectForwarded(
            request("GET", "/optional/a", fields: ["X-User: forged"]), path: "/optional/a")
        #expect(!recorded.fields.contains("x-user"))
        let known = try stage.expectForwarded(
            request("GET", "/optional/b", fields: [stage.tokens.bearer()]), path: "/optional/b")
        #expect(known.fields.only("x-user") == "alice")
    }

    @Test(.refuses("RS-09")) func `a bad token is refused where none would pass`() throws {
        try expectInvalidToken(ask("/optional/a", stage.tokens.bearer(["exp": moment(-400)])))
        try expectInvalidToken(ask("/optional/a", "Authorization: Bearer abc"))
        try expectInvalidRequest(ask("/optional/a", "Authorization: Bearer"))
        try stage.expectNothingForwarded()
    }

    @Test(.refuses("RS-10"), arguments: ["Accept: text/html", "Sec-Fetch-Mode: navigate", "User-Agent: Mozilla/5.0"])
    func `an API route never redirects`(line: String) throws {
        let response = try ask("/orders/a", line, "Accept: text/html,application/xhtml+xml")
        try expectNoCredentials(response)
        #expect(!response.fields.contains("location"))
    }

    @Test(.refuses("RS-10")) func `refusals are not stored`() throws {
        for response in [try ask(), try ask("/orders/a", stage.tokens.bearer(["scope": quoted("x")]))] {
            #expect(response.fields.only("cache-control") == "no-store")
        }
    }
}
