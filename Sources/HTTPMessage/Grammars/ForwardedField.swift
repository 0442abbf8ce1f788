import Bytes

/// The Forwarded field, in which each proxy says what it knows of the request it got (RFC 7239 §4).
///
/// Whether the field may be believed is for the caller to know: any client can send one (RFC 7239 §8.1). Nothing is
/// allocated, and nothing is decoded: a field that was read here can be passed on byte for byte.
public enum ForwardedField {
    /// The most elements in one field; a chain of proxies is shorter.
    public static let maximumElements = 32
    /// The most parameters in one element; RFC 7239 defines four.
    public static let maximumParameters = 8

    /// Why a value is no Forwarded field.
    public enum Refusal: Error, Sendable, Equatable {
        /// An element, or a place between two semicolons, in which nothing is.
        case nothingSaid
        /// A parameter's name that is no token, or has no `=` behind it.
        case parameterName
        /// A value that is neither a token nor a quoted string.
        case parameterValue
        /// A quoted string without its end, or with an octet that none may have.
        case quotedString
        /// Something other than a comma or a semicolon behind a value.
        case separator
        /// A parameter that stands twice in one element, whatever its case (RFC 7239 §4).
        case parameterRepeated
        /// More than `maximumParameters` in one element.
        case tooManyParameters
        /// More than `maximumElements`.
        case tooManyElements
        /// A `for` or `by` that is no node: an address, `unknown`, or a name beginning with `_`, each with or without a port.
        case node
        /// A `host` that is none (RFC 9110 §7.2).
        case host
        /// A `proto` that is no scheme (RFC 3986 §3.1).
        case scheme
    }

    /// How many elements a field's value has: at least one.
    ///
    /// Stricter than the grammar in one point: empty elements and parameters, which it has room for, are refused.
    public static func elementCount(of value: Span<UInt8>) throws(Refusal) -> Int {
        var elements = 0
        var position = skipWhitespace(value, from: 0)
        while true {
            position = skipWhitespace(value, from: try element(value, from: position))
            elements &+= 1
            guard elements <= maximumElements else { throw .tooManyElements }
            guard position < value.count else { return elements }
            guard value[position] == comma else { throw .separator }
            position = skipWhitespace(value, from: position &+ 1)
        }
    }

    /// Whether a value may stand without quotation marks.
    public static func isToken(_ value: Span<UInt8>) -> Bool {
        guard value.count > 0 else { return false }
        for index in value.indices where !ASCII.isToken(value[index]) { return false }
        return true
    }

    private static let comma = UInt8(ascii: ",")
    private static let semicolon = UInt8(ascii: ";")

    /// Reads an element; returns where it ends.
    private static func element(_ value: Span<UInt8>, from start: Int) throws(Refusal) -> Int {
        var names = InlineArray<8, ByteRange>(repeating: .empty)
        var count = 0
        var position = start
        while true {
            guard position < value.count, value[position] != comma, value[position] != semicolon else {
                throw .nothingSaid
            }
            let name = try parameterName(value, from: position)
            guard count < maximumParameters else { throw .tooManyParameters }
            for index in 0..<count {
                let isSame = ASCII.equalsIgnoringCase(value.extracting(names[index]), value.extracting(name))
                guard !isSame else { throw .parameterRepeated }
            }
            names[count] = name
            count &+= 1
            position = try parameterValue(value, from: name.end &+ 1, of: value.extracting(name))
            guard position < value.count, value[position] == semicolon else { return position }
            position &+= 1
        }
    }

    /// A token, with `=` behind it.
    private static func parameterName(_ value: Span<UInt8>, from start: Int) throws(Refusal) -> ByteRange {
        var end = start
        while end < value.count, ASCII.isToken(value[end]) { end &+= 1 }
        guard end > start, end < value.count, value[end] == UInt8(ascii: "=") else { throw .parameterName }
        return ByteRange(from: start, to: end)
    }

