import Access
import Crypto
import TestTraits
import Testing

@Suite struct `tokens that were refused a moment ago` {
    private func with(places: Int = 8, _ body: (inout RefusedTokens) -> Void) {
        var tokens = RefusedTokens(places: places)
        body(&tokens)
    }

    @Test(.refuses("INT-06")) func `are refused for the same reason until their time is over`() {
        with { tokens in
            let digest = digest(1)
            #expect(tokens.find(digest, now: 0) == nil)
            tokens.insert(digest, .tokenInactive, until: 110)
            #expect(tokens.find(digest, now: 100) == .tokenInactive)
            #expect(tokens.find(digest, now: 109) == .tokenInactive)
            #expect(tokens.find(digest, now: 110) == nil, "the token may have become good")
            tokens.insert(digest, .tokenExpired, until: 120)
            #expect(tokens.find(digest, now: 110) == .tokenExpired)
        }
    }

    @Test(.refuses("INT-06")) func `are not remembered where that is set to no time`() {
        with { tokens in
            tokens.insert(digest(1), .tokenInactive, until: 100)
            #expect(tokens.find(digest(1), now: 100) == nil)
        }
    }

    @Test(.holds("INT-06")) func `are told apart by every bit of their digests, where they want one place`() {
        with { tokens in
            let digest = digest(slot: 3, 1)
            tokens.insert(digest, .tokenInactive, until: 100)
            for bit in 0..<256 {
                var changed = digest.bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                guard let other = SHA256Digest(changed.span) else { return #expect(Bool(false)) }
                #expect(tokens.find(other, now: 0) == nil, "bit \(bit)")
            }
            #expect(tokens.find(digest, now: 0) == .tokenInactive)
        }
    }

    @Test(.refuses("INT-07"))
    func `are bounded: the newest that wants a place has it, and no good token is refused for it`() {
        with { tokens in
            let first = digest(slot: 3, 1), second = digest(slot: 3 + 8, 2)
            let elsewhere = digest(slot: 4, 3)
            tokens.insert(first, .tokenInactive, until: 100)
            tokens.insert(elsewhere, .tokenExpired, until: 100)
            tokens.insert(second, .tokenNotYetValid, until: 100)
            #expect(tokens.find(first, now: 0) == nil)
            #expect(tokens.find(second, now: 0) == .tokenNotYetValid)
            #expect(tokens.find(elsewhere, now: 0) == .tokenExpired)
        }
    }

    @Test func `give way to the same token's newer refusal, and to no older time`() {
        with { tokens in
            tokens.insert(digest(1), .tokenInactive, until: 500)
            tokens.insert(digest(1), .tokenNotYetValid, until: 200)
            #expect(tokens.find(digest(1), now: 199) == .tokenNotYetValid)
            #expect(tokens.find(digest(1), now: 200) == nil)
        }
    }
}
