import Bytes
import TestTraits
import Testing

@Suite struct `text forms of bytes` {
    private func decode(_ text: String) -> [UInt8]? {
        Base64URL.decode(Array(text.utf8).span)
    }

    // RFC 4648 §10, without padding.
    @Test(
        .holds("JOSE-02"),
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func `base64url both ways`(bytes: String, text: String) {
        #expect(Base64URL.encode(Array(bytes.utf8).span) == text)
        #expect(decode(text) == Array(bytes.utf8))
    }

    // RFC 7515 Appendix C.
    @Test(.holds("JOSE-02")) func `the alphabet's last two characters are dash and underscore`() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193] as [UInt8]) == "A-z_4ME")
        #expect(decode("A-z_4ME") == [3, 236, 255, 224, 193])
    }

    @Test(.holds("JOSE-02")) func `every length and byte comes back`() {
        let all = [UInt8](UInt8.min...UInt8.max)
        for count in 0...256 {
            let bytes = Array(all.prefix(count))
            #expect(decode(Base64URL.encode(bytes.span)) == bytes)
            let backwards = Array(all.reversed().prefix(count))
            #expect(decode(Base64URL.encode(backwards.span)) == backwards)
        }
    }

    @Test(.holds("JOSE-02")) func `each character stands for its six bits, wherever it is`() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for (sixBits, character) in alphabet.enumerated() {
            for place in 0..<8 {
                var text = [UInt8](repeating: 0x41, count: 16)
                text[place] = character
                let number = UInt64(sixBits) << UInt64(42 - place * 6)
                let bytes = (0..<6).map { UInt8(truncatingIfNeeded: number >> UInt64(40 - $0 * 8)) }
                #expect(Base64URL.decode(text.span) == bytes + [0, 0, 0, 0, 0, 0])
                #expect(Base64URL.encode((bytes + [0, 0, 0, 0, 0, 0]).span).utf8.elementsEqual(text))
            }
        }
    }

    @Test(
        .refuses("JOSE-02"),
        arguments: [
            "Zg==", "Zm8=", "Zg=", "=", "Zm9v=", "Z", "Zm9vY", "A+z_", "A/z-", "Zm 9v", "Zm9v\n", "\nZm9v", "Zm\r\n9v",
            "Zm9v ", "Zm9.", "Zm\u{e9}",
            "Zm9v\u{0}", "Zm,v", "{}{}",
        ])
    func `padding, whitespace and other characters are refused`(text: String) {
        #expect(decode(text) == nil)
    }

    @Test(.refuses("JOSE-02")) func `characters outside the alphabet are refused wherever they stand`() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) {
            // Eight are read at once, and what is left in fours and less.
            for count in 2...15 where count % 4 != 1 {
                for place in 0..<count {
                    var text = [UInt8](repeating: 0x41, count: count)
                    text[place] = byte
                    if Base64URL.decode(text.span) != nil { Issue.record("\(text)") }
                }
            }
        }
    }

    @Test(.refuses("JOSE-02"), arguments: ["Zh", "Zv", "Zm9", "Zm-", "Zm9vYh", "Zm9vYmF"])
    func `unused bits that are not zero are refused`(text: String) {
        #expect(decode(text) == nil)
    }

    @Test func `hexadecimal is two lower-case digits a byte`() {
        #expect(Hex.encode([0x00, 0x0f, 0xa0, 0xff, 0x9c] as [UInt8]) == "000fa0ff9c")
        #expect(Hex.encode([] as [UInt8]) == "")
    }

    private func percent(_ bytes: [UInt8]) -> String {
        var output = Array("<".utf8)
        PercentEncoding.append(bytes.span, to: &output)
        return String(decoding: output.dropFirst(), as: UTF8.self)
    }

    @Test(
        .holds("HTTP-46"),
        arguments: [
            ("Zo\u{eb}", "Zo%C3%AB"), ("plain text ~!\"", "plain text ~!\""), ("100%", "100%25"),
            ("a\r\nX-Admin: 1", "a%0D%0AX-Admin: 1"),
            ("\u{0}\t\u{7f}", "%00%09%7F"), ("", ""),
        ])
    func `what is not printable ASCII is escaped`(text: String, escaped: String) {
        #expect(percent(Array(text.utf8)) == escaped)
    }

    @Test(.refuses("HTTP-46")) func `no byte leads out of one line of printable ASCII`() {
        let escaped = percent([UInt8](UInt8.min...UInt8.max))
        #expect(escaped.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        #expect(escaped.utf8.count == 94 + 162 * 3)
    }

    @Test func `spans are copied`() {
        let bytes: [UInt8] = [0x61, 0x62, 0xff]
        #expect([UInt8](copying: bytes.span) == bytes)
        #expect([UInt8](copying: bytes.span.extracting(first: 0)) == [])
        #expect(String(copying: bytes.span) == "ab\u{fffd}")
        var more: [UInt8] = [1]
        more.append(copying: bytes.span)
        #expect(more == [1, 0x61, 0x62, 0xff])
    }
}

extension Base64URL {
    fileprivate static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }
}

extension Hex {
    fileprivate static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }
}
