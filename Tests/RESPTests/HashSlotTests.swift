import RESP
import Testing

@Suite struct `the slot of a key` {
    @Test func `is that of the specification's check value`() {
        #expect(slot("123456789") == 0x31C3)
    }

    @Test(arguments: [
        ("foo", 12182), ("bar", 5061), ("hello", 866), ("", 0), ("{user1000}.following", 3443), ("user1000", 3443),
        ("{user1000}.followers", 3443),
    ])
    func `is the one that servers tell`(key: String, expected: Int) { #expect(slot(key) == expected) }

    @Test func `is that of the tag between the first brace and the next one that closes`() {
        #expect(slot("foo{{bar}}zap") == slot("{bar"))
        #expect(slot("foo{bar}{zap}") == slot("bar"))
        #expect(slot("}{a}") == slot("a"))
    }

    @Test(arguments: ["foo{}{bar}", "{", "}", "{a", "a}", "{}", "}{"])
    func `is that of the whole key where a tag is empty or not closed`(key: String) {
        #expect(slot(key) == slot(within: key))
    }

    private func slot(_ key: String) -> Int { HashSlot.of(Array(key.utf8).span) }

    /// Of all the bytes, by the polynomial's definition, a bit at a time.
    private func slot(within key: String) -> Int {
        var value = 0
        for byte in key.utf8 {
            value ^= Int(byte) << 8
            for _ in 0..<8 { value = (value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021) & 0xFFFF }
        }
        return value % HashSlot.count
    }
}
