/// The kinds of replies that a command may have, beside an error, which all may have.
///
/// A reply of another kind is not the command's: the connection gives answers to others' commands (SH-80).
public struct ReplyKinds: OptionSet, Sendable {
    /// A bit for each kind.
    public let rawValue: UInt8

    /// Kinds by their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A status such as `OK`.
    public static let simpleString = ReplyKinds(rawValue: 1)
    /// A number.
    public static let integer = ReplyKinds(rawValue: 2)
    /// Bytes of any kind.
    public static let bulkString = ReplyKinds(rawValue: 4)
    /// Nothing.
    public static let null = ReplyKinds(rawValue: 8)
    /// Other replies.
    public static let array = ReplyKinds(rawValue: 16)
    /// Whatever the server answers.
    public static let any: ReplyKinds = [.simpleString, .integer, .bulkString, .null, .array]

    /// The kinds that a command of this name may have.
    ///
    /// Any for what is not listed, and for what is read with more care than this: which servers there are, and what they are.
    /// A script of the program's own answers with anything but a status.
    static func of(_ name: String) -> ReplyKinds {
        switch name {
        case "SET": [.simpleString, .null]
        case "GET", "HGET", "XADD": [.bulkString, .null]
        case "EVALSHA": [.integer, .bulkString, .null, .array]
        case "HMGET", "TIME", "XRANGE", "ZRANGE": .array
        case "XREAD": [.array, .null]
        case "PEXPIRE", "PTTL", "UNLINK", "EXISTS", "WAIT", "HSET", "HDEL", "ZREM", "ZCARD", "INCR": .integer
        case "INFO", "SCRIPT": .bulkString
        case "AUTH", "SELECT", "ASKING": .simpleString
        default: .any
        }
    }

    /// Whether the bytes of a whole reply are of one of these kinds, or an error.
    public func contain(_ reply: Span<UInt8>) -> Bool {
        guard reply.count > 1 else { return false }
        let isNull = reply[1] == UInt8(ascii: "-")
        switch reply[0] {
        case ReplyType.error: return true
        case ReplyType.simpleString: return contains(.simpleString)
        case ReplyType.integer: return contains(.integer)
        case ReplyType.bulkString: return contains(isNull ? .null : .bulkString)
        case ReplyType.array: return contains(isNull ? .null : .array)
        default: return false
        }
    }
}
