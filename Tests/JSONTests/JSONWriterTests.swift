import JSON
import Testing

@Suite struct `the writer` {
    @Test func `members and elements come in order without whitespace`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("a")
        writer.integer(-1)
        writer.name("b")
        writer.beginArray()
        writer.bool(true)
        writer.null()
        writer.beginObject()
        writer.endObject()
        writer.endArray()
        writer.name("c")
        writer.string("x")
        writer.endObject()
        #expect(writer.text == #"{"a":-1,"b":[true,null,{}],"c":"x"}"#)
    }

    @Test func `nothing in a string can end it or the line`() throws {
        var writer = JSONWriter(appendingTo: [0x20])
        writer.string("\"\\\n\r\t\u{8}\u{C}\0\u{1F}\u{7F}é😀/")
        #expect(writer.text == #" "\"\\\n\r\t\b\f\u0000\u001f\u007fé😀/""#)
        #expect(!writer.bytes.contains { $0 < 0x20 })
        #expect(writer.finish() == writer.bytes)
        #expect(try JSONValue.parse(writer.bytes.span).string == "\"\\\n\r\t\u{8}\u{C}\0\u{1F}\u{7F}é😀/")
    }

    @Test func `bytes that are not UTF-8 become the replacement character`() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0xC3, 0x62, 0xED, 0xA0, 0x80]
        var writer = JSONWriter()
        writer.string(utf8: bytes.span)
        #expect(try JSONValue.parse(writer.bytes.span).string == "a\u{FFFD}\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}")
    }

    @Test(arguments: [
        #"{"a":[1,-0.50,1e400,"\u0000",{"b":null}],"c":{},"d":[],"e":true,"f":false}"#, #""x""#, "[[[]]]", "12",
    ])
    func `a parsed value is written as it was`(text: String) throws {
        var writer = JSONWriter()
        writer.value(try parse(text))
        #expect(writer.text == text)
    }
}
