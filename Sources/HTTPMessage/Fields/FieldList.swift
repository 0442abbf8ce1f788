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

/// How many lines have a name, and which is the first.
@usableFromInline
struct Occurrence: Sendable {
    @usableFromInline var count: UInt8 = 0
    @usableFromInline var first: UInt8 = 0

    @inlinable
    init() {}
}

/// The field lines of one head, in order, duplicates kept: adding one allocates nothing.
///
/// The room for all lines is taken once, when the list is made, and reused for every head. It is not inside the value
/// (`InlineArray`), because the compiler moves a value of kilobytes whenever a part of it is looked at.
public struct FieldList: ~Copyable, Sendable {
    /// How many lines fit; parsers refuse a head before it is reached.
    public static var capacity: Int { 128 }

    @usableFromInline var lines = 0
    @usableFromInline var slots: [FieldSlot]
    /// By identifier.
    @usableFromInline var occurrences: [Occurrence]

    /// Number of lines.
    @inlinable
    public var count: Int { lines }

    /// No lines, and room for as many as fit.
    public init() {
        let nothing = FieldSlot(line: .empty, name: .empty, value: .empty, id: .other)
        slots = [FieldSlot](repeating: nothing, count: Self.capacity)
        occurrences = [Occurrence](repeating: Occurrence(), count: FieldID.count)
    }

    /// The line at `index`, which must be smaller than `count`.
    @inlinable
    public subscript(_ index: Int) -> FieldSlot {
        @inline(__always)
        get {
            precondition(index < count, "a field is asked for that the head does not have")
            return slots[index]
        }
    }

    /// How many lines have this name.
    @inlinable @inline(__always)
    public func count(of id: FieldID) -> Int {
        Int(occurrences[Int(id.rawValue)].count)
    }

    /// The first line with this name, or -1 when there is none.
    @inlinable @inline(__always)
    public func firstIndex(of id: FieldID) -> Int {
        let occurrence = occurrences[Int(id.rawValue)]
        return occurrence.count == 0 ? -1 : Int(occurrence.first)
    }

    /// Adds a line behind the others; does nothing and returns false when the list is full.
    @inlinable @inline(__always)
    @discardableResult
    public mutating func append(_ slot: FieldSlot) -> Bool {
        guard count < slots.count else { return false }
        let id = Int(slot.id.rawValue)
        var occurrence = occurrences[id]
        if occurrence.count == 0 { occurrence.first = UInt8(truncatingIfNeeded: count) }
        occurrence.count &+= 1
        occurrences[id] = occurrence
        slots[count] = slot
        lines &+= 1
        return true
    }

    /// Forgets all lines.
    @inlinable
    public mutating func clear() {
        for index in 0..<count { occurrences[Int(slots[index].id.rawValue)] = Occurrence() }
        lines = 0
    }
}
