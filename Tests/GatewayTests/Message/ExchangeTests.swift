import Bytes
import HTTPMessage
import TestSupport
import TestTraits
import Testing

@testable import Gateway

@Suite struct `a request's identifier` {
    private func text(_ id: RequestID) -> String {
        var buffer = [UInt8](repeating: 0x2A, count: 40)
        buffer.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { id.write(into: start) }
        }
        #expect(buffer[32...].allSatisfy { $0 == 0x2A })
        return String(decoding: buffer.prefix(32), as: UTF8.self)
    }

    @Test(
        arguments: [
            (0, 0, "00000000000000000000000000000000"), (.max, .max, "ffffffffffffffffffffffffffffffff"),
            (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, "0123456789abcdeffedcba9876543210"),
            (1, 1 << 63, "00000000000000018000000000000000"),
        ] as [(UInt64, UInt64, String)])
    func `is written as 32 hexadecimal digits`(first: UInt64, second: UInt64, expected: String) {
        #expect(text(RequestID(words: (first, second))) == expected)
    }

    @Test func `is another each time, across refills of the randomness`() {
        var identifiers = RequestIDs()
        let texts = (0..<2000).map { _ in text(identifiers.next()) }
        #expect(Set(texts).count == 2000)
        #expect(texts.allSatisfy { $0.count == 32 })
        var other = RequestIDs()
        #expect(!texts.contains(text(other.next())))
    }
}

@Suite struct `names compared without case` {
    @Test(
        .holds("HTTP-21"),
        arguments: [
            ("", "", true), ("shop.example", "shop.example", true), ("SHOP.Example", "shop.example", true),
            ("shop.example:443", "shop.example:443", true), ("shop.example", "shop.example.", false),
            ("shop.exampl", "shop.example", false), ("[::1]:80", "[::1]:80", true), ("[::A]", "[::a]", true),
            // `@`, `[` and `` ` `` are one bit away from others.
            ("@", "`", false), ("[", "{", false), ("k", "K", true), ("\u{212A}", "k", false),
        ])
    func `are equal but for ASCII letters`(text: String, other: String, areEqual: Bool) {
        #expect(text.withBytes { text in other.withBytes { ASCII.equalsIgnoringCase(text.span, $0.span) } } == areEqual)
    }
}
