/// Paces the questions about every session that is known, after a gap in the log (SH-40).
///
/// A round asks about all of them within the time in which each is asked about anyway, open streams first. A gap during
/// a round begins the next one, a second later at the earliest, with those first that the round before had not come to:
/// whoever could write one line a second that nobody understands would keep the last of them from ever being asked
/// about.
package struct RecheckRounds: Sendable {
    private let within: Int64
    private var gapAt: Int64?
    private var begun: Int64?
    private var end: Int64 = 0
    private var names: [StoreName] = []
    private var asked = 0
    private var silent: [StoreName] = []

    /// Questions that go in one write at most.
    package static let limit = 256
    private static let shortest: Int64 = 1000

    /// Rounds that end within so many milliseconds, a second at least.
    package init(within milliseconds: Int64) {
        within = max(RecheckRounds.shortest, milliseconds)
    }

    /// Lines may have been missed; `now` is in milliseconds of the clock that nobody sets.
    package mutating func gap(at now: Int64) {
        gapAt = gapAt ?? now
    }

    /// Whether a round is to begin: the names of what is known are to be collected now.
    package func isDue(at now: Int64) -> Bool {
        guard gapAt != nil else { return false }
        return begun.map { now - $0 >= RecheckRounds.shortest } ?? true
    }

    /// Begins a round, with the sessions that have open streams and with the others.
    package mutating func begin(streams: [StoreName], others: [StoreName], at now: Int64) {
        var known: Set<StoreName> = []
        let left = names[asked...]
        // What a round has not come to, or nobody answered, comes first if it is still known.
        let current = Set(streams).union(others)
        let early = (Array(left) + silent).filter(current.contains)
        names = (early + streams + others).filter { known.insert($0).inserted }
        (asked, silent) = (0, [])
        end = max(now + 1, (gapAt ?? now) + within)
        (begun, gapAt) = (now, nil)
    }

    /// The sessions to ask about now, in one write; none when it is not time for more.
    ///
    /// To be called until it gives none, and again a little later.
    package mutating func next(at now: Int64) -> ArraySlice<StoreName> {
        beginAgain(at: now)
        guard let begun, asked < names.count else { return [] }
        // The first of them at once; then as many as belong to the time that has passed.
        let part = Double(max(0, now - begun)) / Double(end - begun)
        let due = part >= 1 ? names.count : min(names.count, RecheckRounds.limit + Int(Double(names.count) * part))
        guard due > asked else { return [] }
        let batch = names[asked..<min(due, asked + RecheckRounds.limit)]
        asked = batch.endIndex
        return batch
    }

    /// These were asked about, and the store did not answer: they are asked about again when the round is over.
    package mutating func unanswered(_ names: some Sequence<StoreName>) {
        silent += names
    }

    /// Those that the store did not answer, in a round of their own.
    private mutating func beginAgain(at now: Int64) {
        guard !silent.isEmpty, asked == names.count, now >= end else { return }
        (names, silent, asked) = (silent, [], 0)
        (begun, end) = (now, now + within)
    }
}
