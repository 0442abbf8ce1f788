import Glibc

/// A reading of the wall clock, counted from 1970-01-01T00:00:00Z.
package struct Timestamp: Sendable, Equatable {
    package var seconds: Int64
    /// From 0 to 999.
    package var milliseconds: Int64

    package init(seconds: Int64, milliseconds: Int64 = 0) {
        self.seconds = seconds
        self.milliseconds = min(max(milliseconds, 0), 999)
    }

    /// What the system's wall clock says now.
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), milliseconds: Int64(time.tv_nsec) / 1_000_000)
    }
}

/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Equatable {
    package var year: Int64
    package var month: Int64
    package var day: Int64

    /// The day that begins so many days after (or before) 1970-01-01.
    ///
    /// Counts in cycles of 400 years, which all have 146,097 days, and in years that begin on 1 March, so that the
    /// leap day is a year's last and needs no case of its own.
    package init(daysSinceEpoch days: Int64) {
        let shifted = days + 719_468  // days since 0000-03-01
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    }

    /// How many days after 1970-01-01 the day is: the same count, the other way; nil for a day that no month has.
    package static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64? {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let cycle = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfCycle = yearFromMarch - 400 * cycle
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        let days = cycle * 146_097 + dayOfCycle - 719_468
        let found = CivilDate(daysSinceEpoch: days)
        return found.year == year && found.month == month && found.day == day ? days : nil
    }
}

/// RFC 3339 text of timestamps, worked out once a second.
///
/// Only the milliseconds differ between the lines of one second; the rest is kept.
struct TimestampText {
    /// `2026-11-22T07:34:52.` without the milliseconds and the `Z`.
    private(set) var upToSeconds: [UInt8] = []
    private var second: Int64?

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z: what four digits of a year can say.
    static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Makes `upToSeconds` be the text of this second, allocating only the first time.
    mutating func move(to timestamp: Timestamp) {
        let seconds = min(max(timestamp.seconds, Self.range.lowerBound), Self.range.upperBound)
        if second == seconds { return }
        second = seconds
        let secondOfDay = ((seconds % 86_400) + 86_400) % 86_400
        let date = CivilDate(daysSinceEpoch: (seconds - secondOfDay) / 86_400)
        upToSeconds.removeAll(keepingCapacity: true)
        append(date.year, digits: 4, then: "-")
        append(date.month, digits: 2, then: "-")
        append(date.day, digits: 2, then: "T")
        append(secondOfDay / 3600, digits: 2, then: ":")
        append(secondOfDay / 60 % 60, digits: 2, then: ":")
        append(secondOfDay % 60, digits: 2, then: ".")
    }

    private mutating func append(_ value: Int64, digits: Int, then end: Unicode.Scalar) {
        var divisor: Int64 = digits == 4 ? 1000 : 10
        while divisor > 0 {
            upToSeconds.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
        upToSeconds.append(UInt8(truncatingIfNeeded: end.value))
    }
}
