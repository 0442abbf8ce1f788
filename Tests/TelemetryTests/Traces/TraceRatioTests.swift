import Telemetry
import TestSupport
import TestTraits
import Testing

@Suite struct `the ratio of traces` {
    private func ids(_ count: Int, seed: UInt64) -> [UInt128] {
        var numbers = Numbers(seed: seed)
        return (0..<count).map { _ in UInt128(numbers.next()) << 64 | UInt128(numbers.next()) }
    }

    @Test(.holds("ECO-54"), arguments: [0, 1, 1000, 10_000, 100_000, 500_000, 990_000, 1_000_000])
    func `is what is sampled of many ids`(millionths: Int) {
        let ratio = TraceRatio(millionths: millionths)
        let sampled = ids(100_000, seed: 54).count(where: ratio.samples)
        let expected = millionths / 10
        #expect(abs(sampled - expected) <= 1000)
        if millionths == 0 { #expect(sampled == 0) }
        if millionths == 1_000_000 { #expect(sampled == 100_000) }
    }

    @Test(.holds("ECO-54")) func `of one tenth is a tenth to one in a hundred of all`() {
        let sampled = ids(100_000, seed: 7).count(where: TraceRatio(millionths: 100_000).samples)
        #expect((9_000...11_000).contains(sampled))
    }

    @Test(.holds("ECO-54"))
    func `decides alike wherever it is asked, and a larger one samples what a smaller one does`() {
        for id in ids(1000, seed: 3) {
            let small = TraceRatio(millionths: 100_000).samples(id)
            #expect(TraceRatio(millionths: 100_000).samples(id) == small)
            if small { #expect(TraceRatio(millionths: 300_000).samples(id)) }
            // Nothing before the last seven bytes counts: some systems write the time there.
            #expect(TraceRatio(millionths: 100_000).samples(id ^ UInt128.max << 56) == small)
        }
    }

    @Test(.refuses("ECO-54")) func `beyond its bounds is none or all`() {
        #expect(TraceRatio(millionths: -1) == TraceRatio(millionths: 0))
        #expect(TraceRatio(millionths: 1_000_001) == TraceRatio(millionths: 1_000_000))
        #expect(!TraceRatio(millionths: 0).samples(.max))
        #expect(TraceRatio(millionths: 1_000_000).samples(0))
    }
}
