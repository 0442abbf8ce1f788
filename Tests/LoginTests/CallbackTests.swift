import Login
import OAuth
import Refusals
import Sessions
import TestSupport
import TestTraits
import Testing

@Suite struct `a callback` {
    /// A login that was begun and answered by the server, up to the browser's return.
    private func begun(
        _ world: LoginWorld, _ browser: inout Browser, returnTo: String = "/orders"
    ) async throws -> ScriptedResponse {
        try await world.authorize(await world.start(&browser, returnTo: returnTo))
    }

    // MARK: the response

    @Test(
        .refuses("CF-01", "CF-20", "CF-22", "CF-23", "CF-27"),
        arguments: [
            (["access_token": "abc"], Refusal.loginTokensInResponse, "CF-01"),
            (["id_token": "abc"], .loginTokensInResponse, "CF-01"),
            (["iss": "https://id.example.com/"], .loginResponseIssuerWrong, "CF-22"),
            (["iss": "https://evil.example"], .loginResponseIssuerWrong, "CF-22"),
            (["iss": nil], .loginResponseIssuerWrong, "CF-22"),
            (["code": nil], .loginResponseMalformed, "CF-20"),
            (["error": "access_denied"], .loginResponseMalformed, "CF-20"),
            (["code": "a\r\nb"], .loginResponseMalformed, "CF-27"),
            (["code": String(repeating: "c", count: 2049)], .loginResponseMalformed, "CF-27"),
            (["state": nil], .loginResponseMalformed, "CF-03"),
        ] as [([String: String?], Refusal, String)])
    func `makes no token request of a response that is not good`(
        changes: [String: String?], refusal: Refusal, check: String
    ) async throws {
        let world = try LoginWorld()
        world.server.habits.response = changes
        var browser = Browser()
        let answer = try await world.login(&browser)
        #expect(answer.refusal == refusal)
        #expect(answer.check == check)
        #expect(answer.retry?.hasPrefix("/.portcullis/login/shop?return_to=") == true)
        #expect(world.server.tokenRequests.isEmpty)
        #expect(world.session(of: browser) == nil)
        // The transaction is gone with the attempt, wherever it could be found.
        #expect(browser.transactions.isEmpty == !changes.keys.contains("state"))
    }

    @Test(.refuses("CF-20")) func `refuses a parameter that comes twice`() async throws {
        for name in ["code", "state", "iss"] {
            let world = try LoginWorld()
            var browser = Browser()
            var response = try await begun(world, &browser)
            response.parameters += Array("&\(name)=again".utf8)
            #expect(await world.callback(response, &browser).refusal == .loginResponseMalformed)
            #expect(world.server.tokenRequests.isEmpty)
        }
    }

    @Test(.holds("CF-20")) func `leaves out what it does not know`() async throws {
        let world = try LoginWorld()
        world.server.habits.response = ["session_state": "x", "foo": "bar"]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
    }

    @Test(.holds("CF-20")) func `is a GET, and a POST where the response is a form`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        var request = world.request(try await begun(world, &browser), browser)
        request.method = .post
        let refused = await world.service.answer(request)
        #expect(refused.refusal == .methodNotAllowed)
        #expect(refused.fields.first { $0.0 == "Allow" }?.1 == "GET")

