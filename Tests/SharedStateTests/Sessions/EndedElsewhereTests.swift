import Crypto
import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// Two processes at one store: what one of them ends is over at the other.
@Suite struct `sessions that another replica ends` {
    private let a: Replica
    private let b: Replica
    private let now = Sample.now

    init() throws {
        let both = try Replica.several(2)
        (a, b) = (both[0], both[1])
    }

    private func known(_ session: Session) async throws -> [UInt8] {
        let value = try await a.create(session)
        #expect(try await b.load(value) != nil)
        return value
    }

    @Test(.holds("SH-37", "SH-39")) func `are over as soon as the log's line is heard`() async throws {
        let session = Sample.session()
        let value = try await known(session)
        let (before, told) = (b.store.endings, b.endingsTold)
        #expect(try await a.store.end(.session(session), now: now).count == 1)
        b.store.learn(try a.lines(), now: now)
        #expect(b.look(value) == .none)
        #expect(b.store.endings > before && b.endingsTold > told && b.store.isEnded(session, now: now))
        #expect(try await b.load(value) == nil)
        // What holds its name keeps out whatever would bring it back.
        let left = try a.administrator().timeToLive(of: a.name(of: session))
        #expect((28_800_000...28_860_000).contains(left))
    }

    @Test(.refuses("SH-37"), .holds("SH-71")) func `are over after the next question where the line is lost`()
        async throws
    {
        let session = Sample.session()
        let value = try await known(session)
        _ = try await a.store.end(.session(session), now: now)
        #expect(b.look(value, now + 9) == .found(0))
        #expect(b.look(value, now + 10) == .found(0))
        b.settle()
        #expect(b.look(value, now + 10) == .none)
    }

    /// Nothing is under way that would say so, and a logout is to be seen within `recheck`.
    @Test(.refuses("SH-37", "SH-71"))
    func `are asked about first where the line is lost and nobody came in the second in which that was due`()
        async throws
    {
        let session = Sample.session()
        let value = try await known(session)
        _ = try await a.store.end(.session(session), now: now)
        #expect(b.look(value, now + 11) == .elsewhere)
        #expect(b.store.standing(of: session, id: SessionDigests.id(session.id), now: now + 11) == .unknown)
        let question = try #require(b.store.question(for: value, now: now + 11))
        #expect(question.toSend.count > 1)
        #expect(try await b.load(value, now + 11) == nil)
        #expect(b.look(value, now + 11) == .none)
    }

