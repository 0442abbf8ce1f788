import Bytes

/// The authority of a request: a host and perhaps a port, nothing else (RFC 9112 §3.2, RFC 3986 §3.2).
public enum Authority {
    /// Whether the value is a name, an IPv4 address or a bracketed IPv6 address, with or without a port.
    ///
    /// Refused: empty, userinfo, a path, a comma list, whitespace, percent-encoding, IPvFuture, zone identifiers, a
    /// port that is empty or above 65535. What is left has one reading only.
    public static func isValid(_ value: Span<UInt8>) -> Bool {
        guard let host = hostLength(value) else { return false }
        return host == value.count || isPort(value.extracting((host &+ 1)...))
    }

    /// Whether the value is valid and names a port, as CONNECT must.
    public static func isValidWithPort(_ value: Span<UInt8>) -> Bool {
        guard let host = hostLength(value), host < value.count else { return false }
        return isPort(value.extracting((host &+ 1)...))
    }

    /// Bytes of a valid host that is followed by `:` or the end, else nil.
    static func hostLength(_ value: Span<UInt8>) -> Int? {
        guard value.count > 0, value.count <= 1024 else { return nil }
        var end = 0
        if value[0] == 0x5b {
            while end < value.count, value[end] != 0x5d { end &+= 1 }
            guard end < value.count, IPv6Text.isValid(value.extracting(1..<end)) else { return nil }
            end &+= 1
        } else {
            while end < value.count, value[end] != 0x3a { end &+= 1 }
            guard isName(value.extracting(first: end)) else { return nil }
        }
        return end == value.count || value[end] == 0x3a ? end : nil
    }

    /// One or more labels; a last empty one (the root) may stand at the end.
    private static func isName(_ name: Span<UInt8>) -> Bool {
        guard name.count > 0, name.count <= 255 else { return false }
        var previous: UInt8 = 0x2e
        for index in name.indices {
            let byte = name[index]
            guard ASCII.isUnreserved(byte), byte != 0x7e, byte != 0x2e || previous != 0x2e else { return false }
            previous = byte
        }
        return true
    }

    private static func isPort(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 5 else { return false }
        var port = 0
        for index in text.indices {
            guard ASCII.isDigit(text[index]) else { return false }
            port = port &* 10 &+ Int(text[index] &- 0x30)
        }
        return port <= 65_535
    }
}
