/// Unix time and RFC 3339.
package enum UnixTime {
    /// `2026-11-22T10:30:00Z`; the number itself where four digits of a year are not enough.
    package static func text(_ seconds: Int64) -> String {
        guard TimestampText.range.contains(seconds) else { return "\(seconds)" }
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
        guard let day = CivilDate.daysSinceEpoch(year: year, month: month, day: day) else { return nil }
        return day * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
