import Foundation
import Telemetry
import TestTraits
import Testing

/// A line with one member `v`, as it would be written.
private func line(_ value: [UInt8], limit: Int = 4096) -> String {
    var line = LogLine(capacity: 64)
    line.begin()
    line.member("v", value.span, limit: limit)
    line.end()
    return String(decoding: line.bytes, as: UTF8.self)
}

private func line(_ value: String, limit: Int = 4096) -> String {
    line(Array(value.utf8), limit: limit)
}

@Suite struct `the text of a log value` {
    @Test(
        .holds("OPS-02"),
        arguments: [
            ("plain", "plain"), ("", ""), ("a b~!", "a b~!"), ("Zoë", "Zoë"), ("日本", "日本"), ("😀", "😀"),
        ])
    func `harmless text is written as it is`(value: String, expected: String) {
        #expect(line(value) == "{\"v\":\"\(expected)\"}\n")
    }

    @Test(
        .refuses("OPS-02"),
        arguments: [
            ("a\u{1B}[31m", "a\\u001b[31m"),  // the row's own example: ESC from a User-Agent
            ("a\r\nb", "a\\u000d\\u000ab"),
            ("a\"b", "a\\\"b"),
            ("a\\b", "a\\\\b"),
            ("a\u{0}b", "a\\u0000b"),
            ("a\tb", "a\\u0009b"),
            ("a\u{7F}b", "a\\u007fb"),
            ("a\u{9B}31m", "a\\u009b31m"),  // CSI as one C1 character
            ("a\u{85}b", "a\\u0085b"),  // NEL
            ("a\u{2028}b", "a\\u2028b"),
            ("a\u{202E}b", "a\\u202eb"),  // right-to-left override
            ("a\u{2066}b", "a\\u2066b"),
        ])
    func `what breaks a line or drives a terminal is escaped`(value: String, expected: String) {
        #expect(line(value) == "{\"v\":\"\(expected)\"}\n")
    }

    @Test(
        .refuses("OPS-02"),
        arguments: [
            ([0x80], "\\u0080"),  // a continuation byte alone
            ([0xC2], "\\u00c2"),  // cut off
            ([0x9B, 0x33], "\\u009b3"),  // CSI as one byte
            ([0xC0, 0xAF], "\\u00c0\\u00af"),  // overlong /
            ([0xE0, 0x80, 0x8A], "\\u00e0\\u0080\\u008a"),  // overlong line feed
            ([0xED, 0xA0, 0x80], "\\u00ed\\u00a0\\u0080"),  // a surrogate
            ([0xF4, 0x90, 0x80, 0x80], "\\u00f4\\u0090\\u0080\\u0080"),  // beyond Unicode
            ([0xFF, 0xFE], "\\u00ff\\u00fe"),
            ([0xE2, 0x82, 0x41], "\\u00e2\\u0082A"),
        ] as [([UInt8], String)])
    func `bytes that are not UTF-8 are escaped one by one`(value: [UInt8], expected: String) {
        #expect(line(value) == "{\"v\":\"\(expected)\"}\n")
    }

    @Test(.refuses("OPS-02"), arguments: [0x00, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xFF] as [UInt8])
    func `is escaped wherever it stands in a run of harmless bytes`(byte: UInt8) {
        // Eight bytes are judged at a time: every place within them, and every length of what follows.
        let escaped = byte == 0x22 || byte == 0x5C ? [0x5C, byte] : Array(escape(byte).utf8)
        for before in 0..<20 {
            for after in 0..<20 {
                for filler in [0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7E] as [UInt8] {
                    let (head, tail) = (
                        [UInt8](repeating: filler, count: before), [UInt8](repeating: filler, count: after)
                    )
                    let expected = "{\"v\":\"" + String(decoding: head + escaped + tail, as: UTF8.self) + "\"}\n"
                    #expect(line(head + [byte] + tail) == expected)
                }
            }
        }
    }

    private func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    @Test(.refuses("OPS-02")) func `every byte and every pair of bytes leaves as one line of printable JSON`() throws {
        for first in UInt8.min...UInt8.max {
            var value: [UInt8] = []
            for second in UInt8.min...UInt8.max { value += [first, second, 0x2E] }
            let text = line(value)
            #expect(text.utf8.last == 0x0A)
            #expect(text.utf8.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F })
            #expect(!text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) })
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
            #expect(object?["v"] != nil)
        }
    }

    @Test(
        .holds("OPS-02"), .refuses("OPS-02"),
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 4, "abcd[+2 bytes]"), ("abcdef", 0, "[+6 bytes]"),
            ("abcdef", -1, "[+6 bytes]"),
            ("aë", 2, "a[+2 bytes]"),  // never inside a character
            ("a😀b", 4, "a[+5 bytes]"), ("a😀b", 5, "a😀[+1 bytes]"),
        ])
    func `a long value is cut with a mark that counts the rest`(value: String, limit: Int, expected: String) {
        #expect(line(value, limit: limit) == "{\"v\":\"\(expected)\"}\n")
    }

    @Test(.refuses("OPS-02")) func `a cut inside bytes that are no text stays within the limit`() {
        #expect(line([0x80, 0x80, 0x80, 0x80, 0x80, 0x80], limit: 5).hasSuffix("[+1 bytes]\"}\n"))
    }
}
