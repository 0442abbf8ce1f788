/// So many a second in the long run, and so many at once: what a token bucket grants.
public struct TokenRate: Sendable, Equatable {
    /// Ticks of the clock that one of them takes; 0 where nothing is bounded.
    public let interval: UInt64
    /// Ticks by which somebody may be ahead.
    public let allowance: UInt64

    /// A rate of at least one a second, and of at least one at once.
    ///
    /// `parts` share it: each grants its part, rounded up. A clock ticks a million times a second unless it is said
    /// otherwise, and a rate beyond its ticks is one in a tick.
    public init(perSecond: Int, burst: Int, parts: Int = 1, ticksPerSecond: UInt64 = 1_000_000) {
        let parts = UInt64(min(max(parts, 1), TokenRate.most))
        interval = max(1, min(ticksPerSecond, 1_000_000) * parts / UInt64(max(perSecond, 1)))
        let atOnce = (UInt64(min(max(burst, 1), TokenRate.most)) + parts - 1) / parts
        allowance = (atOnce - 1) * interval
    }

    /// So many in so many ticks, and at least one at once.
    ///
    /// `parts` share it: each grants its part, at once rounded up.
    public init(_ count: Int, in ticks: UInt64, burst: Int, parts: Int = 1) {
        let parts = UInt64(min(max(parts, 1), TokenRate.most))
        let (whole, overflows) = ticks.multipliedReportingOverflow(by: parts)
        interval = max(1, (overflows ? .max : whole) / UInt64(min(max(count, 1), TokenRate.most)))
        let atOnce = (UInt64(min(max(burst, 1), TokenRate.most)) + parts - 1) / parts
        let (all, isEndless) = (atOnce - 1).multipliedReportingOverflow(by: interval)
        allowance = isEndless ? .max / 4 : min(all, .max / 4)
    }

    private init() { (interval, allowance) = (0, 0) }

    /// The rate that permits everything.
    public static let unbounded = TokenRate()

    /// No number is taken for greater: all of them multiplied are far from what an integer holds.
    private static let most = 1_000_000
}

/// What somebody has taken of a rate, in one number: until when it is spent.
///
/// It fills by itself as time goes on, and needs no memory but its own and no timer. Times are ticks of a clock that only
/// advances, of the same kind as the rate's; one that stands still or goes back grants nothing more.
public struct TokenBucket: Sendable, Equatable {
    /// 0 before the first is taken.
    private(set) var spentUntil: UInt64 = 0

    /// A full one.
    public init() {}

    /// The one of which so much was taken.
    init(spentUntil: UInt64) { self.spentUntil = spentUntil }

    /// Whether nothing was ever taken of it.
    public var isNew: Bool { spentUntil == 0 }

    /// Whether all that was taken has come back.
    public func isFull(at now: UInt64) -> Bool { spentUntil <= now }

    /// Ticks that what was taken still needs to come back: 0 when it is full, more than the allowance when it is empty.
    ///
    /// A rate that was lowered since leaves nobody waiting for longer than the new one would.
    public func spent(at now: UInt64, _ rate: TokenRate) -> UInt64 {
        spentUntil > now ? min(spentUntil - now, rate.allowance + rate.interval) : 0
    }

    /// Ticks until one may be taken; 0 when it may be now.
    public func wait(at now: UInt64, _ rate: TokenRate) -> UInt64 {
        let spent = spent(at: now, rate)
        return spent > rate.allowance ? spent - rate.allowance : 0
    }

    /// Takes one, unless none is left; whether it did.
    @discardableResult
    public mutating func take(at now: UInt64, _ rate: TokenRate) -> Bool {
        let spent = spent(at: now, rate)
        guard spent <= rate.allowance else { return false }
        let (until, overflows) = now.addingReportingOverflow(spent &+ rate.interval)
        spentUntil = overflows ? .max : until
        return true
    }
}
