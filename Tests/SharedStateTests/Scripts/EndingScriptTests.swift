import Crypto
import TestSupport
import TestTraits
import Testing

@testable import SharedState

/// Markers, indexes and the log of endings, at a real server.
@Suite struct `endings in the store` {
    private let client: StoreClient
    private let names: StoreNames
    private let marker: StoreName
    private let index: StoreName
    private let life = TimeToLive(seconds: 600)

    init() throws {
        client = try RedisServer.shared.get().client()
        names = try Sample.names()
        let user = "\(RandomBytes.fill(8))"
        marker = names.markers(client: "shop", issuer: Sample.issuer, subject: user)[0]
        index = names.indexes(client: "shop", issuer: Sample.issuer, subject: user)[0]
    }

    private func mark(_ until: Int64, _ life: TimeToLive) throws {
        try client.ask(MarkEnded(key: marker, until: until, timeToLive: life))
    }

    @Test func `of a user are noted with a time until which sessions are over`() throws {
        #expect(try client.ask(ReadMarker(key: marker)) == nil)
        try mark(100, life)
        #expect(try client.ask(ReadMarker(key: marker)) == 100)
        try mark(.max, life)
        #expect(try client.ask(ReadMarker(key: marker)) == .max)
        #expect((1...600_000).contains(try client.timeToLive(of: marker)))
    }

    @Test func `are not taken back by an earlier one that comes later`() throws {
        try mark(100, life)
        try mark(97, TimeToLive(seconds: 1))
        #expect(try client.ask(ReadMarker(key: marker)) == 100)
        #expect(try client.timeToLive(of: marker) > 1000)
        try mark(98, TimeToLive(seconds: 1000))
        #expect(try client.timeToLive(of: marker) > 600_000)
        try mark(101, TimeToLive(seconds: 1))
        #expect(try client.ask(ReadMarker(key: marker)) == 101)
        #expect(try client.timeToLive(of: marker) > 600_000)
    }

    @Test func `that a stranger wrote in other words let no session live`() throws {
        try client.expect(["SET", String(decoding: marker.bytes, as: UTF8.self), "never", "PX", "60000"])
        #expect(throws: StoreRefusal.unexpected) { try client.ask(ReadMarker(key: marker)) }
        try mark(5, life)
        #expect(try client.ask(ReadMarker(key: marker)) == 5)
    }

    private func enroll(_ session: StoreName, _ life: TimeToLive) throws -> [[UInt8]] {
        try client.ask(EnrollSession(key: index, session: session, timeToLive: life))
    }

    private func members() throws -> [[UInt8]] {
        try client.send(["ZRANGE".bytes, index.bytes, "0".bytes, "-1".bytes]).array?.compactMap(\.bytes) ?? []
    }

    @Test(.holds("SH-43")) func `find a user's sessions in an index, which lives as long as the last of them`() throws {
        let (one, other) = (try Sample.unusedName(), try Sample.unusedName())
        #expect(try enroll(one, life) == [])
        #expect(try enroll(other, TimeToLive(seconds: 5)) == [])
        #expect(try Set(members()) == [one.suffix, other.suffix])
        #expect(try client.timeToLive(of: index) > 5000)
        #expect(try enroll(other, TimeToLive(seconds: 900)) == [], "the same again is no other")
        #expect(try members().count == 2)
        #expect(try client.timeToLive(of: index) > 600_000)
    }

