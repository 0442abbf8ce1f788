@testable import Access
import Bytes
import Crypto
import Issuers
import TestTraits
import Testing

@testable import Gateway

private func text(_ block: AttachedBlock?) -> String? {
    block.map { String(copying: $0.bytes) }
}

private func block(_ rule: Int, _ text: String, until: Int64 = .max) -> AttachedBlock {
    AttachedBlock(rule: rule, Array(text.utf8), usableUntil: until)
}

@Suite struct `a route that exchanges` {
    private let idle: IdleWorker
    private let exchange: ExchangeRef
    private let records: TokenRecords

    init() throws {
        idle = try IdleWorker(credential: .exchange(ExchangeSettings(client: 0, audience: ["tools"])))
        exchange = idle.worker.takeExchange()
        exchange.pointee.findings.route = idle.route
        records = try TokenRecords()
    }

    private func wait(
        _ route: FixedValue<Route>, _ record: TokenRecord
    ) throws -> Wait {
        try idle.worker.pointee.policy.access.pointee.exchangeToken(
            route.pointee, record, &exchange.pointee.findings, now: idle.worker.clock.wallSeconds())
    }

    /// Gives the exchange a token, of which it then holds one use.
    private func give(_ token: AttachedBlock) {
        token.retain()
        exchange.pointee.findings.upstreamToken = token
    }

    private func end() {
        if let token = exchange.pointee.findings.upstreamToken { token.release() }
        idle.worker.giveBack(exchange)
    }

    @Test(.holds("TX-01")) func `waits for its token once, and has it from then on`() throws {
        defer { end() }
        let record = records.make(TokenRecords.digest(1))
        defer { record.release() }
        #expect(try wait(idle.route, record) == .exchange(rule: 0, TokenRecords.digest(1)))
        #expect(exchange.pointee.findings.upstreamToken == nil)
        _ = record.attach(block(0, "for the upstream"), as: .upstreamToken)
        #expect(try wait(idle.route, record) == .nothing)
        #expect(text(exchange.pointee.findings.upstreamToken) == "for the upstream")
    }

    @Test(.holds("TX-04")) func `asks again when the token at hand has ended, or is another rule's`() throws {
        defer { end() }
        let record = records.make(TokenRecords.digest(1))
        defer { record.release() }
        let now = idle.worker.clock.wallSeconds()
        _ = record.attach(block(1, "another rule's"), as: .upstreamToken)
        _ = record.attach(block(0, "ended", until: now), as: .upstreamToken)
        #expect(try wait(idle.route, record) == .exchange(rule: 0, TokenRecords.digest(1)))
        #expect(exchange.pointee.findings.upstreamToken == nil)
        // One that came for this very request serves it, however short its time.
        give(try #require(record.attached(.upstreamToken, rule: 0)))
        #expect(try wait(idle.route, record) == .nothing)
    }

    @Test(.refuses("TX-03")) func `is refused as the server said, and never goes on with the client's token`() throws {
        defer { end() }
        let record = records.make(TokenRecords.digest(1))
        defer { record.release() }
        for refusal in [Refusal.exchangeSubjectRefused, .exchangeTargetRefused, .exchangeUnavailable] {
            exchange.pointee.findings.exchanged = .refused(Refused(refusal))
            #expect {
                try wait(idle.route, record)
            } throws: {
                ($0 as? Refused)?.cause == refusal
            }
            #expect(exchange.pointee.findings.upstreamToken == nil)
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
        defer { record.release() }
        #expect(try wait(IdleWorker().route, record) == .nothing)
    }

    /// The cache lets a record go while its request waits; the token is then verified again, into another record.
    @Test(.holds("TX-04")) func `keeps the token it waited for when the record beside it is made anew`() throws {
        defer { end() }
        let earlier = records.make(TokenRecords.digest(1)), record = records.make(TokenRecords.digest(1))
        defer {
            earlier.release()
            record.release()
        }
        let kept = block(0, "for the upstream", until: 1234)
        _ = earlier.attach(kept, as: .upstreamToken)
        give(kept)
        exchange.pointee.findings.carryUpstreamToken(from: earlier, to: record, &idle.worker.pointee.identities)
        let carried = try #require(record.attached(.upstreamToken, rule: 0))
        #expect(carried.usableUntil == 1234)
        #expect(carried != kept && text(carried) == "for the upstream")
        #expect(exchange.pointee.findings.upstreamToken == kept)
        #expect(text(exchange.pointee.findings.upstreamToken) == "for the upstream")
    }

    @Test(.holds("TX-04")) func `leaves everything as it is when the record is the same, or nothing was waited for`()
        throws
    {
        defer { end() }
        let earlier = records.make(TokenRecords.digest(1)), record = records.make(TokenRecords.digest(1))
        defer {
            earlier.release()
            record.release()
        }
        let kept = block(0, "for the upstream")
        _ = earlier.attach(kept, as: .upstreamToken)
        exchange.pointee.findings.carryUpstreamToken(from: earlier, to: record, &idle.worker.pointee.identities)
        #expect(exchange.pointee.findings.upstreamToken == nil)
        #expect(record.attached(.upstreamToken, rule: 0) == nil)
        give(kept)
        exchange.pointee.findings.carryUpstreamToken(from: earlier, to: earlier, &idle.worker.pointee.identities)
        #expect(exchange.pointee.findings.upstreamToken == kept)
    }
}
