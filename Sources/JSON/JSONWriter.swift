import Bytes

/// Writes JSON without whitespace, members in the order they come.
///
/// Output is ASCII-safe against log splitting: control characters, DEL included, are always escaped.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// A writer that appends to `bytes`.
    public init(appendingTo bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

    /// Gives the bytes back without a copy, for a buffer that is used again.
    public consuming func finish() -> [UInt8] { bytes }

    /// The text written, for keys and cold answers.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Starts an object.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Ends the object begun last.
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Starts an array.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Ends the array begun last.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Starts a member; its value is written next.
    public mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        let utf8 = text.utf8Span
        string(utf8: utf8.span)
    }

    /// Writes a string of bytes that may be hostile: what is not UTF-8 becomes U+FFFD.
    public mutating func string(utf8: Span<UInt8>) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        var position = 0
        while position < utf8.count {
            let run = Self.plainRun(in: utf8, from: position)
            if run > position {
                bytes.append(copying: utf8.extracting(position..<run))
                position = run
                continue
            }
            let length = UTF8Sequence.length(at: position, before: utf8.count, in: utf8)
            if length == 1 {
                appendEscaped(utf8[position])
            } else if length == 0 {
                bytes.append(contentsOf: [0xEF, 0xBF, 0xBD])
            } else {
                for offset in 0..<length { bytes.append(utf8[position + offset]) }
            }
            position += max(length, 1)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) { word(String(value)) }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes `null`.
    public mutating func null() { word("null") }

    /// Writes a parsed value again, numbers as they were spelt.
    public mutating func value(_ value: JSONValue) {
        _ = write(value.tape, value.index)
    }

    /// Writes the value of a node and answers where the next one is.
    ///
    /// From the tape, without a text or a list of its own for each value: a stranger's token may have thousands.
    private mutating func write(_ tape: JSONTape, _ index: Int) -> Int {
        let node = tape.nodes[index]
        let text = tape.bytes
        var next = index + 1
        switch node.kind {
        case .object:
            beginObject()
            for _ in 0..<node.count {
                string(utf8: Self.text(of: tape.nodes[next], text.span))
                bytes.append(UInt8(ascii: ":"))
                needsComma = false
                next = write(tape, next + 1)
            }
            endObject()
        case .array:
            beginArray()
            for _ in 0..<node.count { next = write(tape, next) }
            endArray()
        case .string: string(utf8: Self.text(of: node, text.span))
        case .number:
            beginValue()
            bytes.append(copying: Self.text(of: node, text.span))
        case .bool: bool(node.count == 1)
        case .null: null()
        }
        return next
    }

    @_lifetime(copy bytes)
    private static func text(of node: JSONNode, _ bytes: Span<UInt8>) -> Span<UInt8> {
        bytes.extracting(Int(node.start)..<Int(node.start + node.count))
    }

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        beginValue()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func word(_ word: String) {
        beginValue()
        bytes.append(contentsOf: word.utf8)
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): bytes.append(contentsOf: [0x5C, 0x22])
        case UInt8(ascii: "\\"): bytes.append(contentsOf: [0x5C, 0x5C])
        case 0x08: bytes.append(contentsOf: [0x5C, UInt8(ascii: "b")])
        case 0x0C: bytes.append(contentsOf: [0x5C, UInt8(ascii: "f")])
        case 0x0A: bytes.append(contentsOf: [0x5C, UInt8(ascii: "n")])
        case 0x0D: bytes.append(contentsOf: [0x5C, UInt8(ascii: "r")])
        case 0x09: bytes.append(contentsOf: [0x5C, UInt8(ascii: "t")])
        case 0x00..<0x20, 0x7F:
            bytes.append(contentsOf: [0x5C, UInt8(ascii: "u"), 0x30, 0x30])
            bytes.append(Self.digit(byte >> 4))
            bytes.append(Self.digit(byte & 15))
        default: bytes.append(byte)
        }
    }

    /// The end of the bytes from there on that are written as they are.
    private static func plainRun(in utf8: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < utf8.count, utf8[end] >= 0x20, utf8[end] < 0x7f, utf8[end] != 0x22, utf8[end] != 0x5c { end += 1 }
        return end
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + 0x30 : value + 0x57
    }
}
