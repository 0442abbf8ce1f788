import HTTP2
import TestTraits
import Testing

@Suite struct `the life of an HTTP/2 connection` {
    private static let hour: UInt64 = 3_600_000_000

    @Test(.holds("H2-59"), arguments: [0, .max, 0x7fff_8000, 12_345] as [UInt64])
    func `has between nine and ten thousand streams`(random: UInt64) {
        var life = ConnectionLife(begunAt: 5, random: random)
        var streams = 1
        while !life.isSpent(byStreamAt: 6) { streams += 1 }
        #expect((9000...10_000).contains(streams))
        if random == 0 { #expect(streams == 10_000) }
        let isOver = life.isSpent(byStreamAt: 6)
        #expect(isOver, "and not one more")
    }

    @Test(.holds("H2-59"), arguments: [0, .max, 0x7fff_8000, 12_345] as [UInt64])
    func `lasts between 54 minutes and an hour`(random: UInt64) {
        var life = ConnectionLife(begunAt: 5, random: random)
        let (early, late) = (
            life.isSpent(byStreamAt: 5 + Self.hour / 10 * 9 - 1), life.isSpent(byStreamAt: 5 + Self.hour)
        )
        #expect(!early)
        #expect(late)
    }

    @Test(.refuses("H2-59")) func `does not end for all at one time that began together`() {
        let ends = Set(
            (0..<100).map { number in
                var life = ConnectionLife(begunAt: 0, random: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
                var streams = 1
                while !life.isSpent(byStreamAt: 1) { streams += 1 }
                return streams
            })
        #expect(ends.count > 50)
    }
}

@Suite struct `resets of streams` {
    @Test(.holds("H2-35")) func `are counted by their code and by who sent them`() throws {
        let server = try ServerUnderTest()
        server.receive(
            Frames.request(1) + Frames.request(3) + Frames.request(5) + Frames.request(7, method: "POST", ends: false))
        server.receive(Frames.reset(1) + Frames.reset(3, 99))
        server.connection.reset(5, .internalError)
        // Whole before the request is: what follows is nobody's doing.
        server.answer(7)
        let tally = server.memory.resets
        #expect((0..<ResetTally.codes).map { tally.received($0) } == [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1])
        #expect((0..<ResetTally.codes).map { tally.sent($0) } == [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test(.refuses("H2-52")) func `that are nearly too many are seen before they are`() throws {
        let server = try ServerUnderTest()
        for number in 0..<100 {
            server.receive(Frames.request(UInt32(number * 2 + 1)) + Frames.reset(UInt32(number * 2 + 1)))
        }
        #expect(!server.connection.isNearlySpent)
        for number in 100..<160 {
            server.receive(Frames.request(UInt32(number * 2 + 1)) + Frames.reset(UInt32(number * 2 + 1)))
        }
        #expect(server.connection.isNearlySpent)
        #expect(server.connection.fault == nil)
    }
}
