import Testing

@testable import Gateway

@Suite struct `HTTP-66 the pace of a client` {
    /// 30 s at 10 ticks a second.
    private let ticks: UInt32 = 300

    /// Whoever moves so many bytes every so many ticks, judged whenever that is due, and the tick at which it is too slow.
    private func end(
        bytes: Int64, every interval: UInt32, rate: Int, until limit: UInt32 = 100_000
    ) -> (UInt32, Pace.Judgement)? {
        var pace = Pace()
        var total: Int64 = 0
        var due = 1 + pace.keep(0, now: 1, ticks: ticks)
        for now in UInt32(2)...limit {
            if now % interval == 0 {
                total += bytes
                due = now + pace.keep(total, now: now, ticks: ticks)
            }
            guard now >= due else { continue }
            let judgement = pace.judge(now: now, ticks: ticks, bytesPerSecond: rate)
            guard judgement == .good else { return (now, judgement) }
            due = now + pace.wait(now: now, ticks: ticks)
        }
        return nil
    }

    @Test func `that sends enough may go on for ever`() {
        #expect(end(bytes: 240, every: 10, rate: 240) == nil)
        #expect(end(bytes: 7200, every: 299, rate: 240) == nil, "with pauses almost as long as the time")
    }

    @Test func `that sends a byte now and then is too slow as soon as the first stretch is over`() throws {
        let (tick, judgement) = try #require(end(bytes: 1, every: 200, rate: 240))
        #expect(tick == 301)
        #expect(judgement == .slow(0))
        let nearly = try #require(end(bytes: 239, every: 10, rate: 240))
        #expect(nearly.1 == .slow(239))
    }

    @Test func `that is silent is so after the time and no sooner, whenever its last byte came`() throws {
        for last in UInt32(1)...290 {
            var pace = Pace()
            _ = pace.keep(0, now: 1, ticks: ticks)
            var due = last + 1 + pace.keep(1_000_000, now: last + 1, ticks: ticks)
            var judgement = pace.judge(now: due, ticks: ticks, bytesPerSecond: 240)
            while judgement == .good {
                due += pace.wait(now: due, ticks: ticks)
                judgement = pace.judge(now: due, ticks: ticks, bytesPerSecond: 240)
            }
            #expect(judgement == .silent)
            #expect(due == last + 1 + ticks)
        }
    }

    @Test func `is not asked for where the rate is none`() {
        #expect(end(bytes: 1, every: 299, rate: 0) == nil)
        #expect(end(bytes: 1, every: 301, rate: 0)?.1 == .silent)
    }

    @Test func `is judged by each stretch, not by what came before`() throws {
        var pace = Pace()
        _ = pace.keep(0, now: 1, ticks: ticks)
        _ = pace.keep(1 << 30, now: 2, ticks: ticks)
        #expect(pace.judge(now: 301, ticks: ticks, bytesPerSecond: 240) == .good)
        _ = pace.keep(1 << 30 + 10, now: 400, ticks: ticks)
        #expect(pace.judge(now: 601, ticks: ticks, bytesPerSecond: 240) == .slow(0))
    }

    @Test func `begins anew after a stop`() {
        var pace = Pace()
        _ = pace.keep(5, now: 1, ticks: ticks)
        #expect(pace.isMeasured)
        pace.stop()
        #expect(!pace.isMeasured)
        #expect(pace.keep(5, now: 1000, ticks: ticks) == ticks)
        #expect(pace.judge(now: 1299, ticks: ticks, bytesPerSecond: 240) == .good)
    }
}
