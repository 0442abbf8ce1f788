import Testing

@testable import Rates

@Suite struct `a token bucket` {
    private let rate = TokenRate(perSecond: 10, burst: 5)

    @Test func `grants so many at once, and then one whenever it has come back`() {
        var bucket = TokenBucket()
        #expect(bucket.isNew)
        for _ in 0..<5 { #expect(bucket.take(at: 1_000_000, rate) == true) }
        #expect(bucket.take(at: 1_000_000, rate) == false)
        #expect(!bucket.isNew)
        #expect(bucket.wait(at: 1_000_000, rate) == 100_000)
        #expect(bucket.wait(at: 1_099_999, rate) == 1)
        #expect(bucket.take(at: 1_099_999, rate) == false)
        #expect(bucket.wait(at: 1_100_000, rate) == 0)
        #expect(bucket.take(at: 1_100_000, rate) == true)
        #expect(bucket.take(at: 1_100_000, rate) == false)
    }

    @Test func `is full again after a while, and never more than that`() {
        var bucket = TokenBucket()
        for _ in 0..<5 { bucket.take(at: 1_000_000, rate) }
        #expect(!bucket.isFull(at: 1_499_999) && bucket.isFull(at: 1_500_000))
        for _ in 0..<5 { #expect(bucket.take(at: 3_600_000_000, rate) == true) }
        #expect(bucket.take(at: 3_600_000_000, rate) == false, "an hour's worth is no more than five")
    }

    @Test func `grants nothing more while its clock stands still or goes back, and is not spent by what it refuses`() {
        var bucket = TokenBucket()
        for _ in 0..<5 { #expect(bucket.take(at: 2_000_000, rate) == true) }
        for _ in 0..<1000 { #expect(bucket.take(at: 2_000_000, rate) == false) }
        #expect(bucket.wait(at: 2_000_000, rate) == 100_000)
        #expect(bucket.take(at: 1_000_000, rate) == false)
        #expect(bucket.wait(at: 1_000_000, rate) == 100_000, "nobody waits for the time that is missing")
        #expect(bucket.take(at: 2_100_000, rate) == true)
    }

    @Test func `says how much of it is spent`() {
        var bucket = TokenBucket()
        #expect(bucket.spent(at: 7, rate) == 0)
        bucket.take(at: 1_000_000, rate)
        bucket.take(at: 1_000_000, rate)
        #expect(bucket.spent(at: 1_000_000, rate) == 200_000)
        #expect(bucket.spent(at: 1_150_000, rate) == 50_000)
        #expect(bucket.spent(at: 9_000_000, rate) == 0)
    }

    @Test func `keeps nobody waiting by a rate of before that was slower`() {
        var bucket = TokenBucket()
        let slow = TokenRate(perSecond: 1, burst: 1000)
        for _ in 0..<1000 { #expect(bucket.take(at: 1, slow) == true) }
        #expect(bucket.wait(at: 1, rate) == rate.interval)
    }

    @Test func `takes any time there is`() {
        var bucket = TokenBucket()
        for _ in 0..<5 { #expect(bucket.take(at: .max - 1, rate) == true) }
        #expect(bucket.take(at: .max, rate) == true, "nothing is spent after the end of all time")
        #expect(bucket.spent(at: 0, rate) == rate.allowance + rate.interval)
        #expect(bucket.wait(at: 0, rate) == rate.interval)
    }

    @Test func `that is unbounded is never spent`() {
        var bucket = TokenBucket()
        for _ in 0..<10_000 { #expect(bucket.take(at: 1, .unbounded) == true) }
        #expect(bucket.spent(at: 1, .unbounded) == 0 && bucket.isFull(at: 1))
    }

    @Test func `is one number, kept wherever it is needed without memory of its own`() {
        #expect(MemoryLayout<TokenBucket>.size == 8)
    }
}

@Suite struct `a rate` {
    @Test func `is divided among those that share it, none of whom grants nothing`() {
        let part = TokenRate(perSecond: 10, burst: 5, parts: 4)
        #expect(part.interval == 400_000)
        #expect(part.allowance == 400_000, "two of the five at once")
        #expect(TokenRate(perSecond: 1, burst: 1, parts: 64).allowance == 0)
    }

    @Test func `is measured in the ticks of its clock`() {
        let rate = TokenRate(perSecond: 100, burst: 200, ticksPerSecond: 1000)
        #expect(rate.interval == 10 && rate.allowance == 1990)
        #expect(TokenRate(perSecond: 100_000, burst: 1, ticksPerSecond: 1000).interval == 1)
    }

    @Test(arguments: [Int.min, -1, 0])
    func `of nothing or less is one`(number: Int) {
        #expect(TokenRate(perSecond: number, burst: number, parts: number) == TokenRate(perSecond: 1, burst: 1))
    }

    @Test func `of any size is one that can be reckoned with`() {
        let greatest = TokenRate(perSecond: .max, burst: .max)
        #expect(greatest.interval == 1 && greatest.allowance == 999_999)
        let slowest = TokenRate(perSecond: 1, burst: .max, parts: .max, ticksPerSecond: .max)
        #expect(slowest.interval == 1_000_000_000_000 && slowest.allowance == 0)
    }
}
