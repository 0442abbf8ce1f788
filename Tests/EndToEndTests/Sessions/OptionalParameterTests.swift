import JSON
import TestSupport
import TestTraits
import Testing

/// Row CF-10 in the running gateway: what the operator asks for is asked for everywhere, and nothing else is.
@Suite(.serialized, .byEachProtocol) struct `the optional parameters of a login` {
    private static let resources = ["https://api.example.com/orders", "urn:example:stock"]
    private static let shared = Shared {
        try SessionStage(
            LoginPlan(
                routes: [
                    "{ path: /app/, upstream: $UPSTREAM, login: web, upstream_credential: pass }",
                    "{ path: /bare/, upstream: $UPSTREAM, login: bare }",
                ],
                client: [
                    "resource: [\"\(resources[0])\", \"\(resources[1])\"]", "audience: https://api.example.com",
                    "authorization_details: [{ type: orders, actions: [read] }]", "acr_values: [\"urn:example:mfa\"]",
                    "max_age: 8h", "prompt: select_account", "ui_locales: de en", "login_hint: example.com",
                    "claims: { id_token: { email: { essential: true } } }",
                ], others: ["bare"]))
    }
    let stage: SessionStage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
        stage.server.change { $0.acr = "urn:example:mfa" }
    }

    /// What the server's authorization endpoint is asked, of a start at this path.
    private func asked(_ start: String) throws -> [String: [String]] {
        let started = try stage.exchange("GET", start)
        let location = try #require(started.fields.only("location"), "\(started.headText)\(stage.gateway.diagnosis)")
        return try WebAddress(location).parameters
    }

    /// The forms that the token endpoint was sent for this grant.
    private func forms(_ grant: String) -> [[String: [String]]] {
        stage.server.issuer.server.requests.filter { $0.path == ScriptedIssuer.tokenPath && $0.isComplete }
            .map { form($0.bodyText) }.filter { $0["grant_type"] == [grant] }
    }

    @Test(.holds("CF-10"), .refuses("CF-10"))
    func `that are configured go to the authorization endpoint, and resource to the token endpoint too`()
        throws
    {
        stage.server.change { $0.tokenSeconds = 1 }
        let asked = try asked("/.portcullis/login/web")
        #expect(asked["resource"] == Self.resources)
        #expect(asked["audience"] == ["https://api.example.com"])
        #expect(asked["acr_values"] == ["urn:example:mfa"])
        #expect(asked["max_age"] == ["28800"])
        #expect(asked["prompt"] == ["select_account"])
        #expect(asked["ui_locales"] == ["de en"])
        #expect(asked["login_hint"] == ["example.com"])
        let details = try JSONValue.parse(Array((asked["authorization_details"]?.first ?? "").utf8).span)
        #expect(details.elements.count == 1 && details.elements.first?["type"]?.string == "orders")
        let claims = try JSONValue.parse(Array((asked["claims"]?.first ?? "").utf8).span)
        #expect(claims["id_token"]?["email"]?["essential"] != nil)

        var browser = try stage.login()
        let exchange = try #require(forms("authorization_code").first)
        #expect(exchange["resource"] == Self.resources, "\(exchange.keys)")
        let isRefreshed = eventually {
            guard let answer = try? stage.exchange("GET", "/app/a", browser: browser) else { return false }
            browser.take(answer)
            return !forms("refresh_token").isEmpty
        }
        #expect(isRefreshed, "\(stage.gateway.diagnosis)")
        #expect(forms("refresh_token").first?["resource"] == Self.resources)
        // Of the others the token endpoint knows nothing (RFC 6749 section 4.1.3).
        for form in forms("authorization_code") + forms("refresh_token") {
            #expect(Set(form.keys).isDisjoint(with: ["audience", "prompt", "acr_values", "login_hint", "claims"]))
        }
    }

    private static let wishes = [
        "scope": "openid admin", "resource": "https://evil.example", "audience": "https://evil.example",
        "authorization_details": "[]", "acr_values": "none", "max_age": "999999", "prompt": "none",
        "ui_locales": "xx", "claims": "{}", "redirect_uri": "https://evil.example/", "response_mode": "fragment",
        "client_id": "other",
    ]

    @Test(.refuses("CF-10"), arguments: wishes.keys.sorted())
    func `that a browser asks for at the start are in no request`(name: String) throws {
        let wish = try #require(Self.wishes[name])
        let start = "?return_to=/app/a&\(name)=\(WireForm.escaped(wish))"
        for (client, own) in [
            ("web", try asked("/.portcullis/login/web")), ("bare", try asked("/.portcullis/login/bare")),
        ] {
            let asked = try asked("/.portcullis/login/\(client)" + start)
            #expect(asked[name] == own[name], "\(client)")
            #expect(Set(asked.keys) == Set(own.keys), "\(client)")
        }
        _ = try stage.login("/.portcullis/login/web" + start)
        let exchange = try #require(forms("authorization_code").last)
        #expect(exchange["resource"] == Self.resources)
        #expect(!exchange.values.joined().contains(wish))
    }
}
