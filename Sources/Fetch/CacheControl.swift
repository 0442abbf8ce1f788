/// What a `Cache-Control` field says about freshness (RFC 9111 §5.2).
enum CacheControl {
    /// Seconds of `max-age`; 0 when the answer must not be kept or reused unasked; nil when nothing is said.
    ///
    /// Contradictions and malformed values count as the shorter time (RFC 9111 §4.2.1).
    static func maxAgeSeconds(_ fieldValues: [String]) -> Int? {
        var shortest: Int?
        for directive in fieldValues.flatMap({ directives($0) }) {
            guard let seconds = seconds(directive) else { continue }
            shortest = min(shortest ?? .max, seconds)
        }
        return shortest
    }

    private static func seconds(_ directive: Substring) -> Int? {
        let parts = directive.split(separator: "=", maxSplits: 1)
        let name = (parts.first ?? "").lowercased()
        if name == "no-store" || name == "no-cache" { return 0 }
        guard name == "max-age" else { return nil }
        let value = parts.count == 2 ? parts[1].filter { $0 != "\"" } : ""
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        // RFC 9111 §1.2.2: what does not fit is "very long".
        return Int(value) ?? .max
    }

    /// The comma-separated parts of a value, blanks trimmed; commas in quoted strings do not separate.
    private static func directives(_ value: String) -> [Substring] {
        var isQuoted = false
        return value.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }.map { part in
            let start = part.drop { $0 == " " || $0 == "\t" }
            guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
            return start[...last]
        }
    }
}
