import Crypto
import TestTraits
import Testing

@testable import Access

/// So many bytes that are not alike.
private func credential(_ count: Int, seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 37 &+ seed &* 101) }
}

private func hash(_ bytes: [UInt8]) -> SHA256Digest { SHA256.hash(bytes.span) }

private func digest(_ recent: borrowing RecentCredentials, _ bytes: [UInt8]) -> SHA256Digest {
    recent.digest(of: bytes.span)
}

private func keep(_ recent: inout RecentCredentials, _ bytes: [UInt8], _ digest: SHA256Digest) {
    recent.keep(bytes.span, digest)
}

/// Some with these among them, for as long as `body` takes.
private func withRecent(_ kept: [[UInt8]] = [], _ body: (inout RecentCredentials) -> Void) {
    var recent = RecentCredentials()
    for bytes in kept { recent.keep(bytes.span, hash(bytes)) }
    body(&recent)
    recent.destroy()
}

/// A digest that no credential here has: what is answered with it was found, not computed.
private let mark = SHA256.hash([0x6D].span)

@Suite struct `the tokens that came a moment ago` {
    @Test(.holds("JOSE-34"), arguments: Array(0...80) + [2046, 2047, 2048, 2049, 5000])
    func `have their SHA-256, known or not`(count: Int) {
        let bytes = credential(count)
        withRecent { recent in
            for _ in 0..<3 {
                #expect(digest(recent, bytes) == hash(bytes))
                recent.keep(bytes.span, hash(bytes))
            }
            #expect(recent.count == ((16...2048).contains(count) ? 1 : 0))
        }
    }

    @Test(.holds("JOSE-34"), arguments: [16, 17, 23, 24, 25, 700, 2048])
    func `are not hashed again`(count: Int) {
        let bytes = credential(count)
        withRecent { recent in
            recent.keep(bytes.span, mark)
            #expect(digest(recent, bytes) == mark)
        }
    }

    @Test(.refuses("JOSE-34"), arguments: [16, 17, 23, 24, 31, 700])
    func `are none of those that differ in one bit, whichever it is`(count: Int) {
        let bytes = credential(count)
        withRecent { recent in
            recent.keep(bytes.span, mark)
            for place in bytes.indices {
                for bit in 0..<8 {
                    var other = bytes
                    other[place] ^= 1 << UInt8(bit)
                    #expect(digest(recent, other) == hash(other))
                }
            }
        }
    }

    @Test(.refuses("JOSE-34")) func `are none of those that end as they do, and are longer or shorter`() {
        let bytes = credential(100)
        withRecent { recent in
            recent.keep(bytes.span, mark)
            for other in [Array(bytes.dropFirst()), [0] + bytes, bytes + bytes, Array(bytes.suffix(16))] {
                #expect(digest(recent, other) == hash(other))
            }
        }
    }

    @Test func `give way to those that belong where they are, and to no others`() {
        // The same last bytes: the same place.
        let all = (0..<5).map { credential(60, seed: $0) + credential(16) }
        withRecent(all) { recent in
            #expect(recent.count == 1)
            keep(&recent, all[4], hash(all[4]))
            keep(&recent, all[3], mark)
            #expect(digest(recent, all[3]) == mark, "the last one is there")
            #expect(digest(recent, all[4]) == hash(all[4]))
        }
        withRecent((0..<1000).map { credential(40, seed: $0) }) { recent in #expect(recent.count <= 64) }
    }

    @Test(.refuses("JOSE-34")) func `leave a second after they came last, and stay while they come`() {
        let (one, other) = (credential(40), credential(40, seed: 2))
        withRecent([one, other]) { recent in
            #expect(recent.count == 2)
            for _ in 0..<30 {
                recent.sweep()
                _ = digest(recent, one)
            }
            #expect(recent.count == 1, "one comes all the time, the other has left")
            for _ in 0..<9 { recent.sweep() }
            #expect(recent.count == 1)
            recent.sweep()
            #expect(recent.count == 0)
        }
    }

    @Test(.refuses("JOSE-34")) func `leave nothing behind, neither when they leave nor when a shorter one comes`() {
        let (long, short) = (credential(200, seed: 3) + credential(16), credential(16))
        func isThere(_ bytes: ArraySlice<UInt8>, at place: Int, _ recent: borrowing RecentCredentials) -> Bool {
            // Within what a place has for its bytes, which were written to that far.
            let start = recent.bytes + place * RecentCredentials.longest
            return (0...(216 - bytes.count)).contains { offset in
                bytes.enumerated().allSatisfy { start[offset + $0.offset] == $0.element }
            }
        }
        withRecent([long]) { recent in
            let place = (0..<RecentCredentials.places).first { isThere(long[...], at: $0, recent) }
            #expect(place != nil)
            guard let place else { return }
            recent.keep(short.span, mark)
            #expect(isThere(short[...], at: place, recent))
            #expect(!isThere(long[100..<108], at: place, recent))
            for _ in 0..<10 { recent.sweep() }
            #expect(!isThere(short[...], at: place, recent))
        }
    }
}
