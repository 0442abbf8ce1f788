import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// What becomes of sessions, at a real server.
@Suite struct `a session in the store` {
    private let client: StoreClient
    private let name: StoreName
    private let life = TimeToLive(seconds: 600)

    init() throws {
        client = try RedisServer.shared.get().client()
        name = try Sample.unusedName()
    }

    private func keep(_ generation: UInt32 = 0, _ value: String = "v0", _ life: TimeToLive? = nil) throws
        -> KeepSession.Outcome
    {
        try client.ask(
            KeepSession(key: name, generation: generation, value: value.bytes, timeToLive: life ?? self.life))
    }

    private func begin(_ generation: UInt32 = 0, milliseconds: Int64 = 60_000) throws -> BeginRefresh.Outcome {
        try client.ask(
            BeginRefresh(key: name, generation: generation, lease: TimeToLive(milliseconds: milliseconds)))
    }

    private func commit(fence: UInt64, leased: UInt32 = 0, _ generation: UInt32 = 1, _ value: String = "v1") throws
        -> CommitRefresh.Outcome
    {
        try client.ask(
            CommitRefresh(
                key: name, fence: fence, leased: leased, generation: generation, value: value.bytes, timeToLive: life))
    }

    private func end() throws -> EndSession.Outcome {
        try client.ask(EndSession(key: name, tombstone: TimeToLive(seconds: 900)))
    }

    private func isMortal() throws -> Bool { try client.timeToLive(of: name) > 0 }

    @Test(.holds("SH-27")) func `is kept once, with a time to live`() throws {
        #expect(try keep() == .kept)
        #expect(try client.ask(LoadSession(key: name)) == .found(generation: 0, value: "v0".bytes))
        #expect(try client.ask(RecheckSession(key: name)) == .generation(0))
        #expect((1...600_000).contains(try client.timeToLive(of: name)))
        #expect(try keep(1, "other") == .present)
        #expect(try client.ask(LoadSession(key: name)) == .found(generation: 0, value: "v0".bytes))
    }

    @Test func `that is not there is none: the store says so`() throws {
        #expect(try client.ask(LoadSession(key: name)) == .none)
        #expect(try client.ask(RecheckSession(key: name)) == .none)
        #expect(try begin() == .gone)
        #expect(try commit(fence: 1) == .gone)
        #expect(try client.ask(PutBackRefresh(key: name, fence: 1, pause: life)) == .gone)
    }

    @Test(.holds("SH-30")) func `is leased to one process at a time, under a number that grows`() throws {
        _ = try keep()
        #expect(try begin() == .yours(fence: 1))
        guard case .busy(let left) = try begin() else {
            Issue.record("leased twice")
            return
        }
        #expect((1...60_000).contains(left))
        #expect(try commit(fence: 1) == .kept)
        // The lease is over with the commit.
        #expect(try begin(1) == .yours(fence: 2))
    }

    @Test(.holds("SH-30")) func `that somebody refreshed is handed to whoever asks for its refresh`() throws {
        _ = try keep(4, "v4")
        #expect(try begin(3) == .newer(generation: 4, value: "v4".bytes))
        #expect(try begin(5) == .older(generation: 4))
        #expect(try begin(4) == .yours(fence: 1), "nobody who only looked has a lease")
    }

    @Test(.holds("SH-31")) func `is leased again when its holder does not come back`() throws {
        _ = try keep()
        #expect(try begin(milliseconds: 30) == .yours(fence: 1))
        #expect(try eventually { try begin(milliseconds: 60_000) == .yours(fence: 2) })
    }

    @Test(.refuses("SH-31", "SH-32")) func `takes nothing from a holder whose lease went to the next`() throws {
        _ = try keep()
        #expect(try begin(milliseconds: 1) == .yours(fence: 1))
        #expect(try eventually { try begin() == .yours(fence: 2) })
        #expect(try commit(fence: 1, 1, "late") == .lost)
        #expect(try client.ask(LoadSession(key: name)) == .found(generation: 0, value: "v0".bytes))
        #expect(try client.ask(PutBackRefresh(key: name, fence: 1, pause: life)) == .lost)
        #expect(try commit(fence: 2, 1, "v1") == .kept)
        #expect(try commit(fence: 1, 1, "late") == .lost)
    }

    @Test(.holds("SH-32", "SH-27")) func `is replaced by who holds the lease, with a time to live`() throws {
        _ = try keep(0, "v0", TimeToLive(seconds: 5))
        #expect(try begin() == .yours(fence: 1))
        #expect(try commit(fence: 1) == .kept)
        #expect(try client.ask(LoadSession(key: name)) == .found(generation: 1, value: "v1".bytes))
        #expect((5001...600_000).contains(try client.timeToLive(of: name)))
    }

    @Test func `may be committed again by who did not hear the answer`() throws {
        _ = try keep()
        _ = try begin()
        #expect(try commit(fence: 1) == .kept)
        #expect(try commit(fence: 1) == .kept)
        #expect(try client.ask(RecheckSession(key: name)) == .generation(1))
        // And no longer once somebody else has a lease.
        #expect(try begin(1) == .yours(fence: 2))
        #expect(try commit(fence: 1) == .lost)
    }

    @Test(.refuses("SH-32")) func `is not written over another generation than the leased one`() throws {
        _ = try keep(3, "v3")
        #expect(try begin(3) == .yours(fence: 1))
        #expect(try commit(fence: 1, leased: 2, 4, "v") == .lost)
        #expect(try commit(fence: 0, leased: 3, 4, "v") == .lost)
        #expect(try client.ask(LoadSession(key: name)) == .found(generation: 3, value: "v3".bytes))
    }

