// SPDX-License-Identifier: Apache-2.0

/// Fixed places in memory for values of one kind, handed out and taken back without allocating once warm.
///
/// A place never moves, so that libevent and other places may point at it. Grows by blocks and never shrinks: its
/// bound is the bound on connections.
struct Slab<Element> {
    private var free: [UnsafeMutablePointer<Element>] = []
    private var blocks: [UnsafeMutablePointer<Element>] = []
    private let blockCount = 64
    private let make: () -> Element
    private(set) var inUse = 0

    init(_ make: @escaping () -> Element) { self.make = make }

    /// A place with the value it had when it was given back, or a new one.
    mutating func take() -> UnsafeMutablePointer<Element> {
        if free.isEmpty { grow() }
        inUse += 1
        return free.removeLast()
    }

    /// Takes a place back; nothing may point at it any longer.
    mutating func giveBack(_ place: UnsafeMutablePointer<Element>) {
        inUse -= 1
        free.append(place)
    }

    /// Every place ever made, free ones included; the caller can tell them apart.
    func forEachPlace(_ body: (UnsafeMutablePointer<Element>) -> Void) {
        for block in blocks { for index in 0..<blockCount { body(block + index) } }
    }

    private mutating func grow() {
        let block = UnsafeMutablePointer<Element>.allocate(capacity: blockCount)
        for index in 0..<blockCount { (block + index).initialize(to: make()) }
        blocks.append(block)
        // Enough room for every place at once: giving back never reallocates.
        free.reserveCapacity(blocks.count * blockCount)
        for index in (0..<blockCount).reversed() { free.append(block + index) }
    }

    /// Frees every block; no place may be in use.
    mutating func destroy() {
        for block in blocks {
            block.deinitialize(count: blockCount)
            block.deallocate()
        }
        blocks = []
        free = []
    }
}
