/// A value in memory of its own, for the life of a configuration: reading it copies nothing and counts no reference.
///
/// Unsafe because a request's stages read routes and policies in place: copied or counted, each look would cost them.
/// Whoever holds one holds the table that it belongs to.
@safe
package struct FixedValue<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let place: UnsafeMutablePointer<Value>

    /// Moves the value there.
    package init(_ value: consuming Value) {
        unsafe place = .allocate(capacity: 1)
        unsafe place.initialize(to: value)
    }

    /// The value at a place of a list.
    @usableFromInline
    init(at place: UnsafeMutablePointer<Value>) { unsafe self.place = place }

    /// The value itself, until it is destroyed.
    @inlinable
    package var pointee: Value {
        unsafeAddress { unsafe UnsafePointer(place) }
    }

    /// Ends it; nobody may read it any longer.
    package func destroy() {
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }
}
