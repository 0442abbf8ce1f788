import Access
import Crypto
import Issuers
import TestTraits
import Testing

@testable import Gateway

private func text(_ bytes: UnsafeBufferPointer<UInt8>?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
}

private func block(_ rule: Int, _ text: String, until: Int64 = .max) -> UnsafeMutablePointer<ExchangedToken> {
    ExchangedToken.make(rule, Array(text.utf8), until: until)
}

@Suite struct `tokens for upstreams` {
    @Test(.holds("TX-04")) func `stand beside the record one a rule, and the one before is let go`() throws {
        let records = try TokenRecords()
        let record = records.make(TokenRecords.digest(1))
        #expect(TokenRecord.exchanged(of: record, rule: 0) == nil)
        #expect(TokenRecord.replaceExchanged(of: record, by: block(0, "first")) == 0)
        #expect(TokenRecord.replaceExchanged(of: record, by: block(1, "second")) == 0)
        #expect(TokenRecord.replaceExchanged(of: record, by: block(2, "third")) == 0)
        // In the middle, at the head, and at the end of the list.
        #expect(TokenRecord.replaceExchanged(of: record, by: block(1, "2")) == ExchangedToken.cost(6))
        #expect(TokenRecord.replaceExchanged(of: record, by: block(1, "two")) == ExchangedToken.cost(1))
        #expect(TokenRecord.replaceExchanged(of: record, by: block(0, "one")) == ExchangedToken.cost(5))
        let found = (0...3).map { text(TokenRecord.exchanged(of: record, rule: $0)?.pointee.buffer) }
        #expect(found == ["one", "two", "third", nil])
        TokenRecord.release(record)
    }

    @Test(.refuses("TX-04")) func `cost the cache what they take, and no more for each that follows`() throws {
        let records = try TokenRecords()
        var cache = TokenCache(TokenCacheSettings(entries: 8))
        let record = records.make(TokenRecords.digest(1))
        cache.insert(record)
        let before = cache.bytes
        for number in 0..<100 {
            let freed = TokenRecord.replaceExchanged(of: record, by: block(0, "token \(number % 10)"))
            cache.charge(record, ExchangedToken.cost(7) - freed)
        }
        #expect(cache.bytes == before + ExchangedToken.cost(7))
        cache.destroy()
        #expect(records.alive == 0)
    }
}

@Suite struct `a route that exchanges` {
    private let idle: IdleWorker
    private let exchange: ExchangeRef
    private let records: TokenRecords

    init() throws {
        idle = try IdleWorker(credential: .exchange(ExchangeSettings(client: 0, audience: ["tools"])))
        exchange = idle.worker.takeExchange()
        exchange.pointee.route = idle.route
        records = try TokenRecords()
    }

    private func wait(
        _ route: UnsafePointer<Route>, _ record: UnsafeMutablePointer<TokenRecord>
    ) throws -> Wait {
        try idle.worker.exchangeToken(exchange, route, record)
    }

    /// Gives the exchange a token, of which it then holds one use.
    private func give(_ token: UnsafeMutablePointer<ExchangedToken>) {
        ExchangedToken.retain(token)
        exchange.pointee.upstreamToken = token
    }

    private func end() {
        if let token = exchange.pointee.upstreamToken { ExchangedToken.release(token) }
        idle.worker.giveBack(exchange)
    }

    @Test(.holds("TX-01")) func `waits for its token once, and has it from then on`() throws {
        defer { end() }
        let record = records.make(TokenRecords.digest(1))
        defer { TokenRecord.release(record) }
        #expect(try wait(idle.route, record) == .exchange(rule: 0, TokenRecords.digest(1)))
        #expect(exchange.pointee.upstreamToken == nil)
        _ = TokenRecord.replaceExchanged(of: record, by: block(0, "for the upstream"))
        #expect(try wait(idle.route, record) == .nothing)
        #expect(text(exchange.pointee.upstreamToken?.pointee.buffer) == "for the upstream")
    }

