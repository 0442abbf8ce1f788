import Crypto
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// What a process makes of the shared store's sessions, beside the suite that holds for every session store.
@Suite struct `a store of shared sessions` {
    private let replica: Replica
    private let now = Sample.now

    init() throws { replica = try Replica.several(1)[0] }

    @Test(.holds("SH-20")) func `gives a cookie of 64 characters that a refresh and a touch leave as it is`()
        async throws
    {
        let session = Sample.session()
        let value = try await replica.create(session)
        #expect(value.count == 64 && SharedCookie(value.span)?.id == session.id)
        #expect(try await replica.store.replace(value, by: Sample.refreshed(session), now: now + 1) == value)
        #expect(replica.store.touch(value, session, now: now + 90) == nil)
        #expect(try await replica.load(value, now + 91)?.generation == 1)
        #expect(try #require(try await replica.load(value, now + 91)).image.contains("refresh-1"))
    }

    @Test(.refuses("SH-20"))
    func `finds nothing by a cookie with another identifier, another secret or of another client, and ends nothing`()
        async throws
    {
        let session = Sample.session()
        let value = try await replica.create(session)
        guard let cookie = SharedCookie(value.span),
            let other = SharedCookie(id: cookie.id, secret: Secret(Sample.random(32))),
            let elsewhere = SharedCookie(id: Sample.random(16), secret: cookie.secret)
        else { throw StoreRefusal.unexpected }
        let stranger = try Replica(RedisServer.shared.get(), prefix: replica.prefix, client: "office")
        for asked in [replica, try Replica(RedisServer.shared.get(), prefix: replica.prefix)] {
            #expect(asked.look(other.text) == .elsewhere, "known by its identifier alone")
            #expect(try await asked.load(other.text) == nil)
            #expect(try await asked.load(elsewhere.text) == nil)
        }
        #expect(try await stranger.load(value) == nil)
        #expect(try await replica.load(value)?.id == session.id)
        let fresh = try Replica(RedisServer.shared.get(), prefix: replica.prefix)
        #expect(try await fresh.load(value)?.id == session.id, "somebody's guess ended it")
    }

    @Test(.refuses("SH-20")) func `finds no session of another issuer's user`() async throws {
        let value = try await replica.create(Sample.session())
        let moved = try Replica(
            RedisServer.shared.get(), prefix: replica.prefix, issuer: "https://id.example.org/")
        #expect(try await moved.load(value) == nil)
    }

    @Test(.holds("SH-21", "SH-70"), .refuses("SH-70"))
    func `answers from what it knows for as long as the next question is not due`()
        async throws
    {
        let value = try await replica.create(Sample.session())
        _ = replica.asking.takeAsked()
        replica.asking.goDown()
        for second in 0..<10 as Range<Int64> { #expect(replica.look(value, now + second) == .found(0)) }
        replica.settle()
        #expect(replica.asking.takeAsked() == [], "a known session costs no question")
        // A clock that was set back says nothing of how old an answer is.
        #expect(replica.look(value, now - 3600) == .elsewhere)
    }

    @Test(
        .refuses("SH-21"),
        arguments: [
            .refuse(.unavailable), .refuse(.busy), .refuse(.unknown), .refuse(.unexpected), .refuse(.refused("NOPERM")),
            .answer(.error("OOM command not allowed".bytes)), .answer(.error("WRONGTYPE Operation".bytes)),
            .answer(.bytes("HTTP/1.1 200 OK".bytes)), .answer(.integer(77)), .answer(.array([])),
            .answer(.array([.integer(9), .null, .null])),
        ] as [ScriptedAsking.Fate])
    func `takes no error of the store for a session that is not there`(fate: ScriptedAsking.Fate) async throws {
        let session = Sample.session()
        let value = try await replica.create(session)
        let fresh = try Replica(RedisServer.shared.get(), prefix: replica.prefix)
        for asked in [replica, fresh] {
            asked.asking.follow { _ in fate }
            await #expect(throws: SessionStoreRefusal.unavailable) { try await asked.load(value, now + 30) }
            await #expect(throws: SessionStoreRefusal.unavailable) { try await asked.create(Sample.session()) }
            await #expect(throws: SessionStoreRefusal.unavailable) {
                try await asked.store.replace(value, by: Sample.refreshed(session), now: now)
            }
            for end in [
                SessionEnd.session(session), .serverSession(issuer: Sample.issuer, sid: "s-1"),
                .subject(issuer: Sample.issuer, subject: "alice", until: now),
            ] {
                await #expect(throws: SessionStoreRefusal.unavailable) { try await asked.store.end(end, now: now) }
            }
            #expect(asked.look(value, now + 30) == .elsewhere)
            asked.asking.follow(nil)
            #expect(try await asked.load(value, now + 30)?.id == session.id, "nothing was deleted")
        }
        #expect(replica.told == [])
    }

