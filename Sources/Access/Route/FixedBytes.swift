/// Bytes in memory of their own, for the life of a configuration: reading them counts no reference.
///
/// Unsafe because an array, read through a pointer to its owner on a request's way, is counted.
@safe
package struct FixedBytes: @unchecked Sendable {
    private let start: UnsafeMutablePointer<UInt8>
    private let count: Int

    package init(_ text: String) { self.init(Array(text.utf8)) }

    package init(_ bytes: [UInt8]) {
        unsafe start = .allocate(capacity: max(1, bytes.count))
        for index in bytes.indices { unsafe (start + index).initialize(to: bytes[index]) }
        count = bytes.count
    }

    /// Good for as long as they are not destroyed.
    package var buffer: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: start, count: count) }

    package var span: Span<UInt8> {
        @_lifetime(borrow self) get {
            let bytes = unsafe Span(_unsafeStart: UnsafePointer(start), count: count)
            return unsafe _overrideLifetime(bytes, borrowing: self)
        }
    }

    /// Frees them; nobody may read them any longer.
    package func destroy() { unsafe start.deallocate() }
}
