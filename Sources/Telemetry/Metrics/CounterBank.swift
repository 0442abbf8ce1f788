import Synchronization

/// A row of numbers that one thread writes and any thread may read while it does.
///
/// Since there is one writer, an addition is a relaxed load and a relaxed store, which compile to plain moves: no
/// locked instruction, no fence. A reader sees each number as it was at some moment, and that is all a scrape needs.
///
/// `@unchecked Sendable`: `cells` is constant and what it points to is atomic.
final class CounterBank: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<UInt64>>
    private let memory: UnsafeMutableRawPointer
    let count: Int

    /// All numbers begin at zero.
    ///
    /// The bank fills whole cache lines of its own: two workers' numbers never share one.
    init(count: Int) {
        self.count = count
        let bytes = (max(count, 1) * 8 + 63) & ~63
        memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        cells = memory.bindMemory(to: Atomic<UInt64>.self, capacity: bytes / 8)
        for index in 0..<bytes / 8 { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        memory.deallocate()
    }

    @inline(__always)
    private func check(_ index: Int) {
        precondition(index >= 0 && index < count, "a metric outside the layout it was built with")
    }

    @inline(__always)
    func add(_ amount: UInt64, at index: Int) {
        check(index)
        cells[index].store(cells[index].load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    @inline(__always)
    func store(_ value: UInt64, at index: Int) {
        check(index)
        cells[index].store(value, ordering: .relaxed)
    }

    /// Copies `count` numbers of another bank, whose writer is this thread too.
    func copy(_ index: Int, from other: CounterBank, at start: Int, count: Int) {
        guard count > 0 else { return }
        check(index)
        check(index + count - 1)
        other.check(start)
        other.check(start + count - 1)
        for offset in 0..<count {
            cells[index + offset].store(other.cells[start + offset].load(ordering: .relaxed), ordering: .relaxed)
        }
    }

    @inline(__always)
    func load(_ index: Int) -> UInt64 {
        check(index)
        return cells[index].load(ordering: .relaxed)
    }
}
