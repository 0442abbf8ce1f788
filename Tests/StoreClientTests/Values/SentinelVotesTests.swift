import RESP
import StoreLink
import TestTraits
import Testing

@testable import StoreClient

/// Who is believed of those that name a primary.
@Suite struct `the word of Sentinels` {
    private let old = LinkServer.Place.address(host: "a", port: 1)
    private let new = LinkServer.Place.address(host: "b", port: 1)

    @Test(.holds("SH-03")) func `of one is enough while nobody serves, and the others are silent for a second`() {
        var votes = SentinelVotes(sentinels: 3)
        #expect(votes.choice(isServed: false, now: 0) == nil)
        votes.record(2, old, now: 10)
        #expect(votes.choice(isServed: false, now: 20) == nil, "it may be the one that lies")
        #expect(votes.choice(isServed: false, now: 1_000_019) == nil)
        #expect(votes.choice(isServed: false, now: 1_000_020) == old)
        votes.record(1, new, now: 1_000_030)
        #expect(votes.choice(isServed: false, now: 1_000_040) == new, "the last one's, where none is named more often")
        #expect(votes.choice(isServed: true, now: 1_000_050) == nil)
        #expect(votes.choice(isServed: false, now: 1_000_060) == nil, "the second begins anew")
    }

    @Test(.refuses("SH-03")) func `of the one that answers first is not enough where others speak`() {
        var votes = SentinelVotes(sentinels: 5)
        votes.record(4, new, now: 0)
        #expect(votes.choice(isServed: false, now: 0) == nil)
        for sentinel in 0..<2 { votes.record(sentinel, old, now: 10) }
        #expect(votes.choice(isServed: false, now: 20) == nil)
        votes.record(4, new, now: 30)
        var silent = votes
        #expect(silent.choice(isServed: false, now: 1_000_030) == old, "most of those that speak")
        votes.record(2, old, now: 40)
        #expect(votes.choice(isServed: false, now: 50) == old, "at once")
    }

    @Test(.refuses("SH-77")) func `is that of more than half, counted of all of them`() {
        var votes = SentinelVotes(sentinels: 4)
        votes.record(0, old, now: 0)
        votes.record(1, old, now: 0)
        #expect(votes.choice(isServed: true, now: 1) == nil, "half is not enough")
        votes.record(2, old, now: 0)
        votes.record(3, new, now: 1)
        #expect(votes.choice(isServed: true, now: 1) == old)
        #expect(votes.choice(isServed: false, now: 1) == old)
        votes.record(0, nil, now: 2)
        #expect(votes.choice(isServed: true, now: 2) == nil)
    }

    @Test(.refuses("SH-03")) func `counts for five seconds, and of those that there are`() {
        var votes = SentinelVotes(sentinels: 1)
        votes.record(0, old, now: 100)
        votes.record(1, new, now: 100)
        votes.record(-1, new, now: 100)
        #expect(votes.choice(isServed: true, now: 5_000_099) == old)
        #expect(votes.choice(isServed: false, now: 5_000_100) == nil)
    }

    private func named(_ text: String) -> LinkServer.Place? {
        let bytes = Array(text.utf8)
        guard let reply = Reply(bytes.span) else { return nil }
        return SentinelAnswer.place(reply, asked: .address(host: "10.0.0.9", port: 26_379))
    }

    @Test func `names a host and a port`() {
        #expect(named(Wire.named(6379)) == .address(host: "127.0.0.1", port: 6379))
        #expect(named(Wire.array([Wire.bulk("::1"), Wire.bulk("1")])) == .address(host: "::1", port: 1))
    }

    @Test(
        .refuses("SH-03"),
        arguments: [
            "*-1\r\n", "$-1\r\n", "*0\r\n", "+OK\r\n", Wire.array([Wire.bulk("a")]),
            Wire.array([Wire.bulk("a"), Wire.bulk("1"), Wire.bulk("2")]), Wire.array([Wire.bulk(""), Wire.bulk("1")]),
            Wire.array([Wire.bulk("a"), Wire.bulk("0")]), Wire.array([Wire.bulk("a"), Wire.bulk("65536")]),
            Wire.array([Wire.bulk("a"), Wire.bulk("+1")]), Wire.array([Wire.bulk("a"), Wire.bulk("01")]),
            Wire.array([Wire.bulk("a"), Wire.bulk(" 1")]), Wire.array([Wire.bulk("a"), Wire.bulk("")]),
            Wire.array([Wire.bulk("a"), ":1\r\n"]), Wire.array([":1\r\n", Wire.bulk("1")]),
            Wire.array([Wire.bulk("a b"), Wire.bulk("1")]), Wire.array([Wire.bulk("?"), Wire.bulk("1")]),
        ])
    func `that names none is nobody's`(text: String) {
        #expect(named(text) == nil)
    }
}
