import Crypto
import TestTraits
import Testing

@testable import Sessions

/// A store and the one that continues it, as a reload makes it.
private func pair(
    _ kind: SessionSettings.Store, before: SessionSettings? = nil, after: SessionSettings? = nil,
    issuer: String? = nil
) throws -> (before: any SessionStore, after: any SessionStore) {
    let first = try SessionStores.make(before ?? Sample.settings(kind), client: "shop")
    return (
        first,
        try SessionStores.make(after ?? Sample.settings(kind), client: "shop", issuer: issuer, continuing: first)
    )
}

@Suite struct `a session store that continues another` {
    static let now = Sample.now
    static let kinds = [SessionSettings.Store.cookie, .memory]

    @Test(.holds("OPS-07"), arguments: kinds)
    func `finds the sessions of the one before, and the other way round`(kind: SessionSettings.Store)
        async throws
    {
        let (before, after) = try pair(kind)
        let old = try await before.create(Sample.session(), now: Self.now)
        let new = try await after.create(Sample.session(), now: Self.now)
        for store in [before, after] {
            #expect(store.lookUp(old, now: Self.now).session != nil)
            #expect(store.lookUp(new, now: Self.now).session != nil)
        }
    }

    @Test(.holds("OPS-07"), .refuses("OPS-07"), arguments: kinds)
    func `is told from one that has nothing to do with it`(kind: SessionSettings.Store) throws {
        let (before, after) = try pair(kind)
        let last = try SessionStores.make(Sample.settings(kind), client: "shop", continuing: after)
        for store in [before, after, last] { #expect(last.goesOn(from: store)) }
        for kind in Self.kinds {
            let other = try SessionStores.make(Sample.settings(kind), client: "shop")
            #expect(!last.goesOn(from: other))
        }
    }

    @Test(.holds("LO-09"), arguments: kinds)
    func `knows what was ended in the one before, and is heard there`(kind: SessionSettings.Store) async throws {
        let (before, after) = try pair(kind)
        let one = try await before.create(Sample.session(subject: "alice", sid: "s-1"), now: Self.now)
        let other = try await before.create(Sample.session(subject: "bob", sid: "s-2"), now: Self.now)
        let endings = before.endings
        _ = try await before.end(.serverSession(issuer: Sample.issuer, sid: "s-1"), now: Self.now)
        #expect(after.lookUp(one, now: Self.now).session == nil)
        #expect(after.endings == before.endings && after.endings > endings, "workers would not look again")
        _ = try await after.end(.subject(issuer: Sample.issuer, subject: "bob", until: Self.now), now: Self.now)
        #expect(before.lookUp(other, now: Self.now).session == nil)
        // What is sealed afterwards for a session that is over is over too.
        #expect(before.isEnded(Sample.session(subject: "bob", sid: "s-2"), now: Self.now))
    }

    @Test(.holds("RF-03"), arguments: kinds)
    func `finds the newest state of a session, whichever of the two refreshed it`(
        kind: SessionSettings.Store
    ) async throws {
        let (before, after) = try pair(kind)
        let session = Sample.session()
        let value = try await before.create(session, now: Self.now)
        let refreshed = Sample.refreshed(session)
        let newer = try #require(try await before.replace(value, by: refreshed, now: Self.now))
        #expect(after.lookUp(value, now: Self.now).session?.generation == 1)
        let again = Sample.refreshed(refreshed)
        #expect(try await after.replace(newer, by: again, now: Self.now) != nil)
        #expect(before.lookUp(value, now: Self.now).session?.generation == 2)
    }

    @Test(.holds("SC-08"), arguments: kinds)
    func `applies the limits of now`(kind: SessionSettings.Store) async throws {
        let (before, after) = try pair(kind, after: Sample.settings(kind, idle: 60, limit: 1))
        let value = try await before.create(Sample.session(), now: Self.now)
        #expect(before.lookUp(value, now: Self.now + 60).session != nil)
        #expect(after.lookUp(value, now: Self.now + 60).session == nil)
    }

    @Test(.holds("SC-08"), .refuses("SC-08"))
    func `takes no more sessions than there may be now, and keeps those that there are`() async throws {
        let (before, after) = try pair(.memory, after: Sample.settings(.memory, limit: 2))
        var values: [[UInt8]] = []
        for user in 0..<3 {
            values.append(try await before.create(Sample.session(subject: "user-\(user)"), now: Self.now))
        }
        await #expect(throws: SessionStoreRefusal.full) {
            _ = try await after.create(Sample.session(), now: Self.now)
        }
        #expect(values.allSatisfy { after.lookUp($0, now: Self.now).session != nil })
    }

