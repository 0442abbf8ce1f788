/// Fixed places in memory for values of one kind, handed out and taken back without allocating once warm.
///
/// A place never moves, so that libevent and other places may point at it. Grows by blocks and never shrinks: its
/// bound is the bound on connections.
struct Slab<Element> {
    /// Free places are a chain through themselves: a list beside them would be copied whenever it grows, and what it
    /// leaves behind each time is too small for the next.
    private struct Place {
        /// First, so that its address is the place's own.
        var element: Element
        /// The next free place; a place in use has itself here, which no free one has.
        var next: UnsafeMutablePointer<Place>?
    }

    private var free: UnsafeMutablePointer<Place>?
    private var blocks: [UnsafeMutablePointer<Place>] = []
    private let blockCount = 64
    private let make: () -> Element
    private(set) var inUse = 0

    init(_ make: @escaping () -> Element) { self.make = make }

    /// A place with the value it had when it was given back, or a new one.
    mutating func take() -> UnsafeMutablePointer<Element> {
        if free == nil { grow() }
        let place = free.unsafelyUnwrapped
        free = place.pointee.next
        place.pointee.next = place
        inUse += 1
        return Slab.element(place)
    }

    /// Takes a place back; nothing may point at it any longer.
    ///
    /// Twice would close the chain to a ring: everyone from then on would be given the same place, and with it bytes of
    /// somebody else. Better to end.
    mutating func giveBack(_ element: UnsafeMutablePointer<Element>) {
        let place = UnsafeMutableRawPointer(element).assumingMemoryBound(to: Place.self)
        precondition(place.pointee.next == place, "a place is given back once")
        inUse -= 1
        chain(place)
    }

    /// Every place ever made, free ones included; the caller can tell them apart.
    func forEachPlace(_ body: (UnsafeMutablePointer<Element>) -> Void) {
        for block in blocks { for index in 0..<blockCount { body(Slab.element(block + index)) } }
    }

    private mutating func grow() {
        let block = UnsafeMutablePointer<Place>.allocate(capacity: blockCount)
        for index in 0..<blockCount { (block + index).initialize(to: Place(element: make(), next: nil)) }
        blocks.append(block)
        for index in (0..<blockCount).reversed() { chain(block + index) }
    }

    private mutating func chain(_ place: UnsafeMutablePointer<Place>) {
        place.pointee.next = free
        free = place
    }

    private static func element(_ place: UnsafeMutablePointer<Place>) -> UnsafeMutablePointer<Element> {
        withUnsafeMutablePointer(to: &place.pointee.element) { $0 }
    }

    /// Frees every block; no place may be in use.
    mutating func destroy() {
        for block in blocks {
            block.deinitialize(count: blockCount)
            block.deallocate()
        }
        blocks = []
        free = nil
    }
}
