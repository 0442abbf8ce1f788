/// Numbers of predicates, in memory of their own for the life of a configuration: asking counts no reference.
///
/// Unsafe because an array, read through a pointer to its owner on a request's way, is counted.
@safe
package struct PredicateList: @unchecked Sendable {
    private let start: UnsafeMutablePointer<Int32>
    private let count: Int

    package init(_ list: [Int32]) {
        count = list.count
        unsafe start = .allocate(capacity: max(1, list.count))
        for index in list.indices { unsafe (start + index).initialize(to: list[index]) }
    }

    /// Frees them; nobody may read them any longer.
    package func destroy() { unsafe start.deallocate() }

    package var numbers: Span<Int32> {
        @_lifetime(borrow self) get {
            let numbers = unsafe Span(_unsafeStart: UnsafePointer(start), count: count)
            return unsafe _overrideLifetime(numbers, borrowing: self)
        }
    }
}
