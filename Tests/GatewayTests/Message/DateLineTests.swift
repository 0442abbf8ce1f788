import Testing

@testable import Gateway

/// RFC 9110 §5.6.7.
@Suite struct `the Date of an answer` {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (1_800_000_000, "Fri, 15 Jan 2027 08:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)])
    func `is an IMF-fixdate`(seconds: Int64, text: String) {
        #expect(DateLine(seconds: seconds).text == "Date: \(text)\r\n")
    }

    @Test func `moves with the second`() {
        var line = DateLine(seconds: 784_111_777)
        line.move(to: 784_111_778)
        #expect(line.text == "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n")
        line.move(to: 784_111_777 + 86_400)
        #expect(line.text == "Date: Mon, 07 Nov 1994 08:49:37 GMT\r\n")
    }
}
