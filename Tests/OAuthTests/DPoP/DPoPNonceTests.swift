import Bytes
import Crypto
import OAuth
import TestTraits
import Testing

/// A key whose bytes are all this one.
private func key(_ byte: UInt8, count: Int = 32) -> Secret { Secret([UInt8](repeating: byte, count: count)) }

private func nonces(
    _ keys: [Secret] = [key(1)], server: String = "api.example", lifetime: Int = 300
) throws -> DPoPNonces {
    try DPoPNonces(keys: keys, serverID: server, lifetimeSeconds: lifetime)
}

extension DPoPNonces {
    fileprivate func verdict(_ nonce: [UInt8], now: Int64) -> Verdict { judge(nonce.span, now: now) }
    fileprivate func verdict(_ nonce: String, now: Int64) -> Verdict { verdict(Array(nonce.utf8), now: now) }
}

@Suite struct `nonces for proofs` {
    /// The beginning of a period.
    private let start: Int64 = OAuthTests.now - OAuthTests.now % 300

    @Test(.holds("DPOP-11"), .refuses("DPOP-11")) func `a nonce is good for two lifetimes, and ages in the second`()
        throws
    {
        let nonces = try nonces()
        let made = start + 10
        let nonce = nonces.make(now: made)
        let life = DPoPNonces.Life(begin: made, end: made + 599)
        for time in [made - 300, start, made, made + 299] {
            #expect(nonces.verdict(nonce, now: time) == .current(life))
        }
        for time in [made + 300, life.end] { #expect(nonces.verdict(nonce, now: time) == .previous(life)) }
        for time in [made - 301, life.end + 1, life.end + 300, Int64.max / 2, 0] {
            #expect(nonces.verdict(nonce, now: time) == .unknown)
        }
        #expect(nonces.make(now: made) == nonce && nonces.make(now: made + 1) != nonce)
    }

    /// A replica that is yet to be upgraded makes them by periods of one lifetime.
    @Test(.holds("DPOP-11"), .refuses("DPOP-11")) func `a nonce by which an older release counts is good`() throws {
        let nonces = try nonces()
        let period = start / 300
        // What that release makes for a period, this one would have made in the second with that number.
        let life = DPoPNonces.Life(begin: start, end: start + 599)
        let older = nonces.make(now: period)
        for time in [start, start + 299] { #expect(nonces.verdict(older, now: time) == .current(life)) }
        for time in [start + 300, start + 599] { #expect(nonces.verdict(older, now: time) == .previous(life)) }
        #expect(nonces.verdict(older, now: start - 1) == .current(life))
        for time in [start - 301, start + 600] { #expect(nonces.verdict(older, now: time) == .unknown) }
        let short = try DPoPNonces(keys: [key(1)], serverID: "api.example", lifetimeSeconds: 1)
        #expect(short.verdict(short.make(now: start), now: start + 1) != .unknown)
        #expect(short.verdict(short.make(now: start), now: start + 2) == .unknown)
    }

    @Test(.holds("DPOP-11"), .refuses("DPOP-11")) func `a nonce of a replica whose clock is a moment ahead is good`()
        throws
    {
        let nonces = try nonces()
        let life = DPoPNonces.Life(begin: start + 300, end: start + 899)
        #expect(nonces.verdict(nonces.make(now: start + 300), now: start + 299) == .current(life))
        #expect(nonces.verdict(nonces.make(now: start + 600), now: start + 299) == .unknown)
    }

    @Test(.holds("DPOP-12"), .refuses("DPOP-12"))
    func `a replica accepts the nonces of another, whichever key makes them`() throws {
        let first = try nonces([key(1)]), both = try nonces([key(1), key(2)]), next = try nonces([key(2), key(1)])
        let nonce = first.make(now: start)
        for replica in [first, both, next] { #expect(replica.verdict(nonce, now: start) != .unknown) }
        #expect(both.make(now: start) == nonce && next.make(now: start) != nonce)
        #expect(both.verdict(next.make(now: start), now: start) != .unknown)
        #expect(first.verdict(next.make(now: start), now: start) == .unknown)
        #expect(try nonces([key(2)]).verdict(nonce, now: start) == .unknown)
    }

    @Test(.refuses("DPOP-12")) func `a nonce of another server is none`() throws {
        let nonce = try nonces().make(now: start)
        #expect(try nonces(server: "as.example").verdict(nonce, now: start) == .unknown)
        #expect(try nonces(server: "").verdict(nonce, now: start) == .unknown)
        // Of another lifetime it is good for as long as that says.
        #expect(try nonces(lifetime: 100).verdict(nonce, now: start + 199) != .unknown)
        #expect(try nonces(lifetime: 100).verdict(nonce, now: start + 200) == .unknown)
        #expect(try nonces(lifetime: 0).verdict(nonces(lifetime: 0).make(now: start), now: start + 1) != .unknown)
    }

    @Test(.refuses("DPOP-12")) func `a nonce with one bit changed, cut or padded is none`() throws {
        let nonces = try nonces()
        let nonce = nonces.make(now: start)
        for index in nonce.indices {
            for bit in 0..<7 {
                var changed = nonce
                changed[index] ^= 1 << UInt8(bit)
                #expect(nonces.verdict(changed, now: start) == .unknown)
            }
            #expect(nonces.verdict(Array(nonce[..<index]), now: start) == .unknown)
        }
        for nonce in [nonce + [0x41], nonce + [0x3D], [0x20] + nonce, nonce + nonce] {
            #expect(nonces.verdict(nonce, now: start) == .unknown)
        }
        for text in [
            "", "x", "eyJ7S_zG.eyJH0-Z.HX4w-7v", String(repeating: "A", count: 54), String(repeating: "_", count: 54),
        ] {
            #expect(nonces.verdict(text, now: start) == .unknown)
        }
        #expect(nonces.verdict(nonce, now: -1) == .unknown && nonces.verdict(nonce, now: .max) == .unknown)
        #expect(nonces.verdict(nonce, now: .min) == .unknown)
    }

    @Test(.holds("DPOP-12"), .refuses("DPOP-12"))
    func `a nonce is made of characters that RFC 9449 allows, and nobody can foresee it`()
        throws
    {
        let nonces = try nonces()
        var seen: Set<[UInt8]> = []
        for period in 0..<200 {
            let nonce = nonces.make(now: start + Int64(period) * 300)
            #expect(nonce.count == 54 && nonce.allSatisfy { ASCII.isUnreserved($0) })
            // What follows the period is the code, and differs everywhere.
            seen.insert(Array(nonce[12...]))
        }
        #expect(seen.count == 200)
    }

    @Test(.refuses("DPOP-12")) func `a key that could be guessed is refused`() {
        #expect(throws: CryptoRefusal.secretTooShort) { try nonces([]) }
        #expect(throws: CryptoRefusal.secretTooShort) { try nonces([key(1, count: 31)]) }
        #expect(throws: CryptoRefusal.secretTooShort) { try nonces([key(1), key(2, count: 0)]) }
    }
}
