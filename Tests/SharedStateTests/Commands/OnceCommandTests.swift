import Crypto
import TestSupport
import TestTraits
import Testing

@testable import SharedState

@Suite struct `what is used once over all replicas` {
    private let scripts: StoreScripts
    private let name: StoreName

    init() throws {
        scripts = try StoreScripts()
        name = try Sample.names().proof(SHA256.hash(RandomBytes.fill(8).span))
    }

    private func words(_ use: UseOnce) -> [String] {
        use.arguments(scripts).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(.holds("SH-55")) func `is set unless it is there, with the time that any replica could accept it`() {
        let use = UseOnce(proof: name, until: Sample.now + 70, now: Sample.now)
        #expect(words(use) == ["SET", String(decoding: name.bytes, as: UTF8.self), "1", "NX", "PX", "81000"])
    }

    /// The clock that accepts a proof, and the clock of the replica to which it is replayed, are five seconds from the
    /// store's each; the second has whole seconds.
    @Test(.refuses("SH-55")) func `is not forgotten while a clock that is late still accepts it`() {
        let until = Sample.now
        for ahead: Int64 in -5...5 {
            for before: Int64 in 0...60 {
                // The store's time when the proof comes, as a clock that is `ahead` of it accepts it.
                let store = until - ahead - before
                let use = UseOnce(proof: name, until: until, now: store + ahead)
                let forgotten = store * 1000 + use.timeToLive.milliseconds
                // A clock five seconds behind says `until` up to the end of that second.
                #expect(forgotten >= (until + 5 + 1) * 1000)
            }
        }
    }

    @Test func `is remembered for as long when it is over here already, and never without an end`() {
        #expect(UseOnce(proof: name, until: 5, now: 50).timeToLive.milliseconds == 11_000)
        #expect(UseOnce(proof: name, until: .min, now: .max).timeToLive.milliseconds == 11_000)
        let longest = TimeToLive(seconds: .max)
        #expect(UseOnce(proof: name, until: .max, now: .min).timeToLive == longest)
        #expect(UseOnce(proof: name, until: .max, now: 0).timeToLive == longest)
        #expect(TimeToLive(milliseconds: .min).milliseconds == 1)
        #expect(TimeToLive(seconds: .min).milliseconds == 1)
    }

    @Test(.holds("SH-63")) func `tells where a login led in the place of its state, for as long again`() throws {
        let key = try Sample.names().state(SHA256.hash("state".bytes.span))
        let note = NoteOutcome(key: key, value: "sealed".bytes, timeToLive: TimeToLive(seconds: 611))
        let name = String(decoding: key.bytes, as: UTF8.self)
        #expect(
            note.arguments(scripts).map { String(decoding: $0, as: UTF8.self) }
                == ["SET", name, "sealed", "PX", "611000"])
        try note.outcome(of: .status("OK".bytes))
        #expect(throws: StoreRefusal.unexpected) { try note.outcome(of: .null) }
        #expect(throws: StoreRefusal.refused("OOM")) { try note.outcome(of: .error("OOM command".bytes)) }
        let see = SeeOutcome(key: key)
        #expect(see.arguments(scripts).map { String(decoding: $0, as: UTF8.self) } == ["GET", name])
        #expect(see.changesNothing && !note.changesNothing)
        #expect(try see.outcome(of: .bytes("sealed".bytes)) == "sealed".bytes)
        #expect(try see.outcome(of: .bytes("1".bytes)) == nil, "used, and nothing more is known")
        #expect(try see.outcome(of: .null) == nil)
        #expect(throws: StoreRefusal.refused("WRONGTYPE")) { try see.outcome(of: .error("WRONGTYPE".bytes)) }
        #expect(throws: StoreRefusal.unexpected) { try see.outcome(of: .integer(1)) }
    }

    @Test func `are states for ten minutes, and logout tokens for as long as they are good`() throws {
        let names = try Sample.names()
        let digest = SHA256.hash("state".bytes.span)
        let state = UseOnce(state: names.state(digest), lifetimeSeconds: 600)
        #expect(words(state).last == "600000")
        #expect(words(state)[1].hasPrefix("pc:t:"))
        let token = UseOnce(logoutToken: names.logoutToken(digest), until: Sample.now + 120, now: Sample.now)
        #expect(words(token).last == "131000")
        #expect(words(token)[1].hasPrefix("pc:l:"))
    }

    @Test func `passes the first time, at whichever replica, and not again`() throws {
        let server = try RedisServer.shared.get()
        let (one, other) = (try server.client(), try server.client())
        let names = try Sample.names()
        let digest = SHA256.hash(RandomBytes.fill(16).span)
        let uses = [
            UseOnce(proof: name, until: Sample.now + 70, now: Sample.now),
            UseOnce(state: names.state(digest), lifetimeSeconds: 600),
            UseOnce(logoutToken: names.logoutToken(digest), until: Sample.now, now: Sample.now),
        ]
        for use in uses {
            #expect(try one.ask(use) == .first)
            #expect(try other.ask(use) == .used)
            #expect(try one.ask(use) == .used)
            #expect((1...use.timeToLive.milliseconds).contains(try one.timeToLive(of: use.key)))
        }
    }

    @Test func `is neither used nor unused when the store answers anything else`() {
        let use = UseOnce(proof: name, until: 0, now: 0)
        for reply: StoreReply in [
            .integer(1), .integer(0), .bytes([]), .bytes("QUEUED".bytes), .array([]), .array([.null]),
            .bytes("OK".bytes), .status("ok".bytes),
        ] {
            #expect(throws: StoreRefusal.unexpected) { try use.outcome(of: reply) }
        }
        #expect(throws: StoreRefusal.refused("READONLY")) {
            try use.outcome(of: .error("READONLY You can't write against a read only replica.".bytes))
        }
    }

    @Test func `hosted objects are given out at any replica, five times`() throws {
        let server = try RedisServer.shared.get()
        let (one, other) = (try server.client(), try server.client())
        let name = try Sample.names().requestObject(Secret(RandomBytes.fill(32)))
        let host = HostRequestObject(key: name, value: "object".bytes, timeToLive: TimeToLive(seconds: 120))
        let fetch = FetchRequestObject(key: name, limit: 5)
        #expect(try other.ask(fetch) == nil)
        #expect(try one.ask(host))
        #expect(try !other.ask(host), "there is one")
        for _ in 0..<5 { #expect(try other.ask(fetch) == "object".bytes) }
        #expect(try other.ask(fetch) == nil)
        #expect(try one.ask(fetch) == nil)
        #expect((1...120_000).contains(try one.timeToLive(of: name)))
        #expect(try one.ask(RemoveRequestObject(key: name)))
        #expect(try !one.ask(RemoveRequestObject(key: name)))
        #expect(try one.timeToLive(of: name) == -2)
    }
}
