import Crypto
import TestTraits
import Testing

@testable import Sessions

/// The stores that the suite holds to the same promises.
enum StoreKind: String, CaseIterable, Sendable {
    case cookie, memory, remote, shared

    func make(idle: Int = 1800, absolute: Int = 28_800, limit: Int = 1000) throws -> any SessionStore {
        let store: SessionSettings.Store = self == .cookie ? .cookie : .memory
        let settings = Sample.settings(store, idle: idle, absolute: absolute, limit: limit)
        if self == .shared { return try SharedStoreOfTests.make(settings, client: "shop") }
        let made = try SessionStores.make(settings, client: "shop")
        return self == .remote ? RemoteStore(made) : made
    }
}

/// What every store promises; a new one is a case of `StoreKind`.
@Suite struct `every session store` {
    static let now = Sample.now

    @Test(.holds("SC-04"), arguments: StoreKind.allCases)
    func `finds what it keeps, by a value that tells nothing of it`(kind: StoreKind) async throws {
        let store = try kind.make()
        let session = Sample.session(accessToken: 600)
        let value = try await store.create(session, now: Self.now)
        let found = try #require(try await store.load(value, now: Self.now + 1))
        #expect(found.image == session.image)
        let text = String(decoding: value, as: UTF8.self)
        #expect(!text.contains("alice") && !text.contains("refresh-0"))
        #expect(value.allSatisfy { $0 > 0x20 && $0 < 0x7f && !#"",;\"#.utf8.contains($0) }, "cookie-octets alone")
        switch (store.lookUp(value, now: Self.now), kind) {
        case (.elsewhere, .remote), (.found, .cookie), (.found, .memory), (.found, .shared): break
        default: Issue.record("not found at once")
        }
    }

    @Test(.refuses("SC-04"), arguments: StoreKind.allCases)
    func `finds nothing by a value with one bit changed, cut short or made longer`(kind: StoreKind) async throws {
        let store = try kind.make()
        let value = try await store.create(Sample.session(), now: Self.now)
        for index in value.indices {
            for bit in 0..<8 {
                var other = value
                other[index] ^= 1 << UInt8(bit)
                #expect(try await store.load(other, now: Self.now) == nil, "byte \(index), bit \(bit)")
            }
            #expect(try await store.load(Array(value[..<index]), now: Self.now) == nil, "cut at \(index)")
        }
        #expect(try await store.load(value + Array("A".utf8), now: Self.now) == nil)
        #expect(try await store.load(value + value, now: Self.now) == nil)
        #expect(try await store.load([], now: Self.now) == nil)
        #expect(try await store.load([UInt8](repeating: 0x41, count: 100_000), now: Self.now) == nil)
    }

    @Test(.refuses("SC-05"), arguments: StoreKind.allCases)
    func `never adopts a value that somebody else chose, and gives each login another one`(
        kind: StoreKind
    ) async throws {
        let store = try kind.make()
        let planted = try await kind.make().create(Sample.session(subject: "mallory"), now: Self.now)
        if kind != .cookie {
            #expect(try await store.load(planted, now: Self.now) == nil)
        }
        let session = Sample.session()
        let first = try await store.create(session, now: Self.now)
        #expect(first != planted)
        var stepped = session
        stepped.id = RandomBytes.fill(16)
        let second = try await store.create(stepped, now: Self.now)
        #expect(first != second)
        #expect(try await store.load(second, now: Self.now)?.id == stepped.id)
    }

    @Test(.holds("SC-05"), arguments: StoreKind.allCases)
    func `keeps the identifier through a refresh, and finds the new tokens by the old value`(
        kind: StoreKind
    ) async throws {
        let store = try kind.make()
        let session = Sample.session()
        let old = try await store.create(session, now: Self.now)
        var current = session
        var value = old
        for round in 1...5 as ClosedRange<Int64> {
            current = Sample.refreshed(current, at: Self.now + round)
            value = try #require(try await store.replace(value, by: current, now: Self.now + round))
            for brought in [old, value] {
                let found = try #require(try await store.load(brought, now: Self.now + round))
                #expect(found.id == session.id)
                #expect(found.generation == UInt32(round))
                #expect(found.refreshToken?.reveal() == Array("refresh-\(round)".utf8))
            }
        }
    }

