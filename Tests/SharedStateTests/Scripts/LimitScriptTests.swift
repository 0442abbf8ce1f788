import TestTraits
import Testing

@testable import SharedState

@Suite struct `a rate of requests in the store` {
    private let client: StoreClient

    init() throws { client = try RedisServer.shared.get().client() }

    /// So many an hour, so that none comes back while a test runs.
    private func lease(_ key: StoreName, capacity: Int = 100, spent: Int = 0, wanted: Int) throws -> LeaseTokens.Outcome
    {
        try client.ask(
            LeaseTokens(
                key: key, intervalNanoseconds: 3_600_000_000_000, capacity: capacity, spent: spent, wanted: wanted))
    }

    @Test(.holds("ECO-80")) func `is given out in parts, until nothing is left, and says when there is more`() throws {
        let key = try Sample.unusedName()
        #expect(try lease(key, wanted: 60) == LeaseTokens.Outcome(granted: 60, waitMicroseconds: 0))
        #expect(try lease(key, wanted: 60).granted == 40)
        let last = try lease(key, wanted: 60)
        #expect(last.granted == 0)
        #expect((3_500_000_000...3_600_000_001).contains(last.waitMicroseconds), "\(last)")
    }

    @Test(.refuses("ECO-80")) func `counts what was spent without a grant, though it is more than there is`() throws {
        let key = try Sample.unusedName()
        #expect(try lease(key, spent: 30, wanted: 100).granted == 70)
        #expect(try lease(key, spent: 50, wanted: 1).granted == 0)
        #expect(try lease(key, spent: -40, wanted: 1).granted == 0, "ten are still owed")
        #expect(try lease(key, spent: -20, wanted: 100).granted == 10)
        // Nobody owes for longer than ten times what the bucket holds.
        _ = try lease(key, spent: 1_000_000, wanted: 1)
        #expect(try lease(key, spent: -900, wanted: 1).granted == 0)
        #expect(try lease(key, spent: -10_000, wanted: 1000).granted == 100, "and nobody has more than it holds")
    }

    @Test func `comes back by the store's clock alone`() throws {
        let key = try Sample.unusedName()
        func fast(_ wanted: Int) throws -> LeaseTokens.Outcome {
            try client.ask(
                LeaseTokens(key: key, intervalNanoseconds: 1_500, capacity: 1000, spent: 0, wanted: wanted))
        }
        #expect(try fast(1000).granted == 1000)
        var granted = 0
        for _ in 0..<10_000 where granted < 1000 { granted += try fast(1000).granted }
        #expect(granted >= 1000, "one and a half microseconds each")
    }

    @Test func `is not kept for longer than something of it is missing`() throws {
        let key = try Sample.unusedName()
        let administrator = try RedisServer.shared.get().administrator()
        func timeLeft() throws -> Int64? { try administrator.send(["PTTL".bytes, key.bytes]).number }
        _ = try lease(key, wanted: 2)
        let left = try #require(try timeLeft())
        #expect((7_100_000...7_200_001).contains(left))
        _ = try lease(key, spent: -2, wanted: 0)
        #expect((-2...1).contains(try #require(try timeLeft())))
    }

    @Test(arguments: ["x", "", "-5", "1e300", "99999999999999999999", "nan", "inf"])
    func `is full where the value is nobody's here`(value: String) throws {
        let key = try Sample.unusedName()
        try client.expect(["SET", String(decoding: key.bytes, as: UTF8.self), value, "PX", "60000"])
        #expect(try lease(key, wanted: 100).granted == 100)
    }

    @Test func `is not taken from a key of another type`() throws {
        let key = try Sample.unusedName()
        let life = TimeToLive(seconds: 60)
        #expect(try client.ask(KeepSession(key: key, generation: 0, value: [], timeToLive: life)) == .kept)
        #expect(throws: StoreRefusal.refused("WRONGTYPE")) { try lease(key, wanted: 1) }
    }

    @Test(arguments: [
        StoreReply.array([]), .array([.integer(1)]), .array([.integer(-1), .integer(0)]), .array([.null, .integer(0)]),
        .integer(5), .null, .bytes([]), .array([.integer(1), .integer(-1)]),
    ])
    func `is not taken from an answer that is none`(reply: StoreReply) throws {
        #expect(throws: StoreRefusal.unexpected) { try LeaseTokens.outcome(of: reply) }
    }
}
