import Crypto
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// A fleet that changes from sealed cookies to the store, or back, replica by replica (SH-28).
@Suite struct `sessions that move between cookies and the store` {
    private let now = Sample.now
    private let server: RedisServer
    private let prefix = StoreNumberText.random()

    init() throws { server = try RedisServer.shared.get() }

    /// A replica with this configuration.
    private func replica(
        _ store: SessionSettings.Store, accepts: [SessionSettings.Store] = [], keys: [UInt8] = [1],
        asking: (any StoreAsking)? = nil, continuing previous: (any SessionStore)? = nil
    ) throws -> any SessionStore {
        var settings = Replica.settings()
        settings.store = store
        settings.accepts = accepts
        settings.keys = [Sample.key(77)]
        let shared = try SharedStore.make(asking ?? RedisAsking(server), prefix: prefix, keys: keys)
        return try SessionStores.make(
            settings, for: SharedSessionClient(name: Sample.client),
            in: SharedSessions(shared, executor: OwnThreads.shared), continuing: previous)
    }

    private func create(_ session: Session, at store: any SessionStore) async throws -> [UInt8] {
        try await store.create(session, now: now, onLeaving: { _ in })
    }

    /// What a browser has after a request that a store answered.
    private func visit(_ value: [UInt8], _ store: any SessionStore) async throws -> (session: Session, value: [UInt8])?
    {
        switch store.lookUp(value, now: now) {
        case .found(let session, let successor): return (session, successor ?? value)
        case .none: return nil
        case .elsewhere:
            guard let session = try await store.load(value, now: now) else { return nil }
            guard case .found(_, let successor) = store.lookUp(value, now: now) else { return (session, value) }
            return (session, successor ?? value)
        }
    }

    @Test(.holds("SH-28")) func `go on through every step of it, and nobody logs in again`() async throws {
        let session = Sample.session()
        let cookies = try replica(.cookie)
        var value = try await create(session, at: cookies)
        let readsBoth = try replica(.cookie, accepts: [.shared], continuing: cookies)
        let writesStore = try replica(.shared, accepts: [.cookie])
        let stored = try replica(.shared)
        let sealed = value
        // First all replicas read both: what is sealed stays as it is.
        value = try #require(try await visit(value, readsBoth)).value
        #expect(value == sealed)
        // Then one by one they write the store: replicas of both kinds answer the same browser.
        value = try #require(try await visit(value, writesStore)).value
        #expect(value.count == 64)
        for store in [readsBoth, writesStore, stored, readsBoth] {
            let visit = try #require(try await visit(value, store))
            #expect(visit.session.id == session.id && visit.value == value)
        }
        // A tab that was loaded before still brings the sealed one.
        #expect(try await visit(sealed, writesStore)?.value == value)
        #expect(try await visit(sealed, replica(.shared, accepts: [.cookie]))?.value == value)
        #expect(try await visit(sealed, stored) == nil)
    }

    @Test(.holds("SH-28")) func `get one small cookie, whichever replica moves them and whichever key is its first`()
        async throws
    {
        let session = Sample.session()
        let sealed = try await create(session, at: replica(.cookie))
        let a = try replica(.shared, accepts: [.cookie], keys: [1, 2])
        let b = try replica(.shared, accepts: [.cookie], keys: [2, 1])
        let first = try #require(try await visit(sealed, a))
        #expect(try await visit(sealed, b)?.value == first.value)
        _ = try await a.replace(sealed, by: Sample.refreshed(session), now: now)
        #expect(try await b.load(sealed, now: now)?.generation == 1, "the tokens in the sealed one are spent")
    }

