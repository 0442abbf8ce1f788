import Testing

@testable import Gateway

@Suite struct `what is said once a minute` {
    @Test func `is said at first, and again when a minute is over`() {
        let pace = OncePerMinute()
        let start: UInt64 = 5_000_000
        #expect(pace.takesTurn(at: start))
        for seconds in [0, 1, 30, 59] as [UInt64] { #expect(!pace.takesTurn(at: start + seconds * 1_000_000)) }
        #expect(pace.takesTurn(at: start + 60_000_000))
        #expect(!pace.takesTurn(at: start + 61_000_000))
    }

    @Test func `is said in the first second of the clock too`() {
        let pace = OncePerMinute()
        #expect(pace.takesTurn(at: 0))
        #expect(!pace.takesTurn(at: 1))
    }
}
