/// Names of claims, from the outside in: `realm_access.roles`.
///
/// A name that contains `://` is one claim whatever dots it has, for that is how namespaced claims are spelt
/// (`https://example.com/roles`); elsewhere `\.` is a dot of the name.
enum ClaimPathText {
    static let shape = TextShape(
        expected: "a claim such as sub or realm_access.roles", pattern: "^[^\\u0000-\\u001f\\u007f]+$"
    ) { text in
        parse(text) != nil
            ? nil
            : TextFault(
                remedy: "join the names of nested claims with dots, at most 8 of them; write a dot of a name as \\.")
    }

    /// The name of one claim at the top of a token.
    static let name = PlainText.printable("the name of a claim such as scope or scp", limit: 256)

    static func parse(_ text: String) -> [String]? {
        guard (1...256).contains(text.utf8.count), !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            return nil
        }
        if text.contains("://") { return [text] }
        var names = [""]
        var escaped = false
        for character in text {
            if escaped {
                guard character == "." || character == "\\" else { return nil }
                names[names.count - 1].append(character)
                escaped = false
            } else if character == "\\" {
                escaped = true
            } else if character == "." {
                names.append("")
            } else {
                names[names.count - 1].append(character)
            }
        }
        guard !escaped, names.count <= 8, !names.contains("") else { return nil }
        return names
    }
}
