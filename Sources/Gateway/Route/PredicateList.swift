/// Numbers of predicates, in memory of their own so that asking counts no reference.
struct PredicateList {
    private let start: UnsafeMutablePointer<Int32>
    private let count: Int

    init(_ list: [Int32]) {
        count = list.count
        start = .allocate(capacity: max(1, list.count))
        start.initialize(from: list, count: list.count)
    }

    func destroy() { start.deallocate() }

    /// Good for as long as the list is not destroyed.
    var numbers: UnsafeBufferPointer<Int32> { UnsafeBufferPointer(start: start, count: count) }
}
