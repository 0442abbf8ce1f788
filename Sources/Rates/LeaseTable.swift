/// What one worker may spend of rates that several processes share, and what it has to ask for: a lease for each busy key
/// (ECO-80).
///
/// Nobody waits for an answer. Whoever has a lease spends it; whoever has none spends on account, which the next question
/// settles, so that in the long run no more is spent than the store grants. All that is spent is the process's own bucket's
/// too, and never more than that.
///
///     unknown ──asks──▶ asked ──granted all──▶ leased ──half is spent──▶ asked
///        ▲                 └──granted less──▶ empty, once the lease is spent: refused until the store has more
///        └───────────────── the time of the lease, or of the word that there is none, is over
///
/// Its memory is bounded: a key that finds no place is counted by its process alone, as all are while the store does not
/// answer.
public struct LeaseTable: Sendable {
    /// What leases of one rate are like.
    public struct Terms: Sendable, Equatable {
        /// The most that one lease has: what comes back while it lasts.
        public let most: Int
        /// Tokens that the store holds at most: what may be taken at once, and no less than what comes back from one
        /// question to the next.
        public let capacity: Int
        /// Ticks that one token takes to come back.
        public let interval: UInt64

        /// The terms of a rate.
        public init(_ rate: TokenRate) {
            interval = max(1, rate.interval)
            most = Int(clamping: max(1, LeaseTable.leaseTicks / interval))
            capacity = max(Int(clamping: rate.allowance / interval) + 1, 2 * most)
        }
    }

    /// Whom a lease is for: what the store is asked about.
    public struct Holder: Sendable, Equatable {
        /// The limit's place.
        public let limit: Int
        /// 128 bits by which all processes know the key.
        public let low: UInt64
        /// The other half of them.
        public let high: UInt64

        /// Somebody of this limit.
        public init(limit: Int, low: UInt64, high: UInt64) {
            self.limit = limit
            self.low = low
            self.high = high
        }
    }

    /// A question to the store, and which lease its answer is for.
    public struct Question: Sendable, Equatable {
        /// Whom it is for.
        public let holder: Holder
        /// What leases of its limit are like.
        public let terms: Terms
        /// What was spent without a grant, less what was granted and not spent.
        public let spent: Int
        /// How many are wanted.
        public let wanted: Int
        /// Names the lease to `answered` and `failed`: never used for another one.
        public let number: UInt64
    }

    private struct Lease {
        /// 0 in a free place.
        var key: UInt64 = 0
        var holder = Holder(limit: 0, low: 0, high: 0)
        /// What is left of the lease.
        var credit = 0
        /// What was spent on account, less what is given back.
        var owed = 0
        /// What was spent since the last question.
        var spent = 0
        /// What the last question asked for and told, and when it was asked.
        var wanted = 0
        var told = 0
        var askedAt: UInt64 = 0
        var creditUntil: UInt64 = 0
        /// Until when the store has none left; 0 where it did not say so.
        var emptyUntil: UInt64 = 0
        var turn: UInt32 = 0
        var isAsked = false

        /// Whether nothing is lost but a word that is over.
        func isIdle(at now: UInt64) -> Bool {
            key == 0 || !isAsked && owed <= 0 && now >= emptyUntil && (credit == 0 || now >= creditUntil)
        }

        func mayBeSpent(at now: UInt64) -> Bool { credit > 0 && now < creditUntil }
    }

    /// How long a lease is good: 100 ms of a clock that ticks each nanosecond.
    static let leaseTicks: UInt64 = 100_000_000
    /// How long nobody asks again for what the store has not.
    static let pauseTicks: UInt64 = 50_000_000
    /// How long nobody is asked after there was no answer.
    static let localTicks: UInt64 = 1_000_000_000
    private static let placesInRow = 8
    private static let rows = 512

    /// Keys that have a lease at a time.
    static var limit: Int { placesInRow * rows }

    private var leases: [Lease] = []
    private var localUntil: UInt64 = 0
    /// Whether the store is known not to be there.
    public var isDown = true
    /// What is to be asked, until it is taken.
    public private(set) var questions: [Question] = []

    /// Without leases, and without memory before the first.
    public init() {}

    /// Whether the store is counted on for anybody.
    public func isLocal(at now: UInt64) -> Bool { isDown || now < localUntil }

    /// Whether this key is counted by its process alone: the store does not answer, or there is no place.
    public func isLocal(_ key: UInt64, at now: UInt64) -> Bool {
        isLocal(at: now) || !leases.isEmpty && place(of: key, at: now) == nil
    }

