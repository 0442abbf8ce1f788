/// Bytes that were made for one token and one rule of the configuration, in one piece of memory: identity fields, an
/// assertion, or a token for an upstream.
///
///     storage │ bytes
///
/// Counted by hand, because an exchange may be about to write a token for an upstream when the record it was kept with
/// is gone. A value of this type is good as long as one use is left; its maker's is the first.
@safe
package struct AttachedBlock: Equatable {
    package struct Storage {
        @usableFromInline let rule: Int
        @usableFromInline let usableUntil: Int64
        @usableFromInline let count: Int32
        @usableFromInline var uses: Int32 = 1
        package var next: AttachedBlock?
    }

    // Read and written by whoever holds a use, on the one thread of their worker: it is there until the last use ends.
    @usableFromInline let storage: UnsafeMutablePointer<Storage>

    /// A copy of the bytes for the rule with this number, with one use.
    ///
    /// - Parameter usableUntil: Unix seconds; from then on others are made.
    package init(rule: Int, _ bytes: [UInt8], usableUntil: Int64 = .max) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Storage>.stride + bytes.count, alignment: MemoryLayout<Storage>.alignment)
        // Both lie in what was allocated: the storage at its beginning, the bytes in the rest.
        unsafe storage = memory.bindMemory(to: Storage.self, capacity: 1)
        unsafe storage.initialize(to: Storage(rule: rule, usableUntil: usableUntil, count: Int32(bytes.count)))
        let rest = unsafe (memory + MemoryLayout<Storage>.stride).bindMemory(to: UInt8.self, capacity: bytes.count)
        unsafe rest.initialize(from: bytes, count: bytes.count)
    }

    /// Which rule, mapping or exchange they were made by.
    @inlinable
    package var rule: Int { unsafe storage.pointee.rule }

    /// Unix seconds: from then on others are made.
    @inlinable
    package var usableUntil: Int64 { unsafe storage.pointee.usableUntil }

    /// The bytes themselves.
    @inlinable
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self) get {
            // The initialiser put so many behind the storage.
            let bytes = unsafe storage.behind(UInt8.self, count: Int(storage.pointee.count)).span
            return unsafe _overrideLifetime(bytes, borrowing: self)
        }
    }

    /// Bytes that the cache counts for it, with what the allocator adds.
    var cost: Int { MemoryLayout<Storage>.stride + bytes.count + 16 }

    /// The block of the next rule; of no meaning but to the list that the block is in.
    @inlinable
    package var next: AttachedBlock? {
        get { unsafe storage.pointee.next }
        nonmutating set { unsafe storage.pointee.next = newValue }
    }

    /// Takes one more use, which ends with `release`.
    package func retain() { unsafe storage.pointee.uses += 1 }

    /// Ends a use, and the block with the last one.
    package func release() {
        unsafe storage.pointee.uses -= 1
        guard unsafe storage.pointee.uses == 0 else { return }
        wipe()
        unsafe storage.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(storage).deallocate()
    }

    /// Somebody's name, or a credential: not left in memory that the next allocation reads.
    func wipe() {
        let start = unsafe UnsafeMutableRawPointer(storage + 1).assumingMemoryBound(to: UInt8.self)
        unsafe start.update(repeating: 0, count: Int(storage.pointee.count))
    }

    /// Whether both are the same block, not only the same bytes.
    @inlinable
    package static func == (one: AttachedBlock, other: AttachedBlock) -> Bool { unsafe one.storage == other.storage }
}