    /// A token or a quoted string, of the form that the parameter has; returns where it ends.
    private static func parameterValue(
        _ value: Span<UInt8>, from start: Int, of name: Span<UInt8>
    ) throws(Refusal) -> Int {
        guard start < value.count else { throw .parameterValue }
        guard value[start] == quotationMark else {
            var end = start
            while end < value.count, ASCII.isToken(value[end]) { end &+= 1 }
            guard end > start else { throw .parameterValue }
            try judge(value.extracting(start..<end), of: name)
            return end
        }
        var end = start &+ 1
        var hasEscapes = false
        while true {
            guard end < value.count else { throw .quotedString }
            let octet = value[end]
            if octet == quotationMark { break }
            if octet == backslash {
                hasEscapes = true
                end &+= 1
                guard end < value.count else { throw .quotedString }
            }
            guard value[end] == 0x09 || value[end] >= 0x20 && value[end] != 0x7f else { throw .quotedString }
            end &+= 1
        }
        // No address, host or scheme needs an escape, and who undoes it differs: two readers, two clients.
        let isKnown = isNode(name) || ASCII.equalsIgnoringCase(name, "host") || ASCII.equalsIgnoringCase(name, "proto")
        guard !hasEscapes || !isKnown else { throw .quotedString }
        try judge(value.extracting((start &+ 1)..<end), of: name)
        return end &+ 1
    }

    private static let quotationMark = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private static func isNode(_ name: Span<UInt8>) -> Bool {
        ASCII.equalsIgnoringCase(name, "for") || ASCII.equalsIgnoringCase(name, "by")
    }

    /// Holds the four parameters of RFC 7239 §5 to their forms; others may say what they like.
    private static func judge(_ text: Span<UInt8>, of name: Span<UInt8>) throws(Refusal) {
        if isNode(name) {
            guard isNodeText(text) else { throw .node }
        } else if ASCII.equalsIgnoringCase(name, "host") {
            guard Authority.isValid(text) else { throw .host }
        } else if ASCII.equalsIgnoringCase(name, "proto") {
            guard isScheme(text) else { throw .scheme }
        }
    }

    /// node = nodename [ ":" node-port ] (RFC 7239 §6).
    private static func isNodeText(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0 else { return false }
        var end = 0
        if text[0] == UInt8(ascii: "[") {
            while end < text.count, text[end] != UInt8(ascii: "]") { end &+= 1 }
            guard end < text.count, IPv6Text.isValid(text.extracting(1..<end)) else { return false }
            end &+= 1
        } else {
            while end < text.count, text[end] != UInt8(ascii: ":") { end &+= 1 }
            let name = text.extracting(first: end)
            guard isObfuscated(name) || ASCII.equalsIgnoringCase(name, "unknown") || IPv6Text.isIPv4(name) else {
                return false
            }
        }
        guard end < text.count else { return true }
        guard text[end] == UInt8(ascii: ":") else { return false }
        let port = text.extracting((end &+ 1)...)
        return isPort(port) || isObfuscated(port)
    }

    /// An underscore, then letters, digits, dots, underscores and hyphens (RFC 7239 §6.3).
    private static func isObfuscated(_ text: Span<UInt8>) -> Bool {
        guard text.count > 1, text[0] == UInt8(ascii: "_") else { return false }
        for index in 1..<text.count where !ASCII.isUnreserved(text[index]) || text[index] == UInt8(ascii: "~") {
            return false
        }
        return true
    }

    /// One to five digits.
    private static func isPort(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 5 else { return false }
        for index in text.indices where !ASCII.isDigit(text[index]) { return false }
        return true
    }

    /// A letter, then letters, digits, `+`, `-` and `.` (RFC 3986 §3.1).
    private static func isScheme(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, ASCII.isLetter(text[0]) else { return false }
        for index in text.indices {
            let octet = text[index]
            guard ASCII.isLetter(octet) || ASCII.isDigit(octet) || octet == 0x2b || octet == 0x2d || octet == 0x2e
            else { return false }
        }
        return true
    }

    private static func skipWhitespace(_ value: Span<UInt8>, from start: Int) -> Int {
        var position = start
        while position < value.count, value[position] == 0x20 || value[position] == 0x09 { position &+= 1 }
        return position
    }
}
