/// Values side by side in memory of their own, which may be such as cannot be copied: read and changed in place.
///
/// A handle: copies of it are the same list, which is there until `destroy`.
@safe
package struct FixedList<Element: ~Copyable>: @unchecked Sendable {
    @usableFromInline let places: UnsafeMutablePointer<Element>
    /// How many there are.
    package let count: Int

    /// So many values, each made for its place.
    package init(count: Int, _ make: (Int) -> Element) {
        self.count = count
        unsafe places = .allocate(capacity: max(1, count))
        for index in 0..<count { unsafe (places + index).initialize(to: make(index)) }
    }

    /// The value at this place.
    @inlinable
    package subscript(_ index: Int) -> Element {
        unsafeAddress {
            precondition(index >= 0 && index < count, "a place is one of the list's")
            return unsafe UnsafePointer(places + index)
        }
        nonmutating unsafeMutableAddress {
            precondition(index >= 0 && index < count, "a place is one of the list's")
            return unsafe places + index
        }
    }

    /// The value at this place, to be read by whoever holds the list.
    @inlinable
    package func value(at index: Int) -> FixedValue<Element> {
        precondition(index >= 0 && index < count, "a place is one of the list's")
        return unsafe FixedValue(at: places + index)
    }

    /// Ends all of them; nobody may read the list any longer.
    package func destroy() {
        unsafe places.deinitialize(count: count)
        unsafe places.deallocate()
    }
}
