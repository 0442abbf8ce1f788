/// A JSON value whose members keep their order, so that the printed schema reads like the reference.
enum SchemaValue: Sendable {
    case text(String)
    case integer(Int)
    case boolean(Bool)
    case list([SchemaValue])
    case object([(String, SchemaValue)])

    /// Indented JSON.
    func text(indentedBy depth: Int = 0) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let outer = String(repeating: "  ", count: depth)
        switch self {
        case .text(let text): return Self.quoted(text)
        case .integer(let integer): return "\(integer)"
        case .boolean(let flag): return "\(flag)"
        case .list(let elements):
            guard !elements.isEmpty else { return "[]" }
            let lines = elements.map { inner + $0.text(indentedBy: depth + 1) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(outer)]"
        case .object(let members):
            guard !members.isEmpty else { return "{}" }
            let lines = members.map { "\(inner)\(Self.quoted($0.0)): \($0.1.text(indentedBy: depth + 1))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
