/// One `WWW-Authenticate` value as a strict client reads it (RFC 9110 §11.6.1, RFC 6750 §3).
package struct WireChallenge: Sendable, Equatable {
    package let scheme: String
    package private(set) var names: [String] = []
    private var values: [String] = []

    /// A parameter's value; nil when it is absent.
    package subscript(_ name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }

    /// Refuses a bare scheme, a repeated parameter, an unquoted value and characters RFC 6750 §3 does not allow.
    package init(_ value: String) throws {
        var rest = Substring(value)
        scheme = String(rest.prefix { $0 != " " })
        rest = rest.dropFirst(scheme.count + 1)
        guard !scheme.isEmpty, !rest.isEmpty else { throw WireFailure.malformed("a bare challenge: \(value)") }
        while !rest.isEmpty {
            let name = String(rest.prefix { $0.isLetter || $0 == "_" })
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.hasPrefix("=\"") else { throw WireFailure.malformed("challenge: \(value)") }
            guard !names.contains(name) else { throw WireFailure.malformed("\(name) twice: \(value)") }
            rest = rest.dropFirst(2)
            names.append(name)
            values.append(try Self.quotedText(&rest, in: value, allowsEscapes: name == "realm"))
            if rest.hasPrefix(", ") {
                rest = rest.dropFirst(2)
            } else if !rest.isEmpty {
                throw WireFailure.malformed("challenge: \(value)")
            }
        }
    }

    private static func quotedText(_ rest: inout Substring, in value: String, allowsEscapes: Bool) throws -> String {
        var result = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return result
            case "\\":
                guard allowsEscapes, let next = rest.popFirst() else { throw WireFailure.malformed("escape: \(value)") }
                result.append(next)
            default:
                guard let byte = character.asciiValue, byte >= 0x20, byte < 0x7F else {
                    throw WireFailure.malformed("a character outside ASCII: \(value)")
                }
                result.append(character)
            }
        }
        throw WireFailure.malformed("no closing quote: \(value)")
    }
}
