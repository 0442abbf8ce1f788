import Crypto
import HTTPMessage
import JOSE
import JSON
import Login
import OAuth
import Refusals
import TestTraits
import Testing

@Suite struct `getting the request to the server` {
    /// Fourteen kilobytes of authorization details.
    private static let details = try? JSONValue.parse(
        Array(("[{\"type\":\"" + String(repeating: "a", count: 14_000) + "\"}]").utf8).span)

    @Test(.refuses("JAR-08"), arguments: [AuthorizationRequestSettings.Form.plain, .signed])
    func `pushes what is too long for a URL, as signed as it was`(
        form: AuthorizationRequestSettings.Form
    ) async throws {
        let world = try LoginWorld(form: form) { $0.authorization.authorizationDetails = Self.details }
        var browser = Browser()
        let started = await world.start(&browser)
        #expect(FormText.query(of: started.location ?? "").names == ["client_id", "request_uri"])
        #expect(world.server.pushes.first?.names.contains("request") == (form == .signed))
        #expect(await world.callback(try await world.authorize(started), &browser).location == "/orders")
    }

    @Test(.refuses("JAR-08")) func `lets the server fetch what is too long where it takes no pushed requests`()
        async throws
    {
        let world = try LoginWorld(form: .signed) { $0.authorization.authorizationDetails = Self.details }
        world.server.habits.metadata = ["pushed_authorization_request_endpoint": nil]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        #expect(world.server.pushes.isEmpty)
    }