    /// Ticks until this key may spend one, as far as the store's word goes; 0 when it may now.
    public func wait(_ key: UInt64, at now: UInt64) -> UInt64 {
        guard !leases.isEmpty, let index = place(of: key, at: now), leases[index].key == key else { return 0 }
        guard !leases[index].mayBeSpent(at: now), leases[index].emptyUntil > 0 else { return 0 }
        if now < leases[index].emptyUntil { return leases[index].emptyUntil - now }
        // One request asks again, on account; those that come before the answer are refused as before it.
        return leases[index].isAsked ? LeaseTable.pauseTicks : 0
    }

    /// Spends one of this key's; `isBusy` says whether it has spent enough for the store to be told.
    public mutating func spend(
        _ key: UInt64, _ holder: Holder, _ terms: Terms, isBusy: Bool, at now: UInt64
    ) {
        guard isBusy || !leases.isEmpty else { return }
        if leases.isEmpty { leases = Array(repeating: Lease(), count: LeaseTable.limit) }
        guard let index = place(of: key, at: now) else { return }
        if leases[index].key != key {
            guard isBusy else { return }
            let turn = leases[index].turn
            leases[index] = Lease()
            leases[index].key = key
            leases[index].holder = holder
            leases[index].turn = turn
        }
        leases[index].spent += 1
        if leases[index].mayBeSpent(at: now) {
            leases[index].credit -= 1
            if leases[index].credit * 2 <= leases[index].wanted, leases[index].emptyUntil == 0 {
                ask(index, terms, at: now)
            }
            return
        }
        settle(index)
        leases[index].owed += 1
        ask(index, terms, at: now)
    }

    /// Forgets every lease, and whose it was: limits have other places from now on.
    ///
    /// An answer that is under way is nobody's.
    public mutating func forget() {
        for index in leases.indices {
            let turn = leases[index].turn
            leases[index] = Lease()
            leases[index].turn = turn &+ 1
        }
        questions.removeAll()
    }

    /// The questions that are to be asked; nobody else gets them.
    public mutating func takeQuestions(_ body: (Question) -> Void) {
        for question in questions { body(question) }
        questions.removeAll(keepingCapacity: true)
    }

    /// The store grants so many; `wait` is how many ticks pass until it has another one.
    public mutating func answered(_ number: UInt64, granted: Int, wait: UInt64, at now: UInt64) {
        guard let index = place(ofQuestion: number) else { return }
        if !leases[index].mayBeSpent(at: now) { settle(index) }
        leases[index].isAsked = false
        leases[index].credit += min(max(0, granted), leases[index].wanted)
        leases[index].creditUntil = now &+ LeaseTable.leaseTicks
        let pause = max(LeaseTable.pauseTicks, min(wait, .max / 4))
        leases[index].emptyUntil = granted < leases[index].wanted ? now &+ pause : 0
    }

    /// There was no answer; `isUnsent` where the store certainly has not heard of it.
    public mutating func failed(_ number: UInt64, isUnsent: Bool, at now: UInt64) {
        localUntil = now &+ LeaseTable.localTicks
        guard let index = place(ofQuestion: number) else { return }
        leases[index].isAsked = false
        if isUnsent { leases[index].owed += leases[index].told }
    }

    private mutating func ask(_ index: Int, _ terms: Terms, at now: UInt64) {
        guard !leases[index].isAsked else { return }
        let elapsed = max(now &- leases[index].askedAt, LeaseTable.leaseTicks / 100)
        let demand = UInt64(leases[index].spent) &* (LeaseTable.leaseTicks / 1000) / max(1, elapsed / 1000)
        leases[index].wanted = min(max(1, Int(clamping: demand + demand / 2)), terms.most)
        leases[index].told = leases[index].owed
        leases[index].isAsked = true
        leases[index].askedAt = now
        leases[index].spent = 0
        leases[index].owed = 0
        leases[index].turn &+= 1
        questions.append(
            Question(
                holder: leases[index].holder, terms: terms, spent: leases[index].told, wanted: leases[index].wanted,
                number: UInt64(index) << 32 | UInt64(leases[index].turn)))
    }

    /// Gives back what is left of a lease whose time is over.
    private mutating func settle(_ index: Int) {
        leases[index].owed -= leases[index].credit
        leases[index].credit = 0
    }

    /// The key's place, or one that it may have; nil where there is none.
    private func place(of key: UInt64, at now: UInt64) -> Int? {
        let first = Int(truncatingIfNeeded: key &>> 32) & (LeaseTable.rows - 1) &* LeaseTable.placesInRow
        var free: Int?
        for index in first..<first + LeaseTable.placesInRow {
            if leases[index].key == key { return index }
            if free == nil, leases[index].isIdle(at: now) { free = index }
        }
        return free
    }

    private func place(ofQuestion number: UInt64) -> Int? {
        let index = Int(number >> 32)
        guard index < leases.count, leases[index].isAsked, leases[index].turn == UInt32(truncatingIfNeeded: number)
        else { return nil }
        return index
    }
}
