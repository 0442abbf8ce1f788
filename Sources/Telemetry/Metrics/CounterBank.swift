import Synchronization

/// A row of numbers that one thread writes and any thread may read while it does.
///
/// Since there is one writer, an addition is a relaxed load and a relaxed store, which compile to plain moves: no
/// locked instruction, no fence. A reader sees each number as it was at some moment, and that is all a scrape needs.
final class CounterBank: Sendable {
    let cells: CounterCells

    /// All numbers begin at zero.
    ///
    /// The bank fills whole cache lines of its own: two workers' numbers never share one.
    init(count: Int) {
        cells = CounterCells(allocating: count)
    }

    deinit {
        cells.deallocate()
    }

    var count: Int { cells.count }

    @inline(__always)
    func add(_ amount: UInt64, at index: Int) { cells.add(amount, at: index) }

    @inline(__always)
    func store(_ value: UInt64, at index: Int) { cells.store(value, at: index) }

    /// Copies `count` numbers of another bank, whose writer is this thread too.
    func copy(_ index: Int, from other: CounterBank, at start: Int, count: Int) {
        for offset in 0..<max(count, 0) { cells.store(other.cells.load(start + offset), at: index + offset) }
    }

    @inline(__always)
    func load(_ index: Int) -> UInt64 { cells.load(index) }
}

/// Where the numbers of a bank are; whoever has this keeps the bank too, and then counts without counting references.
///
/// `@unchecked Sendable`: it is constant, and what it points to is atomic.
struct CounterCells: @unchecked Sendable {
    private let start: UnsafeMutablePointer<Atomic<UInt64>>
    let count: Int

    fileprivate init(allocating count: Int) {
        self.count = count
        let bytes = (max(count, 1) * 8 + 63) & ~63
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        start = memory.bindMemory(to: Atomic<UInt64>.self, capacity: bytes / 8)
        for index in 0..<bytes / 8 { (start + index).initialize(to: Atomic(0)) }
    }

    fileprivate func deallocate() {
        UnsafeMutableRawPointer(start).deallocate()
    }

    @inline(__always)
    private func check(_ index: Int) {
        precondition(index >= 0 && index < count, "a metric outside the layout it was built with")
    }

    @inline(__always)
    func add(_ amount: UInt64, at index: Int) {
        check(index)
        start[index].store(start[index].load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    @inline(__always)
    func store(_ value: UInt64, at index: Int) {
        check(index)
        start[index].store(value, ordering: .relaxed)
    }

    @inline(__always)
    func load(_ index: Int) -> UInt64 {
        check(index)
        return start[index].load(ordering: .relaxed)
    }
}
