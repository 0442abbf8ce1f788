// SPDX-License-Identifier: Apache-2.0

/// One field line: where it is, where its parts are, and which name it has.
public struct FieldSlot: Sendable {
    /// The whole line with its CR LF, so that a line that is kept can be copied in one piece.
    public var line: ByteRange
    /// The name.
    public var name: ByteRange
    /// The value without the whitespace around it.
    public var value: ByteRange
    /// The name's identifier.
    public var id: FieldID

    /// A slot with all its parts.
    @inlinable @inline(__always)
    public init(line: ByteRange, name: ByteRange, value: ByteRange, id: FieldID) {
        self.line = line
        self.name = name
        self.value = value
        self.id = id
    }
}

/// The field lines of one head, in order, duplicates kept, in place: adding one allocates nothing.
///
/// Not copyable, because a copy would move kilobytes where nobody sees it.
public struct FieldList: ~Copyable, Sendable {
    /// How many lines fit; parsers refuse a head before it is reached.
    public static let capacity = 128

    /// Number of lines.
    public private(set) var count: Int = 0
    private var slots: InlineArray<128, FieldSlot>
    private var firsts: InlineArray<96, UInt8>
    private var counts: InlineArray<96, UInt8>

    /// No lines.
    public init() {
        slots = InlineArray(repeating: FieldSlot(line: .empty, name: .empty, value: .empty, id: .other))
        firsts = InlineArray(repeating: 0)
        counts = InlineArray(repeating: 0)
    }

    /// The line at `index`, which must be smaller than `count`.
    public subscript(_ index: Int) -> FieldSlot {
        @inline(__always)
        get {
            precondition(index < count, "a field is asked for that the head does not have")
            return slots[index]
        }
    }

    /// How many lines have this name.
    @inline(__always)
    public func count(of id: FieldID) -> Int {
        Int(counts[Int(id.rawValue)])
    }

    /// The first line with this name, or -1 when there is none.
    @inline(__always)
    public func firstIndex(of id: FieldID) -> Int {
        let index = Int(id.rawValue)
        return counts[index] == 0 ? -1 : Int(firsts[index])
    }

    /// Adds a line behind the others; does nothing and returns false when the list is full.
    @inline(__always)
    @discardableResult
    public mutating func append(_ slot: FieldSlot) -> Bool {
        guard count < Self.capacity else { return false }
        let id = Int(slot.id.rawValue)
        if counts[id] == 0 { firsts[id] = UInt8(truncatingIfNeeded: count) }
        counts[id] &+= 1
        slots[count] = slot
        count &+= 1
        return true
    }

    /// Forgets all lines.
    public mutating func clear() {
        count = 0
        counts = InlineArray(repeating: 0)
    }
}