        let other = try LoginWorld { $0.authorization.responseMode = .formPost }
        var second = Browser()
        let response = try await begun(other, &second)
        var get = other.request(response, second)
        get.method = .get
        get.query = get.body
        #expect(await other.service.answer(get).refusal == .methodNotAllowed)
        var text = other.request(response, second)
        text.contentType = "text/plain"
        #expect(await other.service.answer(text).refusal == .loginResponseMalformed)
        #expect(other.server.tokenRequests.isEmpty)
    }

    @Test(.holds("CF-21")) func `judges who sent an error before what it says`() async throws {
        let world = try LoginWorld()
        world.server.habits.authorizationError = "access_denied"
        world.server.habits.response = ["iss": "https://evil.example"]
        var browser = Browser()
        let answer = try await world.login(&browser)
        #expect(answer.refusal == .loginResponseIssuerWrong)
    }

    @Test(.holds("CF-22")) func `takes a response without iss from a server that does not promise one`() async throws {
        let world = try LoginWorld()
        world.server.habits.metadata = ["authorization_response_iss_parameter_supported": nil]
        world.server.habits.response = ["iss": nil]
        var browser = Browser()
        #expect(try await world.login(&browser).location == "/orders")
    }

    @Test(.holds("CF-28"))
    func `wants a signed response where one was asked for, by the server's key, for us, in time`()
        async throws
    {
        let cases: [(inout ServerHabits) -> Void] = [
            { $0.responseKey = .otherP256 },
            { $0.responseClaims = ["aud": "\"other\""] },
            { $0.responseClaims = ["exp": "1"] },
            { $0.response = ["response": nil, "code": "c", "state": "s"] },
        ]
        for change in cases {
            let world = try LoginWorld { $0.authorization.responseMode = .jwt }
            change(&world.server.habits)
            var browser = Browser()
            let answer = try await world.login(&browser)
            #expect([.loginResponseNotSigned, .loginKeysUnavailable].contains(answer.refusal))
            #expect(world.server.tokenRequests.isEmpty)
        }
    }

    // MARK: errors

    @Test(
        .holds("CF-24"), .refuses("CF-24"),
        arguments: [
            ("access_denied", Refusal.loginAccessDenied), ("temporarily_unavailable", .loginServerBusy),
            ("server_error", .loginServerBusy), ("invalid_scope", .loginResponseError),
            ("something_else", .loginResponseError),
            ("unmet_authentication_requirements", .loginAuthenticationInsufficient),
        ])
    func `answers each error in its own way, and shows nothing of its text`(
        error: String, refusal: Refusal
    ) async throws {
        let world = try LoginWorld()
        world.server.habits.authorizationError = error
        world.server.habits.response = ["error_description": "<script>alert(1)</script>", "error_uri": "https://evil"]
        var browser = Browser()
        let answer = try await world.login(&browser)
        #expect(answer.refusal == refusal)
        #expect(answer.retry == "/.portcullis/login/shop?return_to=%2Forders")
        #expect(!answer.seen.contains("script"))
        #expect(world.server.tokenRequests.isEmpty)
        #expect(browser.transactions.isEmpty)
    }

    @Test(.holds("CF-24"), arguments: ["login_required", "interaction_required"])
    func `asks the user once where the server may not stay silent`(error: String) async throws {
        let world = try LoginWorld { $0.authorization.prompt = "none" }
        world.server.habits.authorizationError = error
        var browser = Browser()
        let started = await world.start(&browser)
        #expect(try await world.parameters(started)["prompt"] == "none")
        let again = await world.callback(try await world.authorize(started), &browser)
        #expect(try await world.parameters(again)["prompt"] == "login")
        #expect(browser.transactions.count == 1)
        let last = await world.callback(try await world.authorize(again), &browser)
        #expect(last.refusal == .loginResponseError)
        #expect(world.server.tokenRequests.isEmpty)
    }

    // MARK: the transaction

    @Test(.refuses("CF-03")) func `refuses a state that this browser did not begin with`() async throws {
        let world = try LoginWorld()
        var one = Browser(), other = Browser()
        let response = try await begun(world, &one)
        _ = try await begun(world, &other)
        let answer = await world.callback(response, &other)
        #expect(answer.refusal == .loginTransactionUnknown)
        #expect(answer.check == "CF-03")
        #expect(other.transactions.count == 1)
        var none = Browser()
        #expect(await world.callback(response, &none).refusal == .loginTransactionUnknown)
        #expect(world.server.tokenRequests.isEmpty)
        // Who did begin with it is none the worse.
        #expect(await world.callback(response, &one).location == "/orders")
    }

    @Test(.refuses("CF-03")) func `refuses a state after ten minutes, and takes it a moment before`() async throws {
        for (seconds, isExpired) in [(599, false), (601, true)] as [(Int64, Bool)] {
            let world = try LoginWorld()
            var browser = Browser()
            let response = try await begun(world, &browser)
            world.clock.pass(seconds: seconds)
            let answer = await world.callback(response, &browser)
            #expect((answer.refusal == .loginTransactionExpired) == isExpired)
            #expect((answer.location == "/orders") == !isExpired)
            #expect(world.server.tokenRequests.isEmpty == isExpired)
            #expect(browser.transactions.isEmpty)
        }
    }

    @Test(.refuses("CF-06")) func `refuses a transaction of which one bit is another`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser)
        let cookie = try #require(browser.transactions.first)
        for index in stride(from: 0, to: cookie.value.utf8.count, by: 7) {
            var value = Array(cookie.value.utf8)
            value[index] = value[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            var changed = browser
            changed.plant(cookie.name, String(decoding: value, as: UTF8.self))
            #expect(await world.callback(response, &changed).refusal == .loginTransactionUnknown)
        }
        #expect(world.server.tokenRequests.isEmpty)
    }

    @Test(.refuses("CF-06", "CF-02")) func `refuses a transaction that was begun under another public URL`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        var request = world.request(try await begun(world, &browser), browser)
        request.publicURL = "https://other.example.com"
        #expect(await world.service.answer(request).refusal == .loginTransactionUnknown)
        #expect(world.server.tokenRequests.isEmpty)
    }

    @Test(.holds("CF-25")) func `makes one token request for a double click, and one answer for both`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let request = world.request(try await begun(world, &browser), browser)
        world.server.habits.held = "/token"
        async let first = world.service.answer(request)
        await world.server.arrival(of: 1, at: "/token")
        let executor = QueueExecutor()
        let second = Task(executorPreference: executor) { await world.service.answer(request) }
        // It waits for the answer to the first by then; had it come behind that, it would get no session.
        executor.settle()
        world.server.release()
        let answers = [await first, await second.value]
        #expect(answers.map(\.location) == ["/orders", "/orders"])
        #expect(world.server.tokenRequests.count == 1)
        for answer in answers {
            var one = browser
            one.keep(answer.cookies)
            #expect(world.session(of: one) != nil)
        }
    }

    @Test(.holds("CF-25")) func `sends the back button to where the login led, without a token request`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser, returnTo: "/orders?page=3")
        #expect(await world.callback(response, &browser).location == "/orders?page=3")
        #expect(await world.callback(response, &browser).location == "/orders?page=3")
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.refuses("CF-25", "CF-03")) func `refuses a used state to a browser that has its transaction but no session`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser)
        var copy = browser
        _ = await world.callback(response, &browser)
        world.clock.pass(seconds: 11)
        let answer = await world.callback(response, &copy)
        #expect(answer.refusal == .loginTransactionUsed)
        #expect(copy.transactions.isEmpty)
        #expect(world.server.tokenRequests.count == 1)
        #expect(world.server.redeemedTwice.isEmpty)
    }

    @Test(.refuses("CF-25")) func `sends the second of two clicks on, though it left the browser without a session`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser, returnTo: "/orders?page=3")
        var second = browser
        _ = await world.callback(response, &browser)
        let answer = await world.callback(response, &second)
        #expect(answer.location == "/orders?page=3")
        #expect(world.session(of: second) == nil)
        #expect(second.transactions.isEmpty)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.holds("CF-25")) func `sends a browser with a session on, though it still has the used transaction`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser)
        let transaction = try #require(browser.transactions.first)
        _ = await world.callback(response, &browser)
        browser.plant(transaction.name, transaction.value)
        let answer = await world.callback(response, &browser)
        #expect(answer.location == "/orders")
        #expect(browser.transactions.isEmpty)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.holds("CF-25", "CA-16"))
    func `finishes a login whose browser has gone, and lets its reload find that it was used`()
        async throws
    {
        let world = try LoginWorld()
        var browser = Browser()
        let request = world.request(try await begun(world, &browser), browser)
        world.server.habits.held = "/token"
        let gone = Task { await world.service.answer(request) }
        await world.server.arrival(of: 1, at: "/token")
        gone.cancel()
        let reload = Task { await world.service.answer(request) }
        world.server.release()
        #expect(await gone.value.location == "/orders")
        let answer = await reload.value
        #expect(answer.location == "/orders" || answer.refusal == .loginTransactionUsed)
        #expect(world.server.tokenRequests.count == 1)
    }

    @Test(.refuses("CF-25")) func `leads nobody else to where a login led`() async throws {
        let world = try LoginWorld()
        var one = Browser(), other = Browser()
        let response = try await begun(world, &one, returnTo: "/secret-page")
        _ = await world.callback(response, &one)
        _ = try await world.login(&other)
        #expect(await world.callback(response, &other).refusal == .loginTransactionUnknown)
    }

    @Test(.holds("CF-29"), .refuses("CF-29"))
    func `brings back a form of the server with the transaction's cookie alone`() async throws {
        let world = try LoginWorld { $0.authorization.responseMode = .formPost }
        var browser = Browser()
        let response = try await begun(world, &browser)
        let transaction = try #require(browser.transactions.first)
        #expect(transaction.sameSite == "None")
        #expect(transaction.attributes.contains("Secure"))
        let answer = await world.callback(response, &browser)
        #expect(answer.location == "/orders")
        #expect(browser.transactions.isEmpty)
        for cookie in browser.jar { #expect(cookie.sameSite != "None") }
    }

    @Test(.holds("SC-03", "CF-29")) func `keeps transactions of other modes from other sites`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        _ = try await begun(world, &browser)
        let transaction = try #require(browser.transactions.first)
        #expect(transaction.sameSite == "Lax")
        #expect(transaction.attributes.contains("Max-Age=600"))
    }

    @Test func `keeps the transaction when nothing is known of the server, for a reload to do better`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let response = try await begun(world, &browser)
        world.forgetMetadata(comesBack: false)
        #expect(await world.callback(response, &browser).refusal == .loginServerUnavailable)
        #expect(world.server.tokenRequests.isEmpty)
        world.forgetMetadata(comesBack: true)
        #expect(await world.callback(response, &browser).location == "/orders")
    }

    @Test(.refuses("CF-20")) func `takes any bytes for a callback and makes no request of them`() async throws {
        let world = try LoginWorld()
        var browser = Browser()
        let good = try await begun(world, &browser)
        for length in 0..<good.parameters.count {
            var cut = good
            cut.parameters = Array(good.parameters.prefix(length))
            var copy = browser
            let answer = await world.callback(cut, &copy)
            // Cut within iss, the response is a wrong one; cut before it, one without iss.
            #expect(answer.refusal != nil)
            if world.server.tokenRequests.count > 0 { break }
        }
        #expect(world.server.tokenRequests.isEmpty)
    }
}
