@testable import Access
import Crypto
import Login
import OAuth
import Sessions
import Telemetry
import TestSupport
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the accounts of the caches` {
    private static let count = 10_000

    private let login: LoginWorker
    private let token: VerifiedAccessToken
    private let exchange: ExchangeRef
    private var worker: WorkerRef { login.worker }

    init() throws {
        // Far less than what comes: most records give way to others before their time is over.
        login = try LoginWorker(
            identity: [IdentityFieldSettings(name: "X-User", claim: ["sub"])],
            credential: .assertion(AssertionSettings(audience: "https://upstream.example")),
            tokenCache: TokenCacheSettings(entries: 1500))
        token = try verifiedToken()
        exchange = login.worker.takeExchange()
        worker.pointee.identities.stores = [
            MemorySessionStore(settings: LoginWorker.login("shop").session, client: "shop")
        ]
        worker.pointee.identities.assertionKeys = login.gateway.generation.assertionKeys?.keys
        // In the time for which the token was made.
        worker.pointee.loop.clockStandsAt = 1_800_000_000
    }

    private func digest(_ number: Int) -> SHA256Digest { TokenRecords.digest(number) }

    private func session(_ number: Int) -> TokenRecord {
        let now = worker.clock.wallSeconds()
        let session = Session(
            id: RandomBytes.fill(16), client: "shop", issuer: "https://issuer.example/", subject: "user-\(number)",
            claims: Array(#"{"iss":"https://issuer.example/","sub":"user-\#(number)"}"#.utf8), scopes: ["openid"],
            createdAt: now, endsAt: now + 28_800)
        let found = FoundSession(
            session, value: Array("cookie \(number)".utf8), digest: digest(number), login: 0, endings: 0)
        return worker.pointee.policy.access.pointee.remember(found, &worker.pointee.identities, now: now).record
    }

    /// A record of the token cache; the use that comes with it is the cache's.
    private func accessToken(_ number: Int) -> TokenRecord {
        let now = worker.clock.wallSeconds()
        let record = worker.pointee.policy.access.pointee.remember(
            introspected: token, digest(number), issuer: 0, until: now + 60, &worker.pointee.identities, now: now)
        record.release()
        return record
    }

    /// Has everything made that is kept with a record: identity fields, an assertion, a token for the upstream.
    private func use(_ record: TokenRecord, _ kind: Int) throws {
        // The exchange's own: what is charged may drive the record itself out.
        record.retain()
        defer { record.release() }
        if kind & 1 != 0 {
            _ = try worker.buildIdentity(record, mapping: 0, worker.pointee.scratch.read, &worker.pointee.identities)
        }
        if kind & 2 != 0 { _ = try worker.freshAssertion(record, rule: 0, &worker.pointee.identities) }
        guard kind & 4 != 0 else { return }
        let text = [UInt8](repeating: 0x61, count: 40 + kind)
        let kept = AttachedBlock(rule: 0, text, usableUntil: .max)
        exchange.pointee.findings.upstreamToken = kept
        defer {
            exchange.pointee.findings.upstreamToken = nil
            kept.release()
        }
        let earlier = try TokenRecords().make(digest(-1))
        defer { earlier.release() }
        exchange.pointee.findings.carryUpstreamToken(from: earlier, to: record, &worker.pointee.identities)
    }

    private func expectNothingHeld() {
        for _ in 0...(2 * Self.count / 256) { worker.sweepCaches() }
        let gauges = String(decoding: login.gateway.registry.page(), as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("_cache_entries ") || $0.contains("_cache_bytes ") }.filter { !$0.hasPrefix("#") }
        #expect(
            gauges == [
                "portcullis_token_cache_entries 0", "portcullis_token_cache_bytes 0",
                "portcullis_session_cache_entries 0", "portcullis_session_cache_bytes 0",
            ])
        #expect(worker.pointee.identities.tokens.entries == 0 && worker.pointee.identities.tokens.bytes == 0)
        #expect(worker.pointee.identities.sessions.entries == 0 && worker.pointee.identities.sessions.bytes == 0)
    }

    @Test(.holds("JOSE-34")) func `what is kept with a session is charged to the sessions, with a token to the tokens`()
        throws
    {
        defer { worker.giveBack(exchange) }
        for kind in 0..<8 {
            let record = session(kind)
            let before = worker.pointee.identities.sessions.bytes
            try use(record, kind)
            #expect(worker.pointee.identities.tokens.bytes == 0, "kind \(kind)")
            #expect((worker.pointee.identities.sessions.bytes > before) == (kind != 0), "kind \(kind)")
        }
        let sessions = worker.pointee.identities.sessions.bytes
        for kind in 0..<8 {
            let record = accessToken(100 + kind)
            let before = worker.pointee.identities.tokens.bytes
            try use(record, kind)
            #expect(worker.pointee.identities.sessions.bytes == sessions, "kind \(kind)")
            #expect((worker.pointee.identities.tokens.bytes > before) == (kind != 0), "kind \(kind)")
        }
    }

    @Test(.holds("JOSE-34")) func `is empty when ten thousand sessions and tokens of all kinds have come and gone`()
        throws
    {
        defer { worker.giveBack(exchange) }
        var numbers = Numbers(seed: 1)
        for number in 0..<Self.count {
            let record = numbers.below(2) == 0 ? session(number) : accessToken(number)
            try use(record, numbers.below(8))
            // Some are used again, later, when they have given way or not.
            let earlier = digest(numbers.below(number + 1))
            if let known = worker.pointee.identities.sessions.find(earlier)
                ?? worker.pointee.identities.tokens.find(earlier)
            {
                try use(known, numbers.below(8))
            }
            if number % 100 == 0 { worker.pointee.loop.clockStandsAt += 1 }
            if number % 1000 == 0 { worker.sweepCaches() }
        }
        #expect(worker.pointee.identities.tokens.entries > 1000 && worker.pointee.identities.sessions.entries > 1000)
        #expect(worker.pointee.identities.tokens.evictions > 0 && worker.pointee.identities.sessions.evictions > 0)
        worker.pointee.loop.clockStandsAt += 3600
        expectNothingHeld()
    }

    @Test(.holds("JOSE-34")) func `a sweep leaves what may still be used`() throws {
        defer { worker.giveBack(exchange) }
        for number in 0..<1000 { _ = accessToken(number) }
        worker.pointee.loop.clockStandsAt += 30
        for number in 1000..<1400 { _ = accessToken(number) }
        worker.pointee.loop.clockStandsAt += 30
        for _ in 0..<10 { worker.sweepCaches() }
        #expect(worker.pointee.identities.tokens.entries == 400)
        #expect((1000..<1400).allSatisfy { worker.pointee.identities.tokens.find(digest($0)) != nil })
        worker.pointee.loop.clockStandsAt += 30
        expectNothingHeld()
    }
}

extension TokenCacheSettings {
    fileprivate init(entries: Int) {
        self.init()
        self.entries = entries
    }
}
