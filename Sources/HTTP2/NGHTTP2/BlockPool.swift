import CNGHTTP2

/// Blocks of memory that are kept for the next who wants one of their size: what the library allocates for each request
/// comes from here, and costs no call of the system's allocator.
///
/// Sizes are two a doubling. Blocks over 12 KiB come from the system and go back to it; of the others at most `bound`
/// bytes are kept. One worker's own: there is no lock.
@safe
struct BlockPool {
    /// Bytes that are kept for later, at most.
    static let bound = 8 << 20
    /// Before each block, how large it is, and its class; as long as what the strictest alignment needs.
    private static let headerSize = 16
    private static let classPlace = 8
    private static let classCount = 18
    private static let smallest = 32

    @safe
    private struct State {
        var kept = 0
        var used = 0
        var taken = 0
        /// The first block of each class, each of which begins with the next one's address.
        var first: InlineArray<18, UnsafeMutableRawPointer?> = unsafe InlineArray(repeating: nil)
    }

    // Its owner's alone, until `destroy`.
    private let state: UnsafeMutablePointer<State>

    /// An empty pool.
    init() {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State())
    }

    /// The pool that `opaque` says.
    init(opaque: UnsafeMutableRawPointer) { unsafe state = opaque.assumingMemoryBound(to: State.self) }

    /// The pool as C code carries it about.
    var opaque: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(state) }

    /// Frees what is kept; every block must have been given back.
    func destroy() {
        for number in 0..<Self.classCount {
            while let block = unsafe state.pointee.first[number] {
                unsafe state.pointee.first[number] = block.load(as: UnsafeMutableRawPointer?.self)
                unsafe (block - Self.headerSize).deallocate()
            }
        }
        unsafe state.deallocate()
    }

    /// Bytes of the blocks that are in use.
    var used: Int { unsafe state.pointee.used }
    /// Blocks that the system was asked for since the pool was made.
    var takenFromSystem: Int { unsafe state.pointee.taken }

    /// A block of at least so many bytes.
    func take(_ size: Int) -> UnsafeMutableRawPointer {
        let number = Self.number(of: size)
        guard number < Self.classCount else { return unsafe allocate(size, number) }
        let size = Self.size(number)
        guard let block = unsafe state.pointee.first[number] else { return unsafe allocate(size, number) }
        unsafe state.pointee.used &+= size
        unsafe state.pointee.first[number] = block.load(as: UnsafeMutableRawPointer?.self)
        unsafe state.pointee.kept &-= size
        return unsafe block
    }

    /// A block of the system's.
    @inline(never)
    private func allocate(_ size: Int, _ number: Int) -> UnsafeMutableRawPointer {
        unsafe state.pointee.used += size
        unsafe state.pointee.taken += 1
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: size + Self.headerSize, alignment: Self.headerSize)
        unsafe block.storeBytes(of: size, as: Int.self)
        unsafe block.storeBytes(of: number, toByteOffset: Self.classPlace, as: Int.self)
        return unsafe block + Self.headerSize
    }

    /// Gives a block back that `take` has given.
    func give(_ block: UnsafeMutableRawPointer) {
        let size = unsafe self.size(of: block)
        let number = unsafe (block - Self.classPlace).load(as: Int.self)
        unsafe state.pointee.used &-= size
        guard number < Self.classCount, unsafe state.pointee.kept &+ size <= Self.bound else {
            return unsafe (block - Self.headerSize).deallocate()
        }
        unsafe state.pointee.kept &+= size
        unsafe block.storeBytes(of: state.pointee.first[number], as: UnsafeMutableRawPointer?.self)
        unsafe state.pointee.first[number] = block
    }

    /// How many bytes a block has.
    func size(of block: UnsafeMutableRawPointer) -> Int {
        unsafe (block - Self.headerSize).load(as: Int.self)
    }

    /// The class of blocks of this size; `classCount` when it is none's.
    private static func number(of size: Int) -> Int {
        guard size > smallest else { return 0 }
        // 32, 48, 64, 96, 128, …: the leading bit says the doubling, and the bit behind it the half.
        let top = Int.bitWidth &- 1 &- (size &- 1).leadingZeroBitCount
        let half = ((size &- 1) &>> (top &- 1)) & 1
        return min((top &- 5) &* 2 &+ half &+ 1, classCount)
    }

    private static func size(_ number: Int) -> Int {
        (number & 1 == 0 ? 32 : 48) &<< (number &>> 1)
    }
}

extension BlockPool {
    /// The functions that the library allocates with.
    ///
    /// Pointers are the pool's own, and the library is one thread's: `nghttp2_mem`.
    var functions: nghttp2_mem {
        unsafe nghttp2_mem(
            mem_user_data: opaque,
            malloc: { size, pool in
                guard let pool = unsafe pool else { return nil }
                return unsafe BlockPool(opaque: pool).take(size)
            },
            free: { block, pool in
                guard let block = unsafe block, let pool = unsafe pool else { return }
                unsafe BlockPool(opaque: pool).give(block)
            },
            calloc: { count, size, pool in
                let (bytes, overflows) = count.multipliedReportingOverflow(by: size)
                guard !overflows, let pool = unsafe pool else { return nil }
                let block = unsafe BlockPool(opaque: pool).take(bytes)
                unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
                return unsafe block
            },
            realloc: { block, size, pool in
                guard let pool = unsafe pool else { return nil }
                let blocks = unsafe BlockPool(opaque: pool)
                guard let block = unsafe block else { return unsafe blocks.take(size) }
                let old = unsafe blocks.size(of: block)
                guard old < size else { return unsafe block }
                let larger = unsafe blocks.take(size)
                unsafe larger.copyMemory(from: block, byteCount: old)
                unsafe blocks.give(block)
                return unsafe larger
            })
    }
}
