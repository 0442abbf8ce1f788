import TestSupport
import TestTraits
import Testing

/// Rows STEP-01 to STEP-03 and RAR-01: how and when a user signed in, and which details were authorized.
@Suite(.serialized, .byEachProtocol) struct `authentication and authorization details` {
    private static let shared = Shared {
        let audience = #"audience: "https://api.test/orders""#
        return try Stage(
            routes: Stage.ordinaryRoutes + [
                """
                { path: /strong/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), \
                acr_values: [myACR, "urn:example:better"] } }
                """,
                "{ path: /fresh/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), max_age: 300s } }",
                """
                { path: /both/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), acr_values: [myACR], \
                max_age: 5s, scopes: ["orders:read"], claims: { tenant: [acme] } } }
                """,
                """
                { path: /details/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), \
                authorization_details: { GET: [{ type: orders, actions: [read] }], \
                POST: [{ type: orders, actions: [read, write], locations: ["https://api.test/orders"] }, \
                { type: payment, identifier: "account-1" }] } } }
                """,
                """
                { path: /methods/, upstream: $UPSTREAM, token: { issuers: [main], \(audience), \
                scopes: { GET: ["orders:read"], PURGE: ["orders:admin"] } } }
                """,
            ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    private func ask(
        _ path: String, _ claims: [String: String?] = [:], method: String = "GET"
    ) throws -> WireResponse {
        try stage.exchange(method, path, fields: [stage.tokens.bearer(claims)])
    }

    /// E-STEPUP; answers the challenge.
    private func expectStepUp(
        _ response: WireResponse, at location: SourceLocation = #_sourceLocation
    ) throws -> WireChallenge {
        expectTemplate(response, status: 401, at: location)
        let found = try challenge(response, at: location)
        #expect(found.scheme == "Bearer", sourceLocation: location)
        #expect(found["error"] == "insufficient_user_authentication", "\(response.headText)", sourceLocation: location)
        #expect(found["error_description"]?.isEmpty == false, sourceLocation: location)
        try stage.expectNothingForwarded(at: location)
        return found
    }

    private func details(_ text: String) -> [String: String?] { ["authorization_details": text] }

    @Test(.holds("STEP-01"), arguments: ["myACR", "urn:example:better"])
    func `one of the classes is enough`(value: String) throws {
        #expect(try ask("/strong/a", ["acr": quoted(value)]).status == 200)
    }

    @Test(
        .holds("STEP-01"), .refuses("STEP-01"),
        arguments: [nil, "\"other\"", "\"MYACR\"", "[\"myACR\"]", "\"myACR urn:example:better\"", "null"])
    func `another class is challenged with all of them, in order`(claim: String?) throws {
        let found = try expectStepUp(ask("/strong/a", ["acr": claim]))
        #expect(found["acr_values"] == "myACR urn:example:better")
        #expect(found["max_age"] == nil)
    }

    @Test(.holds("STEP-02"), arguments: [0, -299, -310])
    func `an authentication within max_age passes`(age: Int) throws {
        #expect(try ask("/fresh/a", ["auth_time": moment(age)]).status == 200)
    }

    @Test(.refuses("STEP-02"), arguments: [-340, -100_000, 400])
    func `one that is too old, or yet to come, is challenged`(age: Int) throws {
        let found = try expectStepUp(ask("/fresh/a", ["auth_time": moment(age)]))
        #expect(found["max_age"] == "300")
        #expect(found["acr_values"] == nil)
    }

    @Test(.refuses("STEP-02"), arguments: [nil, "\"1700000000\"", "null", "[]"])
    func `a token that does not say is challenged`(claim: String?) throws {
        #expect(try expectStepUp(ask("/fresh/a", ["auth_time": claim]))["max_age"] == "300")
    }

    @Test(.holds("STEP-02")) func `a cached token grows old`() throws {
        let token = stage.tokens.bearer(["auth_time": moment(-322)])
        #expect(try stage.exchange("GET", "/fresh/a", fields: [token]).status == 200)
        let isRefused = eventually {
            (try? stage.exchange("GET", "/fresh/a", fields: [token]).status) == 401
        }
        #expect(isRefused)
    }

    @Test(.holds("STEP-03"), arguments: [("other", 0), ("myACR", -100), ("other", -100)])
    func `one challenge names everything that is asked for`(acr: String, age: Int) throws {
        let claims = ["acr": quoted(acr), "auth_time": moment(age), "tenant": quoted("acme")]
        let found = try expectStepUp(ask("/both/a", claims))
        #expect(found["acr_values"] == "myACR")
        #expect(found["max_age"] == "5")
    }

    @Test(.holds("STEP-03")) func `scopes come before the authentication, and claims after it`() throws {
        let fresh = ["acr": quoted("myACR"), "auth_time": moment(0)]
        #expect(try ask("/both/a", fresh.merging(["tenant": quoted("acme")]) { $1 }).status == 200)
        let policy = try ask("/both/a", fresh)
        expectTemplate(policy, status: 403)
        #expect(!policy.fields.contains("www-authenticate"))
        let scope = try ask("/both/a", ["scope": quoted("other")])
        #expect(try challenge(scope)["error"] == "insufficient_scope")
    }

    @Test(.holds("RAR-01")) func `what one member grants is let through, by method`() throws {
        let read = details(#"[{"type":"other"},{"type":"orders","actions":["read","list"]}]"#)
        #expect(try ask("/details/a", read).status == 200)
        #expect(try ask("/details/a", read, method: "HEAD").status == 200)
        let write = details(
            """
            [{"type":"orders","actions":["write","read"],"locations":["https://api.test/orders","https://b.test"]},\
            {"type":"payment","identifier":"account-1"}]
            """)
        #expect(try ask("/details/a", write, method: "POST").status == 200)
    }

    @Test(
        .holds("RAR-01"),
        arguments: [
            nil, "[]", #"[{"type":"orders"}]"#, #"[{"type":"orders","actions":["write"]}]"#,
            #"[{"type":"Orders","actions":["read"]}]"#, #"[{"type":"unknown","actions":["read"]}]"#,
            #"[{"type":"orders","actions":"read"}]"#,
        ])
    func `what no member grants is denied without a challenge`(claim: String?) throws {
        let response = try ask("/details/a", ["authorization_details": claim])
        expectTemplate(response, status: 403)
        #expect(!response.fields.contains("www-authenticate"))
        try stage.expectNothingForwarded()
    }

    @Test(
        .holds("RAR-01"),
        arguments: [
            #"[{"type":"orders","actions":["read"],"locations":["https://api.test/orders"]},{"type":"payment","identifier":"account-1"}]"#,
            #"[{"type":"orders","actions":["read","write"]},{"type":"payment","identifier":"account-1"}]"#,
            #"[{"type":"orders","actions":["read","write"],"locations":["https://api.test/orders"]},{"type":"payment"}]"#,
            #"[{"type":"orders","actions":["read","write"],"locations":["https://api.test/orders"]}]"#,
            """
            [{"type":"orders","actions":["read"],"locations":["https://api.test/orders"]},\
            {"type":"orders","actions":["write"]},{"type":"payment","identifier":"account-1"}]
            """,
        ])
    func `everything that the method asks for is needed`(claim: String) throws {
        expectTemplate(try ask("/details/a", details(claim), method: "POST"), status: 403)
        try stage.expectNothingForwarded()
    }

    @Test(
        .refuses("RAR-01"),
        arguments: [
            "{}", "\"orders\"", #"{"type":"orders","actions":["read"]}"#, "[\"orders\"]", "[{}]",
            #"[{"type":"orders","actions":["read"]},{"type":1}]"#,
        ])
    func `a malformed claim is an invalid token where it is asked for, and nowhere else`(claim: String) throws {
        try expectInvalidToken(ask("/details/a", details(claim)))
        try stage.expectNothingForwarded()
        #expect(try ask("/orders/a", details(claim)).status == 200)
    }

    @Test(.refuses("RAR-01")) func `a method without details of its own is not let through`() throws {
        let all = details(#"[{"type":"orders","actions":["read","write"]}]"#)
        #expect(try ask("/details/a", all, method: "DELETE").status == 405)
    }

    @Test(.refuses("RS-19")) func `a method without a number of its own needs its scopes too`() throws {
        #expect(try ask("/methods/a", ["scope": quoted("orders:admin")], method: "PURGE").status == 200)
        stage.reset()
        let refused = try ask("/methods/a", ["scope": quoted("orders:read")], method: "PURGE")
        expectTemplate(refused, status: 403)
        #expect(try challenge(refused)["scope"] == "orders:admin")
        try stage.expectNothingForwarded()
    }
}
