import Crypto
import HTTPMessage
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Issuers

/// Rows INT-07, OPS-04 and OPS-05: what one client's questions cost the server and the others.
@Suite struct `a service with many clients` {
    private static let flood = AskingClient((1, 0)), other = AskingClient((2, 0))

    @Test(.holds("OPS-05")) func `asks for another client at once while one has hundreds of tokens to be asked about`()
        throws
    {
        let services = try Services()
        services.answer(services.active)
        services.fetcher.hold()
        for number in 0..<300 { services.ask("flood-\(number)", client: Self.flood) }
        services.drain()
        #expect(services.fetcher.requests.count == 32)
        services.ask("other", client: Self.other)
        services.drain()
        #expect(services.fetcher.requests.count == 33)
        #expect(services.fetcher.requests.last?.form.hasPrefix("token=other&") == true)
        services.release()
        #expect(services.fetcher.requests.count == 301)
        #expect(services.takeAnswers().count { $0.word == "active" } == 301)
        #expect(services.introspection.load == (0, 0))
    }

    @Test(.refuses("OPS-05"))
    func `says whose the questions are that have no room, and tells the operator of nobody's but its own`()
        throws
    {
        let services = try Services(bounds: LookupBounds(concurrent: 1, waiting: 4))
        services.fetcher.hold()
        for number in 0..<4 {
            services.ask("flood-\(number)", client: Self.flood)
            services.askForExchange("flood-\(number)", client: Self.flood)
        }
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.tooManyOfClient])
        #expect(services.takeExchanges().map(\.cause) == [.tooManyOfClient])
        #expect(services.takeEvents().isEmpty, "a stranger's many tokens are nothing that the operator has to mend")
        #expect(services.introspection.load == (1, 2) && services.exchange.load == (1, 2))
        // Those of whom nobody knows who they are have what is left, and find the server too slow.
        for number in 0..<3 {
            services.ask("many-\(number)")
            services.askForExchange("many-\(number)")
        }
        services.drain()
        #expect(services.takeAnswers().map(\.cause) == [.crowded])
        #expect(services.takeExchanges().map(\.cause) == [.crowded])
        let events = services.takeEvents()
        #expect(events.count == 2)
        #expect(events.contains(.introspectionFailed(.crowded, count: 1)))
        #expect(events.contains(.exchangeFailed(.crowded, count: 1)))
    }

    @Test(.refuses("OPS-05"))
    func `says whose doing it is that a question waited too long: its client's, the server's or all others'`()
        throws
    {
        /// What becomes of three questions of a client, two of which are under way for as long as an answer may take.
        func causes(
            _ answer: Result<FetchResponse, FetchRefusal>?
        ) throws -> (introspections: [LookupRefusal?], exchanges: [LookupRefusal?], events: [IssuerEvent]) {
            let services = try Services(bounds: LookupBounds(concurrent: 4, waiting: 8))
            services.answer(services.active)
            if let answer {
                for url in [Services.introspection, Services.token] { services.fetcher.answer(url, with: answer) }
            }
            services.fetcher.hold()
            for number in 0..<3 {
                services.ask("token-\(number)", client: Self.flood)
                services.askForExchange("token-\(number)", client: Self.flood)
            }
            services.drain()
            services.clock.move(to: services.clock.now().milliseconds + 5000)
            services.release()
            let told = (services.takeAnswers().map(\.cause), services.takeExchanges().map(\.cause))
            return (told.0, told.1, services.takeEvents())
        }
        // The server answers, and has connections left: the third question waited for the two before it alone.
        let own = try causes(nil)
        #expect(own.introspections == [nil, nil, .tooManyOfClient])
        #expect(own.exchanges.count == 3 && own.exchanges.last == .tooManyOfClient)
        #expect(own.events.allSatisfy { if case .introspectionFailed = $0 { false } else { true } })
        // It answers nobody.
        let hung = try causes(.failure(.timedOut))
        #expect(hung.introspections.last == .waitedTooLong && hung.exchanges.last == .waitedTooLong)
    }

    @Test(.refuses("OPS-05"))
    func `blames no client for a question that waited too long for a connection which others had`() throws {
        let services = try Services(bounds: LookupBounds(concurrent: 2, waiting: 8))
        services.answer(services.active)
        services.fetcher.hold()
        for number in 0..<2 { services.ask("others-\(number)") }
        services.ask("late", client: Self.flood)
        services.drain()
        services.clock.move(to: services.clock.now().milliseconds + 5000)
        services.release()
        #expect(services.takeAnswers().map(\.cause) == [nil, nil, .waitedTooLong])
    }

    @Test(.refuses("INT-07")) func `asks about no more bad tokens than one client has left, however many come at once`()
        throws
    {
        let services = try Services(failures: FailureBudget(FailureBudget.Rate(perSecond: 1, burst: 40)))
        services.answer("{\"active\":false}")
        services.fetcher.hold()
        for number in 0..<300 { services.ask("bad-\(number)", worker: number % 2, client: Self.flood) }
        services.drain()
        services.release()
        #expect(services.fetcher.requests.count == 40)
        let answers = services.takeAnswers()
        #expect(answers.count == 300)
        #expect(answers.count { $0.word == "inactive" } == 40)
        #expect(answers.count { $0.cause == .tooManyBad } == 260)
        #expect(services.takeEvents().isEmpty, "a stranger's tokens are nothing that the operator has to mend")
        services.ask("another", client: Self.flood)
        services.ask("of-another", client: Self.other)
        services.answer(services.active)
        services.ask("good-before", client: Self.flood, isVouchedFor: true)
        services.drain()
        #expect(services.fetcher.requests.count == 42)
        #expect(services.takeAnswers().compactMap(\.cause) == [.tooManyBad])
    }

    @Test(.refuses("INT-07"))
    func `charges no client for what is good, what is not answered, and what an issuer cannot say`() throws {
        let failures = FailureBudget(FailureBudget.Rate(perSecond: 1, burst: 2))
        let services = try Services(failures: failures)
        for answer in [services.active, "no JSON"] {
            services.answer(answer)
            for number in 0..<50 { services.ask("token-\(number)", client: Self.flood) }
            services.drain()
        }
        services.fetcher.answer(Services.introspection, with: .failure(.timedOut))
        for number in 0..<50 { services.ask("token-\(number)", client: Self.flood) }
        services.drain()
        #expect(services.fetcher.requests.count == 150)
        // What the issuer vouches for and forbids is charged as what it does not know.
        services.answer("{\"active\":true,\"iss\":\"https://elsewhere.example\"}")
        for number in 0..<3 { services.ask("foreign-\(number)", client: Self.flood) }
        services.drain()
        #expect(services.takeAnswers().suffix(3).count { $0.word == "refused" } == 2)
    }

    @Test(.holds("OPS-04")) func `signs beside its executor where that takes long, for questions and for exchanges`()
        throws
    {
        let signed = Watched<[FetchRequest.Purpose]>([])
        let slowWork = SlowWork { purpose, _, work in
            signed.withLock { $0.append(purpose) }
            work()
            return nil
        }
        let key = try SigningJWK(PrivateKey.generate(.p384), algorithm: .es384)
        let slow = try Services(method: .privateKeyJWT(key), slowWork: slowWork)
        slow.answer(slow.active)
        slow.ask()
        slow.askForExchange()
        slow.drain()
        #expect(signed.now == [.tokenCheck, .exchange])
        #expect(slow.fetcher.requests.allSatisfy { $0.form.contains("client_assertion=") })
        #expect(slow.fetcher.requests.count == 2)
        // A signature by P-256 costs less than to have it made elsewhere.
        let quick = try Services(method: .privateKeyJWT(SigningKey.p256.signer()), slowWork: slowWork)
        quick.answer(quick.active)
        quick.ask()
        quick.drain()
        #expect(quick.fetcher.requests.count == 1)
        #expect(signed.now.count == 2)
    }

    @Test(.refuses("OPS-04")) func `sends nothing that there was no time to sign`() throws {
        let key = try SigningJWK(PrivateKey.generate(.p384), algorithm: .es384)
        let services = try Services(method: .privateKeyJWT(key), slowWork: SlowWork { _, _, _ in .crowded })
        services.ask()
        services.askForExchange()
        services.drain()
        #expect(services.fetcher.requests.isEmpty)
        #expect(services.takeAnswers().map(\.cause) == [.crowded])
        #expect(services.takeExchanges().map(\.cause) == [.crowded])
    }
}
