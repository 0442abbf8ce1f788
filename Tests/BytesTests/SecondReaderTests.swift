import Bytes
import Foundation
import TestSupport
import TestTraits
import Testing

/// The spellings of bytes held against readers and writers of somebody else's.
@Suite struct `spellings of bytes` {
    /// Of each length up to 64, bytes of every value, and what Foundation says of them.
    private static let samples: [[UInt8]] =
        (0...64).map { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) } }
        + (0..<4).map { part in (0..<64).map { UInt8(part * 64 + $0) } }

    private func unpadded(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }

    @Test(.holds("JOSE-02")) func `in base64 are those of another writer`() {
        for bytes in Self.samples {
            let expected = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes.span) == expected)
            #expect(Base64URL.encode(bytes.span) == unpadded(expected))
            #expect(Base64URL.decode(Array(unpadded(expected).utf8).span) == bytes)
        }
    }

    @Test(.holds("JOSE-02")) func `in base64url are appended behind what is there`() {
        for bytes in Self.samples {
            var output = Array("before.".utf8)
            Base64URL.append(bytes.span, to: &output)
            #expect(String(decoding: output, as: UTF8.self) == "before." + Base64URL.encode(bytes.span))
        }
    }

    @Test(.holds("JOSE-02"), .refuses("JOSE-02"))
    func `in base64url of two and three characters are one for each value, and none besides`() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var values: Set<[UInt8]> = []
        for first in alphabet {
            for second in alphabet {
                let text = [first, second]
                guard let bytes = Base64URL.decode(text.span) else { continue }
                #expect(values.insert(bytes).inserted, "a second spelling of \(bytes)")
                if Base64URL.encode(bytes.span) != String(decoding: text, as: UTF8.self) { Issue.record("\(text)") }
            }
        }
        #expect(values.count == 256, "each byte has a spelling")
        let threes = alphabet.count { Base64URL.decode([0x41, 0x41, $0].span) != nil }
        #expect(threes == 16, "of the third character the last two bits are zero")
    }

    @Test(.refuses("JOSE-02")) func `in base64url that are cut are another value or none`() {
        for bytes in Self.samples {
            let text = Array(Base64URL.encode(bytes.span).utf8)
            for cut in everyStart(of: text) { #expect(Base64URL.decode(cut.span) != bytes) }
        }
    }

    @Test func `in hexadecimal are those of another writer`() {
        for bytes in Self.samples {
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            #expect(Hex.encode(bytes.span) == digits.joined())
        }
    }

    @Test(.holds("HTTP-46"), .refuses("HTTP-46")) func `in percent-encoding lead back to the same bytes`() {
        for bytes in Self.samples {
            var output: [UInt8] = []
            PercentEncoding.append(bytes.span, to: &output)
            #expect(output.allSatisfy { (0x20...0x7E).contains($0) })
            let read = String(decoding: output, as: UTF8.self).removingPercentEncodedBytes
            #expect(read == bytes)
        }
    }

    @Test(.holds("CA-02")) func `in a form lead back to the same bytes, and cut anywhere to others or to none`() {
        for bytes in Self.samples where !bytes.isEmpty {
            var output: [UInt8] = []
            FormEncoding.append(bytes.span, to: &output)
            #expect(FormEncoding.decode(output.span) == bytes)
            for cut in everyStart(of: output) { #expect(FormEncoding.decode(cut.span) != bytes) }
        }
    }
}

@Suite struct `texts compared without case` {
    /// One text in two cases, of each length around the eight bytes that are compared at once.
    private func texts(_ count: Int) -> (lower: [UInt8], upper: [UInt8]) {
        let lower = (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }
        return (lower, lower.map { $0 - 0x20 })
    }

    private func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        ASCII.equalsIgnoringCase(one.span, other.span)
    }

    private func isEqual(_ one: [UInt8], _ other: String) -> Bool { ASCII.equalsIgnoringCase(one.span, other) }

    @Test(arguments: 0..<34) func `are equal at every length`(count: Int) {
        let (lower, upper) = texts(count)
        #expect(isEqual(lower, upper))
        #expect(isEqual(upper, String(decoding: lower, as: UTF8.self)))
        for place in lower.indices {
            var mixed = lower
            mixed[place] = upper[place]
            #expect(isEqual(mixed, lower))
        }
    }

    @Test(arguments: 1..<34) func `differ where one byte does, at every place`(count: Int) {
        let (lower, upper) = texts(count)
        for place in lower.indices {
            for octet in [lower[place] ^ 0x80, lower[place] ^ 0x40, 0x00, 0x7F, UInt8(ascii: "-")] {
                var other = upper
                other[place] = octet
                #expect(!isEqual(lower, other), "\(octet) at \(place) of \(count)")
            }
        }
        for cut in everyStart(of: upper) { #expect(!isEqual(lower, cut)) }
    }

    @Test func `differ where two bytes differ in the bit of case and are no letters`() {
        for byte in UInt8.min...UInt8.max where !ASCII.isLetter(byte) {
            #expect(!isEqual([byte], [byte ^ 0x20]))
        }
    }
}

@Suite struct `copies of spans` {
    @Test func `behind nothing, of nothing, and of one byte are what was there`() {
        let (none, one): ([UInt8], [UInt8]) = ([], [7])
        var bytes: [UInt8] = []
        bytes.append(copying: none.span)
        #expect(bytes.isEmpty)
        bytes.append(copying: one.span)
        #expect(bytes == [7])
        let copy = [UInt8](copying: bytes.span)
        #expect(copy == [7])
    }

    @Test func `are texts in which each byte that is no UTF-8 is a replacement character`() {
        for cut in everyStart(of: Array("aé€𝄞".utf8)) {
            #expect(String(copying: cut.span) == String(decoding: cut, as: UTF8.self))
        }
    }
}

extension String {
    /// The bytes with each `%XX` decoded, by a reader that knows nothing else.
    fileprivate var removingPercentEncodedBytes: [UInt8] {
        var bytes: [UInt8] = []
        var rest = Substring(self)
        while let first = rest.popFirst() {
            if first == "%", let byte = UInt8(rest.prefix(2), radix: 16) {
                bytes.append(byte)
                rest = rest.dropFirst(2)
            } else {
                bytes += Array(String(first).utf8)
            }
        }
        return bytes
    }
}
