import Bytes
public import JSON

/// Claims on their way into header fields and policy: found by path, printed so that no field can be split.
public enum Claims {
    /// How characters outside printable ASCII travel (HTTP-46).
    public enum Encoding: Sendable, Hashable {
        /// Percent-encoded UTF-8; `%` itself is encoded too.
        case percent
        /// base64url of the value, or of each member of a list.
        case base64url
        /// base64 without padding, likewise: what gRPC has in metadata of bytes, whose names end in `-bin`.
        case base64
    }

    /// The value at the end of a path of member names, from the outside in.
    public static func value(at path: [String], in claims: JSONValue) -> JSONValue? {
        guard !path.isEmpty else { return nil }
        var value = claims
        for name in path {
            guard let next = value[name] else { return nil }
            value = next
        }
        return value
    }

    /// What a header field carries for `value`; nil when there is nothing to say, and then no field is written.
    ///
    /// Strings as they are; numbers and booleans printed; lists joined by `separator`; objects, null and empty
    /// strings say nothing. Inside a member of a list the separator's own characters are encoded, so that a role
    /// named `a admin` cannot read as two; so are outer spaces, which a reader would trim.
    public static func identityBytes(
        _ value: JSONValue, separator: String = " ", encoding: Encoding = .percent
    ) -> [UInt8]? {
        guard value.kind == .array else { return scalar(value).map { encode($0, encoding, reserved: []) } }
        var joined: [UInt8] = []
        for element in value.elements {
            guard let bytes = scalar(element) else { continue }
            if !joined.isEmpty { joined.append(contentsOf: separator.utf8) }
            joined.append(contentsOf: encode(bytes, encoding, reserved: Array(separator.utf8)))
        }
        return joined.isEmpty ? nil : joined
    }

    /// Whether the value at `path`, or one member of the list there, is one of `allowed`, byte for byte (RS-20).
    public static func holds(_ path: [String], anyOf allowed: [String], in claims: JSONValue) -> Bool {
        guard let value = value(at: path, in: claims) else { return false }
        let candidates = value.kind == .array ? value.elements : [value]
        // Texts are compared where they stand, and numbers made for those alone that could be one: a list may have thousands.
        let hasNumber = allowed.contains { $0.utf8.first.map { $0 == UInt8(ascii: "-") || ASCII.isDigit($0) } ?? false }
        return candidates.contains { candidate in
            switch candidate.kind {
            case .string: return candidate.utf8Count != 0 && allowed.contains { candidate.equals($0) }
            case .number where !hasNumber: return false
            case .number, .bool:
                guard let bytes = scalar(candidate) else { return false }
                return allowed.contains { $0.utf8.elementsEqual(bytes) }
            case .object, .array, .null: return false
            }
        }
    }

    private static func scalar(_ value: JSONValue) -> [UInt8]? {
        switch value.kind {
        case .string: value.utf8.flatMap { $0.isEmpty ? nil : $0 }
        case .number: value.numberText.map { Array($0.utf8) }
        case .bool: value.bool.map { Array(($0 ? "true" : "false").utf8) }
        case .object, .array, .null: nil
        }
    }

    private static func encode(_ bytes: [UInt8], _ encoding: Encoding, reserved: [UInt8]) -> [UInt8] {
        switch encoding {
        case .base64url: return Array(Base64URL.encode(bytes.span).utf8)
        case .base64: return Array(Base64.encode(bytes.span).utf8.filter { $0 != UInt8(ascii: "=") })
        case .percent: break
        }
        if isPlain(bytes.span, reserved: reserved.span) { return bytes }
        var encoded: [UInt8] = []
        PercentEncoding.append(bytes.span, to: &encoded)
        let last = encoded.count - 1
        var output: [UInt8] = []
        output.reserveCapacity(encoded.count)
        for (index, byte) in encoded.enumerated() {
            let isOuterSpace = byte == 0x20 && (index == 0 || index == last)
            guard isOuterSpace || (reserved.contains(byte) && isPunctuation(byte)) else {
                output.append(byte)
                continue
            }
            output.append(UInt8(ascii: "%"))
            output.append(contentsOf: Hex.encode([byte].span).uppercased().utf8)
        }
        return output
    }

    /// Whether nothing of it is encoded, as of nearly every identifier and scope: then it is what the field carries.
    private static func isPlain(_ bytes: Span<UInt8>, reserved: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[0] != 0x20, bytes[bytes.count - 1] != 0x20 else { return false }
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte >= 0x20, byte <= 0x7E, byte != UInt8(ascii: "%") else { return false }
            for place in reserved.indices where reserved[place] == byte && isPunctuation(byte) { return false }
        }
        return true
    }

    /// Letters, digits and `%` are what an encoding is made of and stay as they are.
    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "%"): false
        default: true
        }
    }
}
