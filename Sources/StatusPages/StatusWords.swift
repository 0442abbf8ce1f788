import Pages
import Telemetry

/// Numbers and names as the page writes them.
enum StatusWords {
    /// Scalars of a name that are shown; more are cut.
    private static let nameLimit = 120

    /// Text of a configuration or a client, as HTML: cut, and without what would move the text around it.
    static func name(_ text: String, limit: Int = nameLimit) -> String {
        var shown = String.UnicodeScalarView()
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else {
                shown.append("…")
                break
            }
            shown.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
        }
        return PageHTML.escape(String(shown))
    }

    /// A word of the log with places to break it at, for narrow windows.
    static func cause(_ word: String) -> String {
        "<code>\(name(word).replacing("_", with: "_<wbr>"))</code>"
    }

    /// Neither a control character nor one that turns the direction of text, or hides in it.
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        case _: true
        }
    }

    /// `1,234,567`.
    static func number(_ value: UInt64) -> String {
        let digits = String(value)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `12.4`, of so many in so many seconds: two digits behind the point below one, one below a hundred.
    static func rate(_ count: UInt64, in seconds: Int64) -> String {
        let hundredths = (count &* 100) / UInt64(max(seconds, 1))
        if count == 0 { return "0" }
        if hundredths == 0 { return "&lt;0.01" }
        if hundredths < 100 { return "0." + twoDigits(hundredths) }
        if hundredths < 10_000 { return "\(hundredths / 100).\(hundredths / 10 % 10)" }
        return number(hundredths / 100)
    }

    /// `6.1 %` of a whole; nothing of nothing.
    static func share(_ part: UInt64, of whole: UInt64) -> String {
        guard part > 0, whole > 0 else { return part > 0 ? "" : "0 %" }
        let thousandths = part > whole ? 1000 : part &* 1000 / whole
        if thousandths == 0 { return "&lt;0.1 %" }
        return thousandths < 100 ? "\(thousandths / 10).\(thousandths % 10) %" : "\(thousandths / 10) %"
    }

    /// `4 d 3 h`: the two largest units.
    static func duration(_ seconds: Int64) -> String {
        let seconds = max(seconds, 0)
        switch seconds {
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3600) h" + (seconds % 3600 >= 60 ? " \(seconds % 3600 / 60) min" : "")
        case _: return "\(seconds / 86_400) d" + (seconds % 86_400 >= 3600 ? " \(seconds % 86_400 / 3600) h" : "")
        }
    }

    /// A moment as a machine and a person read it: `2026-11-25 03:12:04 UTC`.
    static func time(_ seconds: Int64) -> String {
        let text = UnixTime.text(seconds)
        let shown = text.replacing("T", with: " ").replacing("Z", with: " UTC")
        return "<time datetime=\"\(text)\">\(shown)</time>"
    }

    /// `03:12:04`, of a moment of today or so.
    static func timeOfDay(_ seconds: Int64) -> String {
        let text = UnixTime.text(seconds)
        return "<time datetime=\"\(text)\">\(text.split(separator: "T").last?.dropLast() ?? "")</time>"
    }

    /// `≤ 25 ms`; a dash of nothing.
    static func bound(_ durations: DurationFigures, thousandths: UInt64) -> String {
        switch durations.bound(ofThousandths: thousandths) {
        case .atMost(let microseconds): "≤ \(span(microseconds))"
        case .above(let microseconds): "&gt; \(span(microseconds))"
        case nil: "–"
        }
    }

    private static func span(_ microseconds: UInt64) -> String {
        if microseconds < 1_000_000 { return "\(decimal(microseconds, 1000)) ms" }
        return "\(decimal(microseconds, 1_000_000)) s"
    }

    private static func decimal(_ value: UInt64, _ unit: UInt64) -> String {
        let hundredths = value % unit * 100 / unit
        if hundredths == 0 { return "\(value / unit)" }
        return "\(value / unit)." + (hundredths % 10 == 0 ? "\(hundredths / 10)" : twoDigits(hundredths))
    }

    private static func twoDigits(_ value: UInt64) -> String { (value < 10 ? "0" : "") + String(value) }

    /// `24.1 MiB`.
    static func bytes(_ count: Int64) -> String {
        let kilobytes = max(count, 0) / 1024
        if kilobytes < 1024 { return "\(kilobytes) KiB" }
        return "\(kilobytes / 1024).\(kilobytes % 1024 * 10 / 1024) MiB"
    }

    /// One of something, or so many.
    static func count(_ count: Int, _ one: String, _ many: String) -> String {
        count == 1 ? "1 \(one)" : "\(number(UInt64(max(count, 0)))) \(many)"
    }

    /// Who must act, by the word of the metrics' label.
    static func actor(_ blame: String) -> String {
        switch blame {
        case "client": "the client"
        case "upstream": "the upstream"
        case "issuer": "the issuer, or what is said of it here"
        case "capacity": "this gateway"
        case _: name(blame)
        }
    }
}
