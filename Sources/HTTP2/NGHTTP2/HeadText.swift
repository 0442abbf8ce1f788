/// The bytes of a head that is being rebuilt.
///
/// They begin in the worker's own room, which is as large as a head may be: most heads come whole, and are copied from there.
/// A head whose end has not come yet moves to a block of its own (`detach`), since the room is the next head's.
@safe
struct HeadText {
    // The worker's room or a block of the pool, as `isOwn` says; valid from `begin` to `release`.
    private var base: UnsafeMutablePointer<UInt8>?
    private(set) var count = 0
    private var capacity = 0
    private var isOwn = false

    init() { unsafe base = nil }

    /// Begins a text in the room.
    mutating func begin(in room: UnsafeMutableBufferPointer<UInt8>) {
        unsafe base = room.baseAddress
        (count, capacity, isOwn) = (0, room.count, false)
    }

    /// Moves the bytes to a block of the pool's, unless they are in one.
    mutating func detach(_ pool: BlockPool) {
        guard !isOwn, unsafe base != nil else { return }
        move(to: max(count, 512), pool)
    }

    /// Gives the block back, if there is one.
    mutating func release(_ pool: BlockPool) {
        if isOwn, let base = unsafe base { unsafe pool.give(UnsafeMutableRawPointer(base)) }
        self = HeadText()
    }

    /// The bytes, until something is added.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            // Initialised up to `count` by `append`.
            let span = unsafe Span(_unsafeElements: UnsafeBufferPointer(start: base, count: count))
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The bytes, until the text is released or the room used again.
    var buffer: UnsafeMutableBufferPointer<UInt8> { unsafe UnsafeMutableBufferPointer(start: base, count: count) }

    /// Adds bytes.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>, _ pool: BlockPool) {
        guard bytes.count > 0 else { return }
        if capacity &- count < bytes.count { move(to: max(capacity &* 2, count &+ bytes.count), pool) }
        guard let base = unsafe base else { return }
        // There is room for them since two lines above, and there are some.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            unsafe (base + count).update(from: first, count: bytes.count)
        }
        count &+= bytes.count
    }

    /// Adds the line of a field.
    @inline(__always)
    mutating func appendLine(_ name: Span<UInt8>, _ value: Span<UInt8>, _ pool: BlockPool) {
        let size = name.count &+ value.count &+ 4
        if capacity &- count < size { move(to: max(capacity &* 2, count &+ size), pool) }
        guard var end = unsafe base else { return }
        // There is room for all of it since two lines above.
        unsafe end += count
        unsafe name.withUnsafeBufferPointer {
            if let first = $0.baseAddress { unsafe end.update(from: first, count: $0.count) }
        }
        unsafe end += name.count
        unsafe (end[0], end[1]) = (0x3a, 0x20)
        unsafe value.withUnsafeBufferPointer {
            if let first = $0.baseAddress { unsafe (end + 2).update(from: first, count: $0.count) }
        }
        unsafe end += value.count &+ 2
        unsafe (end[0], end[1]) = (0x0d, 0x0a)
        count &+= size
    }

    /// Adds a text of ours.
    @inline(__always)
    mutating func append(_ text: StaticString, _ pool: BlockPool) {
        unsafe append(Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount), pool)
    }

    /// Makes room for so many bytes in a block of the pool's.
    private mutating func move(to size: Int, _ pool: BlockPool) {
        let block = unsafe pool.take(size)
        if let base = unsafe base {
            unsafe block.copyMemory(from: base, byteCount: count)
            if isOwn { unsafe pool.give(UnsafeMutableRawPointer(base)) }
        }
        unsafe base = block.assumingMemoryBound(to: UInt8.self)
        capacity = unsafe pool.size(of: block)
        isOwn = true
    }
}
