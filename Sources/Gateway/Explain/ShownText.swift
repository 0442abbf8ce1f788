import JSON
import Telemetry

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

/// Unix time and RFC 3339.
package enum UnixTime {
    /// `2026-11-22T10:30:00Z`; the number itself where four digits of a year are not enough.
    package static func text(_ seconds: Int64) -> String {
        guard (-62_167_219_200...253_402_300_799).contains(seconds) else { return "\(seconds)" }
        let ofDay = ((seconds % 86_400) + 86_400) % 86_400
        let date = CivilDate(daysSinceEpoch: (seconds - ofDay) / 86_400)
        return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))T"
            + "\(digits(ofDay / 3600, 2)):\(digits(ofDay / 60 % 60, 2)):\(digits(ofDay % 60, 2))Z"
    }

    /// Seconds since 1970 of a number, or of a time in UTC such as `2026-11-22T10:30:00Z`; nil for anything else.
    package static func parse(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] | 0x20 == 0x74, bytes[13] == 0x3A,
            bytes[16] == 0x3A, bytes[19] | 0x20 == 0x7A
        else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19), hour < 24,
            minute < 60, second < 61
        else { return nil }
        // The day is found by trying: the month has at most 31 of them, and the calendar is written down once.
        let estimate = (year - 1970) * 36_525 / 100 + (month - 1) * 30 + day
        for days in (estimate - 40)...(estimate + 40) {
            if CivilDate(daysSinceEpoch: days).isDay(year, month, day) {
                return days * 86_400 + hour * 3600 + minute * 60 + second
            }
        }
        return nil
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

extension CivilDate {
    fileprivate func isDay(_ year: Int64, _ month: Int64, _ day: Int64) -> Bool {
        self.year == year && self.month == month && self.day == day
    }
}
