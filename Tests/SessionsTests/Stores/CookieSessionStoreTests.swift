import Crypto
import TestTraits
import Testing

@testable import Sessions

@Suite struct `the cookie store` {
    private static let now = Sample.now
    private static let name = "__Host-portcullis-shop"

    private func store(
        idle: Int = 1800, limit: Int = 1000, client: String = "shop", name: String = name, keys: [UInt8] = [1]
    ) throws -> CookieSessionStore {
        try CookieSessionStore(
            settings: Sample.settings(name: name, idle: idle, keys: keys.map { Sample.key($0) }, limit: limit),
            client: client)
    }

    @Test(.holds("SC-15")) func `a session outlives the rotation of its key, and not the key's end`() async throws {
        let value = try await store(keys: [1]).create(Sample.session(), now: Self.now)
        #expect(try store(keys: [2, 1]).lookUp(value, now: Self.now).session != nil)
        #expect(try store(keys: [3, 2]).lookUp(value, now: Self.now).session == nil)
        // A session in use moves to the newest key by itself.
        let rotated = try store(keys: [2, 1])
        let session = try #require(rotated.lookUp(value, now: Self.now + 60).session)
        let moved = try #require(rotated.touch(value, session, now: Self.now + 60))
        #expect(try store(keys: [3, 2]).lookUp(moved, now: Self.now + 60).session != nil)
    }

    @Test(.refuses("SC-15")) func `a cookie of one client is nothing at another, nor under another name`() async throws
    {
        let value = try await store().create(Sample.session(), now: Self.now)
        #expect(try store().lookUp(value, now: Self.now).session != nil, "any replica with the key")
        #expect(try store(client: "blog").lookUp(value, now: Self.now).session == nil)
        #expect(try store(name: "__Host-portcullis-blog").lookUp(value, now: Self.now).session == nil)
    }

    @Test(.holds("SC-07")) func `keeps a session with an ID token of 20 KiB in one cookie`() async throws {
        let store = try store()
        let value = try await store.create(Sample.session(accessToken: 900, idToken: 20_480), now: Self.now)
        #expect(SetCookie.lines(name: Self.name, value: value, sameSite: .lax).count == 1)
        let found = try #require(store.lookUp(value, now: Self.now).session)
        #expect(found.idToken == nil && found.accessToken != nil && found.refreshToken != nil)
        let small = try await store.create(Sample.session(accessToken: 900, idToken: 900), now: Self.now)
        #expect(store.lookUp(small, now: Self.now).session?.idToken != nil, "it stays where there is room")
    }

