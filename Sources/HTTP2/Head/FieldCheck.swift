import Bytes
import HTTPMessage

/// What names and values must be made of, looked at before a byte of them is copied into a head.
///
/// The library checks most of it too. These checks are ours because a CR LF that got through would be a line of its own in
/// the head that is rebuilt, and with it a field that nobody sent.
enum FieldCheck {
    /// A token without upper case (RFC 9113 §8.2.1).
    @inline(__always)
    static func isName(_ name: Span<UInt8>) -> Bool {
        guard name.count > 0 else { return false }
        var index = 0
        // Letters of lower case and dashes are nearly all there is; the last eight are looked at with some of those before.
        while index < name.count, name.count >= 8 {
            let place = min(index, name.count &- 8)
            guard areLowered(name.word(at: place)) else { break }
            index = place &+ 8
        }
        while index < name.count {
            let byte = name[index]
            index &+= 1
            guard byte &- 0x61 >= 26, byte != 0x2d else { continue }
            guard ASCII.isToken(byte), byte &- 0x41 >= 26 else { return false }
        }
        return true
    }

    /// Whether all of eight bytes are letters of lower case or dashes.
    @inline(__always)
    private static func areLowered(_ word: UInt64) -> Bool {
        // Both have bit 5, which letters of upper case have not.
        ByteWord.lettersAndDashes(word) == ByteWord.tops && word & 0x2020_2020_2020_2020 == 0x2020_2020_2020_2020
    }

    /// No control octet but HTAB, and no whitespace at either end (RFC 9113 §8.2.1).
    @inline(__always)
    static func isValue(_ value: Span<UInt8>) -> Bool {
        guard value.count > 0 else { return true }
        guard !isWhitespace(value[0]), !isWhitespace(value[value.count &- 1]) else { return false }
        var index = 0
        // The last sixteen are looked at with some of those before; where there is a control octet, one at a time.
        while index < value.count, value.count >= ByteVector.count {
            let place = min(index, value.count &- ByteVector.count)
            guard ByteVector.controls(value.vector(at: place)).first == ByteVector.count else { break }
            index = place &+ ByteVector.count
        }
        while index < value.count {
            let byte = value[index]
            if byte < 0x20 && byte != 0x09 || byte == 0x7f { return false }
            index &+= 1
        }
        return true
    }

    /// The first place from `start` on of a control octet other than HTAB, or the end: as far as a value can go.
    @inline(__always)
    static func firstControl(in text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index &+ ByteVector.count <= text.count {
            let place = ByteVector.controls(text.vector(at: index)).first
            index &+= place
            guard place < ByteVector.count else { continue }
            guard text[index] == 0x09 else { return index }
            index &+= 1
        }
        while index < text.count, text[index] >= 0x20 && text[index] != 0x7f || text[index] == 0x09 { index &+= 1 }
        return index
    }

    /// A token (RFC 9110 §9.1).
    static func isMethod(_ method: Span<UInt8>) -> Bool {
        guard method.count > 0 else { return false }
        for index in method.indices where !ASCII.isToken(method[index]) { return false }
        return true
    }

    /// Origin-form as far as a line can be broken by it: a slash first, no space, no control octet.
    ///
    /// What else a target may not have, such as a fragment, the parser of requests finds, which reads the rebuilt head: whoever
    /// looks at the answer is known by the fields behind the path.
    static func isPath(_ path: Span<UInt8>, method: Span<UInt8>) -> Bool {
        guard path.count > 0 else { return false }
        if path[0] == 0x2a { return path.count == 1 && ASCII.equalsExactly(method, "OPTIONS") }
        guard path[0] == 0x2f else { return false }
        for index in path.indices {
            let byte = path[index]
            guard byte > 0x20, byte != 0x7f else { return false }
        }
        return true
    }

    /// Fields that speak of one HTTP/1.1 connection (RFC 9113 §8.2.2), and HTTP2-Settings, which speaks of changing over.
    static func isOfConnection(_ id: FieldID) -> Bool {
        switch id {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade, .http2Settings: true
        default: false
        }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
