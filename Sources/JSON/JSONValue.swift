import Bytes

/// A value of a strictly parsed JSON text; a small view that keeps its text alive.
public struct JSONValue: Sendable {
    /// The kinds of value of RFC 8259 §3.
    public enum Kind: UInt8, Sendable {
        case object, array, string, number, bool, null
    }

    let tape: JSONTape
    let index: Int

    init(tape: JSONTape, index: Int) {
        self.tape = tape
        self.index = index
    }

    /// The value that `bytes` spell, all of them.
    public static func parse(
        _ bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()
    ) throws(JSONRefusal) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw .tooLong }
        return try parse(owned: [UInt8](copying: bytes), limits: limits)
    }

    /// The value that `bytes` spell, all of them; the array is kept, not copied.
    public static func parse(
        owned bytes: consuming [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONRefusal) -> JSONValue {
        guard bytes.count <= limits.bytes else { throw .tooLong }
        var parser = JSONParser(bytes, limits: limits)
        return JSONValue(tape: try parser.parse(), index: 0)
    }

    private var node: JSONNode { tape.nodes[index] }

    /// What this value is.
    public var kind: Kind { node.kind }

    /// Members of an object or elements of an array; 0 for anything else.
    public var count: Int {
        switch node.kind {
        case .object, .array: Int(node.count)
        case .string, .number, .bool, .null: 0
        }
    }

    /// The value of an object's member; nil when there is none or this is no object.
    ///
    /// Names are compared byte by byte after unescaping, never by Unicode equivalence.
    public subscript(_ member: String) -> JSONValue? {
        guard node.kind == .object else { return nil }
        let name = member.utf8Span
        let hash = JSONParser.hash(name.span)
        let bytes = tape.bytes
        var position = index + 1
        for _ in 0..<node.count {
            let candidate = tape.nodes[position]
            if candidate.hash == hash, Int(candidate.count) == name.span.count,
                Self.equal(bytes.span, from: Int(candidate.start), name.span)
            {
                return JSONValue(tape: tape, index: position + 1)
            }
            position = Int(tape.nodes[position + 1].end)
        }
        return nil
    }

    /// An object's members in the order of the text; empty for anything else.
    public var members: [(name: String, value: JSONValue)] {
        guard node.kind == .object else { return [] }
        var members: [(name: String, value: JSONValue)] = []
        members.reserveCapacity(Int(node.count))
        var position = index + 1
        for _ in 0..<node.count {
            let name = JSONValue(tape: tape, index: position)
            members.append((name: name.string ?? "", value: JSONValue(tape: tape, index: position + 1)))
            position = Int(tape.nodes[position + 1].end)
        }
        return members
    }

    /// An array's elements in order; empty for anything else.
    public var elements: [JSONValue] { elements(upTo: .max) }

    /// The first of an array's elements, so many of them at most; empty for anything else.
    public func elements(upTo limit: Int) -> [JSONValue] {
        guard node.kind == .array else { return [] }
        let count = max(0, min(Int(node.count), limit))
        var elements: [JSONValue] = []
        elements.reserveCapacity(count)
        var position = index + 1
        for _ in 0..<count {
            elements.append(JSONValue(tape: tape, index: position))
            position = Int(tape.nodes[position].end)
        }
        return elements
    }

    /// Whether this is a string of exactly these bytes.
    ///
    /// `String`'s own `==` would take canonically equivalent spellings for equal.
    public func equals(_ text: String) -> Bool {
        guard node.kind == .string, Int(node.count) == text.utf8.count else { return false }
        let bytes = tape.bytes
        let other = text.utf8Span
        return Self.equal(bytes.span, from: Int(node.start), other.span)
    }

    private static func equal(_ bytes: Span<UInt8>, from start: Int, _ other: Span<UInt8>) -> Bool {
        for offset in other.indices where bytes[start + offset] != other[offset] { return false }
        return true
    }
}
