import Crypto
import Sessions
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// What a process makes of values that are not what it, or any other gateway of now, put there.
@Suite struct `a value in the store` {
    private let replica: Replica
    private let fresh: Replica
    private let administrator: StoreClient
    private let now = Sample.now

    init() throws {
        let both = try Replica.several(2)
        (replica, fresh) = (both[0], both[1])
        administrator = try replica.administrator()
    }

    private func value(of session: Session) throws -> [UInt8] {
        try #require(try administrator.send(["HGET".bytes, replica.name(of: session).bytes, "v".bytes]).bytes)
    }

    private func put(_ value: [UInt8], generation: String = "0", for session: Session) throws {
        _ = try administrator.send(
            ["HSET".bytes, replica.name(of: session).bytes, "v".bytes, value, "g".bytes, generation.bytes])
    }

    private func flipped(_ value: [UInt8]) -> [UInt8] { value.dropLast() + [(value.last ?? 0) ^ 1] }

    private func exists(_ session: Session) throws -> Bool {
        try administrator.send(["HEXISTS".bytes, replica.name(of: session).bytes, "v".bytes]) == .integer(1)
    }

    @Test(
        .refuses("SH-53"), arguments: ["swapped", "cut", "changed", "another generation", "no value", "no generation"])
    func `that was altered is no session, is deleted and is told, where it was known before`(how: String) async throws {
        let (session, other) = (Sample.session(), Sample.session())
        let cookie = try await replica.create(session)
        _ = try await replica.create(other)
        let own = try value(of: session)
        switch how {
        case "swapped": try put(try value(of: other), generation: "1", for: session)
        case "cut": try put(Array(own.dropLast()), generation: "1", for: session)
        case "changed": try put(flipped(own), generation: "1", for: session)
        case "another generation": try put(own, generation: "1", for: session)
        case "no value": _ = try administrator.send(["HDEL".bytes, replica.name(of: session).bytes, "v".bytes])
        default: try put(own, generation: "x", for: session)
        }
        if how == "no value" {
            // Its generation is all that a recheck reads; the next process sees it.
            #expect(try await fresh.load(cookie) == nil)
            #expect(fresh.told == [.tampered])
        } else {
            #expect(try await replica.load(cookie) == nil)
            #expect(replica.told.first == .tampered)
        }
        #expect(try !exists(session))
        #expect(try await fresh.load(cookie) == nil)
    }

    @Test(.holds("SH-53")) func `that opens for nobody here is no session, and is left to whoever has its cookie`()
        async throws
    {
        let session = Sample.session()
        let cookie = try await replica.create(session)
        let own = try value(of: session)
        try put(flipped(own), for: session)
        #expect(try await fresh.load(cookie) == nil)
        #expect(fresh.told == [.tampered])
        #expect(try exists(session), "a cookie with a wrong secret looks the same, and must end nothing")
        try put(Array(own.prefix(20)), for: session)
        #expect(try await fresh.load(cookie) == nil)
        #expect(try !exists(session), "no cookie opens that")
    }

    @Test(.refuses("SH-26")) func `of a format that is not known here is neither a session nor none, and stays`()
        async throws
    {
        let session = Sample.session()
        let cookie = try await replica.create(session)
        let own = try value(of: session)
        try put([99] + own.dropFirst(), for: session)
        await #expect(throws: SessionStoreRefusal.unavailable) { try await fresh.load(cookie) }
        #expect(fresh.told == [.unreadable(version: 99)])
        #expect(try exists(session))
        try put(own, for: session)
        #expect(try await fresh.load(cookie) != nil)
    }

