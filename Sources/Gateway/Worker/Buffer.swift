import Glibc

/// Bytes on their way, in memory borrowed from a `BufferPool`; empty ones own nothing.
///
///     base ─┬─ taken already ─┬─ start … bytes … end ─┬─ room ─┐ capacity
struct Buffer {
    private(set) var base: UnsafeMutablePointer<UInt8>?
    // Thousands of idle connections have two of these each, and none is longer than `BufferPool.largest`.
    private var heldCapacity: UInt32 = 0
    private var heldStart: UInt32 = 0
    private var heldEnd: UInt32 = 0

    private(set) var capacity: Int {
        get { Int(heldCapacity) }
        set { heldCapacity = UInt32(newValue) }
    }
    var start: Int {
        get { Int(heldStart) }
        set { heldStart = UInt32(newValue) }
    }
    var end: Int {
        get { Int(heldEnd) }
        set { heldEnd = UInt32(newValue) }
    }

    var count: Int { end - start }
    var isEmpty: Bool { heldEnd == heldStart }
    var room: Int { capacity - end }

    /// The first byte; only with `count > 0`.
    var bytes: UnsafeMutablePointer<UInt8> { memory + start }

    /// Where the next bytes go; only with `room > 0`.
    var space: UnsafeMutablePointer<UInt8> { memory + end }

    private var memory: UnsafeMutablePointer<UInt8> {
        guard let base else { preconditionFailure("an empty buffer has no bytes and no room") }
        return base
    }

    /// Copies bytes behind those held, with more memory when needed; false when that would pass the largest size.
    mutating func append(_ source: UnsafePointer<UInt8>, _ count: Int, from pool: inout BufferPool) -> Bool {
        guard count > 0 else { return true }
        guard reserve(count, from: &pool) else { return false }
        memcpy(space, source, count)
        end += count
        return true
    }

    /// Makes room for `count` more bytes; false when that would pass the largest size.
    mutating func reserve(_ count: Int, from pool: inout BufferPool) -> Bool {
        if room >= count { return true }
        let held = self.count
        guard held + count <= BufferPool.largest else { return false }
        if let base, capacity - held >= count {
            memmove(base, base + start, held)
        } else {
            let (larger, size) = pool.take(atLeast: held + count)
            if let base {
                memcpy(larger, base + start, held)
                pool.giveBack(base, capacity)
            }
            base = larger
            capacity = size
        }
        start = 0
        end = held
        return true
    }

    /// Drops the first `count` bytes, and the memory with the last of them.
    mutating func consume(_ count: Int, to pool: inout BufferPool) {
        start += count
        if start >= end { release(to: &pool) }
    }

    /// Drops everything.
    mutating func release(to pool: inout BufferPool) {
        if let base { pool.giveBack(base, capacity) }
        base = nil
        capacity = 0
        start = 0
        end = 0
    }
}

/// Memory for buffers in four sizes, last in first out, so that a busy worker touches few pages.
struct BufferPool {
    static let sizes = (small: 4 << 10, medium: 16 << 10, large: 64 << 10)
    static let largest = 256 << 10

    private var small: [UnsafeMutablePointer<UInt8>] = []
    private var medium: [UnsafeMutablePointer<UInt8>] = []
    private var large: [UnsafeMutablePointer<UInt8>] = []
    private var largest: [UnsafeMutablePointer<UInt8>] = []
    /// Bytes lent out at the moment.
    private(set) var lent = 0

    init() {
        small.reserveCapacity(1024)
        medium.reserveCapacity(512)
        large.reserveCapacity(64)
        largest.reserveCapacity(16)
    }

    /// How much memory is lent to whoever asks for so many bytes.
    static func size(atLeast count: Int) -> Int {
        if count <= sizes.small { return sizes.small }
        if count <= sizes.medium { return sizes.medium }
        return count <= sizes.large ? sizes.large : largest
    }

    mutating func take(atLeast count: Int) -> (UnsafeMutablePointer<UInt8>, Int) {
        let size: Int
        let kept: UnsafeMutablePointer<UInt8>?
        if count <= BufferPool.sizes.small {
            (size, kept) = (BufferPool.sizes.small, small.popLast())
        } else if count <= BufferPool.sizes.medium {
            (size, kept) = (BufferPool.sizes.medium, medium.popLast())
        } else if count <= BufferPool.sizes.large {
            (size, kept) = (BufferPool.sizes.large, large.popLast())
        } else {
            (size, kept) = (BufferPool.largest, largest.popLast())
        }
        lent += size
        return (kept ?? .allocate(capacity: size), size)
    }

    mutating func giveBack(_ base: UnsafeMutablePointer<UInt8>, _ size: Int) {
        lent -= size
        // A bounded number is kept for the next message; a burst's memory goes back to the system.
        if size == BufferPool.sizes.small, small.count < 1024 {
            small.append(base)
        } else if size == BufferPool.sizes.medium, medium.count < 512 {
            medium.append(base)
        } else if size == BufferPool.sizes.large, large.count < 64 {
            large.append(base)
        } else if size == BufferPool.largest, largest.count < 16 {
            largest.append(base)
        } else {
            base.deallocate()
        }
    }
}
