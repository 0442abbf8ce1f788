import JSON

/// A stranger's text on its way to a terminal, and times as people read them.
enum ShownText {
    /// The text in quotation marks, cut after 160 characters, without anything that a terminal would obey.
    static func quote(_ text: String, limit: Int = 160) -> String {
        "\"\(plain(text, limit: limit))\""
    }

    /// The same without quotation marks.
    ///
    /// Control characters, and characters that reorder or hide others, are written as their code points: a claim must
    /// neither clear the operator's screen nor look like another claim.
    static func plain(_ text: String, limit: Int = 160) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return shown + "..." }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                shown += "<U+\(String(scalar.value, radix: 16, uppercase: true))>"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// A list of quoted texts.
    static func list(_ texts: [String], or none: String = "none") -> String {
        guard !texts.isEmpty else { return none }
        return texts.prefix(8).map { quote($0) }.joined(separator: ", ") + (texts.count > 8 ? ", ..." : "")
    }

    /// `one of` before a list of more than one.
    static func oneOf(_ texts: [String]) -> String { (texts.count > 1 ? "one of " : "") + list(texts) }

    /// `all of` before a list of more than one.
    static func allOf(_ texts: [String]) -> String { (texts.count > 1 ? "all of " : "") + list(texts) }

    /// A list of words of ours.
    static func words(_ words: [String], _ conjunction: String = "or") -> String {
        guard let last = words.last else { return "none" }
        return words.count == 1 ? last : words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    /// Any JSON value on one line.
    static func json(_ value: JSONValue?, limit: Int = 160) -> String {
        guard let value else { return "absent" }
        var writer = JSONWriter()
        writer.value(value)
        return plain(writer.text, limit: limit)
    }

    /// `12 s`, `5 min`, `3 h`, `2 days`: about how long that is.
    static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
