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

    /// The members from the end, in the order of the list, and whether its beginning was reached.
    private func membersFromEnd(_ bytes: [UInt8], limit: Int) -> (members: [String], isWhole: Bool) {
        var position = bytes.count
        var members: [String] = []
        while let member = CommaList.previous(in: bytes.span, before: &position, limit: limit) {
            members.append(String(decoding: bytes[member.range], as: UTF8.self))
        }
        return (members.reversed(), position < 0)
    }

    @Test(arguments: ["", ",", "a", "a, b", " a \t,\t b ", ",,a,, ,b,", "a b,c", "\u{0},\u{ff}", "aaaa,bb,c"])
    func `RFC 9110 section 5.6.1 a list has the same members from its end, wherever it is cut`(text: String) {
        let whole = Array(text.utf8)
        for cut in 0...whole.count {
            let bytes = Array(whole[cut...])
            let found = membersFromEnd(bytes, limit: 64)
            #expect(found.isWhole)
            #expect(found.members.filter { !$0.isEmpty } == members(String(decoding: bytes, as: UTF8.self)))
            #expect(found.members.count == 1 + bytes.count { $0 == UInt8(ascii: ",") })
        }
    }

    @Test func `RFC 9110 section 5.6.1 from its end a list is read as far as its members are short`() {
        let bytes = Array("first, 1234 ,last".utf8)
        #expect(membersFromEnd(bytes, limit: 6) == (["first", "1234", "last"], true))
        #expect(membersFromEnd(bytes, limit: 5) == (["last"], false))
        #expect(membersFromEnd(bytes, limit: 3) == ([], false))
        #expect(membersFromEnd(Array("12345".utf8), limit: 5) == (["12345"], true))
        #expect(membersFromEnd(Array("12345".utf8), limit: 4) == ([], false))
        #expect(membersFromEnd(Array("a,,".utf8), limit: 0) == (["", ""], false))
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
