/// Fixed places in memory for values of one kind, handed out and taken back without allocating once warm.
///
/// A place never moves, so that libevent and other places may point at it. Whoever takes one puts a value in, which ends
/// when the place is given back: a free place holds none, so that nothing of one connection is left for the next. Grows by
/// blocks and never shrinks: its bound is the bound on connections.
struct Slab<Element> {
    /// Room for a value, and behind it the link of the chain that the place is part of; a place in use has itself there.
    ///
    /// The chains go through the places: a list beside them would be copied whenever it grows, and what it leaves behind
    /// each time is too small for the next.
    private typealias Place = UnsafeMutableRawPointer

    private static var blockCount: Int { 64 }

    private var free: Place?
    /// Places that were retired, with their values.
    private var retired: Place?
    private var blocks: [Place] = []
    private(set) var inUse = 0

    /// Puts a value in a place, which is the caller's until it gives it back.
    mutating func take(_ value: consuming Element) -> UnsafeMutablePointer<Element> {
        let place = free ?? grow()
        free = Slab.link(of: place).pointee
        Slab.link(of: place).pointee = place
        inUse += 1
        return place.initializeMemory(as: Element.self, to: value)
    }

    /// Takes a place back and ends its value; nothing may point at it any longer.
    mutating func giveBack(_ element: UnsafeMutablePointer<Element>) {
        let place = leaveUse(element)
        end(place)
    }

    /// Takes a place back whose value functions further up the stack may look at until they return.
    ///
    /// It has to say by itself that it is over. `endRetired` ends it.
    mutating func retire(_ element: UnsafeMutablePointer<Element>) {
        let place = leaveUse(element)
        Slab.link(of: place).pointee = retired
        retired = place
    }

    /// Ends the values of retired places: where nothing is on the stack that could look at one.
    mutating func endRetired() {
        while let place = retired {
            retired = Slab.link(of: place).pointee
            end(place)
        }
    }

    /// Whether the place has been taken, and has not come back since.
    func isInUse(_ element: UnsafeMutablePointer<Element>) -> Bool {
        let place = Place(element)
        return Slab.link(of: place).pointee == place
    }

    /// Calls `body` with each place that is in use, which it may give back.
    func forEachInUse(_ body: (UnsafeMutablePointer<Element>) -> Void) {
        for block in blocks {
            for index in 0..<Slab.blockCount {
                let element = Slab.element(of: block + index * Slab.stride)
                if isInUse(element) { body(element) }
            }
        }
    }

    /// Ends the process where a place comes back twice.
    ///
    /// That would close a chain to a ring: everyone from then on would be given the same place, and with it bytes of
    /// somebody else.
    private mutating func leaveUse(_ element: UnsafeMutablePointer<Element>) -> Place {
        precondition(isInUse(element), "a place is given back once")
        inUse -= 1
        return Place(element)
    }

    private mutating func end(_ place: Place) {
        Slab.element(of: place).deinitialize(count: 1)
        #if DEBUG
            // Whoever looks at a value that is over gets nothing that makes sense, and a test shows it.
            place.initializeMemory(as: UInt8.self, repeating: 0xDD, count: MemoryLayout<Element>.size)
        #endif
        Slab.link(of: place).pointee = free
        free = place
    }

    /// A chain of free places, which begins with the one that is returned.
    private mutating func grow() -> Place {
        let block = Place.allocate(
            byteCount: Slab.stride * Slab.blockCount, alignment: MemoryLayout<(Element, Place?)>.alignment)
        for index in 0..<Slab.blockCount {
            let next = index + 1 < Slab.blockCount ? block + (index + 1) * Slab.stride : nil
            Slab.link(of: block + index * Slab.stride).initialize(to: next)
        }
        blocks.append(block)
        return block
    }

    /// From one place to the next: as if it were a structure of both.
    private static var stride: Int { MemoryLayout<(Element, Place?)>.stride }

    private static func link(of place: Place) -> UnsafeMutablePointer<Place?> {
        let alignment = MemoryLayout<Place?>.alignment
        let offset = (MemoryLayout<Element>.size + alignment - 1) / alignment * alignment
        return (place + offset).assumingMemoryBound(to: Place?.self)
    }

    private static func element(of place: Place) -> UnsafeMutablePointer<Element> {
        place.assumingMemoryBound(to: Element.self)
    }
}
