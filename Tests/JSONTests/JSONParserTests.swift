import JSON
import TestSupport
import TestTraits
import Testing

/// The value of a text, for tests.
func parse(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONRefusal) -> JSONValue {
    let bytes = Array(text.utf8)
    return try JSONValue.parse(bytes.span, limits: limits)
}

@Suite struct `strict JSON` {
    @Test(.holds("JOSE-03")) func `every kind of value is read`() throws {
        let value = try parse(#" {"o":{},"a":[1,"x",null],"s":"té","n":-1.5e2,"t":true,"f":false,"z":null} "#)
        #expect(value.kind == .object)
        #expect(value.count == 7)
        #expect(value.members.map(\.name) == ["o", "a", "s", "n", "t", "f", "z"])
        #expect(value["o"]?.kind == .object)
        #expect(value["o"]?.count == 0)
        #expect(value["a"]?.elements.map(\.kind) == [.number, .string, .null])
        #expect(value["s"]?.string == "té")
        #expect(value["n"]?.number == -150)
        #expect(value["t"]?.bool == true)
        #expect(value["f"]?.bool == false)
        #expect(value["z"]?.isNull == true)
        #expect(value["absent"] == nil)
    }

    @Test func `a member behind nested values is found`() throws {
        let value = try parse(#"{"a":{"b":[[1],{"c":2}],"d":{}},"e":"last"}"#)
        #expect(value["e"]?.string == "last")
        #expect(value["a"]?["b"]?.elements[1]["c"]?.integer == 2)
        #expect(value["a"]?["e"] == nil)
        #expect(value["b"] == nil)
    }

    @Test func `the first elements of an array are there without the others`() throws {
        let value = try parse(#"{"a":[1,[2,3],{"b":4},5],"s":"x"}"#)
        for limit in 0...6 {
            #expect(value["a"]?.elements(upTo: limit).count == min(limit, 4))
            #expect(value["a"]?.elements(upTo: limit).last?.kind == value["a"]?.elements.prefix(limit).last?.kind)
        }
        #expect(value["a"]?.elements(upTo: 4)[3].integer == 5)
        #expect(value["a"]?.elements(upTo: -1).isEmpty == true)
        #expect(value["s"]?.elements(upTo: 1).isEmpty == true && value.elements(upTo: 1).isEmpty)
    }

    @Test func `a value has the accessors of its own kind only`() throws {
        let value = try parse(#"{"s":"1","n":1,"b":true,"a":[1],"o":{"x":1}}"#)
        #expect(value["s"]?.number == nil && value["s"]?.integer == nil && value["s"]?.bool == nil)
        #expect(value["n"]?.string == nil && value["n"]?.utf8 == nil && value["n"]?.bool == nil)
        #expect(value["b"]?.number == nil && value["b"]?.string == nil && value["b"]?.count == 0)
        #expect(value["a"]?["x"] == nil && value["a"]?.members.isEmpty == true)
        #expect(value["o"]?.elements.isEmpty == true && value["o"]?.utf8Count == nil)
        #expect(value["s"]?.elements.isEmpty == true && value["s"]?["x"] == nil)
    }

    @Test(
        .refuses("JOSE-03"),
        arguments: [
            ("", JSONRefusal.unexpectedEnd), (" ", .unexpectedEnd), ("{", .unexpectedEnd), ("[", .unexpectedEnd),
            ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd), (#"{"a""#, .unexpectedEnd), (#"{"a":"#, .unexpectedEnd),
            (#"{"a":1"#, .unexpectedEnd), (#"""#, .unexpectedEnd), ("tru", .unexpectedEnd), ("-", .unexpectedEnd),
            (#"{"a":1,}"#, .unexpectedByte), ("[1,]", .unexpectedByte), ("[,1]", .unexpectedByte),
            ("[1 2]", .unexpectedByte), (#"{"a" 1}"#, .unexpectedByte), (#"{a:1}"#, .unexpectedByte),
            (#"{'a':1}"#, .unexpectedByte), (#"{1:1}"#, .unexpectedByte), ("[1}", .unexpectedByte),
            ("trux", .unexpectedByte), ("True", .unexpectedByte), ("/**/1", .unexpectedByte), ("}", .unexpectedByte),
            ("undefined", .unexpectedByte), ("[1]\u{0C}", .trailingBytes), ("\u{A0}1", .unexpectedByte),
        ] as [(String, JSONRefusal)])
    func `what the grammar does not derive is refused`(text: String, refusal: JSONRefusal) {
        #expect(throws: refusal) { try parse(text) }
    }

    @Test(.refuses("JOSE-03"), arguments: [#"{"a":1}x"#, "{}{}", "1 2", "null,", "[]\u{0}", #"{"a":1} //"#])
    func `bytes after the value are refused`(text: String) {
        #expect(throws: JSONRefusal.trailingBytes) { try parse(text) }
    }

    @Test(.refuses("JOSE-03")) func `a byte order mark is refused`() {
        #expect(throws: JSONRefusal.byteOrderMark) { try parse("\u{FEFF}{}") }
    }

    @Test(.refuses("JOSE-03")) func `a text cut at any byte is refused`() throws {
        let text = Array(#"{"a":[1.5,"b\u00e9\n",{"c":null}],"d":true,"é":"\ud83d\ude00"}"#.utf8)
        _ = try JSONValue.parse(text.span)
        for cut in everyStart(of: text) {
            #expect(throws: JSONRefusal.self) { try JSONValue.parse(cut.span) }
        }
    }

    @Test(.refuses("JOSE-03")) func `no byte in any place makes the reader trap`() {
        let text = Array(#"{"a":[-1.5e+7,"\ud83d\ude00é"],"b":true}"#.utf8)
        for changed in everyChange(of: text) { _ = try? JSONValue.parse(changed.bytes.span) }
    }
}

@Suite struct `duplicate members` {
    @Test(
        .refuses("JOSE-04"),
        arguments: [
            #"{"alg":"RS256","alg":"none"}"#, #"{"a":1,"b":2,"a":1}"#, #"{"":1,"":2}"#, #"{"x":{"a":1,"a":2}}"#,
            #"[{"a":1},{"b":[{"c":1,"c":2}]}]"#,
        ])
    func `a name twice in one object is refused at any depth`(text: String) {
        #expect(throws: JSONRefusal.duplicateMember) { try parse(text) }
    }

    @Test(
        .refuses("JOSE-04"),
        arguments: [
            #"{"alg":1,"\u0061lg":2}"#, #"{"\u0061lg":1,"alg":2}"#, #"{"a/b":1,"a\/b":2}"#,
            #"{"\ud83d\ude00":1,"😀":2}"#, #"{"\u0000":1,"\u0000":2}"#,
        ])
    func `a name twice is refused however it is escaped`(text: String) {
        #expect(throws: JSONRefusal.duplicateMember) { try parse(text) }
    }

    @Test(
        .holds("JOSE-04"),
        arguments: [
            #"{"alg":1,"Alg":2}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#, #"{"a":1,"a\u0000":2}"#,
            #"{"\u00e9":1,"e\u0301":2}"#,
        ])
    func `names that differ in a byte or an object are kept apart`(text: String) throws {
        _ = try parse(text)
    }

    @Test func `a name is looked up by its bytes, not by Unicode equivalence`() throws {
        let value = try parse(#"{"e\u0301":1}"#)
        #expect(value["\u{E9}"] == nil)
        #expect(value["e\u{301}"]?.integer == 1)
    }
}

@Suite struct `limits` {
    @Test(.refuses("JOSE-03")) func `depth 16 is read and depth 17 refused`() throws {
        let brackets = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        _ = try parse(brackets(16))
        #expect(throws: JSONRefusal.tooDeep) { try parse(brackets(17)) }
        let objects = String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17)
        #expect(throws: JSONRefusal.tooDeep) { try parse(objects) }
        #expect(throws: JSONRefusal.tooDeep) { try parse(String(repeating: "[", count: 100_000)) }
    }

    @Test(.refuses("JOSE-03")) func `256 members are read and 257 refused`() throws {
        let object = { (count: Int) in "{" + (0..<count).map { #""m\#($0)":1"# }.joined(separator: ",") + "}" }
        #expect(try parse(object(256)).count == 256)
        #expect(throws: JSONRefusal.tooManyMembers) { try parse(object(257)) }
    }

    @Test func `elements and bytes are bounded`() throws {
        let limits = JSONLimits(bytes: 9, elements: 3)
        #expect(try parse("[1,2,3]", limits: limits).count == 3)
        #expect(throws: JSONRefusal.tooManyElements) { try parse("[1,2,3,4]", limits: limits) }
        #expect(throws: JSONRefusal.tooLong) { try parse("[1,2,3]   ", limits: limits) }
    }
}
