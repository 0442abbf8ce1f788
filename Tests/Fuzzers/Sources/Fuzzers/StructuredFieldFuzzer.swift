import Bytes
import HTTPMessage

/// A structured field that is one item (RFC 9651 §4.2).
enum StructuredFieldFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let first = read(input)
        hold(first == read(input), "the same text is the same item, or refused for the same reason")
        guard case .success(let item) = first else { return .refused }
        hold(Set(item.parameters.map(\.name)).count == item.parameters.count, "a parameter has one value")
        hold(
            read(Array(SerialisedItem.text(of: item).utf8)) == first,
            "an item written as RFC 9651 §4.1 has it is read back")
        let space = [UInt8(ascii: " ")]
        hold(read(space + input + space) == first, "spaces around an item are no part of it")
        hold(isRefused(input + Array(",a".utf8)), "a list is no item")
        hold(isRefused(input + Array(" a".utf8)), "nothing follows an item")
        return .accepted
    }

    private static func read(_ text: [UInt8]) -> Result<StructuredItem, StructuredFieldRefusal> {
        Result { () throws(StructuredFieldRefusal) in try StructuredItem(text.span) }
    }

    private static func isRefused(_ text: [UInt8]) -> Bool {
        if case .failure = read(text) { true } else { false }
    }
}

/// The other direction, for reading back what was read: RFC 9651 §4.1.
enum SerialisedItem {
    static func text(of item: StructuredItem) -> String {
        item.parameters.reduce(into: text(of: item.value)) { text, parameter in
            text += ";" + parameter.name
            // §4.1.1.2: a value that is true is not written.
            if parameter.value != .boolean(true) { text += "=" + Self.text(of: parameter.value) }
        }
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes.span).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }

    private static func text(of value: StructuredItem.BareItem) -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .decimal(let thousandths): decimal(thousandths)
        case .string(let text): "\"" + text.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] } + "\""
        case .token(let word): word
        case .bytes(let bytes): ":" + base64(bytes) + ":"
        case .boolean(let value): value ? "?1" : "?0"
        case .date(let seconds): "@\(seconds)"
        }
    }

    private static func decimal(_ thousandths: Int64) -> String {
        let size = thousandths.magnitude
        var fraction = String(String(1000 + size % 1000).dropFirst())
        while fraction.count > 1, fraction.hasSuffix("0") { fraction.removeLast() }
        return (thousandths < 0 ? "-" : "") + "\(size / 1000).\(fraction)"
    }
}
