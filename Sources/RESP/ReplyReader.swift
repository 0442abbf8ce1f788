import Bytes

/// Finds where a server's reply ends, as its bytes arrive: incremental, strict, bounded.
///
/// It is given all bytes from a reply's first on, again and longer each time, and goes on where it stopped. It keeps
/// numbers alone, so a reply costs no allocation; `Reply` reads what it found whole, in place.
///
///     type byte ──▶ + - : ──▶ line ──────────────┐
///               ├─▶ $ ──▶ length ──▶ bytes CRLF ─┤ one element less of the array around it;
///               └─▶ * ──▶ count ──▶ (its elements)┘ the reply is whole when no array is open
///
/// RESP2 only: other types were never asked for, and a push would be taken for an answer (SH-80).
public struct ReplyReader: Sendable {
    private let limits: ReplyLimits
    /// Where the element begins that is not whole yet.
    private var position = 0
    /// Up to here the element's line has no end.
    private var searched = 0
    /// Elements that are missing, of each array that is open.
    private var missing: InlineArray<5, Int> = [0, 0, 0, 0, 0]
    private var depth = 0

    /// A reader at the beginning of a reply.
    public init(limits: ReplyLimits = ReplyLimits()) { self.limits = limits }

    /// How many of `bytes` the reply has that begins with their first; nil when more are needed.
    ///
    /// The next call begins the next reply. After a refusal there is none.
    public mutating func advance(_ bytes: Span<UInt8>) throws(ReplyRefusal) -> Int? {
        while position < bytes.count {
            guard let end = try lineEnd(in: bytes) else { return nil }
            let next = end + 2
            guard next <= limits.bytes else { throw .tooLarge }
            switch bytes[position] {
            case ReplyType.simpleString, ReplyType.error: break
            case ReplyType.integer: _ = try number(in: bytes, to: end)
            case ReplyType.bulkString:
                let length = try number(in: bytes, to: end)
                guard length >= 0 else {
                    if length < -1 { throw .negativeLength }
                    break
                }
                // No sum of what is announced: it may be the largest number there is.
                guard length <= limits.bytes - next - 2 else { throw .tooLarge }
                guard try isWhole(bytes, contentEnd: next + length) else { return nil }
                if let count = finishElement(at: next + length + 2) { return count }
                continue
            case ReplyType.array:
                let count = try number(in: bytes, to: end)
                if count > 0 {
                    try open(count, at: next)
                    continue
                }
                if count < -1 { throw .negativeLength }
            case let byte: throw .unknownType(byte)
            }
            if let count = finishElement(at: next) { return count }
        }
        return nil
    }

    /// The place of the CR that ends the element's first line; nil while it is not there.
    private mutating func lineEnd(in bytes: Span<UInt8>) throws(ReplyRefusal) -> Int? {
        let type = bytes[position]
        guard ReplyType.isKnown(type) else { throw .unknownType(type) }
        let isText = type == ReplyType.simpleString || type == ReplyType.error
        let longest = isText ? limits.line : 1 + ReplyNumber.longest
        var index = max(searched, position + 1)
        let stop = min(bytes.count, position + longest + 1)
        while index < stop, bytes[index] != 0x0D {
            if bytes[index] == 0x0A { throw .brokenLine }
            index += 1
        }
        searched = index
        guard index < bytes.count else { return nil }
        guard index < stop else { throw .lineTooLong }
        guard index + 1 < bytes.count else { return nil }
        guard bytes[index + 1] == 0x0A else { throw .brokenLine }
        return index
    }

    private func number(in bytes: Span<UInt8>, to end: Int) throws(ReplyRefusal) -> Int {
        guard let number = ReplyNumber.read(bytes, from: position + 1, to: end) else { throw .brokenNumber }
        return number
    }

    /// Whether a string and the CR LF behind it are there; what is there of the two must be right.
    private func isWhole(_ bytes: Span<UInt8>, contentEnd end: Int) throws(ReplyRefusal) -> Bool {
        if bytes.count > end, bytes[end] != 0x0D { throw .lengthDisagrees }
        guard bytes.count > end + 1 else { return false }
        if bytes[end + 1] != 0x0A { throw .lengthDisagrees }
        return true
    }

    private mutating func open(_ count: Int, at next: Int) throws(ReplyRefusal) {
        guard count <= limits.elements else { throw .tooManyElements }
        guard depth <= ReplyLimits.nesting else { throw .tooDeep }
        missing[depth] = count
        depth += 1
        position = next
        searched = next
    }

    /// Takes one element off the arrays that it completes; the reply's length when it was the last.
    private mutating func finishElement(at next: Int) -> Int? {
        position = next
        searched = next
        while depth > 0 {
            missing[depth - 1] -= 1
            if missing[depth - 1] > 0 { return nil }
            depth -= 1
        }
        position = 0
        searched = 0
        return next
    }
}

/// The bytes that types of RESP2 begin with.
enum ReplyType {
    static let simpleString = UInt8(ascii: "+")
    static let error = UInt8(ascii: "-")
    static let integer = UInt8(ascii: ":")
    static let bulkString = UInt8(ascii: "$")
    static let array = UInt8(ascii: "*")

    static func isKnown(_ byte: UInt8) -> Bool {
        switch byte {
        case simpleString, error, integer, bulkString, array: true
        default: false
        }
    }
}
