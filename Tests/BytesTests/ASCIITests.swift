import Bytes
import TestTraits
import Testing

@Suite struct `ASCII classes` {
    private let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private let digits = Set("0123456789".utf8)

    private func check(_ expected: Set<UInt8>, _ isMember: (UInt8) -> Bool) {
        for byte in UInt8.min...UInt8.max { #expect(isMember(byte) == expected.contains(byte), "byte \(byte)") }
    }

    @Test(.holds("HTTP-11"), .refuses("HTTP-11")) func `a token is made of tchar only`() {
        check(letters.union(digits).union("!#$%&'*+-.^_`|~".utf8), ASCII.isToken)
    }

    @Test(.holds("RS-01"), .refuses("RS-01")) func `a token68 is made of its characters only`() {
        check(letters.union(digits).union("-._~+/".utf8), ASCII.isToken68)
    }

    @Test func `the other classes hold what their grammar says`() {
        check(digits, ASCII.isDigit)
        check(letters, ASCII.isLetter)
        check(letters.union(digits).union("-._~".utf8), ASCII.isUnreserved)
        check(Set(0x21...0x7e), ASCII.isVisible)
        check(digits.union("abcdefABCDEF".utf8)) { ASCII.hexValue($0) != nil }
    }

    @Test func `hexadecimal digits have their value in both cases`() {
        for (value, text) in zip(UInt8(0)..., "0123456789abcdef".utf8) { #expect(ASCII.hexValue(text) == value) }
        for (value, text) in zip(UInt8(10)..., "ABCDEF".utf8) { #expect(ASCII.hexValue(text) == value) }
    }

    @Test func `only letters have a lower-case form`() {
        for byte in UInt8.min...UInt8.max {
            let isUpper = (0x41...0x5a).contains(byte)
            #expect(ASCII.lowercase(byte) == (isUpper ? byte + 0x20 : byte))
        }
    }

    /// Both ways of asking.
    private func answers(_ left: String, _ right: String) -> [Bool] {
        let bytes = Array(left.utf8)
        let others = Array(right.utf8)
        return [ASCII.equalsIgnoringCase(bytes.span, right), ASCII.equalsIgnoringCase(bytes.span, others.span)]
    }

    @Test(arguments: [("", ""), ("Bearer", "bEARER"), ("a-b_1", "A-B_1"), ("100-Continue", "100-continue")])
    func `texts are equal without case`(left: String, right: String) {
        #expect(answers(left, right) == [true, true])
    }

    @Test(arguments: [
        ("", "a"), ("a", ""), ("Bearer", "Bearer "), ("a@", "a`"), ("a[", "a{"), ("\u{e9}", "\u{c9}"), ("-", "\r"),
        ("x", "y"),
    ])
    func `texts that differ in more than case differ`(left: String, right: String) {
        #expect(answers(left, right) == [false, false])
    }
}
