import Bytes
import Crypto
import TestTraits
import Testing

@testable import Sessions

@Suite struct `the memory store` {
    private static let now = Sample.now

    private func store(idle: Int = 1800, limit: Int = 1000) -> MemorySessionStore {
        MemorySessionStore(settings: Sample.settings(.memory, idle: idle, limit: limit), client: "shop")
    }

    @Test(.holds("SC-04")) func `knows a session by 32 random bytes beside its identifier`() async throws {
        let store = store()
        let session = Sample.session()
        let value = try await store.create(session, now: Self.now)
        let bytes = Base64URL.decode(value.span) ?? []
        #expect(bytes.count == 48)
        // The identifier alone, as logs or logouts may know it, opens nothing.
        let guess = session.id + RandomBytes.fill(32)
        #expect(store.lookUp(Array(Base64URL.encode(guess.span).utf8), now: Self.now).session == nil)
        #expect(store.lookUp(value, now: Self.now).session?.id == session.id)
    }

    @Test(.holds("SC-07")) func `keeps what no cookie could, and still has a limit for one session`() async throws {
        let store = store()
        let value = try await store.create(Sample.session(accessToken: 20_000, idToken: 20_000), now: Self.now)
        #expect(value.count == 64)
        await #expect(throws: SessionStoreRefusal.self) {
            try await store.create(Sample.session(accessToken: 70_000), now: Self.now)
        }
        await #expect(throws: SessionStoreRefusal.self) {
            try await store.replace(value, by: Sample.session(accessToken: 70_000), now: Self.now)
        }
    }

    @Test func `is full when everybody in it has one session, and gives nobody's up for another's`() async throws {
        let store = store(limit: 100)
        var values: [[UInt8]] = []
        for user in 0..<100 {
            values.append(try await store.create(Sample.session(subject: "user-\(user)"), now: Self.now))
        }
        await #expect(throws: SessionStoreRefusal.full) { try await store.create(Sample.session(), now: Self.now + 1) }
        for value in values { #expect(store.lookUp(value, now: Self.now + 1).session != nil) }
        #expect(store.entries == 100)
        // What has expired makes room by itself.
        for value in values.prefix(10) {
            let session = try #require(store.lookUp(value, now: Self.now + 1000).session)
            _ = store.touch(value, session, now: Self.now + 1000)
        }
        _ = try await store.create(Sample.session(createdAt: Self.now + 2000), now: Self.now + 2000)
        #expect(store.entries == 11)
        let first = try #require(store.lookUp(values[0], now: Self.now + 2000).session)
        _ = try await store.end(.session(first), now: Self.now)
        #expect(store.entries == 10)
    }

    @Test func `one user who logs in again and again keeps nobody out, and loses the oldest sessions`() async throws {
        let store = store(limit: 16)
        var greedy: [[UInt8]] = []
        for _ in 0..<40 {
            greedy.append(try await store.create(Sample.session(subject: "greedy"), now: Self.now))
            #expect(store.entries <= 16)
        }
        #expect(greedy.map { store.lookUp($0, now: Self.now).session != nil } == (0..<40).map { $0 >= 24 })
        let endings = store.endings
        var others: [[UInt8]] = []
        for user in 0..<15 {
            others.append(try await store.create(Sample.session(subject: "user-\(user)"), now: Self.now))
        }
        // Streams of the sessions that went are to be looked at.
        #expect(store.endings >= endings + 15)
        for _ in 0..<40 { greedy.append(try await store.create(Sample.session(subject: "greedy"), now: Self.now)) }
        for value in others { #expect(store.lookUp(value, now: Self.now).session != nil) }
        #expect(greedy.filter { store.lookUp($0, now: Self.now).session != nil } == [greedy[79]])
        #expect(store.entries == 16)
    }

    @Test func `a session that gave way to others is over for whoever still uses it`() async throws {
        let store = store(limit: 1)
        let first = Sample.session()
        let value = try await store.create(first, now: Self.now)
        _ = try await store.create(Sample.session(), now: Self.now)
        #expect(store.isEnded(first, now: Self.now))
        #expect(try await store.replace(value, by: Sample.refreshed(first), now: Self.now) == nil)
        #expect(store.entries == 1)
    }

    @Test func `says which session gave way, so that its streams end and its tokens are revoked`() async throws {
        let store = store(limit: 2)
        let (first, second, bobs) = (Sample.session(), Sample.session(), Sample.session(subject: "bob"))
        var left: [[UInt8]] = []
        for session in [first, second, bobs] {
            _ = try await store.create(session, now: Self.now) { left.append($0.id) }
        }
        #expect(left == [first.id])
        await #expect(throws: SessionStoreRefusal.full) {
            _ = try await store.create(Sample.session(subject: "carol"), now: Self.now) { _ in
                Issue.record("nobody has two")
            }
        }
        #expect(left == [first.id])
    }

    @Test func `counts what it holds exactly, however many threads make and end sessions`() async throws {
        let store = store(limit: 300)
        let kept = await withTaskGroup(of: [[UInt8]].self) { group in
            for thread in 0..<8 {
                group.addTask {
                    var kept: [[UInt8]] = []
                    for round in 0..<200 {
                        let session = Sample.session(subject: "user-\(thread)", sid: "\(thread)-\(round)")
                        guard let value = try? await store.create(session, now: Self.now) else { continue }
                        kept.append(value)
                        guard round.isMultiple(of: 2) else { continue }
                        _ = try? await store.end(.session(session), now: Self.now)
                        if store.lookUp(value, now: Self.now).session != nil { Issue.record("ended, and there") }
                    }
                    return kept
                }
            }
            return await group.reduce([], +)
        }
        let found = kept.count { store.lookUp($0, now: Self.now).session != nil }
        #expect(found == store.entries)
        #expect(found > 0 && found <= 300)
        store.sweep(now: Self.now + 100_000)
        #expect(store.entries == 0)
    }

    @Test(.refuses("RF-08")) func `a logout that races with a refresh leaves nothing alive, and no token unknown`()
        async throws
    {
        for _ in 0..<300 {
            let store = store()
            let session = Sample.session()
            let value = try await store.create(session, now: Self.now)
            async let replaced = store.replace(value, by: Sample.refreshed(session), now: Self.now)
            async let ended = store.end(
                .subject(issuer: Sample.issuer, subject: "alice", until: Self.now), now: Self.now)
            let kept = try await replaced
            let known = try await ended
            #expect(store.lookUp(value, now: Self.now).session == nil)
            #expect(known.map(\.generation) == [kept == nil ? 0 : 1])
        }
    }

    @Test(.refuses("SC-05")) func `a refresh that is late does not undo one that was later`() async throws {
        let store = store()
        let session = Sample.session()
        let value = try await store.create(session, now: Self.now)
        let once = Sample.refreshed(session), twice = Sample.refreshed(Sample.refreshed(session))
        #expect(try await store.replace(value, by: twice, now: Self.now) == value)
        #expect(try await store.replace(value, by: once, now: Self.now) == value)
        #expect(store.lookUp(value, now: Self.now).session?.generation == 2)
    }
}
