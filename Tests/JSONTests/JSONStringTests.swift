import JSON
import TestTraits
import Testing

@Suite struct `strings` {
    @Test func `escapes are decoded`() throws {
        let value = try parse(#"["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20AC\ud83d\ude00","\u0000","","x\u0079"]"#)
        #expect(value.elements.map(\.string) == ["\"\\/\u{8}\u{C}\n\r\t", "Aé€😀", "\0", "", "xy"])
        #expect(value.elements[2].utf8 == [0])
        #expect(value.elements.map(\.utf8Count) == [8, 10, 1, 0, 2])
        #expect(value.elements.map { $0.utf8Slice.map { Array($0) } } == value.elements.map(\.utf8))
        #expect(value.utf8Slice == nil && value.elements[3].utf8Slice?.isEmpty == true)
    }

    @Test func `a string is compared by its bytes`() throws {
        let value = try parse(#"["a","a\u0000","\u00e9","e\u0301"]"#)
        #expect(value.elements.map { $0.equals("a") } == [true, false, false, false])
        #expect(value.elements.map { $0.equals("a\0") } == [false, true, false, false])
        #expect(value.elements.map { $0.equals("\u{E9}") } == [false, false, true, false])
        #expect(try parse("1").equals("1") == false)
    }

    @Test(
        .refuses("JOSE-03"),
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #""\ud800\ue000""#,
            #""\ud83d\uffff""#, #""\ud800\u0041""#,
            #""\udc00\ud800""#, #""x\udfff""#, #"{"\ud800":1}"#,
        ])
    func `half a surrogate pair is refused`(text: String) {
        #expect(throws: JSONRefusal.loneSurrogate) { try parse(text) }
    }

    @Test(
        .refuses("JOSE-03"),
        arguments: [#""\x41""#, #""\u00g0""#, #""\u 041""#, #""\U0041""#, #""\a""#, #""\'""#, #""\+0041""#])
    func `an escape that is none is refused`(text: String) {
        #expect(throws: JSONRefusal.invalidEscape) { try parse(text) }
    }

    @Test(.refuses("JOSE-03")) func `an escape cut short is refused`() {
        for text in [#""\"#, #""\u"#, #""\u00"#, #""\u0041"#, #""\ud83d\ude0"#] {
            #expect(throws: JSONRefusal.unexpectedEnd) { try parse(text) }
        }
    }

    @Test(.refuses("JOSE-03")) func `control characters must be escaped`() {
        for byte in UInt8(0)..<0x20 {
            let plain = [0x22, byte, 0x22]
            #expect(throws: JSONRefusal.controlCharacter) { try JSONValue.parse(plain.span) }
            let afterEscape = [0x22, 0x5C, 0x6E, byte, 0x22]
            #expect(throws: JSONRefusal.controlCharacter) { try JSONValue.parse(afterEscape.span) }
        }
    }

    @Test(
        .refuses("JOSE-03"),
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82, 0x41],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        for text in [[0x22] + bytes + [0x22], [0x22, 0x5C, 0x6E] + bytes + [0x22]] {
            #expect(throws: JSONRefusal.invalidUTF8) { try JSONValue.parse(text.span) }
        }
        let name: [UInt8] = [0x7B, 0x22] + bytes + Array(#"":1}"#.utf8)
        #expect(throws: JSONRefusal.invalidUTF8) { try JSONValue.parse(name.span) }
    }

    @Test func `the edges of UTF-8 are read`() throws {
        for scalar in [
            "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
        ] {
            #expect(try parse("\"\(scalar)\"").utf8 == Array(scalar.utf8))
        }
    }
}

@Suite struct `numbers` {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("1.0", 1), ("1e3", 1000), ("1E+3", 1000), ("-2.50e1", -25), ("9007199254740992.0", 9_007_199_254_740_992),
        ] as [(String, Int64)])
    func `an integer is exact`(text: String, integer: Int64) throws {
        let value = try parse(text)
        #expect(value.integer == integer)
        #expect(value.number == Double(integer))
        #expect(value.numberText == text)
    }

    @Test(arguments: ["1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400"])
    func `what is no integer of 64 bits is none`(text: String) throws {
        #expect(try parse(text).integer == nil)
    }

    @Test(.refuses("JOSE-27")) func `a number beyond every double has no value`() throws {
        #expect(try parse("1e400").number == nil)
        #expect(try parse("-1e400").number == nil)
        #expect(try parse("1e308").number == 1e308)
        #expect(try parse("1e-400").number == 0)
    }

    @Test(
        .refuses("JOSE-03"),
        arguments: [
            "01", "-01", "00", "+1", ".5", "1.", "1.e1", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "-x",
            "1.2.3", "1e1e1", "1-1", "1a",
        ])
    func `what RFC 8259 does not spell as a number is refused`(text: String) {
        #expect(throws: JSONRefusal.invalidNumber) { try parse(text) }
    }
}