    @Test(.holds("TX-04")) func `asks again when the token at hand has ended, or is another rule's`() throws {
        defer { end() }
        let record = records.make(TokenRecords.digest(1))
        defer { TokenRecord.release(record) }
        let now = idle.worker.clock.wallSeconds()
        _ = TokenRecord.replaceExchanged(of: record, by: block(1, "another rule's"))
        _ = TokenRecord.replaceExchanged(of: record, by: block(0, "ended", until: now))
        #expect(try wait(idle.route, record) == .exchange(rule: 0, TokenRecords.digest(1)))
        #expect(exchange.pointee.upstreamToken == nil)
        // One that came for this very request serves it, however short its time.
        give(try #require(TokenRecord.exchanged(of: record, rule: 0)))
        #expect(try wait(idle.route, record) == .nothing)
    }

    @Test(.refuses("TX-03")) func `is refused as the server said, and never goes on with the client's token`() throws {
        defer { end() }
        let record = records.make(TokenRecords.digest(1))
        defer { TokenRecord.release(record) }
        for refusal in [Refusal.exchangeSubjectRefused, .exchangeTargetRefused, .exchangeUnavailable] {
            exchange.pointee.exchanged = .refused(Refused(refusal))
            #expect {
                try wait(idle.route, record)
            } throws: {
                ($0 as? Refused)?.cause == refusal
            }
            #expect(exchange.pointee.upstreamToken == nil)
        }
    }

    @Test(.refuses("OPS-05")) func `blames the client, and not the server, for a client that has too many waiting`() {
        defer { end() }
        let worker = idle.worker
        let own = worker.refusalOfExchange(.tooManyOfClient)
        #expect(own.cause == .clientWaitersTooMany)
        #expect(own.detail.expected.hasPrefix("512 questions about tokens of one client waiting"))
        let full = worker.refusalOfExchange(.crowded)
        #expect(full.cause == .exchangeUnavailable && full.detail.found == "too_many_lookups")
        // The same for questions about tokens.
        func cause(_ reason: LookupRefusal) -> Refusal {
            worker.refusal(
                in: IntrospectionAnswer(
                    digest: TokenRecords.digest(1), issuer: 0, workers: [0], result: .unavailable(reason))
            ).cause
        }
        #expect(cause(.tooManyOfClient) == .clientWaitersTooMany)
        #expect(cause(.crowded) == .introspectionUnavailable)
    }

    @Test(.holds("TX-01")) func `is the only kind of route that waits for one`() throws {
        defer { end() }
        let record = records.make(TokenRecords.digest(1))
        defer { TokenRecord.release(record) }
        #expect(try wait(IdleWorker().route, record) == .nothing)
    }

    /// The cache lets a record go while its request waits; the token is then verified again, into another record.
    @Test(.holds("TX-04")) func `keeps the token it waited for when the record beside it is made anew`() throws {
        defer { end() }
        let earlier = records.make(TokenRecords.digest(1)), record = records.make(TokenRecords.digest(1))
        defer {
            TokenRecord.release(earlier)
            TokenRecord.release(record)
        }
        let kept = block(0, "for the upstream", until: 1234)
        _ = TokenRecord.replaceExchanged(of: earlier, by: kept)
        give(kept)
        idle.worker.carryUpstreamToken(exchange, from: earlier, to: record)
        let carried = try #require(TokenRecord.exchanged(of: record, rule: 0))
        #expect(carried.pointee.usableUntil == 1234)
        #expect(carried != kept && text(carried.pointee.buffer) == "for the upstream")
        #expect(exchange.pointee.upstreamToken == kept)
        #expect(text(exchange.pointee.upstreamToken?.pointee.buffer) == "for the upstream")
    }

    @Test(.holds("TX-04")) func `leaves everything as it is when the record is the same, or nothing was waited for`()
        throws
    {
        defer { end() }
        let earlier = records.make(TokenRecords.digest(1)), record = records.make(TokenRecords.digest(1))
        defer {
            TokenRecord.release(earlier)
            TokenRecord.release(record)
        }
        let kept = block(0, "for the upstream")
        _ = TokenRecord.replaceExchanged(of: earlier, by: kept)
        idle.worker.carryUpstreamToken(exchange, from: earlier, to: record)
        #expect(exchange.pointee.upstreamToken == nil)
        #expect(TokenRecord.exchanged(of: record, rule: 0) == nil)
        give(kept)
        idle.worker.carryUpstreamToken(exchange, from: earlier, to: earlier)
        #expect(exchange.pointee.upstreamToken == kept)
    }
}
