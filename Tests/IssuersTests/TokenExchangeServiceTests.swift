import Crypto
import HTTPMessage
import Issuers
import OAuth
import TestSupport
import TestTraits
import Testing

private let exchanged = """
    {"access_token":"for-the-upstream","token_type":"Bearer","expires_in":60,\
    "issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}
    """

@Suite struct `the exchange service` {
    @Test(.holds("TX-01")) func `asks the token endpoint by POST, as its client, for what the rule says`() throws {
        let rule = ExchangeSettings(
            client: 0, audience: ["orders"], resource: ["https://o.example/"], scopes: ["read", "write"])
        let services = try Services(rules: [rule])
        services.answer(exchanged, at: Services.token)
        services.askForExchange("a=")
        services.drain()
        let request = try #require(services.fetcher.requests.first)
        #expect(request.url == Services.token)
        #expect(request.method == .post)
        #expect(request.field("Authorization") == "Basic Z2F0ZXdheTpodXNo")
        #expect(request.field("Accept") == "application/json")
        #expect(
            request.form == """
                grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&\
                resource=https%3A%2F%2Fo.example%2F&audience=orders&scope=read+write&subject_token=a%3D&\
                subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token
                """)
    }

    @Test(.holds("TX-02", "TX-04")) func `tells the token and until when it may be presented`() throws {
        let services = try Services()
        services.answer(exchanged, at: Services.token)
        services.askForExchange(worker: 2)
        services.askForExchange("short", lifetime: 12)
        services.drain()
        let answers = services.takeExchanges()
        #expect(answers.map(\.workers) == [[2], [0]])
        let now = services.clock.now().wallSeconds
        guard case .token(let token, let first) = answers[0].result, case .token(_, let second) = answers[1].result
        else {
            Issue.record("no tokens")
            return
        }
        #expect(token.reveal() == Array("for-the-upstream".utf8))
        #expect(first == now + 30)
        #expect(second == now + 12)
    }

    @Test(.holds("TX-04")) func `asks once for everyone who wants the same at the same time`() throws {
        let services = try Services(rules: [
            ExchangeSettings(client: 0, audience: ["orders"]), ExchangeSettings(client: 0, audience: ["stock"]),
        ])
        services.answer(exchanged, at: Services.token)
        services.fetcher.hold()
        for worker in 0..<50 { services.askForExchange(worker: worker % 2) }
        services.askForExchange(rule: 1)
        services.drain()
        #expect(services.fetcher.requests.count == 2)
        services.release()
        let answers = services.takeExchanges()
        #expect(answers.map(\.rule) == [0, 1])
        #expect(answers.map(\.workers) == [[0, 1], [0]])
    }

    @Test(.holds("TX-03"), arguments: [("invalid_request", "invalidSubject"), ("invalid_grant", "invalidSubject")])
    func `tells that the subject token is not taken`(code: String, word: String) throws {
        let services = try Services()
        services.answer("{\"error\":\"\(code)\"}", status: 400, at: Services.token)
        services.askForExchange()
        services.drain()
        #expect(services.takeExchanges().map(\.word) == [word])
        #expect(services.takeEvents().isEmpty)
    }

    @Test(.refuses("TX-03")) func `raises an alarm where the target is unknown, once a minute`() throws {
        let services = try Services()
        services.answer("{\"error\":\"invalid_target\"}", status: 400, at: Services.token)
        for number in 0..<3 { services.askForExchange("subject\(number)") }
        services.drain()
        #expect(services.takeExchanges().map(\.word) == Array(repeating: "invalidTarget", count: 3))
        #expect(services.takeEvents() == [.exchangeTargetRefused(client: "gate", count: 1)])
        services.clock.move(to: services.clock.now().milliseconds + 60_000)
        services.askForExchange()
        services.drain()
        #expect(services.takeEvents() == [.exchangeTargetRefused(client: "gate", count: 3)])
    }

    @Test(
        .refuses("TX-01", "TX-04"),
        arguments: [
            (.success(FetchResponse(status: 503)), .exchange(.status(503))),
            (.success(FetchResponse(status: 200, contentType: "text/html")), .exchange(.contentType("text/html"))),
            (.failure(.timedOut), .request(.fetch(.timedOut))),
            (.failure(.redirected), .request(.fetch(.redirected))),
        ] as [(Result<FetchResponse, FetchRefusal>, LookupRefusal)])
    func `has nothing to offer when the server has not, and tells the operator`(
        answer: Result<FetchResponse, FetchRefusal>, expected: LookupRefusal
    ) throws {
        let services = try Services()
        services.fetcher.answer(Services.token, with: answer)
        services.askForExchange()
        services.drain()
        #expect(services.takeExchanges().map(\.cause) == [expected])
        #expect(services.takeEvents() == [.exchangeFailed(expected, count: 1)])
    }

    @Test(.refuses("TX-02")) func `has nothing to offer when the issued token is none that can be presented`() throws {
        let services = try Services()
        for type in ["N_A", "DPoP"] {
            services.answer(exchanged.replacing("Bearer", with: type), at: Services.token)
            services.askForExchange()
            services.drain()
        }
        #expect(
            services.takeExchanges().map(\.cause) == [.exchange(.tokenTypeNotUsable), .exchange(.tokenTypeNotUsable)])
    }

    @Test(.refuses("TX-03")) func `raises the alarm of wrong credentials`() throws {
        let services = try Services()
        services.answer("{\"error\":\"invalid_client\"}", status: 401, at: Services.token)
        services.askForExchange()
        services.drain()
        #expect(services.takeExchanges().map(\.cause) == [.exchange(.credentialsRefused(status: 401))])
        #expect(services.takeEvents() == [.clientRefused(client: "gate", status: 401, count: 1)])
    }

    @Test(.refuses("TX-01")) func `asks nobody where nobody said where, or by a rule without a client`() throws {
        let services = try Services(rules: [ExchangeSettings(client: 0), ExchangeSettings(client: 9)])
        services.forgetMetadata()
        services.askForExchange()
        services.askForExchange(rule: 1)
        services.askForExchange(rule: 2)
        services.drain()
        #expect(services.fetcher.requests.isEmpty)
        #expect(services.takeExchanges().map(\.cause) == [.metadataMissing, .endpointMissing, .crowded])
    }

    @Test(.holds("TX-04")) func `tells everyone when it stops`() throws {
        let services = try Services()
        services.fetcher.hold()
        services.askForExchange(worker: 4)
        services.drain()
        #expect(services.exchange.load == (1, 0))
        services.exchange.stop()
        services.drain()
        #expect(services.takeExchanges().map(\.workers) == [[4]])
    }

    @Test(.holds("TX-02")) func `keeps the token out of what is printed`() throws {
        let services = try Services()
        services.answer(exchanged, at: Services.token)
        services.askForExchange()
        services.drain()
        let answers = services.takeExchanges()
        #expect(answers.map(\.word) == ["token"])
        #expect(!"\(answers)".contains("for-the-upstream"))
    }
}