    /// Whoever wrote the tombstone may have been told that no replica has it, and the next one finds no session.
    @Test(.holds("SH-60"), .refuses("SH-60"))
    func `are written to be over once more where a write counts at a replica, and nothing else is`() async throws {
        let server = try RedisServer.shared.get()
        let careful = try Replica(server, prefix: a.prefix, durability: .replica)
        let value = try await a.create(Sample.session())
        let living = try await a.create(Sample.session())
        guard let one = SharedCookie(living.span),
            let wrong = SharedCookie(id: one.id, secret: Secret(RandomBytes.fill(32)))?.text,
            let madeUp = SharedCookie(id: RandomBytes.fill(16), secret: one.secret)?.text
        else {
            Issue.record("no cookies")
            return
        }
        _ = try await a.store.end(.session(try #require(try await a.load(value))), now: now)
        for other in [madeUp, wrong, [0x21]] { try await careful.store.confirmEnding(of: other, now: now) }
        #expect(careful.asking.takeAsked() == ["HGET", "HGET"], "nobody's session ends by it, and none is noted")
        #expect(try await a.load(living) != nil)
        try await careful.store.confirmEnding(of: value, now: now)
        #expect(careful.asking.takeAsked().prefix(2) == ["HGET", "end"])
        careful.asking.follow { $0[0] == "end" ? .refuse(.unknown) : .pass }
        await #expect(throws: SessionStoreRefusal.unavailable) {
            try await careful.store.confirmEnding(of: value, now: now)
        }
        _ = a.asking.takeAsked()
        try await a.store.confirmEnding(of: value, now: now)
        #expect(a.asking.takeAsked() == [], "what the primary has said holds there")
    }

    /// Another one may be the primary, where they have ended.
    @Test(.refuses("SH-37")) func `are not believed in by the word of a primary that is cut off from its replicas`()
        async throws
    {
        let value = try await known(Sample.session())
        let other = try await a.create(Sample.session())
        let question = try #require(b.store.question(for: other, now: now))
        b.shared.figures.notePrimary(isCutOff: true)
        question.answered(0, .generation(0))
        guard case .unavailable = question.conclude() else {
            Issue.record("an answer counts")
            return
        }
        #expect(b.look(value, now + 9) == .found(0), "what it said before holds for as long as ever")
        for cookie in [value, other] {
            await #expect(throws: SessionStoreRefusal.unavailable) { try await b.load(cookie, now + 11) }
        }
        b.shared.figures.notePrimary(isCutOff: false)
        for cookie in [value, other] { #expect(try await b.load(cookie, now + 11) != nil) }
    }

    @Test(.refuses("SH-37")) func `are not said to be over when the store did not hear of it`() async throws {
        let session = Sample.session()
        let value = try await known(session)
        a.asking.goDown()
        await #expect(throws: SessionStoreRefusal.unavailable) { try await a.store.end(.session(session), now: now) }
        a.asking.follow(nil)
        #expect(a.look(value) == .found(0))
        // The log is no part of it: others find out by their next question.
        a.asking.follow { $0[0] == "log" ? .refuse(.unavailable) : .pass }
        #expect(try await a.store.end(.session(session), now: now).count == 1)
        #expect(try await b.load(value) == nil)
    }

    @Test(.holds("SH-41", "SH-42"), .refuses("SH-42"))
    func `by the server's session are those of that one, at that issuer`() async throws {
        let session = Sample.session()
        var (other, elsewhere) = (Sample.session(), Sample.session())
        other.serverSession = "s-2"
        elsewhere.issuer = "https://id.example.org/"
        let values = try await [known(session), known(other), known(elsewhere)]
        _ = try await a.store.end(.serverSession(issuer: Sample.issuer, sid: "s-1"), now: now)
        b.store.learn(try a.lines(), now: now)
        b.settle()
        #expect(b.look(values[0]) == .none)
        #expect(try await b.load(values[1]) != nil)
        #expect(try await b.load(values[2]) != nil)
    }

    @Test(.holds("SH-41", "SH-44"), .refuses("SH-43", "SH-44"))
    func `are found by a marker alone, without an index and whatever began before`() async throws {
        let session = Sample.session()
        let value = try await known(session)
        let client = try a.administrator()
        for index in a.shared.names.indexes(client: Sample.client, issuer: Sample.issuer, subject: "alice") {
            _ = try client.send(["UNLINK".bytes, index.bytes])
        }
        // A third one ends it that has never seen it.
        let c = try Replica(RedisServer.shared.get(), prefix: a.prefix)
        _ = try await c.store.end(.subject(issuer: Sample.issuer, subject: "alice", until: now), now: now + 5)
        #expect(try await b.load(value) == nil)
        a.store.learn(try c.lines(), now: now)
        a.settle()
        #expect(a.look(value) == .none)
        var next = Sample.session()
        next.createdAt = now + 1
        #expect(try await b.load(try await a.create(next, now + 1), now + 1) != nil, "the next login lives")
    }

    @Test(.refuses("SH-41")) func `by a logout token are not ended when the store did not hear all of it`() async throws
    {
        let value = try await known(Sample.session())
        let end = SessionEnd.serverSession(issuer: Sample.issuer, sid: "s-1")
        for step in ["mark", "ZRANGE", "end"] {
            a.asking.follow { $0[0] == step ? .refuse(.unknown) : .pass }
            await #expect(throws: SessionStoreRefusal.unavailable) { try await a.store.end(end, now: now) }
        }
        a.asking.follow(nil)
        _ = try await a.store.end(end, now: now)
        #expect(try await b.load(value) == nil)
    }

    @Test(.refuses("SH-39"))
    func `are closed where they are open, also those that nobody asked for lately`() async throws {
        let session = Sample.session()
        _ = try await a.create(session)
        // Open at B: a tunnel that was begun long ago, whose session has left the memory of B.
        #expect(!b.store.isEnded(session, now: now))
        b.settle()
        #expect(!b.store.isEnded(session, now: now))
        _ = try await a.store.end(.subject(issuer: Sample.issuer, subject: "alice", until: now), now: now + 1)
        let told = b.endingsTold
        b.store.learn(try a.lines().filter { $0.kind == .marked }, now: now + 1)
        b.settle()
        #expect(b.endingsTold > told && b.store.isEnded(session, now: now + 1))
    }

    @Test(.holds("SH-40"), .refuses("SH-40")) func `are asked about when lines were missed`() async throws {
        let (session, other) = (Sample.session(), Sample.session(subject: "bob"))
        let values = try await [known(session), known(other)]
        _ = try await a.store.end(.session(session), now: now)
        let before = b.store.endings
        b.store.missedLines()
        #expect(b.store.endings > before, "workers look again")
        for value in values { #expect(b.look(value, now + 1) == .elsewhere) }
        #expect(!b.store.isEnded(session, now: now + 1))
        b.settle()
        #expect(b.store.isEnded(session, now: now + 1), "the stream of it ends")
        #expect(try await b.load(values[1], now + 1) != nil)
        #expect(b.look(values[0], now + 1) == .none)
    }

    @Test(.refuses("SH-40")) func `are asked about again where the store did not answer, however many are open`()
        async throws
    {
        let open = (0..<300).map { _ in Sample.session() }
        for session in open { _ = try await a.create(session) }
        for session in open { #expect(!b.store.isEnded(session, now: now)) }
        b.settle()
        _ = try await a.store.end(.session(open[0]), now: now)
        b.asking.goDown(.busy)
        b.store.missedLines()
        for session in open { #expect(!b.store.isEnded(session, now: now + 1)) }
        b.settle()
        b.asking.follow(nil)
        _ = b.asking.takeAsked()
        b.store.sweep(now: now + 2)
        b.settle()
        #expect(b.asking.takeAsked().filter { $0 == "HGET" }.count == 301, "of the one that is gone twice")
        #expect(b.store.isEnded(open[0], now: now + 2) && !b.store.isEnded(open[1], now: now + 2))
    }

    @Test(.refuses("SH-38")) func `are not brought back by an answer that was under way`() async throws {
        let session = Sample.session()
        let value = try await a.create(session)
        // B's question is answered, and the line of the ending is there before B looks at the answer.
        b.asking.follow { words in
            if words[0] == "GET" { b.store.learn([StoreLogLine(.ended, of: b.name(of: session))], now: now) }
            return .pass
        }
        #expect(try await b.load(value) == nil)
        #expect(b.look(value) == .none)
    }

    @Test(.holds("SH-43")) func `are the oldest of a user who has a thousand`() async throws {
        let client = try a.administrator()
        let index = a.shared.names.indexes(client: Sample.client, issuer: Sample.issuer, subject: "alice")[0]
        let first = Sample.session()
        let value = try await known(first)
        let many = (0..<999).flatMap { number in
            ["\(now * 1000 + 900_000_000_000 + Int64(number))".bytes, Array(Sample.uniqueSuffix())]
        }
        _ = try client.send(["ZADD".bytes, index.bytes] + many)
        #expect(try await b.load(value) != nil)
        var left: [Session] = []
        _ = try await b.store.create(Sample.session(), now: now) { left.append($0) }
        #expect(left.map(\.id) == [first.id], "and its tokens are handed over")
        #expect(try await a.load(value) == nil)
        #expect(try client.send(["ZCARD".bytes, index.bytes]) == .integer(1000))
    }

    /// Else a living one would give way to them.
    @Test(.refuses("SH-43")) func `are none of that thousand when they are over`() async throws {
        let (client, names) = (try a.administrator(), a.shared.names)
        func count(_ indexes: [StoreName]) throws -> StoreReply { try client.send(["ZCARD".bytes, indexes[0].bytes]) }
        func ofServer(_ sid: String) throws -> StoreReply {
            try count(names.indexes(client: Sample.client, issuer: Sample.issuer, serverSession: sid))
        }
        let ofUser = names.indexes(client: Sample.client, issuer: Sample.issuer, subject: "alice")
        let staying = try await known(Sample.session())
        let leaving = Sample.session()
        var told = Sample.session()
        told.serverSession = "s-2"
        _ = try await (known(leaving), known(told))
        #expect(try count(ofUser) == .integer(3) && ofServer("s-1") == .integer(2) && ofServer("s-2") == .integer(1))
        _ = try await b.store.end(.session(leaving), now: now)
        #expect(try count(ofUser) == .integer(2) && ofServer("s-1") == .integer(1))
        _ = try await b.store.end(.serverSession(issuer: Sample.issuer, sid: "s-2"), now: now)
        #expect(try count(ofUser) == .integer(1) && ofServer("s-2") == .integer(0))
        #expect(try await b.load(staying) != nil)
        _ = try await a.store.end(.subject(issuer: Sample.issuer, subject: "alice", until: .max), now: now)
        #expect(try count(ofUser) == .integer(0) && ofServer("s-1") == .integer(0))
    }

    @Test(.holds("SH-45"), .refuses("SH-45"))
    func `are over at all of them when a new login takes their place`() async throws {
        let value = try await known(Sample.session())
        let earlier = try #require(try await b.load(value))
        let next = try await b.create(Sample.session())
        _ = try await b.store.end(.session(earlier), now: now)
        #expect(try await a.load(value) == nil)
        #expect(try await a.load(next) != nil)
    }
}