    @Test(.holds("SH-71"))
    func `asks once when the question is due, whoever comes, and for no more than the generation`()
        async throws
    {
        let value = try await replica.create(Sample.session())
        _ = replica.asking.takeAsked()
        for _ in 0..<64 { #expect(replica.look(value, now + 10) == .found(0)) }
        replica.settle()
        #expect(replica.asking.takeAsked().sorted() == ["GET", "GET", "HGET"])
        for _ in 0..<64 { #expect(replica.look(value, now + 19) == .found(0)) }
        replica.settle()
        #expect(replica.asking.takeAsked() == [])
    }

    @Test(.refuses("SH-71")) func `waits for the store when it has been silent for twice as long`() async throws {
        let session = Sample.session()
        let value = try await replica.create(session)
        replica.asking.goDown(.unknown)
        #expect(replica.store.usableUntil(session, now: now + 3) == now + 10)
        for second in 10..<20 as Range<Int64> {
            #expect(replica.look(value, now + second) == .found(0))
            #expect(replica.store.usableUntil(session, now: now + second) == now + second + 1)
        }
        #expect(replica.look(value, now + 20) == .elsewhere)
        await #expect(throws: SessionStoreRefusal.unavailable) { try await replica.load(value, now + 20) }
        replica.asking.follow(nil)
        #expect(try await replica.load(value, now + 20) != nil)
        #expect(replica.look(value, now + 21) == .found(0))
    }

    @Test(.holds("SH-74"), .refuses("SH-71"))
    func `serves what the store gives no word about as long where nobody asked as soon as that was due`() async throws {
        let session = Sample.session()
        let values = try await [replica.create(session), replica.create(Sample.session())]
        replica.asking.goDown()
        for value in values { #expect(replica.look(value, now + 15) == .elsewhere) }
        await #expect(throws: SessionStoreRefusal.unavailable) { try await replica.load(values[0], now + 15) }
        let question = try #require(replica.store.question(for: values[1], now: now + 15))
        for part in question.toSend { question.answered(part, .unavailable) }
        guard case .unavailable = question.conclude() else {
            Issue.record("no answer is one")
            return
        }
        for value in values {
            #expect(replica.look(value, now + 15) == .found(0))
            #expect(replica.look(value, now + 19) == .found(0))
            #expect(replica.look(value, now + 20) == .elsewhere)
        }
        replica.asking.follow(nil)
        replica.settle()
        #expect(replica.store.standing(of: session, id: SessionDigests.id(session.id), now: now + 32) == .unknown)
    }

    @Test(.holds("SH-71")) func `asks each time where it is told to`() async throws {
        let always = try Replica.several(1, recheck: 0)[0]
        let session = Sample.session()
        let value = try await always.create(session)
        #expect(always.look(value) == .elsewhere)
        #expect(try await always.load(value) != nil)
        #expect(always.look(value) == .elsewhere)
        #expect(always.store.usableUntil(session, now: now) == now)
    }

    @Test(.holds("SH-71")) func `reads the value again when its generation is another`() async throws {
        let (a, b) = (replica, try Replica(RedisServer.shared.get(), prefix: replica.prefix))
        let session = Sample.session()
        let value = try await a.create(session)
        #expect(try await b.load(value)?.generation == 0)
        _ = try await a.store.replace(value, by: Sample.refreshed(session), now: now)
        #expect(b.look(value, now + 10) == .found(0))
        b.settle()
        #expect(b.look(value, now + 11) == .found(1))
    }

    @Test(.refuses("SH-23")) func `ends a session at its absolute end whatever the store has been told since`()
        async throws
    {
        let session = Sample.session()
        let value = try await replica.create(session)
        _ = try replica.administrator().send(["PERSIST".bytes, replica.name(of: session).bytes])
        #expect(try await replica.load(value, now + 28_799) != nil)
        #expect(try await replica.load(value, now + 28_800) == nil)
        #expect(replica.look(value, now + 28_800) == .none)
        let fresh = try Replica(RedisServer.shared.get(), prefix: replica.prefix)
        #expect(try await fresh.load(value, now + 28_800) == nil)
    }

    @Test(.holds("SH-24")) func `notes once a minute that a session is in use, however many say so`() async throws {
        let session = Sample.session()
        let value = try await replica.create(session)
        _ = replica.asking.takeAsked()
        for second in 0..<180 as Range<Int64> {
            for _ in 0..<20 { _ = replica.store.touch(value, session, now: now + second) }
        }
        replica.settle()
        #expect(replica.asking.takeAsked() == ["PEXPIRE", "PEXPIRE"])
    }

    @Test(.refuses("SH-24")) func `makes nothing by a touch where nothing is, and tries again where nobody heard it`()
        async throws
    {
        let session = Sample.session()
        let value = try await replica.create(session)
        replica.asking.goDown()
        _ = replica.store.touch(value, session, now: now + 60)
        replica.settle()
        replica.asking.follow(nil)
        _ = replica.asking.takeAsked()
        _ = replica.store.touch(value, session, now: now + 61)
        replica.settle()
        #expect(replica.asking.takeAsked() == ["PEXPIRE"])
        _ = try replica.administrator().send(["UNLINK".bytes, replica.name(of: session).bytes])
        _ = replica.store.touch(value, session, now: now + 180)
        replica.settle()
        #expect(try replica.administrator().send(["EXISTS".bytes, replica.name(of: session).bytes]) == .integer(0))
    }

    @Test(.refuses("SH-25")) func `keeps no session that is too large, and names what takes how much`() async throws {
        let session = Sample.session(token: 70_000)
        await #expect {
            _ = try await replica.create(session)
        } throws: { error in
            guard case .tooLarge(let bytes, let limit, let parts)? = error as? SessionStoreRefusal else { return false }
            return bytes > limit && limit == 64 * 1024 && parts.first == "access token (70000 bytes)"
        }
        #expect(try replica.administrator().send(["EXISTS".bytes, replica.name(of: session).bytes]) == .integer(0))
    }
}
