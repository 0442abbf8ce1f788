import JSON
import OAuth
import TestSupport
import TestTraits
import Testing

private typealias Given = Requesting

private func values(_ parameters: AuthorizationParameters, _ name: String) -> [String] {
    parameters.pairs.filter { $0.0 == name }.map(\.1)
}

@Suite struct `what is asked of a server` {
    @Test(.holds("CF-01"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `is a code, in every form`(form: AuthorizationRequestSettings.Form) throws {
        let parameters = Given.parameters(try Given.everything(form: form))
        #expect(values(parameters, "response_type") == ["code"])
        let claims = try Given.open(Given.object(parameters)).claims
        #expect(claims["response_type"]?.string == "code")
    }

    @Test(.refuses("CF-01"), arguments: AuthorizationRequestSettings.ResponseMode.allCases)
    func `is never a token, and never an answer in a fragment`(
        mode: AuthorizationRequestSettings.ResponseMode
    ) {
        let parameters = Given.parameters(AuthorizationRequestSettings(responseMode: mode))
        #expect(values(parameters, "response_type").allSatisfy { !$0.contains("token") })
        #expect(values(parameters, "response_mode").allSatisfy { !$0.contains("fragment") })
    }

    @Test(.holds("CF-02")) func `is to come back to one fixed place`() throws {
        for settings in [AuthorizationRequestSettings(), try Given.everything()] {
            #expect(values(Given.parameters(settings), "redirect_uri") == [Given.redirectURI])
        }
    }

    @Test(.holds("CF-03"), .refuses("CF-03")) func `carries the state of this login, and no other's`() {
        let one = Given.parameters(state: "one"), other = Given.parameters(state: "other")
        #expect(values(one, "state") == ["one"])
        #expect(values(other, "state") == ["other"])
    }

    @Test(.holds("CF-04")) func `is bound by S256, which is said`() {
        let parameters = Given.parameters()
        #expect(values(parameters, "code_challenge") == [Given.challenge])
        #expect(values(parameters, "code_challenge_method") == ["S256"])
    }

    @Test(.refuses("CF-04"), arguments: AuthorizationRequestSettings.Form.allCases)
    func `is never bound by plain, and never without a challenge`(
        form: AuthorizationRequestSettings.Form
    ) throws {
        for settings in [AuthorizationRequestSettings(form: form), try Given.everything(form: form)] {
            let pairs = Given.parameters(settings).pairs
            #expect(pairs.filter { $0.0 == "code_challenge_method" }.map(\.1) == ["S256"])
            #expect(!pairs.contains { $0.1 == "plain" })
        }
    }

    @Test(.holds("CF-10")) func `has every optional parameter that is configured, as a query spells it`() throws {
        let parameters = Given.parameters(try Given.everything(), proofThumbprint: "thumb")
        let found = Dictionary(grouping: parameters.pairs, by: \.0).mapValues { $0.map(\.1) }
        #expect(
            found == [
                "response_type": ["code"], "client_id": [Given.clientID], "redirect_uri": [Given.redirectURI],
                "scope": ["openid orders:read"], "state": ["the-state"], "nonce": ["the-nonce"],
                "code_challenge": [Given.challenge], "code_challenge_method": ["S256"], "response_mode": ["form_post"],
                "dpop_jkt": ["thumb"], "resource": ["https://api.example/a", "https://api.example/b"],
                "audience": ["legacy api"], "authorization_details": [#"[{"type":"payment","amount":12.50}]"#],
                "acr_values": ["gold silver"], "max_age": ["300"], "prompt": ["consent"], "ui_locales": ["de en"],
                "login_hint": ["ü@example.com"], "claims": [#"{"id_token":{"email":null}}"#],
            ])
    }

    @Test(.refuses("CF-10")) func `has none that is not configured`() {
        #expect(
            Given.parameters().pairs.map(\.0) == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method",
            ])
    }

    @Test(.refuses("CF-03")) func `prints nothing that opens a login`() throws {
        let parameters = Given.parameters(try Given.everything(), proofThumbprint: "thumb")
        var dumped = ""
        dump(parameters, to: &dumped)
        for text in ["\(parameters)", String(reflecting: parameters), dumped] {
            for word in ["the-state", "the-nonce", Given.challenge, "thumb", "example.com"] {
                #expect(!text.contains(word))
            }
        }
    }

    @Test(.holds("PAR-07")) func `says where to come back to, whatever else is configured`() throws {
        for form in AuthorizationRequestSettings.Form.allCases {
            let parameters = Given.parameters(try Given.everything(form: form))
            #expect(PushedAuthorization.parameters(parameters).filter { $0.0 == "redirect_uri" }.count == 1)
            #expect(
                try Given.open(Given.object(parameters)).claims["redirect_uri"]?.string == Given.redirectURI)
        }
    }
}

@Suite struct `a step-up` {
    private func pairs(_ settings: AuthorizationRequestSettings, _ stepUp: StepUp) -> [String: String] {
        let pairs = Given.parameters(settings, stepUp: stepUp).pairs
        return Dictionary(pairs.map { ($0.0, $0.1) }) { _, last in last }
    }

    @Test(.holds("STEP-04")) func `asks for what the route wants instead of what the client always asks for`() {
        let settings = AuthorizationRequestSettings(acrValues: ["bronze"])
        #expect(pairs(settings, StepUp(acrValues: ["gold", "silver"]))["acr_values"] == "gold silver")
        #expect(pairs(settings, StepUp(maximumAge: 60))["acr_values"] == "bronze")
    }

    @Test(
        .holds("STEP-04"), .refuses("STEP-04"),
        arguments: [
            (nil, 60, "60"), (30, 60, "30"), (600, 60, "60"), (600, nil, "600"), (0, 60, "0"),
        ] as [(Int?, Int?, String)])
    func `never lets a login be older than either allows`(configured: Int?, asked: Int?, expected: String) {
        let settings = AuthorizationRequestSettings(maximumAge: configured)
        #expect(pairs(settings, StepUp(maximumAge: asked))["max_age"] == expected)
    }

    @Test(
        .holds("STEP-04"),
        arguments: [
            (nil, "login"), ("none", "login"), ("login", "login"), ("consent", "login consent"),
            ("select_account consent login", "login select_account consent"),
        ] as [(String?, String)])
    func `asks the user again where the server did not listen`(configured: String?, expected: String) {
        let settings = AuthorizationRequestSettings(prompt: configured)
        #expect(pairs(settings, StepUp(forcesPrompt: true))["prompt"] == expected)
        #expect(pairs(settings, StepUp())["prompt"] == configured)
    }
}