    @Test(.holds("LO-10")) func `remembers a logout for as long as a session of the longer limit could live`()
        async throws
    {
        let before = try SessionStores.make(Sample.settings(absolute: 28_800), client: "shop")
        let value = try await before.create(Sample.session(), now: Self.now)
        let shorter = try SessionStores.make(Sample.settings(absolute: 600), client: "shop", continuing: before)
        let session = try #require(shorter.lookUp(value, now: Self.now).session)
        _ = try await shorter.end(.session(session), now: Self.now + 10)
        let longer = try SessionStores.make(
            Sample.settings(idle: 28_800, absolute: 28_800), client: "shop", continuing: shorter)
        longer.sweep(now: Self.now + 3600)
        #expect(longer.lookUp(value, now: Self.now + 3600).session == nil, "a logout was undone")
    }

    @Test(.holds("SC-15"))
    func `opens under rotated keys what was sealed before, and the one before opens what is sealed now`()
        async throws
    {
        let rotated = Sample.settings(keys: [Sample.key(2), Sample.key(1)])
        let (before, after) = try pair(.cookie, after: rotated)
        let old = try await before.create(Sample.session(), now: Self.now)
        let new = try await after.create(Sample.session(), now: Self.now)
        #expect(after.lookUp(old, now: Self.now).session != nil)
        // A browser may meet a worker that has not moved on yet.
        #expect(before.lookUp(new, now: Self.now).session != nil)
    }

    @Test(.refuses("SC-15")) func `a configuration that came to nothing leaves no key behind`() async throws {
        let before = try SessionStores.make(Sample.settings(), client: "shop")
        let value = try await SessionStores.make(
            Sample.settings(keys: [Sample.key(2)]), client: "shop", continuing: before
        ).create(Sample.session(), now: Self.now)
        #expect(before.lookUp(value, now: Self.now).session == nil)
    }

    @Test(.refuses("SC-15")) func `a key that is gone opens nothing`() async throws {
        let (before, after) = try pair(.cookie, after: Sample.settings(keys: [Sample.key(2)]))
        let value = try await before.create(Sample.session(), now: Self.now)
        #expect(after.lookUp(value, now: Self.now).session == nil)
    }

    @Test(.holds("SC-15")) func `the key of this process's own is the same after a reload`() async throws {
        let (before, after) = try pair(.cookie, before: Sample.settings(keys: []), after: Sample.settings(keys: []))
        let value = try await before.create(Sample.session(), now: Self.now)
        #expect(after.lookUp(value, now: Self.now).session != nil)
    }

    @Test func `begins anew where sessions are kept in another way now`() async throws {
        let before = try SessionStores.make(Sample.settings(.memory), client: "shop")
        let value = try await before.create(Sample.session(), now: Self.now)
        let after = try SessionStores.make(Sample.settings(.cookie), client: "shop", continuing: before)
        #expect(after.lookUp(value, now: Self.now).session == nil)
        _ = try await after.create(Sample.session(), now: Self.now)
    }

    @Test(.refuses("T-50")) func `a session of another server's user is none, whichever key sealed it`() async throws {
        let (before, after) = try pair(.cookie, issuer: "https://other.example/")
        let value = try await before.create(Sample.session(), now: Self.now)
        #expect(after.lookUp(value, now: Self.now).session == nil)
        #expect(after.diagnose(value, now: Self.now) == .unopened)
        let same = try SessionStores.make(Sample.settings(), client: "shop", issuer: Sample.issuer)
        #expect(same.lookUp(value, now: Self.now).session != nil)
    }
}