    @Test(.refuses("SH-28")) func `stay out when they were ended, whatever cookie comes back`() async throws {
        let (session, other) = (Sample.session(), Sample.session(subject: "bob"))
        let cookies = try replica(.cookie, accepts: [.shared])
        let (sealed, late) = try await (create(session, at: cookies), create(other, at: cookies))
        // Ended where they are still sealed, before anybody moved them.
        _ = try await cookies.end(.session(session), now: now)
        _ = try await cookies.end(.subject(issuer: Sample.issuer, subject: "bob", until: now), now: now)
        let moving = try replica(.shared, accepts: [.cookie])
        #expect(try await visit(sealed, moving) == nil)
        #expect(try await visit(late, moving) == nil)
        #expect(cookies.isEnded(session, now: now) && cookies.isEnded(other, now: now))
        // Ended where it lies in the store.
        let third = Sample.session(subject: "carol")
        let old = try await create(third, at: cookies)
        let value = try #require(try await visit(old, moving)).value
        _ = try await moving.end(.session(third), now: now)
        for brought in [old, value] { #expect(try await visit(brought, moving) == nil) }
        #expect(try await visit(old, replica(.shared, accepts: [.cookie])) == nil)
    }

    @Test(.refuses("SH-28", "SH-21")) func `are neither there nor gone while the store cannot be asked`() async throws {
        let sealed = try await create(Sample.session(), at: replica(.cookie))
        let asking = ScriptedAsking(try RedisAsking(server))
        let moving = try replica(.shared, accepts: [.cookie], asking: asking)
        asking.goDown()
        await #expect(throws: SessionStoreRefusal.unavailable) { try await moving.load(sealed, now: now) }
        asking.follow(nil)
        #expect(try await visit(sealed, moving) != nil)
    }

    @Test(.refuses("SH-28")) func `are not refreshed with the tokens of a cookie whose session has moved`() async throws
    {
        let session = Sample.session()
        let cookies = try replica(.cookie, accepts: [.shared])
        let sealed = try await create(session, at: cookies)
        let moving = try replica(.shared, accepts: [.cookie])
        let value = try #require(try await visit(sealed, moving)).value
        _ = try await moving.replace(value, by: Sample.refreshed(session), now: now)
        guard
            case .newer(let newer, let successor?) = try await cookies.beginRefresh(
                sealed, session, leaseMilliseconds: 1000, now: now)
        else {
            Issue.record("the server would be shown a spent token")
            return
        }
        #expect(newer.generation == 1 && successor == value)
        // One that nobody moved is refreshed as ever.
        let own = Sample.session()
        let ownValue = try await create(own, at: cookies)
        guard case .yours = try await cookies.beginRefresh(ownValue, own, leaseMilliseconds: 1000, now: now) else {
            Issue.record("not refreshed")
            return
        }
    }

    /// One that the store has may have made room for others here: then it is asked about, and not believed in for good.
    @Test(.refuses("SH-28", "SH-71")) func `are not usable for good when nothing is known of them`() async throws {
        let moving = try replica(.shared, accepts: [.cookie])
        #expect(moving.usableUntil(Sample.session(), now: now) <= now + 1)
        let reading = try replica(.cookie, accepts: [.shared])
        #expect(reading.usableUntil(Sample.session(), now: now) == .max, "its cookie holds")
    }

    /// What is not named by its index any more nobody else would end.
    @Test(.refuses("SH-43")) func `end those that give way to them, though they were there or ended before`()
        async throws
    {
        let subject = "user-" + StoreNumberText.random()
        let shared = try SharedStore.make(RedisAsking(server), prefix: prefix)
        let administrator = try server.administrator()
        let index = shared.names.indexes(client: Sample.client, issuer: Sample.issuer, subject: subject)[0]
        let time = try await shared.perform(ReadTime(key: shared.names.log)).milliseconds
        var oldest: [StoreName] = []
        for number in 0..<1000 {
            let name = try #require(shared.names.name(.session, suffix: Sample.uniqueSuffix()))
            if number < 2 {
                oldest.append(name)
                try administrator.expect(["HSET", String(decoding: name.bytes, as: UTF8.self), "g", "1", "v", "x"])
                try administrator.expect(["PEXPIRE", String(decoding: name.bytes, as: UTF8.self), "3600000"])
            }
            _ = try administrator.send([
                "ZADD".bytes, index.bytes, "\(time + 1000 * (Int64(number) + 1000))".bytes, name.suffix,
            ])
        }
        var session = Sample.session(subject: subject)
        session.endsAt = now + 28_800
        let moving = try replica(.shared, accepts: [.cookie])
        // At a replica that has nothing to do with cookies.
        _ = try await replica(.shared).end(.session(session), now: now)
        let sealed = try await create(session, at: try replica(.cookie))
        #expect(try await moving.load(sealed, now: now) == nil)
        #expect(try administrator.send(["HEXISTS".bytes, oldest[0].bytes, "x".bytes]) == .integer(1))
        #expect(try administrator.send(["HEXISTS".bytes, oldest[1].bytes, "x".bytes]) == .integer(0))
    }

    @Test(.holds("OPS-07")) func `go on through a reload that adds the other kind, and one that takes it away`()
        async throws
    {
        let cookies = try replica(.cookie)
        let session = Sample.session()
        let sealed = try await create(session, at: cookies)
        let both = try replica(.cookie, accepts: [.shared], continuing: cookies)
        #expect(both.goesOn(from: cookies))
        _ = try await both.end(.session(session), now: now)
        #expect(cookies.isEnded(session, now: now), "one reload later it is the same memory")
        let moving = try replica(.shared, accepts: [.cookie], continuing: both)
        let stored = try replica(.shared, continuing: moving)
        #expect(moving.goesOn(from: both) && stored.goesOn(from: moving) == false)
        #expect(moving.goesOn(from: stored))
        #expect(try await visit(sealed, moving) == nil)
    }
}
