/// A strict reader of one challenge with parameters (RFC 9110 §11.3), for tests only.
struct Challenge {
    var scheme = ""
    var parameters: [(name: String, value: String)] = []

    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Nil unless `text` is `scheme SP name="value" *( ", " name="value" )` to its last byte, each name once.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        while let byte = rest.first, Self.isToken(byte) {
            scheme.unicodeScalars.append(Unicode.Scalar(rest.removeFirst()))
        }
        guard !scheme.isEmpty, rest.popFirst() == 0x20 else { return nil }
        while true {
            var name = ""
            while let byte = rest.first, Self.isToken(byte) {
                name.unicodeScalars.append(Unicode.Scalar(rest.removeFirst()))
            }
            guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), rest.popFirst() == UInt8(ascii: "\"") else {
                return nil
            }
            guard let value = Self.quoted(&rest), self[name.lowercased()] == nil else { return nil }
            parameters.append((name.lowercased(), value))
            if rest.isEmpty { return }
            guard rest.popFirst() == UInt8(ascii: ","), rest.popFirst() == 0x20 else { return nil }
        }
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var value = ""
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return value
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped >= 0x20, escaped < 0x7F else { return nil }
                value.unicodeScalars.append(Unicode.Scalar(escaped))
            case 0x20..<0x7F: value.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        return nil
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
