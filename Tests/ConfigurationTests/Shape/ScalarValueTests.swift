import Testing

@testable import Configuration

@Suite struct `bare words of YAML` {
    @Test(
        arguments: [
            ("true", .boolean(true)), ("false", .boolean(false)), ("", .null), ("~", .null), ("null", .null),
            ("0", .integer(0)), ("-7", .integer(-7)), ("42", .integer(42)),
            ("1.5", .number), ("1e3", .number), (".5", .number), ("5.", .number), ("+1", .number), ("0x1F", .number),
            ("0o17", .number), (".inf", .number), (".NaN", .number), ("017", .number),
            ("99999999999999999999", .number),
            ("True", .number), ("FALSE", .number),
            ("yes", .text), ("no", .text), ("on", .text), ("off", .text), ("1.2.3", .text), ("-", .text), ("1e", .text),
            ("30s", .text), ("e5", .text), ("0x", .text), (".", .text), ("1_000", .text), ("10.0.0.0/8", .text),
        ] as [(String, ScalarValue)])
    func `mean what YAML's core schema says`(text: String, value: ScalarValue) {
        #expect(ScalarValue(text, isPlain: true) == value)
    }

    @Test(arguments: ["true", "42", "", "null", "1.5"])
    func `are texts in quotation marks`(text: String) {
        #expect(ScalarValue(text, isPlain: false) == .text)
    }

    @Test func `are shown on one line, cut and without control characters`() {
        #expect(Quoted.text("a\u{1B}[31m\r\nb") == #""a\u{1B}[31m\r\nb""#)
        #expect(Quoted.bare(String(repeating: "x", count: 200)) == String(repeating: "x", count: 80) + "…")
    }
}

@Suite struct `a suggestion` {
    @Test(
        arguments: [
            ("upstrem", "upstream"), ("listners", "listeners"), ("keepalive", "keep_alive"),
            ("keep-alive", "keep_alive"),
            ("mian", "main"), ("AUDIENCE", "audience"), ("warn", "warning"), ("tiemouts", "timeouts"),
            ("clients", nil), ("x", nil), ("authorization", nil), ("", nil),
        ] as [(String, String?)])
    func `is the nearest word, or none`(typed: String, meant: String?) {
        let words = ["upstream", "listeners", "keep_alive", "main", "audience", "warning", "timeouts", "log"]
        #expect(Suggestion.nearest(to: typed, among: words) == meant)
    }
}

@Suite struct `the schema's JSON` {
    @Test func `escapes what JSON wants escaped`() {
        #expect(SchemaValue.text("a\"\\\u{1}é").text() == #""a\"\\\u0001é""#)
        #expect(SchemaValue.list([]).text() == "[]")
        #expect(SchemaValue.object([]).text() == "{}")
    }
}
