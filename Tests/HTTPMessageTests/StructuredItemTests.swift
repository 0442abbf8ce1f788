import HTTPMessage
import TestSupport
import Testing

@Suite struct `structured items` {
    private func read(_ field: String) throws(StructuredFieldRefusal) -> StructuredItem {
        let bytes = Array(field.utf8)
        return try StructuredItem(bytes.span)
    }

    @Test(arguments: [
        ("0", StructuredItem.BareItem.integer(0)), ("-0", .integer(0)), ("42", .integer(42)), ("-42", .integer(-42)),
        ("007", .integer(7)), ("999999999999999", .integer(999_999_999_999_999)),
        ("-999999999999999", .integer(-999_999_999_999_999)), ("1.5", .decimal(thousandths: 1500)),
        ("-1.50", .decimal(thousandths: -1500)), ("0.001", .decimal(thousandths: 1)),
        ("1.0", .decimal(thousandths: 1000)),
        ("999999999999.999", .decimal(thousandths: 999_999_999_999_999)), ("\"\"", .string("")),
        ("\"a b~\"", .string("a b~")), (#""\"\\""#, .string(#""\"#)), ("a", .token("a")), ("*", .token("*")),
        ("A/b:c!#$%&'*+-.^_`|~0", .token("A/b:c!#$%&'*+-.^_`|~0")), ("::", .bytes([])), (":AA==:", .bytes([0])),
        (":AAA=:", .bytes([0, 0])), (":AAAA:", .bytes([0, 0, 0])), (":+/+/:", .bytes([0xfb, 0xff, 0xbf])),
        ("?0", .boolean(false)), ("?1", .boolean(true)), ("@0", .date(0)), ("@-1659578233", .date(-1_659_578_233)),
        ("  a  ", .token("a")),
    ])
    func `are read as RFC 9651 writes them`(field: String, value: StructuredItem.BareItem) throws {
        let item = try read(field)
        #expect(item.value == value)
        #expect(item.parameters.isEmpty)
    }

    @Test(arguments: [
        ("", StructuredFieldRefusal.noItem), (" ", .noItem), ("\t1", .noItem), ("=", .noItem), ("(a b)", .noItem),
        (";a", .noItem), ("%\"a\"", .noItem), ("!a", .noItem), ("\u{e9}", .noItem), ("-", .number), ("--1", .number),
        ("-a", .number), ("1.", .number), ("1.a", .number), ("1.0000", .number), ("1000000000000000", .number),
        ("1000000000000.0", .number), ("-1000000000000000", .number), ("1.1.1", .trailingBytes), (".5", .noItem),
        ("+1", .noItem), ("1a", .trailingBytes), ("1 2", .trailingBytes), ("1\t", .trailingBytes), ("\"", .string),
        ("\"a", .string), ("\"a\u{7f}\"", .string), ("\"a\tb\"", .string), ("\"\u{e9}\"", .string), (#""\a""#, .string),
        (#""\"#, .string), (#""\""#, .string), ("\"a\"b", .trailingBytes), ("a,b", .trailingBytes),
        ("a b", .trailingBytes),
        ("a\"", .trailingBytes), (":", .byteSequence), (":AAAA", .byteSequence), (":A:", .byteSequence),
        (":AA:", .byteSequence), (":AAA:", .byteSequence), (":AA=:", .byteSequence), (":AA===:", .byteSequence),
        (":A===:", .byteSequence), (":====:", .byteSequence), (":=:", .byteSequence), (":AB==:", .byteSequence),
        (":AAB=:", .byteSequence), (":AA==AA==:", .byteSequence), (":AA A:", .byteSequence), (":AA\nA:", .byteSequence),
        (":-_-_:", .byteSequence), (":AAA-:", .byteSequence), (":AA*A:", .byteSequence), ("?", .boolean),
        ("?2", .boolean),
        ("?T", .boolean), ("??", .boolean), ("?10", .trailingBytes), ("@", .number), ("@1.5", .date), ("@a", .number),
        ("@1000000000000000", .number), ("a;", .parameterName), ("a;;b", .parameterName), ("a;A", .parameterName),
        ("a;1", .parameterName), ("a;-", .parameterName), ("a;b=", .noItem), ("a;b= 1", .noItem),
        ("a;b =1", .trailingBytes),
        ("a ;b", .trailingBytes), ("a;b=1,", .trailingBytes), ("a;b=(1)", .noItem), ("a;b=\"", .string),
    ])
    func `that break one rule are refused for it`(field: String, refusal: StructuredFieldRefusal) {
        #expect(throws: refusal) { try read(field) }
    }

    @Test func `keep their parameters in order, and of equal names the later value`() throws {
        let item = try read("a;b;  c=1.5;*d.e_f-9=\"x\";b=?0;g=:AA==:;h=tok;i=@1")
        #expect(item.value == .token("a"))
        #expect(item.parameters.map(\.name) == ["b", "c", "*d.e_f-9", "g", "h", "i"])
        #expect(
            item.parameters.map(\.value) == [
                .boolean(false), .decimal(thousandths: 1500), .string("x"), .bytes([0]), .token("tok"), .date(1),
            ])
        #expect(try read("1;a").parameters.map(\.value) == [.boolean(true)])
    }

    @Test func `are bounded in their length and in their parameters`() throws {
        let limit = StructuredItem.maximumBytes
        let longest = "\"" + String(repeating: "a", count: limit - 2) + "\""
        #expect(try read(longest).parameters.isEmpty)
        #expect(throws: StructuredFieldRefusal.tooLong) { try read(longest + " ") }
        let many = (0..<StructuredItem.maximumParameters).map { ";p\($0)" }.joined()
        #expect(try read("a" + many).parameters.count == StructuredItem.maximumParameters)
        #expect(try read("a" + many + ";p0").parameters.count == StructuredItem.maximumParameters)
        #expect(throws: StructuredFieldRefusal.tooManyParameters) { try read("a" + many + ";q") }
    }

    @Test(arguments: ["-12.345;a=1", "\"a\\\"b\";c=\"d\"", "*tok/en:x;y=?1;z=@5", ":AAECAwQ=:;k=:/w==:", "?1;a;b;c"])
    func `are read or refused, never trapped on, wherever they are cut and whichever bit is flipped`(field: String)
        throws
    {
        let bytes = Array(field.utf8)
        let item = try StructuredItem(bytes.span)
        for cut in everyStart(of: bytes) {
            let other = try? StructuredItem(cut.span)
            #expect(other != item)
        }
        for changed in everyChange(of: bytes) { _ = try? StructuredItem(changed.bytes.span) }
    }
}