    /// Something on the way gives it to the wrong command, or changes it.
    @Test(
        .refuses("SH-82"), .refuses("SH-53"),
        arguments: [
            ("HGET", .status("OK".bytes)), ("HGET", .bytes("x".bytes)), ("HGET", .integer(1)), ("HGET", .array([])),
            ("HMGET", .array([.bytes("0".bytes), .bytes("short".bytes)])),
            ("HMGET", .array([.null, .bytes("x".bytes)])),
            ("HMGET", .array([.bytes("1764091234".bytes), .bytes("123456".bytes)])),
            ("HMGET", .array([.status("OK".bytes), .status("OK".bytes)])),
        ] as [(String, StoreReply)])
    func `that one answer alone shows ends nobody's session`(command: String, reply: StoreReply) async throws {
        let session = Sample.session()
        let cookie = try await replica.create(session)
        for asked in command == "HGET" ? [replica] : [replica, fresh] {
            let isFirst = Mutex(true)
            asked.asking.follow { words in
                if command == "HMGET", words[0] == "HGET" { return .answer(.bytes("x".bytes)) }
                guard words[0] == command, isFirst.withLock({ $0 }) else { return .pass }
                isFirst.withLock { $0 = false }
                return .answer(reply)
            }
            if command == "HGET", case .bytes = reply {
                #expect(try await asked.load(cookie, now + 30)?.id == session.id, "the generation alone says nothing")
            } else {
                await #expect(throws: SessionStoreRefusal.unavailable) { try await asked.load(cookie, now + 30) }
            }
            asked.settle()
            #expect(try exists(session))
            asked.asking.follow(nil)
            #expect(try await asked.load(cookie, now + 30)?.id == session.id)
        }
        #expect(try await Replica(RedisServer.shared.get(), prefix: replica.prefix).load(cookie) != nil)
    }

    @Test(.refuses("SH-21"), .refuses("SH-82"), arguments: ["HGET", "HMGET", "altered"])
    func `of which one answer alone says that there is none lives on`(how: String) async throws {
        let session = Sample.session()
        let cookie = try await replica.create(session)
        var other = try value(of: session)
        other[other.count - 10] ^= 0x41
        let altered = other
        let asked = how == "HGET" ? replica : fresh
        let isFirst = Mutex(true)
        asked.asking.follow { words in
            guard words[0] == (how == "HGET" ? "HGET" : "HMGET"), isFirst.withLock({ $0 }) else { return .pass }
            isFirst.withLock { $0 = false }
            if how == "HGET" { return .answer(.null) }
            return .answer(.array(how == "HMGET" ? [.null, .null] : [.bytes("0".bytes), .bytes(altered)]))
        }
        #expect(try await asked.load(cookie, now + 30)?.id == session.id)
        #expect(!isFirst.withLock { $0 }, "it was asked")
        #expect(asked.look(cookie, now + 31) == .found(0))
        #expect(asked.told == [])
    }

    @Test(.refuses("SH-26"), .refuses("SH-21")) func `whose key is not here is neither a session nor none, and stays`()
        async throws
    {
        let session = Sample.session()
        let cookie = try await replica.create(session)
        let own = try value(of: session)
        // Its key is on the way to this replica, or has come to it alone.
        try put([own[0], own[1] ^ 1] + own.dropFirst(2), for: session)
        for _ in 0..<2 {
            await #expect(throws: SessionStoreRefusal.unavailable) { try await fresh.load(cookie) }
        }
        #expect(fresh.told == [.keyUnknown, .keyUnknown])
        #expect(try exists(session))
        try put(own, for: session)
        #expect(try await fresh.load(cookie) != nil)
    }

    @Test(.refuses("SH-54"), .holds("SH-54")) func `that is older than one known here is refused here`() async throws {
        let session = Sample.session()
        let cookie = try await replica.create(session)
        #expect(try await fresh.load(cookie) != nil)
        let old = try value(of: session)
        _ = try await replica.store.replace(cookie, by: Sample.refreshed(session), now: now)
        // The other one has heard of it by the log, and has not read it.
        replica.settle()
        fresh.store.learn(try replica.lines(), now: now)
        try put(old, for: session)
        for known in [replica, fresh] {
            #expect(try await known.load(cookie, now + 30) == nil)
            #expect(known.told.contains(.rolledBack) && !known.told.contains(.tampered))
            #expect(try await known.load(cookie, now + 60) == nil, "and not forgotten")
        }
        let stranger = try Replica(RedisServer.shared.get(), prefix: replica.prefix)
        #expect(try await stranger.load(cookie)?.generation == 0, "which the server's own detection ends")
    }

    @Test(.refuses("SH-53")) func `that is no hash is an error of the store, never none`() async throws {
        let session = Sample.session()
        let cookie = try await replica.create(session)
        _ = try administrator.send(["SET".bytes, replica.name(of: session).bytes, "1".bytes, "PX".bytes, "60000".bytes])
        for asked in [replica, fresh] {
            await #expect(throws: SessionStoreRefusal.unavailable) { try await asked.load(cookie, now + 30) }
        }
    }
}
