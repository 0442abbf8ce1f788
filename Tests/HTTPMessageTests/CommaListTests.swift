// SPDX-License-Identifier: Apache-2.0
import HTTPMessage
import Testing

@Suite struct `comma list` {
    private func members(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var position = 0
        var members: [String] = []
        while let member = CommaList.next(in: bytes.span, from: &position) {
            members.append(String(decoding: bytes[member.range], as: UTF8.self))
        }
        return members
    }

    @Test(arguments: [
        ("a", ["a"]), ("a, b", ["a", "b"]), ("a,b", ["a", "b"]), (" a \t,\t b ", ["a", "b"]), ("a,,b", ["a", "b"]),
        (",a,", ["a"]), ("a b,c", ["a b", "c"]),
    ])
    func `RFC 9110 section 5.6.1 members are trimmed and empty ones skipped`(text: String, expected: [String]) {
        #expect(members(text) == expected)
    }

    @Test(arguments: ["", " ", ",", ", ,\t,"])
    func `RFC 9110 section 5.6.1 a list without members has none`(text: String) {
        #expect(members(text).isEmpty)
    }
}

@Suite struct `status` {
    @Test(
        arguments: [
            (200, "OK"), (421, "Misdirected Request"), (431, "Request Header Fields Too Large"), (599, "Unknown"),
            (0, "Unknown"), (65535, "Unknown"),
        ] as [(UInt16, String)])
    func `RFC 9110 section 15 codes have their reason`(code: UInt16, reason: String) {
        #expect(Status.reason(code).description == reason)
    }

    @Test func `reasons are visible ASCII and spaces`() {
        for code in UInt16(100)...599 {
            #expect(Status.reason(code).description.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        }
    }
}