    @Test(.refuses("SH-43")) func `do not keep sessions in an index that are over, nor more than a thousand`() throws {
        let short = try Sample.unusedName()
        _ = try enroll(try Sample.unusedName(), life)
        _ = try enroll(short, TimeToLive(milliseconds: 1))
        #expect(
            try eventually {
                _ = try enroll(try Sample.unusedName(), life)
                return try !members().contains(short.suffix)
            })
        let oldest = try Sample.unusedName()
        _ = try enroll(oldest, TimeToLive(seconds: 300))
        var leaving: [[UInt8]] = []
        for number in 0..<1010 {
            leaving += try enroll(try Sample.unusedName(), TimeToLive(seconds: 700 + Int64(number)))
        }
        #expect(try members().count == EnrollSession.limit)
        #expect(leaving.first == oldest.suffix, "the one that ends first")
        #expect(leaving.count >= 11)
    }

    @Test func `are lines of a log, read as they were written`() throws {
        let name = try Sample.unusedName()
        let lines = [
            StoreLogLine(.ended, of: name, generation: 7), StoreLogLine(.refreshed, of: name, generation: .max),
            StoreLogLine(.marked, of: marker),
        ]
        for line in lines {
            let place = try client.ask(WriteLog(key: names.log, line: line))
            let found = try client.send(["XRANGE".bytes, names.log.bytes, place, place])
            let entry = try #require(found.array?.first?.array)
            #expect(entry.first?.bytes == place)
            #expect(StoreLogLine(fields: entry[1]) == line)
        }
        #expect(names.name(.session, suffix: lines[0].suffix) == name)
        #expect(names.name(.marker, suffix: lines[2].suffix) == marker)
    }

    @Test func `are no lines in other words`() throws {
        let name = try Sample.unusedName()
        func line(_ words: [StoreReply]) -> StoreLogLine? { StoreLogLine(fields: .array(words)) }
        let good: [StoreReply] = ["k", "s", "n", "", "g", "7"].map { .bytes($0.bytes) }
        var words = good
        words[3] = .bytes(name.suffix)
        #expect(line(words) == StoreLogLine(.ended, of: name, generation: 7))
        for (place, text) in [(0, "x"), (1, "z"), (2, "x"), (3, "short"), (4, "x"), (5, "-1"), (5, "x")] {
            var other = words
            other[place] = .bytes(text.bytes)
            #expect(line(other) == nil)
            other[place] = .null
            #expect(line(other) == nil)
        }
        #expect(line(Array(words.dropLast(2))) == nil)
        #expect(line(words + words) == nil)
        #expect(StoreLogLine(fields: .null) == nil)
    }
}

/// What a full store still does.
@Suite struct `a store without memory left` {
    @Test func `ends sessions and says so, and makes no new ones`() throws {
        let server = try RedisServer()
        let (client, administrator) = (try server.client(), try server.administrator())
        let names = try Sample.names()
        let (live, life) = (try Sample.unusedName(), TimeToLive(seconds: 600))
        #expect(try client.ask(KeepSession(key: live, generation: 1, value: "v".bytes, timeToLive: life)) == .kept)
        try administrator.expect(["CONFIG", "SET", "maxmemory", "1"])
        let full = StoreRefusal.refused("OOM")
        let other = try Sample.unusedName()
        #expect(throws: full) {
            try client.ask(KeepSession(key: other, generation: 0, value: "v".bytes, timeToLive: life))
        }
        #expect(throws: full) { try client.ask(BeginRefresh(key: live, generation: 1, lease: life)) }
        let proof = names.proof(SHA256.hash("proof".bytes.span))
        #expect(throws: full) { try client.ask(UseOnce(proof: proof, until: Sample.now, now: Sample.now)) }
        // What is there is read, asked about, and used on.
        #expect(try client.ask(LoadSession(key: live)) == .found(generation: 1, value: "v".bytes))
        #expect(try client.ask(RecheckSession(key: live)) == .generation(1))
        #expect(try client.ask(TouchSession(key: live, timeToLive: TimeToLive(seconds: 900))))
        // And a logout holds.
        let marker = names.markers(client: "shop", issuer: "i", subject: "s")[0]
        try client.ask(MarkEnded(key: marker, until: 5, timeToLive: life))
        #expect(try client.ask(ReadMarker(key: marker)) == 5)
        #expect(try client.ask(EndSession(key: live, tombstone: life)) == .ended(generation: 1))
        #expect(try !client.ask(WriteLog(key: names.log, line: StoreLogLine(.ended, of: live))).isEmpty)
        #expect(try client.ask(LoadSession(key: live)) == .none)
        #expect(try client.timeToLive(of: live) > 0)
        // Nothing was half made.
        #expect(try client.timeToLive(of: other) == -2)
    }
}