    @Test func `that the server could not refresh is left alone by everybody for a while`() throws {
        _ = try keep()
        #expect(try begin() == .yours(fence: 1))
        #expect(try client.ask(PutBackRefresh(key: name, fence: 1, pause: life)) == .done)
        guard case .paused(let left) = try begin() else {
            Issue.record("nobody waits")
            return
        }
        #expect((1...600_000).contains(left))
        #expect(try isMortal())
    }

    @Test func `that the server could not refresh is leased again when the pause is over`() throws {
        _ = try keep()
        #expect(try begin() == .yours(fence: 1))
        let pause = TimeToLive(milliseconds: 20)
        #expect(try client.ask(PutBackRefresh(key: name, fence: 1, pause: pause)) == .done)
        #expect(try eventually { try begin() == .yours(fence: 2) })
    }

    @Test func `is not given back by who has no lease`() throws {
        _ = try keep()
        #expect(try client.ask(PutBackRefresh(key: name, fence: 1, pause: life)) == .lost)
        #expect(try begin() == .yours(fence: 1))
        #expect(try client.ask(PutBackRefresh(key: name, fence: 2, pause: life)) == .lost)
        guard case .busy = try begin() else {
            Issue.record("given back by a stranger")
            return
        }
    }

    @Test func `is held for ten minutes at most, and for no less where more was asked for`() throws {
        _ = try keep()
        #expect(try begin(milliseconds: .max) == .yours(fence: 1))
        guard case .busy(let left) = try begin() else {
            Issue.record("leased twice")
            return
        }
        #expect((1...600_000).contains(left))
        #expect(try client.ask(PutBackRefresh(key: name, fence: 1, pause: TimeToLive(seconds: .max))) == .done)
        guard case .paused = try begin() else {
            Issue.record("nobody waits")
            return
        }
    }

    @Test(arguments: ["l", "n"]) func `is not held back by a time that no gateway wrote`(field: String) throws {
        // A clock that was set back by an hour, or a stranger who writes to the store.
        _ = try keep()
        let name = String(decoding: name.bytes, as: UTF8.self)
        try client.expect(["HSET", name, field, "99999999999999"])
        #expect(try begin() == .yours(fence: 1))
        try client.expect(["HSET", name, "l", "no time", "n", "no time", "f", "no fence"])
        #expect(try begin() == .yours(fence: 1))
    }

    @Test(.holds("SH-38")) func `that is ended leaves a tombstone, which keeps out what would bring it back`() throws {
        _ = try keep(2, "v2")
        #expect(try begin(2) == .yours(fence: 1))
        #expect(try end() == .ended(generation: 2))
        #expect((600_001...900_000).contains(try client.timeToLive(of: name)))
        // A login or an import, a refresh under way, one that would begin, a touch.
        #expect(try keep(0, "again") == .ended)
        #expect(try commit(fence: 1, leased: 2, 3, "v3") == .gone)
        #expect(try begin(2) == .gone)
        #expect(try client.ask(PutBackRefresh(key: name, fence: 1, pause: life)) == .gone)
        #expect(try client.ask(LoadSession(key: name)) == .none)
        #expect(try client.ask(RecheckSession(key: name)) == .none)
        #expect(try end() == .endedBefore)
        #expect(try isMortal())
    }

    @Test(.refuses("SH-38")) func `that is ended before it is kept never lives`() throws {
        #expect(try end() == .absent)
        #expect(try isMortal())
        #expect(try keep() == .ended)
        #expect(try client.ask(LoadSession(key: name)) == .none)
    }

    @Test func `that is ended again is remembered no shorter`() throws {
        #expect(try end() == .absent)
        #expect(try client.ask(EndSession(key: name, tombstone: TimeToLive(seconds: 1))) == .endedBefore)
        #expect(try client.timeToLive(of: name) > 1000)
        #expect(try client.ask(EndSession(key: name, tombstone: TimeToLive(seconds: 2000))) == .endedBefore)
        #expect(try client.timeToLive(of: name) > 900_000)
    }

    @Test(.holds("SH-24")) func `that is used lives longer`() throws {
        _ = try keep(0, "v0", TimeToLive(seconds: 5))
        #expect(try client.ask(TouchSession(key: name, timeToLive: life)))
        #expect(try client.timeToLive(of: name) > 5000)
    }

    @Test(.refuses("SH-24")) func `is not made by its use, and lives no shorter for it`() throws {
        #expect(try !client.ask(TouchSession(key: name, timeToLive: life)))
        #expect(try client.timeToLive(of: name) == -2)
        _ = try keep()
        #expect(try !client.ask(TouchSession(key: name, timeToLive: TimeToLive(seconds: 5))))
        #expect(try client.timeToLive(of: name) > 5000)
    }

    @Test func `lives no longer than the store can count`() throws {
        #expect(try keep(0, "v0", TimeToLive(seconds: .max)) == .kept)
        #expect(try isMortal())
    }

    @Test func `that no gateway wrote is told from none`() throws {
        let text = String(decoding: name.bytes, as: UTF8.self)
        try client.expect(["HSET", text, "v", "x"])
        #expect(try client.ask(LoadSession(key: name)) == .altered)
        for generation in ["", "-1", "+1", "01", "4294967296", "99999999999999999999999", "x"] {
            try client.expect(["HSET", text, "g", generation])
            #expect(try client.ask(LoadSession(key: name)) == .altered, "\(generation)")
            #expect(try client.ask(RecheckSession(key: name)) == .altered, "\(generation)")
        }
        try client.expect(["PEXPIRE", text, "1000"])
    }
}
