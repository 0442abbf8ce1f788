import Bytes
import TestSupport
import Testing

private func decode(_ text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    return FormEncoding.decode(bytes.span)
}

@Suite struct `a form's name or value` {
    @Test func `is what was encoded, for every byte`() {
        let all = (0...255).map { UInt8($0) }
        var text: [UInt8] = []
        FormEncoding.append(all.span, to: &text)
        #expect(FormEncoding.decode(text.span) == all)
    }

    @Test func `is decoded in either case, a plus as a space, and once`() {
        #expect(decode("") == [])
        #expect(decode("a+b%2Bc%2b") == Array("a b+c+".utf8))
        #expect(decode("%253A") == Array("%3A".utf8))
        #expect(decode("\u{FC}=&") == Array("\u{FC}=&".utf8))
    }

    @Test(
        arguments: [
            "state", "st%61te", "%73%74%61%74%65", "stat", "states", "State", "st+te", "st te", "%73tate%", "stat%6",
            "stat%6g",
            "", "%", "state%00", "%2573tate",
        ])
    func `is a spelling of a name where it decodes to that`(text: String) {
        let bytes = Array(text.utf8)
        #expect(FormEncoding.isSpelling(bytes.span, of: "state") == (decode(text) == Array("state".utf8)))
        #expect(FormEncoding.isSpelling(bytes.span, of: "st te") == (decode(text) == Array("st te".utf8)))
        for cut in everyStart(of: bytes) {
            #expect(
                FormEncoding.isSpelling(cut.span, of: "state") == (FormEncoding.decode(cut.span) == Array("state".utf8))
            )
        }
    }

    @Test(arguments: ["%", "%4", "a%", "a%2", "%zz", "%2g", "%%41", "%+1", "%u0041"])
    func `with an escape that is none is refused`(text: String) {
        #expect(decode(text) == nil)
    }
}
