import Telemetry

/// The line `Date: Sun, 06 Nov 1994 08:49:37 GMT` of one second (RFC 9110 §5.6.7, §6.6.1), CR LF included.
///
/// Made anew by the worker's tick when the second has changed; an answer copies it.
struct DateLine {
    private(set) var bytes = InlineArray<37, UInt8>(repeating: 0x20)
    private var second: Int64?

    /// The line of this second.
    init(seconds: Int64) { move(to: seconds) }

    /// Makes it the line of this second; allocates nothing.
    mutating func move(to seconds: Int64) {
        guard seconds != second else { return }
        second = seconds
        // What four digits of a year can say.
        let shown = min(max(seconds, -62_167_219_200), 253_402_300_799)
        let secondOfDay = ((shown % 86_400) + 86_400) % 86_400
        let days = (shown - secondOfDay) / 86_400
        let date = CivilDate(daysSinceEpoch: days)
        put("Date: ", at: 0)
        // 1970-01-01 was a Thursday.
        put("SunMonTueWedThuFriSat", from: Int(((days + 4) % 7 + 7) % 7) * 3, count: 3, at: 6)
        put(", ", at: 9)
        put(date.day, digits: 2, at: 11)
        put(" ", at: 13)
        put("JanFebMarAprMayJunJulAugSepOctNovDec", from: Int(date.month - 1) * 3, count: 3, at: 14)
        put(" ", at: 17)
        put(date.year, digits: 4, at: 18)
        put(" ", at: 22)
        put(secondOfDay / 3600, digits: 2, at: 23)
        put(":", at: 25)
        put(secondOfDay / 60 % 60, digits: 2, at: 26)
        put(":", at: 28)
        put(secondOfDay % 60, digits: 2, at: 29)
        put(" GMT\r\n", at: 31)
    }

    /// The line as text, for answers that are put together as such.
    var text: String { String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }

    private mutating func put(_ text: StaticString, from start: Int = 0, count: Int? = nil, at place: Int) {
        for index in 0..<(count ?? text.utf8CodeUnitCount) { bytes[place + index] = text.utf8Start[start + index] }
    }

    private mutating func put(_ value: Int64, digits: Int, at place: Int) {
        var rest = value
        for index in (0..<digits).reversed() {
            bytes[place + index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}

extension HeadWriter {
    /// The line of now.
    @inline(__always)
    mutating func put(_ date: borrowing DateLine) {
        let line = date.bytes.span
        line.withUnsafeBufferPointer { put($0) }
    }
}

extension WorkerRef {
    /// Makes the line that of this second; to be called with each tick.
    func keepDate() { pointee.loop.date.move(to: clock.wallSeconds()) }
}