    @Test(.refuses("JAR-08")) func `ends where there is no way but a URL that is too long`() async throws {
        let world = try LoginWorld { $0.authorization.authorizationDetails = Self.details }
        world.server.habits.metadata = ["pushed_authorization_request_endpoint": nil]
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginRequestNotMade)
        #expect(answer.check == "JAR-08")
        #expect(browser.jar.isEmpty)
    }

    @Test(.holds("PAR-02"), .refuses("PAR-02")) func `pushes a request object and nothing beside it but who we are`()
        async throws
    {
        let world = try LoginWorld(form: .pushedSigned)
        var browser = Browser()
        _ = await world.start(&browser)
        let names = try #require(world.server.pushes.first).names
        #expect(
            names.isSubset(of: ["request", "client_id", "client_assertion", "client_assertion_type", "client_secret"]))
        #expect(names.contains("request"))
    }

    @Test(.holds("PAR-04"), .refuses("PAR-04"))
    func `sends the browser with the reference alone, and never twice with the same one`() async throws {
        let world = try LoginWorld(form: .pushed)
        world.server.habits.metadata = ["authorization_endpoint": "\"https://id.example.com/authorize?tenant=7\""]
        var browser = Browser()
        let first = try #require(await world.start(&browser).location)
        let second = try #require(await world.start(&browser).location)
        #expect(FormText.query(of: first).names == ["tenant", "client_id", "request_uri"])
        #expect(FormText.query(of: first)["request_uri"] != FormText.query(of: second)["request_uri"])
        #expect(world.server.pushes.count == 2)
    }

    @Test(.holds("PAR-04")) func `encodes whatever reference it is given`() async throws {
        let world = try LoginWorld(form: .pushed)
        world.server.habits.pushMembers = ["request_uri": "\"urn:x&redirect_uri=https://evil.example#f\""]
        var browser = Browser()
        let query = FormText.query(of: try #require(await world.start(&browser).location))
        #expect(query.names == ["client_id", "request_uri"])
        #expect(query["request_uri"] == "urn:x&redirect_uri=https://evil.example#f")
    }

    @Test(
        .refuses("PAR-03"),
        arguments: [
            ["request_uri": nil], ["expires_in": "\"60\""], ["expires_in": "0"], ["expires_in": nil],
            ["request_uri": "7"],
        ] as [[String: String?]])
    func `ends the login for an answer that has no reference`(members: [String: String?]) async throws {
        let world = try LoginWorld(form: .pushed)
        world.server.habits.pushMembers = members
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginPushAnswerInvalid)
        #expect(answer.check == "PAR-03")
        #expect(browser.jar.isEmpty)
    }

    @Test(
        .refuses("PAR-05", "JAR-09"),
        arguments: [
            (ServerHabits.json("{\"error\":\"invalid_request\"}", status: 400), Refusal.loginPushRefused, true),
            (ServerHabits.json("{\"error\":\"invalid_client\"}", status: 401), .loginClientRefused, true),
            (ServerHabits.json("{}", status: 405), .loginPushUnavailable, false),
            (ServerHabits.json("{}", status: 413), .loginPushUnavailable, false),
            (ServerHabits.json("{}", status: 429), .loginPushUnavailable, false),
            (ServerHabits.page(status: 502), .loginPushUnavailable, false),
            (ServerHabits.page(status: 200), .loginPushAnswerInvalid, true),
            (.failure(.timedOut), .loginPushUnavailable, false),
            (.failure(.tooLarge), .loginPushUnavailable, false),
            (.failure(.redirected), .loginPushUnavailable, false),
            (.failure(.crowded), .loginsTooMany, false),
            (.failure(.tooManyOfClient), .clientLoginsTooMany, false),
            (
                .success(
                    FetchResponse(
                        status: 201, contentType: "application/json", body: [UInt8](repeating: 0x20, count: 5 << 20))),
                .loginPushAnswerInvalid, true
            ),
        ] as [(ServerHabits.Answer, Refusal, Bool)])
    func `ends the login by what the server answers, and tries no other form`(
        answered: ServerHabits.Answer, refusal: Refusal, isAlarm: Bool
    ) async throws {
        let world = try LoginWorld(form: .pushedSigned)
        world.server.habits.pushAnswer = answered
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == refusal)
        #expect(answer.location == nil)
        #expect(browser.jar.isEmpty)
        #expect(world.alarms == (isAlarm ? [refusal] : []))
        #expect(world.server.pushes.allSatisfy { $0.names.contains("request") })
    }

    @Test(.holds("PAR-05")) func `tells the operator once a minute of what every visitor runs into`() async throws {
        let world = try LoginWorld(form: .pushed)
        world.server.habits.pushAnswer = ServerHabits.json("{\"error\":\"invalid_request\"}", status: 400)
        for _ in 0..<3 {
            var browser = Browser()
            #expect(await world.start(&browser).refusal == .loginPushRefused)
        }
        #expect(world.alarms == [.loginPushRefused])
        world.clock.pass(seconds: 61)
        var browser = Browser()
        _ = await world.start(&browser)
        #expect(world.alarms == [.loginPushRefused, .loginPushRefused])
    }

    @Test(.refuses("JAR-10"))
    func `sends no readable request where an encrypted one is wanted and there is no key for it`()
        async throws
    {
        let world = try LoginWorld(form: .signed) {
            $0.authorization.encryption = .init(algorithm: "RSA-OAEP-256", encoding: "A256GCM")
        }
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginRequestNotMade)
        #expect(answer.check == "JAR-10")
        #expect(browser.jar.isEmpty)
    }

    @Test(.holds("PAR-05")) func `passes on when the server wants to be asked again`() async throws {
        let world = try LoginWorld(form: .pushed)
        world.server.habits.pushAnswer = .success(FetchResponse(status: 429, retryAfterSeconds: 17))
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginPushUnavailable)
        #expect(answer.fields.first { $0.0 == "Retry-After" }?.1 == "17")
    }

    @Test(.holds("CA-16", "PAR-05"))
    func `pushes again once where there was no connection, and not where something was sent`()
        async throws
    {
        for (refusal, count) in [(FetchRefusal.connectFailed("no route"), 2), (.unanswered, 1), (.timedOut, 1)] {
            let world = try LoginWorld(
                form: .pushed, method: .secretJWT(.hs256, Secret(Array(repeating: 0x61, count: 32))))
            world.server.habits.pushAnswer = .failure(refusal)
            var browser = Browser()
            #expect(await world.start(&browser).refusal == .loginPushUnavailable)
            let assertions = world.server.pushes.compactMap { $0["client_assertion"] }
            #expect(assertions.count == count)
            // CA-07: each request has an assertion of its own.
            #expect(Set(assertions).count == count)
        }
    }

    @Test(
        .refuses("JAR-09"),
        arguments: [
            "invalid_request_object", "request_not_supported", "invalid_request_uri", "request_uri_not_supported",
        ])
    func `sends no unsigned request after one that the server does not take`(error: String) async throws {
        let world = try LoginWorld(form: .signed)
        world.server.habits.authorizationError = error
        var browser = Browser()
        let answer = try await world.login(&browser)
        #expect(answer.refusal == .loginResponseError)
        #expect(answer.check == "JAR-09")
        #expect(answer.location == nil)
        #expect(world.alarms == [.loginResponseError])
        #expect(world.server.tokenRequests.isEmpty)
        let next = await world.start(&browser)
        #expect(FormText.query(of: next.location ?? "").names == ["client_id", "request"])
    }

    @Test(
        .refuses("MD-07", "JAR-09", "CA-01"),
        arguments: [
            (["require_signed_request_object": "true"], AuthorizationRequestSettings.Form.plain, "JAR-09"),
            (["require_pushed_authorization_requests": "true"], .plain, "PAR-06"),
            (["pushed_authorization_request_endpoint": nil], .pushed, "PAR-06"),
            (["code_challenge_methods_supported": nil], .plain, "CF-05"),
            (["token_endpoint_auth_methods_supported": "[\"private_key_jwt\"]"], .plain, "CA-01"),
            (["request_object_signing_alg_values_supported": "[\"none\"]"], .signed, "JAR-01"),
        ] as [([String: String?], AuthorizationRequestSettings.Form, String)])
    func `asks nothing of a server that does not offer what is configured`(
        metadata: [String: String?], form: AuthorizationRequestSettings.Form, check: String
    ) async throws {
        let world = try LoginWorld(form: form)
        world.server.habits.metadata = metadata
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginServerUnsuitable)
        #expect(answer.check == check)
        #expect(world.alarms == [.loginServerUnsuitable])
        #expect(world.server.requests.isEmpty)
        #expect(browser.jar.isEmpty)
    }

    @Test(.holds("DPOP-41"))
    func `pushes again with the nonce that the server asks for, and keeps it for the token request`()
        async throws
    {
        let world = try LoginWorld(form: .pushed) { $0.dpop = .required }
        world.server.habits.nonceDemand = .once
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        let proofs = world.server.requests(at: "/par").compactMap(ScriptedServer.proof)
        #expect(proofs.map { $0.claims["nonce"]?.string } == [nil, "nonce-of-the-server"])
        #expect(Set(proofs.compactMap { $0.claims["jti"]?.string }).count == 2)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.refuses("DPOP-41")) func `pushes no more than twice for a server that asks for nonces endlessly`()
        async throws
    {
        let world = try LoginWorld(form: .pushed) { $0.dpop = .required }
        world.server.habits.nonceDemand = .endlessly
        var browser = Browser()
        let answer = await world.start(&browser)
        #expect(answer.refusal == .loginPushUnavailable)
        #expect(answer.check == "DPOP-41")
        #expect(world.server.pushes.count == 2)
        #expect(browser.jar.isEmpty)
    }

    @Test(.holds("DPOP-44")) func `names the key of the proofs in the request too`() async throws {
        let world = try LoginWorld(form: .pushed) { $0.dpop = .required }
        var browser = Browser()
        _ = await world.start(&browser)
        let request = try #require(world.server.requests(at: "/par").first)
        #expect(world.server.pushes[0]["dpop_jkt"] == ScriptedServer.thumbprint(of: request))
        #expect(world.server.pushes[0]["dpop_jkt"] != nil)
    }

    @Test(.refuses("DPOP-44")) func `does not come back without the binding when the server does not take it`()
        async throws
    {
        let world = try LoginWorld(form: .pushed) { $0.dpop = .required }
        world.server.habits.pushAnswer = ServerHabits.json("{\"error\":\"invalid_dpop_proof\"}", status: 400)
        var browser = Browser()
        #expect(await world.start(&browser).refusal == .loginPushRefused)
        #expect(world.server.pushes.count == 1)
    }

    @Test(.holds("CA-12")) func `pushes and redeems at the addresses for clients with a certificate`() async throws {
        let world = try LoginWorld(form: .pushed, method: .tls(certificateFile: "/c.pem", keyFile: "/k.pem"))
        world.server.habits.metadata = [
            "mtls_endpoint_aliases":
                "{\"token_endpoint\":\"https://id.example.com/token?mtls\","
                + "\"pushed_authorization_request_endpoint\":\"https://id.example.com/par?mtls\"}"
        ]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
        for path in ["/par", "/token"] {
            let request = try #require(world.server.requests(at: path).first)
            #expect(request.url.hasSuffix("?mtls"))
            #expect(request.clientCertificateFile == "/c.pem")
        }
    }
}
