import Bytes
import TestSupport
import TestTraits
import Testing

@Suite struct `encoding for a form` {
    private func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        FormEncoding.append(bytes.span, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    // RFC 6749 appendix B.
    @Test(.holds("CA-02")) func `spells the example of RFC 6749 as it does`() {
        #expect(encode([0x20, 0x25, 0x26, 0x2B, 0xC2, 0xA3, 0xE2, 0x82, 0xAC]) == "+%25%26%2B%C2%A3%E2%82%AC")
    }

    @Test(.holds("TX-01"), .refuses("TX-01")) func `leaves only what can neither end a value nor be read as an escape`()
    {
        for byte in UInt8.min...UInt8.max {
            let text = encode([byte])
            let scalar = Character(UnicodeScalar(byte))
            let isPlain = scalar.isASCII && (scalar.isLetter || scalar.isNumber) || "*-._".contains(scalar)
            let escape = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            #expect(text == (byte == 0x20 ? "+" : isPlain ? String(scalar) : escape))
        }
    }

    @Test func `joins parameters, the first without a separator`() {
        var output: [UInt8] = []
        let one = Array("1&2".utf8), none: [UInt8] = []
        FormEncoding.appendParameter("a=", one.span, to: &output)
        FormEncoding.appendParameter("b", none.span, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "a%3D=1%262&b=")
    }

    // RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 pads to whole groups`(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.encode(bytes.span) == expected)
    }

    @Test func `base64 has the alphabet with plus and slash`() {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
        #expect(Base64.encode(bytes.span) == "++//")
    }
}