    @Test(.holds("SC-08"), arguments: StoreKind.allCases)
    func `finds a session until it was not used for as long as is allowed`(kind: StoreKind) async throws {
        let store = try kind.make(idle: 600)
        var value = try await store.create(Sample.session(), now: Self.now)
        #expect(try await store.load(value, now: Self.now + 599) != nil)
        // Used every five minutes it lives on.
        for time in stride(from: Self.now + 300, through: Self.now + 3000, by: 300) {
            let session = try #require(try await store.load(value, now: time))
            value = store.touch(value, session, now: time) ?? value
        }
        #expect(try await store.load(value, now: Self.now + 3599) != nil)
        #expect(try await store.load(value, now: Self.now + 3600) == nil)
    }

    @Test(.holds("SC-08"), .refuses("SC-08"), arguments: StoreKind.allCases)
    func `ends a session at its absolute end, however much it is used and refreshed`(
        kind: StoreKind
    ) async throws {
        let store = try kind.make(idle: 600, absolute: 3600)
        // The session itself claims a later end than the configuration allows.
        var session = Sample.session(endsAt: Self.now + 90_000)
        var value = try await store.create(session, now: Self.now)
        let first = value
        for time in stride(from: Self.now + 300, to: Self.now + 3600, by: 300) {
            let found = try #require(try await store.load(value, now: time))
            value = store.touch(value, found, now: time) ?? value
            session = Sample.refreshed(found, at: time)
            value = try #require(try await store.replace(value, by: session, now: time))
        }
        #expect(try await store.load(value, now: Self.now + 3599) != nil)
        for brought in [first, value] { #expect(try await store.load(brought, now: Self.now + 3600) == nil) }
        let early = try await store.create(Sample.session(endsAt: Self.now + 100), now: Self.now)
        #expect(try await store.load(early, now: Self.now + 100) == nil)
    }

    @Test(.holds("LO-10"), .refuses("LO-10"), arguments: StoreKind.allCases)
    func `ends one session and no other`(kind: StoreKind) async throws {
        let store = try kind.make()
        let one = Sample.session(), other = Sample.session()
        let oneValue = try await store.create(one, now: Self.now)
        let otherValue = try await store.create(other, now: Self.now)
        let before = store.endings
        _ = try await store.end(.session(one), now: Self.now + 1)
        #expect(store.endings > before)
        #expect(try await store.load(oneValue, now: Self.now + 1) == nil)
        #expect(store.isEnded(one, now: Self.now + 1))
        #expect(try await store.load(otherValue, now: Self.now + 1) != nil)
        #expect(!store.isEnded(other, now: Self.now + 1))
    }

    @Test(.holds("LO-10"), .refuses("LO-10"), arguments: StoreKind.allCases)
    func `ends all sessions of one session of the server, at this issuer alone`(kind: StoreKind) async throws {
        let store = try kind.make()
        let mine = [Sample.session(sid: "a"), Sample.session(subject: "bob", sid: "a")]
        var elsewhere = Sample.session(sid: "a")
        elsewhere.issuer = "https://id.example"
        let others = [Sample.session(sid: "b"), Sample.session(sid: nil), elsewhere]
        var values: [[UInt8]] = []
        for session in mine + others { values.append(try await store.create(session, now: Self.now)) }
        _ = try await store.end(.serverSession(issuer: Sample.issuer, sid: "a"), now: Self.now)
        for (index, value) in values.enumerated() {
            #expect(try await (store.load(value, now: Self.now) == nil) == (index < 2), "session \(index)")
        }
        // A login that was under way belongs to the same session of the server.
        let late = try await store.create(Sample.session(sid: "a"), now: Self.now)
        #expect(try await store.load(late, now: Self.now) == nil)
    }

    @Test(.holds("LO-10"), .refuses("LO-10"), arguments: StoreKind.allCases)
    func `ends a user's sessions that began until then, and not the next login`(kind: StoreKind) async throws {
        let store = try kind.make()
        let end = SessionEnd.subject(issuer: Sample.issuer, subject: "alice", until: Self.now + 10)
        let old = try await store.create(Sample.session(createdAt: Self.now + 10), now: Self.now + 10)
        let bob = try await store.create(Sample.session(subject: "bob"), now: Self.now)
        _ = try await store.end(end, now: Self.now + 10)
        let next = try await store.create(Sample.session(createdAt: Self.now + 11), now: Self.now + 11)
        #expect(try await store.load(old, now: Self.now + 12) == nil)
        #expect(try await store.load(bob, now: Self.now + 12) != nil)
        #expect(try await store.load(next, now: Self.now + 12) != nil)
        // An earlier ending that comes late takes nothing back.
        _ = try await store.end(
            .subject(issuer: Sample.issuer, subject: "alice", until: Self.now - 5), now: Self.now + 13)
        #expect(try await store.load(old, now: Self.now + 13) == nil)
    }

    @Test(.holds("LO-10"), arguments: StoreKind.allCases)
    func `remembers an ending for as long as one of the sessions could live`(kind: StoreKind) async throws {
        let store = try kind.make(idle: 28_800)
        let value = try await store.create(Sample.session(), now: Self.now)
        _ = try await store.end(.subject(issuer: Sample.issuer, subject: "alice", until: Self.now), now: Self.now)
        for later in stride(from: Int64(0), through: 29_000, by: 1000) {
            store.sweep(now: Self.now + later)
            #expect(try await store.load(value, now: Self.now + later) == nil, "after \(later) s")
        }
    }

    @Test(.holds("RF-08"), .refuses("RF-08"), arguments: StoreKind.allCases)
    func `does not keep a refreshed session that was ended meanwhile, and hands over what it knew`(
        kind: StoreKind
    ) async throws {
        let store = try kind.make()
        let session = Sample.session()
        let value = try await store.create(session, now: Self.now)
        let once = Sample.refreshed(session)
        let newer = try #require(try await store.replace(value, by: once, now: Self.now))
        let ended = try await store.end(.session(session), now: Self.now)
        #expect(ended.map(\.generation) == [1], "the newest tokens are the ones to revoke")
        #expect(try await store.replace(newer, by: Sample.refreshed(once), now: Self.now) == nil)
        for brought in [value, newer] { #expect(try await store.load(brought, now: Self.now) == nil) }
        #expect(try await store.end(.session(session), now: Self.now).isEmpty, "once")
    }

    @Test(.refuses("SC-13"), arguments: [StoreKind.memory, .cookie])
    func `a store that answers is never mistaken for one that is down`(kind: StoreKind) async throws {
        let store = RemoteStore(try kind.make())
        let value = try await store.create(Sample.session(), now: Self.now)
        #expect(try await store.load(value, now: Self.now) != nil)
        #expect(try await store.load(Array("nobody".utf8), now: Self.now) == nil)
    }

    @Test(.refuses("SC-13"), arguments: [StoreKind.memory, .cookie])
    func `a store that is down refuses, and never says that there is no session`(kind: StoreKind) async throws {
        let store = RemoteStore(try kind.make())
        let session = Sample.session()
        let value = try await store.create(session, now: Self.now)
        store.goDown()
        await #expect(throws: SessionStoreRefusal.unavailable) { try await store.load(value, now: Self.now) }
        await #expect(throws: SessionStoreRefusal.unavailable) { try await store.create(session, now: Self.now) }
        await #expect(throws: SessionStoreRefusal.unavailable) {
            try await store.replace(value, by: session, now: Self.now)
        }
        await #expect(throws: SessionStoreRefusal.unavailable) {
            try await store.end(.session(session), now: Self.now)
        }
        guard case .elsewhere = store.lookUp(value, now: Self.now) else {
            Issue.record("a store that cannot be asked said something")
            return
        }
    }
}
