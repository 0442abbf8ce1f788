import Crypto
import TestTraits
import Testing

@testable import Access

@Suite struct `tokens that were vouched for` {
    private func digest(_ text: String) -> SHA256Digest { SHA256.hash(text.utf8Span.span) }

    @Test(.holds("INT-07"))
    func `are known for an hour after the issuer's last word, and no longer than its word is good`() {
        var tokens = VouchedTokens(places: 16)
        #expect(!tokens.contains(digest("a"), now: 1000))
        tokens.insert(digest("a"), now: 1000)
        #expect(tokens.contains(digest("a"), now: 1000 + VouchedTokens.memorySeconds - 1))
        #expect(!tokens.contains(digest("a"), now: 1000 + VouchedTokens.memorySeconds))
        #expect(!tokens.contains(digest("b"), now: 1000))
        tokens.remove(digest("a"))
        #expect(!tokens.contains(digest("a"), now: 1000))
    }

    @Test(.refuses("INT-07")) func `take no more room, however many there are, and one is never taken for another`() {
        var tokens = VouchedTokens(places: 16)
        for number in 0..<1000 { tokens.insert(digest("\(number)"), now: 1000) }
        #expect((0..<1000).count { tokens.contains(digest("\($0)"), now: 1000) } == 16)
        // Whoever has the same place as one that is refused keeps it.
        for number in 0..<1000 { tokens.remove(digest("other \(number)")) }
        #expect((0..<1000).count { tokens.contains(digest("\($0)"), now: 1000) } == 16)
    }
}
