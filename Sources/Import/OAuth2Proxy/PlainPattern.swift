/// A regular expression that is nothing but the beginning of a path, or a whole path.
enum PlainPattern {
    /// The paths of ours that match at most what it matches; nil for every other expression.
    ///
    /// A path with a slash at its end is a subtree here, so that an expression of such a path alone has none.
    static func paths(_ pattern: String) -> [String]? {
        var bytes = Array(pattern.utf8)[...]
        guard bytes.first == UInt8(ascii: "^") else { return nil }
        bytes = bytes.dropFirst()
        var path: [UInt8] = []
        while let byte = bytes.first, !"$(|[*+?{^)".utf8.contains(byte) {
            var length = 1
            var meant = byte
            if byte == UInt8(ascii: "\\") {
                // What is escaped is itself, unless it is a letter or a digit, which make a class.
                guard let next = bytes.dropFirst().first, ".-/_+~@:!,=&".utf8.contains(next) else { return nil }
                (meant, length) = (next, 2)
            }
            // What a quantifier follows is not plain, and a dot with one is everything.
            if let next = bytes.dropFirst(length).first, "*+?{".utf8.contains(next) { break }
            path.append(meant)
            bytes = bytes.dropFirst(length)
        }
        let text = String(decoding: path, as: UTF8.self)
        guard RouteDraft.isPath(text) else { return nil }
        let isSubtree = text.hasSuffix("/")
        switch String(decoding: bytes, as: UTF8.self) {
        case "", ".*", ".*$": return isSubtree ? [text] : [text, text + "/"]
        case "(/.*)?$" where !isSubtree, "(/.*)?" where !isSubtree, "(/.*|$)" where !isSubtree:
            return [text, text + "/"]
        case "(/.*)" where !isSubtree, "(/.*)$" where !isSubtree: return [text + "/"]
        case "$", "/?$": return isSubtree ? nil : [text]
        default: return nil
        }
    }
}
