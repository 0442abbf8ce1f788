import Bytes

/// Durations as the configuration writes them: a whole number and `ms`, `s`, `m` or `h`.
enum DurationText {
    static let pattern = "^(0|[1-9][0-9]*)(ms|s|m|h)$"

    private static let units: [(name: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
    ]

    /// Milliseconds, or nil when the text is no duration.
    static func milliseconds(_ text: String) -> Int? {
        UnitText.value(text, units: units.map { ($0.name, $0.milliseconds) })
    }

    /// The shortest way to write it.
    static func text(_ milliseconds: Int) -> String {
        UnitText.text(milliseconds, units: units.map { ($0.name, $0.milliseconds) })
    }

    /// The same for a duration.
    static func text(_ duration: Duration) -> String { text(duration.wholeMilliseconds) }
}

/// Sizes as the configuration writes them: a whole number and `B`, `KiB`, `MiB` or `GiB`.
enum ByteCountText {
    static let pattern = "^(0|[1-9][0-9]*)(B|KiB|MiB|GiB)$"

    private static let units: [(name: String, size: Int)] = [
        ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]

    /// Bytes, or nil when the text is no size.
    static func bytes(_ text: String) -> Int? {
        UnitText.value(text, units: units.map { ($0.name, $0.size) })
    }

    /// The shortest way to write it.
    static func text(_ bytes: Int) -> String {
        UnitText.text(bytes, units: units.map { ($0.name, $0.size) })
    }
}

/// A whole number followed by one of some units, without a space.
private enum UnitText {
    static func value(_ text: String, units: [(String, Int)]) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, digits.count == 1 || digits.first != "0", let number = Int(digits) else { return nil }
        guard let factor = units.first(where: { $0.0 == text.dropFirst(digits.count) })?.1 else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : value
    }

    static func text(_ value: Int, units: [(String, Int)]) -> String {
        let unit = units.last { value >= $0.1 && value % $0.1 == 0 } ?? units[0]
        return "\(value / unit.1)\(unit.0)"
    }
}
