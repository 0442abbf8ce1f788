import Sessions
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// What an operator sees and does on the store alone, at a real server.
@Suite struct `sessions as an operator has them` {
    private let replica: Replica
    private let operators: StoredSessions
    private let subject = "user-" + StoreNumberText.random()

    init() throws {
        replica = try Replica(try RedisServer.shared.get(), prefix: StoreNumberText.random())
        operators = StoredSessions(replica.shared, client: Sample.client, Replica.settings())
    }

    private func session(sid: String? = nil) -> Session {
        var session = Sample.session(subject: subject)
        session.serverSession = sid
        return session
    }

    private var user: StoredSessions.Which { .subject(issuer: Sample.issuer, subject: subject) }

    /// A process that has seen none of the sessions yet.
    private func other() throws -> Replica {
        try Replica(try RedisServer.shared.get(), prefix: replica.prefix)
    }

    @Test(.holds("SH-29")) func `are listed with their times, and nothing else`() async throws {
        #expect(try await operators.list(user).isEmpty)
        var cookies: [[UInt8]] = []
        for _ in 0..<3 { cookies.append(try await replica.create(session())) }
        let listed = try await operators.list(user)
        #expect(listed.count == 3 && Set(listed.map(\.name)).count == 3)
        for session in listed {
            #expect(session.name.utf8.count == 22)
            #expect(session.end - session.begun == 28_800)
            // The minimal user may not read what a session has left.
            #expect(session.lastUsed == nil)
        }
        let text = "\(listed)"
        #expect(!text.contains(subject) && !text.contains("refresh-0"))
        #expect(!cookies.contains { text.contains(String(decoding: $0, as: UTF8.self)) })
        let elsewhere = StoredSessions(replica.shared, client: "another", Replica.settings())
        #expect(try await elsewhere.list(user).isEmpty)
        #expect(try await operators.list(.subject(issuer: "https://other.example", subject: subject)).isEmpty)
    }

    /// A writer of the store would hide a session from its operator by an end that is no time.
    @Test(.refuses("SH-29"), arguments: ["1e17", "inf", "-1", "9223372036854775807", "1.5"])
    func `are listed and ended whatever the index says of their end`(score: String) async throws {
        let session = session()
        _ = try await replica.create(session)
        let index = replica.shared.names.indexes(client: Sample.client, issuer: Sample.issuer, subject: subject)[0]
        let administrator = try replica.administrator()
        _ = try administrator.send(["ZADD".bytes, index.bytes, score.bytes, replica.name(of: session).suffix])
        let listed = try await operators.list(user)
        #expect(listed.map { (0...253_402_300_799).contains($0.end) } == [true])
        #expect(try await operators.end(user) == 1)
        #expect(try await operators.list(user).isEmpty)
    }

