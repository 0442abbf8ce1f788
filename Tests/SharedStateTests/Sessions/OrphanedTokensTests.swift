import Crypto
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// Sessions that are ended without their cookie: one process revokes their tokens, or it is counted that none has.
@Suite struct `tokens of a session that was ended without its cookie` {
    private let a: Replica
    private let b: Replica
    private let c: Replica
    private let now = Sample.now
    private let logoutToken = SessionEnd.serverSession(issuer: Sample.issuer, sid: "s-1")

    init() throws {
        let all = try Replica.several(3)
        (a, b, c) = (all[0], all[1], all[2])
    }

    /// What all processes but the one that ended it hear by the log.
    private func hear(_ replicas: Replica...) throws {
        let lines = try a.lines()
        for replica in replicas {
            replica.store.learn(lines, now: now)
            replica.settle()
        }
    }

    private func another(_ settings: SessionSettings, client: String = Sample.client) throws -> Replica {
        try Replica(RedisServer.shared.get(), prefix: a.prefix, settings: settings, client: client)
    }

    @Test(.holds("SH-46"), .refuses("SH-46"))
    func `are revoked once, by one of the processes that have it open`() async throws {
        let value = try await b.create(Sample.session())
        #expect(try await c.load(value) != nil)
        // Whoever ended it waits until the others have had their turn.
        let line = StoreLogLine(.endedByServer, of: b.name(of: try #require(try await b.load(value))))
        #expect(line.isOrphaning)
        let ender = try Replica(
            RedisServer.shared.get(), prefix: a.prefix,
            pause: {
                try? hear(b, c)
            })
        #expect(try await ender.store.end(logoutToken, now: now).isEmpty, "it was never open there")
        ender.settle()
        #expect(b.revoked + c.revoked == ["refresh-0"])
        #expect(ender.revoked.isEmpty && ender.skipped == 0)
        // Lines that are read twice, and logout tokens that come twice, revoke nothing again.
        try hear(b, c)
        _ = try await ender.store.end(logoutToken, now: now)
        ender.settle()
        #expect(b.revoked + c.revoked == ["refresh-0"] && ender.skipped == 0)
    }

    @Test(.holds("SH-46")) func `are left to end by themselves where nobody has it open, and counted`() async throws {
        _ = try await b.create(Sample.session())
        let ender = try another(Replica.settings())
        _ = try await ender.store.end(logoutToken, now: now)
        ender.settle()
        #expect(ender.skipped == 1 && ender.revoked.isEmpty)
        try hear(b, c)
        #expect(b.revoked.isEmpty, "it came too late, and the claim is taken")
        #expect(b.skipped == 0 && c.skipped == 0)
    }

    @Test(.refuses("SH-46")) func `are revoked by whoever has the newest of them`() async throws {
        let session = Sample.session()
        let value = try await b.create(session)
        #expect(try await c.load(value) != nil)
        #expect(try await c.store.replace(value, by: Sample.refreshed(session), now: now) != nil)
        let ender = try Replica(
            RedisServer.shared.get(), prefix: a.prefix, pause: { try? hear(b, c) })
        _ = try await ender.store.end(logoutToken, now: now)
        ender.settle()
        #expect(b.revoked.isEmpty, "what B has is spent")
        #expect(c.revoked == ["refresh-1"])
    }

    @Test(.refuses("SH-46")) func `are its own matter where its cookie was there`() async throws {
        let session = Sample.session()
        let value = try await b.create(session)
        #expect(try await c.load(value) != nil)
        #expect(try await c.store.end(.session(session), now: now).count == 1, "C has them, and revokes them")
        try hear(a, b)
        #expect(b.revoked.isEmpty && a.skipped == 0)
    }

    @Test(.holds("SH-46")) func `are given back by an operator's ending too`() async throws {
        let session = Sample.session()
        let value = try await b.create(session)
        let operators = StoredSessions(a.shared, client: Sample.client, Replica.settings())
        #expect(try await operators.end(.serverSession(issuer: Sample.issuer, sid: "s-1")) == 1)
        try hear(b, c)
        #expect(b.revoked == ["refresh-0"])
        #expect(try await b.load(value) == nil)
        // Nobody has the next one open: one of the gateways counts it.
        var other = Sample.session()
        other.serverSession = "s-2"
        _ = try await another(Replica.settings()).create(other)
        #expect(try await operators.end(.serverSession(issuer: Sample.issuer, sid: "s-2")) == 1)
        try hear(b, c)
        #expect(a.skipped + b.skipped + c.skipped == 1)
        #expect(b.revoked.count == 1 && c.revoked.isEmpty)
    }

    @Test(.holds("SH-46")) func `are revoked where a marker alone ended it`() async throws {
        let session = Sample.session()
        let value = try await b.create(session)
        let client = try a.administrator()
        for index in a.shared.names.indexes(client: Sample.client, issuer: Sample.issuer, serverSession: "s-1") {
            _ = try client.send(["UNLINK".bytes, index.bytes])
        }
        _ = try await a.store.end(logoutToken, now: now)
        #expect(try await b.load(value, now + 10) == nil)
        b.settle()
        #expect(b.revoked == ["refresh-0"])
    }

    @Test(.holds("SH-46"), .refuses("SH-46"))
    func `are revoked by the one who ended it where the store keeps one for that`() async throws {
        let settings = Replica.settings(revocable: true)
        let (maker, ender) = (try another(settings), try another(settings))
        let session = Sample.session()
        let value = try await maker.create(session)
        _ = try await maker.store.replace(value, by: Sample.refreshed(session), now: now)
        _ = try await ender.store.end(logoutToken, now: now)
        ender.settle()
        #expect(ender.revoked == ["refresh-1"], "the newest one, without the cookie")
        #expect(ender.skipped == 0)
        let client = try a.administrator()
        #expect(try client.send(["HGET".bytes, a.name(of: session).bytes, "r".bytes]) == .null, "and none is left")
        #expect(client.isWithoutText("refresh-1", under: a.name(of: session)))
    }

    @Test(.holds("SH-46"), .refuses("SH-46"))
    func `kept for that are opened by their own client's key, name and ring alone`() async throws {
        let settings = Replica.settings(revocable: true)
        let session = Sample.session()
        let maker = try another(settings)
        _ = try await maker.create(session)
        let client = try a.administrator()
        let value = try #require(
            try client.send(["HGET".bytes, a.name(of: session).bytes, "r".bytes]).bytes)
        let (ring, name) = (a.shared.ring, a.name(of: session))
        func opened(_ ring: StoreKeyRing, _ client: String, _ name: StoreName, _ value: [UInt8]) -> Secret? {
            RevocableSeal(ring: ring, client: client, clientID: "").open(value, under: name)?.refreshToken
        }
        #expect(opened(ring, Sample.client, name, value)?.reveal() == "refresh-0".bytes)
        #expect(opened(ring, "another", name, value) == nil)
        #expect(opened(ring, Sample.client, try Sample.unusedName(), value) == nil)
        #expect(opened(try Sample.ring(7), Sample.client, name, value) == nil)
        for index in value.indices {
            var changed = value
            changed[index] ^= 1
            #expect(opened(ring, Sample.client, name, changed) == nil)
        }
        #expect(opened(ring, Sample.client, name, []) == nil)
        // Another client's store hears of the ending too, and leaves the token to its own.
        let stranger = try another(settings, client: "another")
        let operators = StoredSessions(a.shared, client: Sample.client, settings)
        #expect(try await operators.end(named: String(decoding: name.suffix, as: UTF8.self)) == true)
        try hear(stranger)
        #expect(stranger.revoked.isEmpty && stranger.skipped == 0)
        try hear(maker)
        #expect(maker.revoked == ["refresh-0"])
    }

    @Test(.refuses("SH-46")) func `are not in the store under its keys alone where nobody has asked for it`()
        async throws
    {
        let session = Sample.session()
        _ = try await a.create(session)
        #expect(try a.administrator().send(["HGET".bytes, a.name(of: session).bytes, "r".bytes]) == .null)
    }

    @Test(.refuses("SH-46")) func `that were granted for when the user is away outlive the server's session`()
        async throws
    {
        var session = Sample.session()
        session.scopes.append("offline_access")
        _ = try await b.create(session)
        let ender = try Replica(
            RedisServer.shared.get(), prefix: a.prefix, settings: Replica.settings(revocable: true),
            pause: { try? hear(b) })
        _ = try await ender.store.end(logoutToken, now: now)
        ender.settle()
        #expect(b.revoked == ["-"] && ender.revoked.isEmpty)
        // Whom an operator ends has nothing left.
        var next = session
        (next.id, next.serverSession) = (Sample.random(16), "s-2")
        _ = try await b.create(next)
        let operators = StoredSessions(a.shared, client: Sample.client, Replica.settings())
        _ = try await operators.end(.subject(issuer: Sample.issuer, subject: "alice"))
        try hear(b)
        #expect(b.revoked == ["-", "refresh-0"])
    }

    @Test(.holds("SH-46")) func `that gave way to another one are given back as well`() async throws {
        let client = try a.administrator()
        let index = a.shared.names.indexes(client: Sample.client, issuer: Sample.issuer, subject: "alice")[0]
        _ = try await b.create(Sample.session())
        let many = (0..<999).flatMap { number in
            ["\(now * 1000 + 900_000_000_000 + Int64(number))".bytes, Array(Sample.uniqueSuffix())]
        }
        _ = try client.send(["ZADD".bytes, index.bytes] + many)
        let maker = try Replica(RedisServer.shared.get(), prefix: a.prefix, pause: { try? hear(b) })
        _ = try await maker.create(Sample.session())
        maker.settle()
        #expect(b.revoked == ["refresh-0"] && maker.skipped == 0)
    }

    @Test(.refuses("SH-46")) func `are revoked by whoever has them where nobody can say whose turn it is`()
        async throws
    {
        _ = try await b.create(Sample.session())
        _ = try await a.store.end(logoutToken, now: now)
        b.asking.follow { $0[0] == "SET" ? .refuse(.unavailable) : .pass }
        try hear(b)
        #expect(b.revoked == ["refresh-0"], "twice does no harm")
    }
}

extension StoreClient {
    /// Whether a text stands in none of the fields of a hash.
    fileprivate func isWithoutText(_ text: String, under name: StoreName) -> Bool {
        guard let fields = try? send(["HGETALL".bytes, name.bytes]).array else { return false }
        return fields.allSatisfy { $0.bytes?.firstRange(of: text.bytes) == nil }
    }
}