    @Test(.refuses("SC-07")) func `takes four cookies and no fifth, and names what is too large`() async throws {
        let store = try store()
        let four = try await store.create(Sample.session(accessToken: 11_000), now: Self.now)
        #expect(
            SetCookie.lines(name: Self.name, value: four, sameSite: .lax).count == 4 - (four.count <= 12_210 ? 1 : 0))
        #expect(store.lookUp(four, now: Self.now).session?.accessToken != nil)
        var session = Sample.session(accessToken: 20_000, idToken: 4000)
        session.claims = [UInt8](repeating: 0x61, count: 5000)
        let refusal = await #expect(throws: SessionStoreRefusal.self) { try await store.create(session, now: Self.now) }
        guard case .tooLarge(let bytes, let limit, let parts) = refusal else {
            Issue.record("20 KB were kept in cookies")
            return
        }
        #expect(bytes > limit && limit == SetCookie.capacity(name: Self.name))
        #expect(parts.first?.hasPrefix("access token (") == true)
        #expect(parts.dropFirst().first == "claims (5000 bytes)")
        #expect(!parts.contains { $0.hasPrefix("ID token") }, "it was left out already")
    }

    @Test(.refuses("SC-07")) func `every size up to four cookies is read back from them, and the next is refused`()
        async throws
    {
        let store = try store()
        let empty = SealingKeys.sealedCount(SessionCodec.encode(Sample.session()).count)
        let capacity = SetCookie.capacity(name: Self.name)
        for target in [4073, 4074, 4075, 4076, 8144, 8146, 8148, 12_218, 12_220, capacity - 4, capacity - 1] {
            var session = Sample.session()
            session.claims += [UInt8](repeating: 0x20, count: max(0, (target - empty) * 3 / 4 - 2))
            let value = try await store.create(session, now: Self.now)
            var jar = Jar()
            jar.take(SetCookie.lines(name: Self.name, value: value, sameSite: .lax))
            #expect(CookieField.value(of: Self.name, in: jar.field) == .one(value))
            #expect(store.lookUp(value, now: Self.now).session?.claims == session.claims)
        }
        var session = Sample.session()
        session.claims += [UInt8](repeating: 0x20, count: (capacity - empty) * 3 / 4 + 4)
        await #expect(throws: SessionStoreRefusal.self) { try await store.create(session, now: Self.now) }
    }

    @Test(.holds("SC-08")) func `writes a session in use once a minute, however many tabs ask`() async throws {
        let store = try store()
        let value = try await store.create(Sample.session(), now: Self.now)
        let session = try #require(store.lookUp(value, now: Self.now).session)
        #expect(store.touch(value, session, now: Self.now + 59) == nil)
        let written = onThreads(8) { _ in store.touch(value, session, now: Self.now + 60) }.compactMap(\.self)
        let touched = try #require(written.first)
        #expect(written.count == 1)
        #expect(store.lookUp(touched, now: Self.now + 60).session?.seenAt == Self.now + 60)
        for later in 61..<120 as Range<Int64> { #expect(store.touch(value, session, now: Self.now + later) == nil) }
        #expect(store.touch(value, session, now: Self.now + 120) != nil, "if the browser never got it")
    }

    @Test(.holds("SC-08"), .refuses("SC-08")) func `does not write what is over, nor an old state over a new one`()
        async throws
    {
        let store = try store(idle: 600)
        let session = Sample.session()
        let value = try await store.create(session, now: Self.now)
        #expect(store.touch(value, session, now: Self.now + 600) == nil, "idle too long")
        let newer = try #require(
            try await store.replace(value, by: Sample.refreshed(session), now: Self.now + 100))
        // A worker that does not know of the refresh yet.
        #expect(store.touch(value, session, now: Self.now + 100) == newer)
        _ = try await store.end(.session(session), now: Self.now + 200)
        #expect(store.touch(value, session, now: Self.now + 200) == nil)
    }

    @Test(.holds("RF-03")) func `an older state leads to the newest for as long as it could be accepted`() async throws
    {
        let store = try store(idle: 600)
        let session = Sample.session()
        let old = try await store.create(session, now: Self.now)
        let touched = try #require(store.touch(old, session, now: Self.now + 90))
        let newer = try #require(try await store.replace(touched, by: Sample.refreshed(session), now: Self.now + 100))
        for value in [old, touched] {
            let found = store.lookUp(value, now: Self.now + 599)
            #expect(found.session?.generation == 1)
            #expect(found.successor == newer)
        }
        #expect(store.lookUp(newer, now: Self.now + 599).successor == nil)
        store.sweep(now: Self.now + 689)
        #expect(store.lookUp(touched, now: Self.now + 689).successor == newer)
        #expect(store.lookUp(touched, now: Self.now + 690).session == nil, "idle too long")
    }

    @Test(.holds("RF-03")) func `what is kept of refreshes is bounded, and settled states go first`() async throws {
        let successors = Successors(limit: 160)
        func successor(_ session: Session, expiresAt: Int64) -> Successors.Successor {
            Successors.Successor(
                value: [UInt8](repeating: 1, count: 500), generation: 1, digests: SessionDigests(session),
                createdAt: Self.now, expiresAt: expiresAt)
        }
        for _ in 0..<2000 {
            #expect(successors.keep(successor(Sample.session(), expiresAt: Self.now + 600), now: Self.now) { false })
        }
        #expect(successors.entries <= 160)
        #expect(successors.bytes <= 160 * 1024 + 16 * 4 * 4096)
        successors.sweep(now: Self.now + 600)
        #expect(successors.entries == 0 && successors.bytes == 0)

        let single = Successors(limit: 16)
        // One entry in each part: a settled one makes room, an unsettled one that ends later stays for last.
        let first = Sample.session()
        #expect(single.keep(successor(first, expiresAt: Self.now + 600), now: Self.now) { false })
        #expect(single.newer(than: 0, id: first.id, now: Self.now) != nil)
        #expect(single.newer(than: 1, id: first.id, now: Self.now) == nil)
        #expect(single.newer(than: 0, id: first.id, now: Self.now) != nil, "settled, and still there")
    }

    @Test("A user who refreshes a thousand sessions drops nobody else's newest state (A4)")
    func aUserDropsTheirOwnSuccessors() {
        let successors = Successors(limit: 160)
        func keep(_ session: Session, expiresAt: Int64) -> Bool {
            successors.keep(
                Successors.Successor(
                    value: [UInt8](repeating: 1, count: 500), generation: 1, digests: SessionDigests(session),
                    createdAt: Self.now, expiresAt: expiresAt),
                now: Self.now, unless: { false })
        }
        let others = (0..<16).map { Sample.session(subject: "user \($0)") }
        for (number, session) in others.enumerated() {
            #expect(keep(session, expiresAt: Self.now + 60))
            // One who holds nothing more than one is as safe when their browser has shown it as when it has not.
            if number % 2 == 0 { #expect(successors.newer(than: 1, id: session.id, now: Self.now) == nil) }
        }
        for _ in 0..<1000 { #expect(keep(Sample.session(subject: "many"), expiresAt: Self.now + 600)) }
        for session in others { #expect(successors.newer(than: 0, id: session.id, now: Self.now) != nil) }
        #expect(successors.entries <= 160)
    }

    /// Ends a new session of that user; what its cookie is.
    private func loggedOut(_ subject: String, _ store: CookieSessionStore, at time: Int64) async throws -> [UInt8] {
        let session = Sample.session(subject: subject, createdAt: time)
        let value = try await store.create(session, now: time)
        _ = try await store.end(.session(session), now: time)
        return value
    }

    @Test(.refuses("LO-10")) func `is bounded, fails when so many users logged out, and forgets nothing early`()
        async throws
    {
        let store = try store(limit: 50)
        var values: [[UInt8]] = []
        for user in 0..<50 { values.append(try await loggedOut("user-\(user)", store, at: Self.now)) }
        let another = Sample.session(subject: "another")
        await #expect(throws: SessionStoreRefusal.full) { try await store.end(.session(another), now: Self.now) }
        for value in values { #expect(store.lookUp(value, now: Self.now).session == nil) }
        // Users who log out again and again take no room from the server's logouts.
        let bob = try await store.create(Sample.session(subject: "bob"), now: Self.now)
        _ = try await store.end(.subject(issuer: Sample.issuer, subject: "bob", until: Self.now), now: Self.now)
        #expect(store.lookUp(bob, now: Self.now).session == nil)
        // When the first could not live any longer there is room again.
        _ = try await store.end(.session(another), now: Self.now + 28_861)
    }

    @Test(.refuses("LO-10"))
    func `one user who logs in and out all day takes nobody's logout, and no logout is undone`()
        async throws
    {
        let store = try store(limit: 16)
        let others = try await (0..<8).asyncMap { try await loggedOut("user-\($0)", store, at: Self.now) }
        var mine: [[UInt8]] = []
        for round in 0..<200 { mine.append(try await loggedOut("alice", store, at: Self.now + Int64(round))) }
        let late = Self.now + 200
        let more = try await (8..<15).asyncMap { try await loggedOut("user-\($0)", store, at: late) }
        for value in others + mine + more { #expect(store.lookUp(value, now: late).session == nil) }
        #expect(store.ended.entries <= 2 * 16)
        // Her next login is as good as anybody's.
        let next = try await store.create(Sample.session(createdAt: late), now: late)
        #expect(store.lookUp(next, now: late).session != nil)
        store.sweep(now: late + 28_861)
        #expect(store.ended.isEmpty)
    }

    @Test(.refuses("LO-09", "LO-10")) func `one user's logouts at the server take nobody's, with sid or without`()
        async throws
    {
        let store = try store(limit: 16)
        var mine: [[UInt8]] = []
        for round in 0..<100 {
            let session = Sample.session(sid: "s-\(round)", createdAt: Self.now + Int64(round))
            mine.append(try await store.create(session, now: session.createdAt))
            _ = try await store.end(
                .serverSession(issuer: Sample.issuer, sid: "s-\(round)", subject: "alice"), now: session.createdAt)
        }
        for user in 0..<15 {
            _ = try await store.end(
                .serverSession(issuer: Sample.issuer, sid: "of-\(user)", subject: "user-\(user)"), now: Self.now + 100)
        }
        for value in mine { #expect(store.lookUp(value, now: Self.now + 100).session == nil) }
        // Where the server names nobody, there is nobody to whose name an ending could be moved.
        await #expect(throws: SessionStoreRefusal.full) {
            for number in 0..<17 {
                _ = try await store.end(
                    .serverSession(issuer: Sample.issuer, sid: "unnamed-\(number)"), now: Self.now + 100)
            }
        }
    }

    @Test(.refuses("LO-10")) func `remembers no ending for longer than the cookie could live`() async throws {
        let store = try store()
        let session = Sample.session(endsAt: Self.now + 600)
        let value = try await store.create(session, now: Self.now)
        _ = try await store.end(.session(session), now: Self.now)
        store.sweep(now: Self.now + 599)
        #expect(store.lookUp(value, now: Self.now + 599).session == nil)
        #expect(store.ended.entries == 1)
        store.sweep(now: Self.now + 660)
        #expect(store.ended.isEmpty)
        #expect(store.lookUp(value, now: Self.now + 660).session == nil)
    }

    @Test(.holds("LO-10")) func `an ending that moves is seen at every moment, by every thread`() async throws {
        let store = try store(limit: 16)
        let victim = Sample.session()
        let value = try await store.create(victim, now: Self.now)
        _ = try await store.end(.session(victim), now: Self.now)
        let wasSeen = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (0..<2000).allSatisfy { _ in store.lookUp(value, now: Self.now).session == nil } }
            group.addTask {
                for _ in 0..<500 { _ = try? await store.end(.session(Sample.session()), now: Self.now) }
                return true
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(wasSeen)
    }

    @Test(.refuses("RF-08")) func `a logout that races with a refresh leaves nothing alive, and no token unknown`()
        async throws
    {
        for _ in 0..<200 {
            let store = try store()
            let session = Sample.session()
            let old = try await store.create(session, now: Self.now)
            async let replaced = store.replace(old, by: Sample.refreshed(session), now: Self.now)
            async let ended = store.end(.session(session), now: Self.now)
            let value = try await replaced
            let known = try await ended
            #expect(store.lookUp(old, now: Self.now).session == nil)
            if let value {
                #expect(store.lookUp(value, now: Self.now).session == nil)
                #expect(known.map(\.generation) == [1], "the refresh came first: the logout has its tokens")
            } else {
                #expect(known.isEmpty, "the logout came first: the refresh has them")
            }
        }
    }
}
