import Bytes

/// Members of a comma-separated list of tokens (RFC 9110 §5.6.1), as in Connection.
public enum CommaList {
    /// The next member that is not empty, trimmed of whitespace, or nil at the end; `position` moves behind it.
    ///
    /// Quoted strings are not understood: a list of tokens has none, and a member with a quote is no token.
    public static func next(in list: Span<UInt8>, from position: inout Int) -> ByteRange? {
        while position < list.count {
            var start = position
            var end = position
            while end < list.count, list[end] != 0x2c { end &+= 1 }
            position = end &+ 1
            while start < end, isWhitespace(list[start]) { start &+= 1 }
            while start < end, isWhitespace(list[end &- 1]) { end &-= 1 }
            if start < end { return ByteRange(from: start, to: end) }
        }
        return nil
    }

    /// The member that ends at `position`, trimmed, and empty where nothing is there; `position` moves before its comma.
    ///
    /// For lists of which only the end can be believed: from `list.count` on, they are read from there. Nil at the beginning,
    /// and where a member has more than `limit` bytes, white space among them: no more of a list is looked at than is read.
    public static func previous(
        in list: Span<UInt8>, before position: inout Int, limit: Int
    ) -> ByteRange? {
        guard position >= 0 else { return nil }
        var start = position
        let first = max(0, position &- limit)
        while start > first, list[start &- 1] != 0x2c { start &-= 1 }
        guard start == 0 || list[start &- 1] == 0x2c else { return nil }
        var end = position
        position = start &- 1
        while start < end, isWhitespace(list[start]) { start &+= 1 }
        while start < end, isWhitespace(list[end &- 1]) { end &-= 1 }
        return ByteRange(from: start, to: end)
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}
