/// A whole reply, read in place: lent for as long as the bytes are that it stands in.
public struct Reply: ~Escapable {
    /// What a reply is.
    public enum Kind: Sendable, Equatable {
        /// A status such as `OK`.
        case simpleString
        /// An error; `ServerRefusal` says which.
        case error
        /// A number, in `integer`.
        case integer
        /// Bytes of any kind, in `bytes`.
        case bulkString
        /// Nothing: no such key, or a condition that did not hold.
        case null
        /// Other replies, in `elements`; `integer` says how many.
        case array
    }

    /// What it is.
    public let kind: Kind
    /// The number, or how many elements the array has; 0 of everything else.
    public let integer: Int
    /// The content of a status, an error or a string; of an array its elements as they were sent.
    public let bytes: Span<UInt8>

    /// Reads a reply that `ReplyReader` has found whole; nil when these bytes are anything else than one reply.
    @_lifetime(copy bytes)
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 3 else { return nil }
        var end = 1
        while end < bytes.count, bytes[end] != 0x0D { end += 1 }
        guard end + 2 <= bytes.count else { return nil }
        let line = bytes.extracting(1..<end)
        let rest = bytes.extracting((end + 2)...)
        switch bytes[0] {
        case ReplyType.simpleString: self.init(.simpleString, 0, line)
        case ReplyType.error: self.init(.error, 0, line)
        case ReplyType.integer:
            guard let number = ReplyNumber.read(line, from: 0, to: line.count) else { return nil }
            self.init(.integer, number, line)
        case ReplyType.bulkString:
            guard let length = ReplyNumber.read(line, from: 0, to: line.count) else { return nil }
            if length < 0 {
                self.init(.null, 0, rest)
            } else {
                guard length + 2 == rest.count else { return nil }
                self.init(.bulkString, 0, rest.extracting(..<length))
            }
        case ReplyType.array:
            guard let count = ReplyNumber.read(line, from: 0, to: line.count) else { return nil }
            self.init(count < 0 ? .null : .array, max(0, count), rest)
        default: return nil
        }
    }

    @_lifetime(copy bytes)
    private init(_ kind: Kind, _ integer: Int, _ bytes: Span<UInt8>) {
        self.kind = kind
        self.integer = integer
        self.bytes = bytes
    }

    /// The elements of an array, in their order; none of everything else.
    public var elements: Replies {
        @_lifetime(copy self) get { Replies(bytes, count: kind == .array ? integer : 0) }
    }
}

/// The elements of an array, one after the other.
public struct Replies: ~Escapable {
    private var rest: Span<UInt8>
    /// How many have not been taken.
    public private(set) var count: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, count: Int) {
        rest = bytes
        self.count = count
    }

    /// The next element; nil behind the last.
    @_lifetime(copy self)
    public mutating func next() -> Reply? {
        guard count > 0 else { return nil }
        count -= 1
        guard let length = elementLength() else { return nil }
        let element = rest.extracting(..<length)
        rest = rest.extracting(length...)
        return Reply(element)
    }

    /// How many bytes the next element has; nil when it is none, which a reply that was found whole has not.
    private func elementLength() -> Int? {
        guard let type = rest.isEmpty ? nil : rest[0] else { return nil }
        if type == ReplyType.array {
            var reader = ReplyReader()
            return try? reader.advance(rest)
        }
        var end = 1
        while end < rest.count, rest[end] != 0x0D { end += 1 }
        guard end + 2 <= rest.count else { return nil }
        guard type == ReplyType.bulkString else { return end + 2 }
        guard let length = ReplyNumber.read(rest, from: 1, to: end) else { return nil }
        guard length >= 0 else { return end + 2 }
        return length <= rest.count - end - 4 ? end + 4 + length : nil
    }
}
