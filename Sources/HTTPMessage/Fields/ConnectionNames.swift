import Bytes

/// The field names that the Connection lines of one head list, other than those that every hop knows (RFC 9110 §7.6.1).
///
/// Every field of the head is looked up here. Kept in order, so that a name costs seven comparisons and not sixty-four: two
/// lines of options and a hundred fields would else cost their product, and one client a worker. The places are taken once,
/// when the set is made, and reused for every head.
public struct ConnectionNames: ~Copyable, Sendable {
    /// How many options the Connection lines of a head may have; parsers refuse a head with more.
    public static var capacity: Int { 64 }

    /// By length, and by their bytes in lower case where they are equally long.
    private var names: [ByteRange]
    /// How many names there are.
    public private(set) var count = 0

    /// No names, and room for as many as a head may have.
    public init() {
        names = [ByteRange](repeating: .empty, count: Self.capacity)
    }

    /// Forgets all names.
    @inline(__always)
    public mutating func clear() { count = 0 }

    /// The name at `index`, which must be smaller than `count`.
    public subscript(_ index: Int) -> ByteRange {
        precondition(index < count, "a name is asked for that Connection does not list")
        return names[index]
    }

    /// Adds the name at a place in the head's bytes, unless it is there, whatever its case; false when there is no room.
    @discardableResult
    public mutating func insert(_ name: ByteRange, of bytes: Span<UInt8>) -> Bool {
        let place = place(of: bytes.extracting(name), in: bytes)
        guard !place.isTaken else { return true }
        guard count < names.count else { return false }
        var index = count
        while index > place.index {
            names[index] = names[index &- 1]
            index &-= 1
        }
        names[place.index] = name
        count &+= 1
        return true
    }

    /// Whether Connection names this field, whatever its case; `bytes` are the head's.
    public func contains(_ name: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        count > 0 && place(of: name, in: bytes).isTaken
    }

    /// Where the name is, or belongs.
    private func place(of name: Span<UInt8>, in bytes: Span<UInt8>) -> (index: Int, isTaken: Bool) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) / 2
            let order = Self.order(name, bytes.extracting(names[middle]))
            if order == 0 { return (middle, true) }
            if order < 0 { high = middle } else { low = middle &+ 1 }
        }
        return (low, false)
    }

    /// Below zero when `one` stands before `other`, zero when they are one name.
    private static func order(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Int {
        guard one.count == other.count else { return one.count &- other.count }
        var index = 0
        while index &+ 8 <= one.count, one.word(at: index) == other.word(at: index) { index &+= 8 }
        while index < one.count {
            let difference = Int(ASCII.lowercase(one[index])) &- Int(ASCII.lowercase(other[index]))
            if difference != 0 { return difference }
            index &+= 1
        }
        return 0
    }
}
