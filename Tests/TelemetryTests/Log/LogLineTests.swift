import Telemetry
import TestTraits
import Testing

private func text(_ build: (inout LogLine) -> Void) -> String {
    var line = LogLine(capacity: 64)
    line.begin()
    build(&line)
    line.end()
    return String(decoding: line.bytes, as: UTF8.self)
}

@Suite struct `a log line` {
    @Test func `has its members in order, separated by commas`() {
        let found = text { line in
            line.member("route", Array("orders".utf8).span, limit: 64)
            line.member("decision", "allow")
            line.member("status", 200)
            line.member("why", text: "it \"may\"", limit: 64)
        }
        #expect(found == #"{"route":"orders","decision":"allow","status":200,"why":"it \"may\""}"# + "\n")
    }

    @Test func `may be empty`() {
        #expect(text { _ in } == "{}\n")
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (10, "10"), (99, "99"), (100, "100"), (-1, "-1"), (1_000_000_007, "1000000007"),
            (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
        ] as [(Int64, String)])
    func `writes whole numbers exactly`(number: Int64, expected: String) {
        #expect(text { $0.member("n", number) } == "{\"n\":\(expected)}\n")
    }

    @Test(
        arguments: [
            (0, "0.000"), (1, "0.001"), (999, "0.999"), (1000, "1.000"), (1234, "1.234"), (60_000_000, "60000.000"),
            (-1500, "-1.500"), (Int64.max, "9223372036854775.807"),
        ] as [(Int64, String)])
    func `writes durations in milliseconds with three decimals`(microseconds: Int64, expected: String) {
        #expect(text { $0.member("ms", milliseconds: microseconds) } == "{\"ms\":\(expected)}\n")
    }

    @Test(arguments: [
        (16, "0123456789abcdef"), (8, "01234567"), (1, "0"), (0, "0"), (99, "0123456789abcdef"),
    ])
    func `writes the first hexadecimal digits of a number`(digits: Int, expected: String) {
        let found = text { $0.member("token", hexadecimal: 0x0123_4567_89AB_CDEF, digits: digits) }
        #expect(found == "{\"token\":\"\(expected)\"}\n")
    }

    @Test func `grows when its members need more than it holds`() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        let found = text { $0.member("v", long.span, limit: 1000) }
        #expect(found == "{\"v\":\"" + String(decoding: long, as: UTF8.self) + "\"}\n")
    }

    @Test(.refuses("OPS-01")) func `a target is written without the credentials of its query`() {
        let found = text { line in
            line.member(
                "target", path: Array("/a".utf8).span, query: Array("b=1&access_token=SECRET".utf8).span, limit: 256)
        }
        #expect(found == "{\"target\":\"/a?b=1&access_token=[redacted]\"}\n")
    }

    @Test(
        .refuses("CF-26"),
        arguments: [
            "/.portcullis/callback/web", "/.portcullis/login/web", "/.Portcullis/login/web", "/%2eportcullis/login/web",
        ])
    func `the query of a login's path is not written at all`(path: String) {
        let query = "return_to=%2Fa%3Faccess_token%3DSECRET&error_description=SECRET&fragment=id_token%3DSECRET"
        let found = text {
            $0.member("target", path: Array(path.utf8).span, query: Array(query.utf8).span, limit: 256)
        }
        #expect(found == "{\"target\":\"\(path)?[redacted]\"}\n")
    }

    @Test(.holds("CF-26")) func `the query of a path that is none of them is written`() {
        for path in ["/.portcullis", "/portcullis/login", "/a/.portcullis/login/web", "/.portculli"] {
            let found = text {
                $0.member("target", path: Array(path.utf8).span, query: Array("b=1".utf8).span, limit: 256)
            }
            #expect(found == "{\"target\":\"\(path)?b=1\"}\n")
        }
    }

    @Test(.holds("OPS-01")) func `a target without a query is its path`() {
        let found = text { $0.member("target", path: Array("/a".utf8).span, query: [UInt8]().span, limit: 256) }
        #expect(found == "{\"target\":\"/a\"}\n")
    }
}

@Suite struct `the time of a log line` {
    private func time(_ seconds: Int64, _ milliseconds: Int64) -> String {
        var line = LogLine()
        line.begin(at: Timestamp(seconds: seconds, milliseconds: milliseconds))
        line.end()
        return String(decoding: line.bytes, as: UTF8.self)
    }

    @Test(
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, 7, "2000-02-29T00:00:00.007Z"),
            (1_709_251_199, 999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200, 0, "2024-03-01T00:00:00.000Z"),
            (4_107_542_399, 0, "2100-02-28T23:59:59.000Z"),  // 2100 has no leap day
            (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
            (-1, 500, "1969-12-31T23:59:59.500Z"),
            (253_402_300_799, 0, "9999-12-31T23:59:59.000Z"),
            (Int64.max, 0, "9999-12-31T23:59:59.000Z"),
            (Int64.min, 0, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, Int64, String)])
    func `is RFC 3339 in UTC with milliseconds`(seconds: Int64, milliseconds: Int64, expected: String) {
        #expect(time(seconds, milliseconds) == "{\"time\":\"\(expected)\"}\n")
    }

    @Test func `moves on within one line buffer, back and forth`() {
        var line = LogLine()
        for seconds in [10, 10, 11, 9] as [Int64] {
            line.begin(at: Timestamp(seconds: seconds))
            line.end()
        }
        let found = String(decoding: line.bytes, as: UTF8.self)
        #expect(found.split(separator: "\n").map { $0.dropFirst(26).prefix(2) } == ["10", "10", "11", "09"])
    }

    @Test func `agrees with every day of eight hundred years`() {
        var (year, month, day): (Int64, Int64, Int64) = (1600, 1, 1)
        for days in -135_140...157_053 as ClosedRange<Int64> {
            let date = CivilDate(daysSinceEpoch: days)
            guard date.year == year, date.month == month, date.day == day else {
                Issue.record("day \(days) is \(year)-\(month)-\(day), found \(date)")
                return
            }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let length: Int64 = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
            (day, month) = day < length ? (day + 1, month) : (1, month + 1)
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(year == 2400)
    }
}
