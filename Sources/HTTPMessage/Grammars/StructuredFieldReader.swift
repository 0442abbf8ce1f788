import Bytes

/// Reads the parts of a structured field one after the other (RFC 9651 §4.2).
///
/// The text is handed to each step rather than kept: what is kept is the position in it.
struct StructuredFieldReader {
    private(set) var position = 0

    /// The next octet; nil at the end.
    private func next(_ text: Span<UInt8>) -> UInt8? {
        position < text.count ? text[position] : nil
    }

    /// Moves over the next octet if it is `octet`.
    private mutating func take(_ octet: UInt8, _ text: Span<UInt8>) -> Bool {
        guard next(text) == octet else { return false }
        position &+= 1
        return true
    }

    mutating func skipSpaces(_ text: Span<UInt8>) {
        while next(text) == 0x20 { position &+= 1 }
    }

    /// A value, of the kind that its first octet tells (RFC 9651 §4.2.3.1).
    mutating func bareItem(_ text: Span<UInt8>) throws(StructuredFieldRefusal) -> StructuredItem.BareItem {
        guard let first = next(text) else { throw .noItem }
        switch first {
        case 0x22: return .string(try string(text))
        case 0x3a: return .bytes(try byteSequence(text))
        case 0x3f: return .boolean(try boolean(text))
        case 0x40: return .date(try date(text))
        case 0x2d: return try number(text)
        case 0x2a: return .token(token(text))
        default:
            if ASCII.isDigit(first) { return try number(text) }
            guard ASCII.isLetter(first) else { throw .noItem }
            return .token(token(text))
        }
    }

    /// What follows an item behind semicolons (RFC 9651 §4.2.3.2); of two equal names the later one counts.
    mutating func parameters(
        _ text: Span<UInt8>
    ) throws(StructuredFieldRefusal) -> [StructuredItem.Parameter] {
        var found: [StructuredItem.Parameter] = []
        while take(0x3b, text) {
            skipSpaces(text)
            let name = try key(text)
            let value = take(0x3d, text) ? try bareItem(text) : .boolean(true)
            if let earlier = found.firstIndex(where: { $0.name == name }) {
                found[earlier].value = value
            } else {
                guard found.count < StructuredItem.maximumParameters else { throw .tooManyParameters }
                found.append(StructuredItem.Parameter(name: name, value: value))
            }
        }
        return found
    }

    private mutating func key(_ text: Span<UInt8>) throws(StructuredFieldRefusal) -> String {
        let start = position
        guard let first = next(text), first == 0x2a || isLowerCase(first) else { throw .parameterName }
        while let octet = next(text), isKeyOctet(octet) { position &+= 1 }
        return string(text, from: start)
    }

    private func isLowerCase(_ octet: UInt8) -> Bool { octet &- 0x61 < 26 }

    private func isKeyOctet(_ octet: UInt8) -> Bool {
        isLowerCase(octet) || ASCII.isDigit(octet) || octet == 0x5f || octet == 0x2d || octet == 0x2e || octet == 0x2a
    }

    /// An integer or a decimal (RFC 9651 §4.2.4).
    private mutating func number(_ text: Span<UInt8>) throws(StructuredFieldRefusal) -> StructuredItem.BareItem {
        let sign: Int64 = take(0x2d, text) ? -1 : 1
        // Fifteen digits at most, three more behind a point: far from overflow.
        let (whole, digits) = try digits(text, atMost: 15)
        guard digits > 0 else { throw .number }
        guard take(0x2e, text) else { return .integer(sign &* whole) }
        guard digits <= 12 else { throw .number }
        let (fraction, places) = try self.digits(text, atMost: 3)
        guard places > 0 else { throw .number }
        let scale: Int64 = places == 1 ? 100 : places == 2 ? 10 : 1
        return .decimal(thousandths: sign &* (whole &* 1000 &+ fraction &* scale))
    }

    private mutating func digits(
        _ text: Span<UInt8>, atMost limit: Int
    ) throws(StructuredFieldRefusal) -> (value: Int64, count: Int) {
        var value: Int64 = 0
        var count = 0
        while let octet = next(text), ASCII.isDigit(octet) {
            guard count < limit else { throw .number }
            value = value &* 10 &+ Int64(octet &- 0x30)
            count &+= 1
            position &+= 1
        }
        return (value, count)
    }

    /// A string between quotes (RFC 9651 §4.2.5).
    private mutating func string(_ text: Span<UInt8>) throws(StructuredFieldRefusal) -> String {
        position &+= 1
        var octets: [UInt8] = []
        while let octet = next(text) {
            position &+= 1
            switch octet {
            case 0x22: return String(decoding: octets, as: UTF8.self)
            case 0x5c:
                guard let escaped = next(text), escaped == 0x22 || escaped == 0x5c else { throw .string }
                position &+= 1
                octets.append(escaped)
            case 0x20...0x7e: octets.append(octet)
            default: throw .string
            }
        }
        throw .string
    }

    /// A word (RFC 9651 §4.2.6), whose first octet has been looked at.
    private mutating func token(_ text: Span<UInt8>) -> String {
        let start = position
        while let octet = next(text), ASCII.isToken(octet) || octet == 0x3a || octet == 0x2f { position &+= 1 }
        return string(text, from: start)
    }

    /// Bytes in base64 between colons (RFC 9651 §4.2.7).
    private mutating func byteSequence(_ text: Span<UInt8>) throws(StructuredFieldRefusal) -> [UInt8] {
        position &+= 1
        let start = position
        while let octet = next(text), octet != 0x3a { position &+= 1 }
        let content = text.extracting(start..<position)
        guard take(0x3a, text), let bytes = base64(content) else { throw .byteSequence }
        return bytes
    }

    /// base64 with its padding and in one spelling only (RFC 4648 §3.2, §3.5, §4).
    private func base64(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count & 3 == 0 else { return nil }
        var end = text.count
        while end > 0, text.count &- end < 2, text[end &- 1] == 0x3d { end &-= 1 }
        var urlText: [UInt8] = []
        urlText.reserveCapacity(end)
        for index in 0..<end {
            switch text[index] {
            case 0x2b: urlText.append(0x2d)
            case 0x2f: urlText.append(0x5f)
            // Letters of the other alphabet, which the decoder below would take.
            case 0x2d, 0x5f: return nil
            case let octet: urlText.append(octet)
            }
        }
        return Base64URL.decode(urlText.span)
    }

    private mutating func boolean(_ text: Span<UInt8>) throws(StructuredFieldRefusal) -> Bool {
        position &+= 1
        if take(0x31, text) { return true }
        guard take(0x30, text) else { throw .boolean }
        return false
    }

    /// Seconds since 1970 behind an `@` (RFC 9651 §4.2.9).
    private mutating func date(_ text: Span<UInt8>) throws(StructuredFieldRefusal) -> Int64 {
        position &+= 1
        guard case .integer(let seconds) = try number(text) else { throw .date }
        return seconds
    }

    /// The text from `start` to here: ASCII that has been checked.
    private func string(_ text: Span<UInt8>, from start: Int) -> String {
        String(decoding: Array(copying: text.extracting(start..<position)), as: UTF8.self)
    }
}
