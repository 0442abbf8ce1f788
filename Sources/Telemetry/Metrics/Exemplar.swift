/// One sampled request of those that a histogram counts: where its duration came from, a trace tells.
struct Exemplar: Sendable, Equatable {
    let trace: UInt128
    let microseconds: UInt64
}

/// The last exemplar of each row's requests of each class, beside the numbers of one worker.
///
/// An exemplar is four words that a reader may see in the middle of a change. The last of them follows from the others: words
/// that do not fit together are none.
final class ExemplarBank: Sendable {
    private static let words = 4
    private let bank: CounterBank
    private static let classes = MetricsLayout.statusClasses.count

    init(rows: Int) { bank = CounterBank(count: rows * Self.classes * Self.words) }

    func store(_ exemplar: Exemplar, row: Int, statusClass: Int) {
        let first = Self.first(row, statusClass)
        let (high, low) = Self.halves(exemplar.trace)
        bank.store(high, at: first)
        bank.store(low, at: first + 1)
        bank.store(exemplar.microseconds, at: first + 2)
        bank.store(Self.sum(high, low, exemplar.microseconds), at: first + 3)
    }

    func load(row: Int, statusClass: Int) -> Exemplar? {
        let first = Self.first(row, statusClass)
        let (high, low, time) = (bank.load(first), bank.load(first + 1), bank.load(first + 2))
        guard high | low != 0, bank.load(first + 3) == Self.sum(high, low, time) else { return nil }
        return Exemplar(trace: UInt128(high) << 64 | UInt128(low), microseconds: time)
    }

    private static func first(_ row: Int, _ statusClass: Int) -> Int { (row * classes + statusClass) * words }

    private static func halves(_ trace: UInt128) -> (UInt64, UInt64) {
        (UInt64(truncatingIfNeeded: trace >> 64), UInt64(truncatingIfNeeded: trace))
    }

    private static func sum(_ high: UInt64, _ low: UInt64, _ time: UInt64) -> UInt64 {
        (high &* 3) ^ (low &* 5) ^ (time &* 7)
    }
}
