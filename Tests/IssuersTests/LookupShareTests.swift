import Crypto
import HTTPMessage
import JOSE
import OAuth
import TestSupport
import TestTraits
import Testing

@testable import Issuers

/// Rows INT-07, OPS-04 and OPS-05: what one client's questions cost the server and the others.
@Suite struct `a desk with many clients` {
    private static let flood = AskingClient((1, 0)), other = AskingClient((2, 0))

    @Test(.holds("OPS-05")) func `asks for another client at once while one has hundreds of tokens to be asked about`()
        throws
    {
        let desks = try Desks()
        desks.answer(desks.active)
        desks.fetcher.hold()
        for number in 0..<300 { desks.ask("flood-\(number)", client: Self.flood) }
        desks.drain()
        #expect(desks.fetcher.requests.count == 32)
        desks.ask("other", client: Self.other)
        desks.drain()
        #expect(desks.fetcher.requests.count == 33)
        #expect(desks.fetcher.requests.last?.form.hasPrefix("token=other&") == true)
        desks.release()
        #expect(desks.fetcher.requests.count == 301)
        #expect(desks.takeAnswers().count { $0.word == "active" } == 301)
        #expect(desks.introspection.load == (0, 0))
    }

    @Test(.refuses("OPS-05"))
    func `says whose the questions are that have no room, and tells the operator of nobody's but its own`()
        throws
    {
        let desks = try Desks(bounds: LookupBounds(concurrent: 1, waiting: 4))
        desks.fetcher.hold()
        for number in 0..<4 {
            desks.ask("flood-\(number)", client: Self.flood)
            desks.askForExchange("flood-\(number)", client: Self.flood)
        }
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.tooManyOfClient])
        #expect(desks.takeExchanges().map(\.cause) == [.tooManyOfClient])
        #expect(desks.takeEvents().isEmpty, "a stranger's many tokens are nothing that the operator has to mend")
        #expect(desks.introspection.load == (1, 2) && desks.exchange.load == (1, 2))
        // Those of whom nobody knows who they are have what is left, and find the server too slow.
        for number in 0..<3 {
            desks.ask("many-\(number)")
            desks.askForExchange("many-\(number)")
        }
        desks.drain()
        #expect(desks.takeAnswers().map(\.cause) == [.crowded])
        #expect(desks.takeExchanges().map(\.cause) == [.crowded])
        let events = desks.takeEvents()
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
            let desks = try Desks(bounds: LookupBounds(concurrent: 4, waiting: 8))
            desks.answer(desks.active)
            if let answer { for url in [Desks.introspection, Desks.token] { desks.fetcher.answer(url, with: answer) } }
            desks.fetcher.hold()
            for number in 0..<3 {
                desks.ask("token-\(number)", client: Self.flood)
                desks.askForExchange("token-\(number)", client: Self.flood)
            }
            desks.drain()
            desks.clock.move(to: desks.clock.now().milliseconds + 5000)
            desks.release()
            let told = (desks.takeAnswers().map(\.cause), desks.takeExchanges().map(\.cause))
            return (told.0, told.1, desks.takeEvents())
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
        let desks = try Desks(bounds: LookupBounds(concurrent: 2, waiting: 8))
        desks.answer(desks.active)
        desks.fetcher.hold()
        for number in 0..<2 { desks.ask("others-\(number)") }
        desks.ask("late", client: Self.flood)
        desks.drain()
        desks.clock.move(to: desks.clock.now().milliseconds + 5000)
        desks.release()
        #expect(desks.takeAnswers().map(\.cause) == [nil, nil, .waitedTooLong])
    }

    @Test(.refuses("INT-07")) func `asks about no more bad tokens than one client has left, however many come at once`()
        throws
    {
        let desks = try Desks(failures: FailureBudget(FailureBudget.Rate(perSecond: 1, burst: 40)))
        desks.answer("{\"active\":false}")
        desks.fetcher.hold()
        for number in 0..<300 { desks.ask("bad-\(number)", worker: number % 2, client: Self.flood) }
        desks.drain()
        desks.release()
        #expect(desks.fetcher.requests.count == 40)
        let answers = desks.takeAnswers()
        #expect(answers.count == 300)
        #expect(answers.count { $0.word == "inactive" } == 40)
        #expect(answers.count { $0.cause == .tooManyBad } == 260)
        #expect(desks.takeEvents().isEmpty, "a stranger's tokens are nothing that the operator has to mend")
        desks.ask("another", client: Self.flood)
        desks.ask("of-another", client: Self.other)
        desks.answer(desks.active)
        desks.ask("good-before", client: Self.flood, isVouchedFor: true)
        desks.drain()
        #expect(desks.fetcher.requests.count == 42)
        #expect(desks.takeAnswers().compactMap(\.cause) == [.tooManyBad])
    }

    @Test(.refuses("INT-07"))
    func `charges no client for what is good, what is not answered, and what an issuer cannot say`() throws {
        let failures = FailureBudget(FailureBudget.Rate(perSecond: 1, burst: 2))
        let desks = try Desks(failures: failures)
        for answer in [desks.active, "no JSON"] {
            desks.answer(answer)
            for number in 0..<50 { desks.ask("token-\(number)", client: Self.flood) }
            desks.drain()
        }
        desks.fetcher.answer(Desks.introspection, with: .failure(.timedOut))
        for number in 0..<50 { desks.ask("token-\(number)", client: Self.flood) }
        desks.drain()
        #expect(desks.fetcher.requests.count == 150)
        // What the issuer vouches for and forbids is charged as what it does not know.
        desks.answer("{\"active\":true,\"iss\":\"https://elsewhere.example\"}")
        for number in 0..<3 { desks.ask("foreign-\(number)", client: Self.flood) }
        desks.drain()
        #expect(desks.takeAnswers().suffix(3).count { $0.word == "refused" } == 2)
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
        let slow = try Desks(method: .privateKeyJWT(key), slowWork: slowWork)
        slow.answer(slow.active)
        slow.ask()
        slow.askForExchange()
        slow.drain()
        #expect(signed.now == [.tokenCheck, .exchange])
        #expect(slow.fetcher.requests.allSatisfy { $0.form.contains("client_assertion=") })
        #expect(slow.fetcher.requests.count == 2)
        // A signature by P-256 costs less than to have it made elsewhere.
        let quick = try Desks(method: .privateKeyJWT(SigningKey.p256.signer()), slowWork: slowWork)
        quick.answer(quick.active)
        quick.ask()
        quick.drain()
        #expect(quick.fetcher.requests.count == 1)
        #expect(signed.now.count == 2)
    }

    @Test(.refuses("OPS-04")) func `sends nothing that there was no time to sign`() throws {
        let key = try SigningJWK(PrivateKey.generate(.p384), algorithm: .es384)
        let desks = try Desks(method: .privateKeyJWT(key), slowWork: SlowWork { _, _, _ in .crowded })
        desks.ask()
        desks.askForExchange()
        desks.drain()
        #expect(desks.fetcher.requests.isEmpty)
        #expect(desks.takeAnswers().map(\.cause) == [.crowded])
        #expect(desks.takeExchanges().map(\.cause) == [.crowded])
    }
}
