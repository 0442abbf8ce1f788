import Bytes

/// The members of a `tracestate` field, each of what one system on the way wrote (W3C Trace Context §3.3).
///
/// The field may stand in several lines, which are read one after the other. What is not of the grammar is dropped whole,
/// as §3.3 has it: half of a list would be a list that nobody wrote. Nothing is allocated, and nothing is decoded: members
/// are where they stand in the head.
public struct TraceState: Sendable {
    /// The most members that a list has (§3.3.1.1).
    private static var maximumMembers: Int { 32 }
    /// What is passed on of a list, in bytes; §3.3.1.5 asks for no more.
    private static var maximumBytes: Int { 512 }
    /// A member that is longer is the first to be left out where there is too much (§3.3.1.5).
    private static var longMember: Int { 128 }

    private var members = InlineArray<32, ByteRange>(repeating: .empty)
    private var keys = InlineArray<32, ByteRange>(repeating: .empty)
    /// How many members there are.
    public private(set) var count = 0

    /// No members.
    public init() {}

    /// The member at `index`, which must be smaller than `count`: where it is, without whitespace around it.
    public subscript(_ index: Int) -> ByteRange {
        precondition(index < count, "a member is asked for that the list does not have")
        return members[index]
    }

    /// Reads the members of one line, which are behind those that were read before.
    ///
    /// False where the field is none: the same key twice, more members than there may be, or a byte that has no place there.
    /// What was read is to be dropped then.
    public mutating func read(_ line: ByteRange, of head: Span<UInt8>) -> Bool {
        var position = Int(line.start)
        while true {
            while position < line.end, Self.isSpace(head[position]) { position &+= 1 }
            var end = position
            while end < line.end, head[end] != UInt8(ascii: ",") { end &+= 1 }
            // An empty member says nothing (§3.3.1.1).
            if end > position, !add(from: position, to: end, of: head) { return false }
            guard end < line.end else { return true }
            position = end &+ 1
        }
    }

    /// Leaves out the member with our key, and what does not fit behind our own new one, which has so many bytes.
    ///
    /// Of too long a list long members go first, then those at its end.
    public mutating func fit(behind ours: Int, ofKey key: Span<UInt8>, in head: Span<UInt8>) {
        keep { _, other in !Self.isEqual(head.extracting(other), key) }
        if ours + bytes > Self.maximumBytes { keep { member, _ in Int(member.count) <= Self.longMember } }
        while count > 0, ours + bytes > Self.maximumBytes || count >= Self.maximumMembers { count &-= 1 }
    }

    /// What the members take, each with a comma before it.
    private var bytes: Int {
        var bytes = 0
        for index in 0..<count { bytes &+= Int(members[index].count) &+ 1 }
        return bytes
    }

    private mutating func keep(where isKept: (_ member: ByteRange, _ key: ByteRange) -> Bool) {
        var kept = 0
        for index in 0..<count where isKept(members[index], keys[index]) {
            members[kept] = members[index]
            keys[kept] = keys[index]
            kept &+= 1
        }
        count = kept
    }

    private mutating func add(from start: Int, to end: Int, of head: Span<UInt8>) -> Bool {
        var end = end
        while Self.isSpace(head[end &- 1]) { end &-= 1 }
        var equals = start
        while equals < end, head[equals] != UInt8(ascii: "=") { equals &+= 1 }
        let key = ByteRange(from: start, to: equals)
        guard count < Self.maximumMembers, equals < end, Self.isKey(head.extracting(key)),
            Self.isValue(head.extracting((equals &+ 1)..<end))
        else { return false }
        for index in 0..<count where Self.isEqual(head.extracting(keys[index]), head.extracting(key)) { return false }
        keys[count] = key
        members[count] = ByteRange(from: start, to: end)
        count &+= 1
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// simple-key or multi-tenant-key (§3.3.1.3.1).
    private static func isKey(_ key: Span<UInt8>) -> Bool {
        var at = 0
        while at < key.count, key[at] != UInt8(ascii: "@") { at &+= 1 }
        guard at < key.count else { return isName(key, most: 256, mayBeginWithDigit: false) }
        return isName(key.extracting(0..<at), most: 241, mayBeginWithDigit: true)
            && isName(key.extracting((at &+ 1)...), most: 14, mayBeginWithDigit: false)
    }

    private static func isName(_ name: Span<UInt8>, most: Int, mayBeginWithDigit: Bool) -> Bool {
        guard name.count > 0, name.count <= most else { return false }
        guard isLowercase(name[0]) || mayBeginWithDigit && ASCII.isDigit(name[0]) else { return false }
        for index in name.indices {
            switch name[index] {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"): continue
            case let byte: guard isLowercase(byte) || ASCII.isDigit(byte) else { return false }
            }
        }
        return true
    }

    private static func isLowercase(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }

    /// One to 256 printing characters, spaces within them included, without comma and equals sign (§3.3.1.3.2).
    private static func isValue(_ value: Span<UInt8>) -> Bool {
        guard value.count > 0, value.count <= 256 else { return false }
        for index in value.indices {
            let byte = value[index]
            guard byte >= 0x20, byte <= 0x7E, byte != UInt8(ascii: "="), byte != UInt8(ascii: ",") else { return false }
        }
        return true
    }

    private static func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
