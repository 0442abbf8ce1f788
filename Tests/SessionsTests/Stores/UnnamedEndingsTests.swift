import Crypto
import TestTraits
import Testing

@testable import Sessions

/// A logout token may say `sid` and not whose session that is (OpenID Connect Back-Channel Logout §2.4).
@Suite struct `endings by sid alone` {
    private static let now = Sample.now

    private func end(_ store: any SessionStore, _ sid: String, at time: Int64 = now) async throws(SessionStoreRefusal) {
        _ = try await store.end(.serverSession(issuer: Sample.issuer, sid: sid), now: time)
    }

    @Test(.refuses("LO-10"), arguments: StoreKind.allCases)
    func `one user who logs in and out all day takes nobody's logout`(kind: StoreKind) async throws {
        let store = try kind.make(limit: 16)
        let bob = try await store.create(Sample.session(subject: "bob", sid: "bob"), now: Self.now)
        var mine: [[UInt8]] = []
        for round in 0..<200 {
            let time = Self.now + Int64(round)
            mine.append(try await store.create(Sample.session(sid: "s-\(round)", createdAt: time), now: time))
            try await end(store, "s-\(round)", at: time)
        }
        let late = Self.now + 200
        try await end(store, "bob", at: late)
        for user in 0..<12 {
            let session = Sample.session(subject: "user-\(user)", sid: "of-\(user)", createdAt: late)
            mine.append(try await store.create(session, now: late))
            // Some servers name the user, some do not.
            let subject = user.isMultiple(of: 2) ? "user-\(user)" : nil
            _ = try await store.end(
                .serverSession(issuer: Sample.issuer, sid: "of-\(user)", subject: subject), now: late)
        }
        for value in mine + [bob] { #expect(try await store.load(value, now: late) == nil) }
        let next = try await store.create(Sample.session(sid: "next", createdAt: late + 1), now: late + 1)
        #expect(try await store.load(next, now: late + 1) != nil)
    }

    @Test(.refuses("LO-10"), arguments: StoreKind.allCases)
    func `of sessions that nobody here knows take no room from the others`(kind: StoreKind) async throws {
        let store = try kind.make(limit: 16)
        let value = try await store.create(Sample.session(), now: Self.now)
        var refusal: SessionStoreRefusal?
        do throws(SessionStoreRefusal) {
            for number in 0..<17 { try await end(store, "nobody's-\(number)") }
        } catch {
            refusal = error
        }
        // What several gateways share has room for each.
        #expect(refusal == (kind == .shared ? nil : .full))
        try await end(store, "s-1")
        #expect(try await store.load(value, now: Self.now) == nil)
        _ = try await store.end(.subject(issuer: Sample.issuer, subject: "bob", until: Self.now), now: Self.now)
        _ = try await store.end(.serverSession(issuer: Sample.issuer, sid: "x", subject: "carol"), now: Self.now)
    }

    @Test(.holds("LO-10")) func `are of a known user after a restart too, once the session has been seen`() async throws
    {
        let before = try StoreKind.cookie.make(limit: 16)
        var values: [[UInt8]] = []
        for round in 0..<100 {
            values.append(try await before.create(Sample.session(sid: "s-\(round)"), now: Self.now))
        }
        let store = try StoreKind.cookie.make(limit: 16)
        for (round, value) in values.enumerated() {
            _ = store.lookUp(value, now: Self.now)
            try await end(store, "s-\(round)")
        }
        for value in values { #expect(store.lookUp(value, now: Self.now).session == nil) }
    }

    @Test(.holds("LO-10")) func `of a session that two users share end both, whoever has to give way`() async throws {
        let store = try StoreKind.cookie.make(limit: 4)
        let alice = try await store.create(Sample.session(sid: "shared"), now: Self.now)
        let bob = try await store.create(Sample.session(subject: "bob", sid: "shared"), now: Self.now)
        try await end(store, "shared")
        for round in 0..<20 {
            _ = try await store.create(Sample.session(sid: "s-\(round)"), now: Self.now)
            try await end(store, "s-\(round)")
        }
        for value in [alice, bob] { #expect(store.lookUp(value, now: Self.now).session == nil) }
    }

    @Test(.holds("LO-09")) func `end what a store in memory holds, with or without room to remember it`() async throws {
        let store = try StoreKind.memory.make(limit: 4)
        // Every user there is has an ending already.
        for user in 0..<4 {
            _ = try await store.end(
                .subject(issuer: Sample.issuer, subject: "user-\(user)", until: Self.now), now: Self.now)
            _ = try await store.end(
                .serverSession(issuer: Sample.issuer, sid: "of-\(user)", subject: "user-\(user)"), now: Self.now)
        }
        let endings = store.endings
        let ends: [SessionEnd] = [
            .serverSession(issuer: Sample.issuer, sid: "s-1"),
            .serverSession(issuer: Sample.issuer, sid: "s-1", subject: "alice"),
            .subject(issuer: Sample.issuer, subject: "alice", until: Self.now),
        ]
        for (number, which) in ends.enumerated() {
            let session = Sample.session()
            let value = try await store.create(session, now: Self.now)
            #expect(try await store.end(which, now: Self.now).map(\.id) == [session.id])
            #expect(store.lookUp(value, now: Self.now).session == nil)
            #expect(store.endings == endings + UInt64(number) + 1)
            // Where nothing was held, the ending is all there was to keep.
            await #expect(throws: SessionStoreRefusal.full) { try await store.end(which, now: Self.now) }
        }
        // Nobody's login is under way for so long.
        _ = try await store.end(ends[2], now: Self.now + Int64(TransactionSealer.lifetimeSeconds) + 60)
    }

    @Test(.holds("LO-09"))
    func `a store in memory gives the tokens of all that ended, where one ending became all of a user's`()
        async throws
    {
        let store = try StoreKind.memory.make(limit: 4)
        let kept = Sample.session(sid: "kept")
        _ = try await store.create(kept, now: Self.now)
        var ended: [[UInt8]] = []
        for round in 0..<6 {
            let which = SessionEnd.serverSession(issuer: Sample.issuer, sid: "s-\(round)", subject: "alice")
            ended += try await store.end(which, now: Self.now).map(\.id)
        }
        #expect(ended == [kept.id])
    }

    @Test(.refuses("LO-10")) func `leave nothing behind when no session of theirs could live any more`() async throws {
        let store = try #require(try StoreKind.cookie.make(limit: 16) as? CookieSessionStore)
        for round in 0..<100 {
            let session = Sample.session(subject: "user-\(round % 9)", sid: "s-\(round)")
            _ = try await store.create(session, now: Self.now)
            #expect(store.ended.holders <= 16)
        }
        #expect(store.ended.holders > 0)
        store.sweep(now: Self.now + 28_800)
        #expect(store.ended.holders > 0)
        store.sweep(now: Self.now + 28_860)
        #expect(store.ended.holders == 0)
    }
}