    @Test func `are listed with their last use where the operator may read it`() async throws {
        _ = try await replica.create(session())
        let administrator = try replica.administrator()
        let asking = ScriptedAsking(try RedisAsking(try RedisServer.shared.get()))
        asking.follow { words in
            guard words[0] == "PTTL" else { return .pass }
            return (try? administrator.send(words.map(\.bytes))).map { .answer($0) } ?? .pass
        }
        let shared = try SharedStore.make(asking, prefix: replica.prefix)
        let listed = try await StoredSessions(shared, client: Sample.client, Replica.settings()).list(user)
        let session = try #require(listed.first)
        let used = try #require(session.lastUsed)
        #expect((session.begun - 2...session.begun + 120).contains(used))
        asking.follow { words in words[0] == "PTTL" ? .answer(.integer(-2)) : .pass }
        #expect(
            try await StoredSessions(shared, client: Sample.client, Replica.settings()).list(user)[0].lastUsed == nil)
    }

    @Test(.holds("SH-29"), .refuses("SH-29")) func `end one by its name, and the others not`() async throws {
        let cookies = [try await replica.create(session()), try await replica.create(session())]
        let name = try await operators.list(user)[0].name
        #expect(try await operators.end(named: name) == true)
        #expect(try await operators.end(named: name) == false)
        #expect(try await operators.list(user).count == 1)
        var left = 0
        for cookie in cookies where try await other().load(cookie) != nil { left += 1 }
        #expect(left == 1)
        #expect(try replica.lines().contains { $0.kind == .endedByOperator && $0.suffix == name.bytes })
        for text in ["", "short", String(repeating: "!", count: 22), name + "A", "*"] {
            #expect(try await operators.end(named: text) == nil)
        }
    }

    @Test(.refuses("SH-29")) func `end all of a user's, and those that nobody has listed`() async throws {
        let cookie = try await replica.create(session())
        _ = try await replica.create(session())
        let stranger = try await replica.create(Sample.session(subject: subject + "-2"))
        #expect(try await operators.end(user) == 2)
        #expect(try await operators.end(user) == 0)
        #expect(try await operators.list(user).isEmpty)
        let other = try other()
        #expect(try await other.load(cookie) == nil)
        #expect(try await other.load(stranger) != nil)
        let marker = replica.shared.names.markers(client: Sample.client, issuer: Sample.issuer, subject: subject)[0]
        #expect(try replica.lines().contains { $0.kind == .marked && $0.suffix == marker.suffix })
    }

    @Test func `end by the server's session`() async throws {
        let sid = "sid-" + StoreNumberText.random()
        let mine = try await replica.create(session(sid: sid))
        let another = try await replica.create(session(sid: sid + "-2"))
        let which = StoredSessions.Which.serverSession(issuer: Sample.issuer, sid: sid)
        #expect(try await operators.list(which).count == 1)
        #expect(try await operators.end(which) == 1)
        let other = try other()
        #expect(try await other.load(mine) == nil)
        #expect(try await other.load(another) != nil)
    }

    /// A reply is 1,024 elements at most, and an index gives two for each session.
    @Test(.holds("SH-29"), arguments: [499, 500, 501, 512, 513, 1000])
    func `are listed and ended, as many as a user may have`(count: Int) async throws {
        let administrator = try replica.administrator()
        let now = try await replica.shared.perform(ReadTime(key: replica.shared.names.log)).milliseconds
        let index = replica.shared.names.indexes(client: Sample.client, issuer: Sample.issuer, subject: subject)[0]
        let names = try (0..<count).map { _ in
            try #require(replica.shared.names.name(.session, suffix: Sample.uniqueSuffix()))
        }
        for (number, name) in names.enumerated() {
            _ = try administrator.send(["HSET".bytes, name.bytes, "g".bytes, "1".bytes, "v".bytes, "x".bytes])
            _ = try administrator.send(["PEXPIRE".bytes, name.bytes, "3600000".bytes])
            _ = try administrator.send([
                "ZADD".bytes, index.bytes, "\(now + 100_000 + Int64(number % 7))".bytes, name.suffix,
            ])
        }
        let asking = BoundedAsking(try RedisAsking(try RedisServer.shared.get()))
        let shared = try SharedStore.make(asking, prefix: replica.prefix)
        let operators = StoredSessions(shared, client: Sample.client, Replica.settings())
        #expect(Set(try await operators.list(user).map(\.name.bytes)) == Set(names.map(\.suffix)))
        #expect(try await operators.end(user) == count)
        #expect(try await operators.list(user).isEmpty)
    }

    /// The answer to the first question was lost, and nobody was told.
    @Test(.refuses("SH-37")) func `are told of when they had ended before`() async throws {
        let cookie = try await replica.create(session())
        let name = try await operators.list(user)[0].name
        let mine = try #require(try await replica.load(cookie))
        replica.asking.follow { $0[0] == "end" ? .lose : .pass }
        await #expect(throws: StoreRefusal.unknown) { try await operators.end(named: name) }
        await #expect(throws: SessionStoreRefusal.unavailable) {
            try await replica.store.end(.session(mine), now: Sample.now)
        }
        replica.asking.follow(nil)
        #expect(try replica.lines().isEmpty || !replica.lines().contains { $0.suffix == name.bytes })
        #expect(try await operators.end(named: name) == false)
        #expect(try replica.lines().count { $0.kind == .ended && $0.suffix == name.bytes } == 1)
        _ = try await replica.store.end(.session(mine), now: Sample.now)
        #expect(try replica.lines().count { $0.kind == .ended && $0.suffix == name.bytes } == 2)
    }

    @Test func `have no last use where the store says a time that is none`() async throws {
        _ = try await replica.create(session())
        for left in [Int64.max, Int64.max - 1, -1, 0] {
            let asking = ScriptedAsking(try RedisAsking(try RedisServer.shared.get()))
            asking.follow { words in words[0] == "PTTL" ? .answer(.integer(left)) : .pass }
            let shared = try SharedStore.make(asking, prefix: replica.prefix)
            let listed = try await StoredSessions(shared, client: Sample.client, Replica.settings()).list(user)
            #expect(listed.count == 1 && (left == 0 || listed[0].lastUsed == nil))
        }
    }

    @Test func `are not said to have ended when the store does not answer`() async throws {
        _ = try await replica.create(session())
        replica.asking.goDown()
        await #expect(throws: StoreRefusal.unavailable) { try await operators.end(user) }
        await #expect(throws: StoreRefusal.unavailable) { try await operators.list(user) }
        replica.asking.follow(nil)
        #expect(try await operators.list(user).count == 1)
    }

    @Test func `pass over what a stranger wrote into an index`() throws {
        let command = ListEnrolled(key: replica.shared.names.log, first: 0)
        let name = try Sample.unusedName().suffix
        let good: [StoreReply] = [.bytes(name), .bytes("5000".bytes)]
        #expect(try command.outcome(of: .array(good)).entries == [ListEnrolled.Entry(suffix: name, end: 5000)])
        for odd in [[.bytes("x".bytes), .bytes("1".bytes)], [.null, .null]] as [[StoreReply]] {
            #expect(try command.outcome(of: .array(odd + good)).entries.count == 1)
        }
        // The session is there all the same.
        for (text, end) in [("1e+300", ListEnrolled.Entry.farthest), ("-1", 0)] {
            let entries = try command.outcome(of: .array([.bytes(name), .bytes(text.bytes)] + good)).entries
            #expect(entries.map(\.end) == [end, 5000])
        }
        #expect(throws: StoreRefusal.unexpected) { try command.outcome(of: .array([.null])) }
        #expect(throws: StoreRefusal.unexpected) { try command.outcome(of: .integer(1)) }
    }
}

/// Closes on answers that are larger than a link takes.
private struct BoundedAsking: StoreAsking {
    private let behind: any StoreAsking

    init(_ behind: any StoreAsking) { self.behind = behind }

    func ask(_ question: StoreQuestion) async throws(StoreRefusal) -> StoreReply {
        let reply = try await behind.ask(question)
        guard reply.array?.count ?? 0 <= 1024 else { throw .unknown }
        return reply
    }
}
