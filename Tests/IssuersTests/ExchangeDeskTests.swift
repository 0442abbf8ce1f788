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

@Suite struct `the exchange desk` {
    @Test(.holds("TX-01")) func `asks the token endpoint by POST, as its client, for what the rule says`() throws {
        let rule = ExchangeSettings(
            client: 0, audience: ["orders"], resource: ["https://o.example/"], scopes: ["read", "write"])
        let desks = try Desks(rules: [rule])
        desks.answer(exchanged, at: Desks.token)
        desks.askForExchange("a=")
        desks.drain()
        let request = try #require(desks.fetcher.requests.first)
        #expect(request.url == Desks.token)
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
        let desks = try Desks()
        desks.answer(exchanged, at: Desks.token)
        desks.askForExchange(worker: 2)
        desks.askForExchange("short", lifetime: 12)
        desks.drain()
        let answers = desks.takeExchanges()
        #expect(answers.map(\.workers) == [[2], [0]])
        let now = desks.clock.now().wallSeconds
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
        let desks = try Desks(rules: [
            ExchangeSettings(client: 0, audience: ["orders"]), ExchangeSettings(client: 0, audience: ["stock"]),
        ])
        desks.answer(exchanged, at: Desks.token)
        desks.fetcher.hold()
        for worker in 0..<50 { desks.askForExchange(worker: worker % 2) }
        desks.askForExchange(rule: 1)
        desks.drain()
        #expect(desks.fetcher.requests.count == 2)
        desks.release()
        let answers = desks.takeExchanges()
        #expect(answers.map(\.rule) == [0, 1])
        #expect(answers.map(\.workers) == [[0, 1], [0]])
    }

    @Test(.holds("TX-03"), arguments: [("invalid_request", "invalidSubject"), ("invalid_grant", "invalidSubject")])
    func `tells that the subject token is not taken`(code: String, word: String) throws {
        let desks = try Desks()
        desks.answer("{\"error\":\"\(code)\"}", status: 400, at: Desks.token)
        desks.askForExchange()
        desks.drain()
        #expect(desks.takeExchanges().map(\.word) == [word])
        #expect(desks.takeEvents().isEmpty)
    }

    @Test(.refuses("TX-03")) func `raises an alarm where the target is unknown, once a minute`() throws {
        let desks = try Desks()
        desks.answer("{\"error\":\"invalid_target\"}", status: 400, at: Desks.token)
        for number in 0..<3 { desks.askForExchange("subject\(number)") }
        desks.drain()
        #expect(desks.takeExchanges().map(\.word) == Array(repeating: "invalidTarget", count: 3))
        #expect(desks.takeEvents() == [.exchangeTargetRefused(client: "gate", count: 1)])
        desks.clock.move(to: desks.clock.now().milliseconds + 60_000)
        desks.askForExchange()
        desks.drain()
        #expect(desks.takeEvents() == [.exchangeTargetRefused(client: "gate", count: 3)])
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
        let desks = try Desks()
        desks.fetcher.answer(Desks.token, with: answer)
        desks.askForExchange()
        desks.drain()
        #expect(desks.takeExchanges().map(\.cause) == [expected])
        #expect(desks.takeEvents() == [.exchangeFailed(expected, count: 1)])
    }

    @Test(.refuses("TX-02")) func `has nothing to offer when the issued token is none that can be presented`() throws {
        let desks = try Desks()
        for type in ["N_A", "DPoP"] {
            desks.answer(exchanged.replacing("Bearer", with: type), at: Desks.token)
            desks.askForExchange()
            desks.drain()
        }
        #expect(
            desks.takeExchanges().map(\.cause) == [.exchange(.tokenTypeNotUsable), .exchange(.tokenTypeNotUsable)])
    }

    @Test(.refuses("TX-03")) func `raises the alarm of wrong credentials`() throws {
        let desks = try Desks()
        desks.answer("{\"error\":\"invalid_client\"}", status: 401, at: Desks.token)
        desks.askForExchange()
        desks.drain()
        #expect(desks.takeExchanges().map(\.cause) == [.exchange(.credentialsRefused(status: 401))])
        #expect(desks.takeEvents() == [.clientRefused(client: "gate", status: 401, count: 1)])
    }

    @Test(.refuses("TX-01")) func `asks nobody where nobody said where, or by a rule without a client`() throws {
        let desks = try Desks(rules: [ExchangeSettings(client: 0), ExchangeSettings(client: 9)])
        desks.forgetMetadata()
        desks.askForExchange()
        desks.askForExchange(rule: 1)
        desks.askForExchange(rule: 2)
        desks.drain()
        #expect(desks.fetcher.requests.isEmpty)
        #expect(desks.takeExchanges().map(\.cause) == [.metadataMissing, .endpointMissing, .crowded])
    }

    @Test(.holds("TX-04")) func `tells everyone when it stops`() throws {
        let desks = try Desks()
        desks.fetcher.hold()
        desks.askForExchange(worker: 4)
        desks.drain()
        #expect(desks.exchange.load == (1, 0))
        desks.exchange.stop()
        desks.drain()
        #expect(desks.takeExchanges().map(\.workers) == [[4]])
    }

    @Test(.holds("TX-02")) func `keeps the token out of what is printed`() throws {
        let desks = try Desks()
        desks.answer(exchanged, at: Desks.token)
        desks.askForExchange()
        desks.drain()
        let answers = desks.takeExchanges()
        #expect(answers.map(\.word) == ["token"])
        #expect(!"\(answers)".contains("for-the-upstream"))
    }
}
