import Crypto
import TestTraits
import Testing

@testable import Access

@Suite struct `the cache of verified tokens` {
    private func with(
        entries: Int, bytes: Int = .max / 2, body: (inout TokenCache, TokenRecords) throws -> Void
    ) throws {
        let records = try TokenRecords()
        var cache = TokenCache(entries: entries, bytes: bytes)
        try body(&cache, records)
        cache.destroy()
        #expect(records.alive == 0, "every record is freed with the cache")
    }

    @Test(.holds("JOSE-34")) func `finds a token by its whole digest`() throws {
        try with(entries: 100) { cache, records in
            let text = Array("a token".utf8)
            let record = records.make(SHA256.hash(text.span))
            cache.insert(record)
            #expect(cache.find(SHA256.hash(text.span)) == record)
            #expect(cache.entries == 1)
        }
    }

    @Test(.holds("JOSE-34"), .refuses("JOSE-34"))
    func `does not find a token of which one bit differs, in text or digest`() throws {
        try with(entries: 100) { cache, records in
            let text = Array("eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl".utf8)
            let whole = SHA256.hash(text.span)
            cache.insert(records.make(whole))
            for bit in 0..<text.count * 8 {
                var changed = text
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(cache.find(SHA256.hash(changed.span)) == nil)
            }
            for bit in 0..<256 {
                var changed = whole.bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                // Also where only bits differ that do not choose the slot.
                guard let other = SHA256Digest(changed.span) else {
                    Issue.record("32 bytes are a digest")
                    return
                }
                #expect(cache.find(other) == nil, "bit \(bit)")
            }
            #expect(cache.find(whole) != nil)
        }
    }

    @Test(.holds("JOSE-34"), .refuses("JOSE-34")) func `holds as many entries as its bound and not one more`() throws {
        try with(entries: 10) { cache, records in
            for number in 0..<10 { cache.insert(records.make(digest(number))) }
            #expect(cache.entries == 10)
            #expect(cache.evictions == 0)
            cache.insert(records.make(digest(10)))
            #expect(cache.entries == 10)
            #expect(cache.evictions == 1)
            #expect(cache.find(digest(10)) != nil)
            #expect((0..<10).count { cache.find(digest($0)) != nil } == 9)
            #expect(records.alive == 10)
        }
    }

    @Test(.holds("JOSE-34"), .refuses("JOSE-34")) func `holds as many bytes as its bound and not one more`() throws {
        let cost = try cost()
        for (bytes, held) in [(3 * cost, 3), (3 * cost + 1, 3), (3 * cost - 1, 2), (4 * cost - 1, 3)] {
            try with(entries: 100, bytes: bytes) { cache, records in
                for number in 0..<4 {
                    cache.insert(records.make(digest(number)))
                    #expect(cache.bytes <= bytes)
                    #expect(cache.bytes == cache.entries * cost)
                }
                #expect(cache.entries == held)
                #expect(cache.find(digest(3)) != nil)
            }
        }
    }

    @Test(.holds("JOSE-34")) func `holds one record alone when that is larger than its bound`() throws {
        try with(entries: 100, bytes: 10) { cache, records in
            for number in 0..<3 {
                cache.insert(records.make(digest(number)))
                #expect(cache.entries == 1)
                #expect(cache.find(digest(number)) != nil)
            }
        }
    }

    @Test(.holds("JOSE-34")) func `counts identity lines, and keeps its bound when they come`() throws {
        let cost = try cost()
        try with(entries: 100, bytes: 3 * cost) { cache, records in
            let made = (0..<3).map { records.make(digest($0)) }
            for record in made { cache.insert(record) }
            let inUse = made[2]
            inUse.retain()
            cache.charge(inUse, 64)
            #expect(cache.bytes <= 3 * cost)
            #expect(cache.bytes == (0..<3).reduce(0) { $0 + (cache.find(digest($1))?.cost ?? 0) })
            #expect(inUse.cost == cost + 64)
            inUse.release()
        }
    }

    @Test(.refuses("JOSE-34")) func `charges nothing for a record that it no longer holds`() throws {
        try with(entries: 100) { cache, records in
            let record = records.make(digest(0))
            cache.insert(record)
            record.retain()
            cache.remove(record)
            cache.charge(record, 1000)
            #expect(cache.bytes == 0)
            record.release()
        }
    }

    @Test(.refuses("JOSE-34")) func `lets those go first that nobody used since the hand passed`() throws {
        try with(entries: 4) { cache, records in
            for number in 0..<4 { cache.insert(records.make(digest(number))) }
            func held() -> [Int] { (0..<10).filter { cache.find(digest($0)) != nil } }
            cache.insert(records.make(digest(4)))
            #expect(held() == [1, 2, 3, 4])
            cache.find(digest(1))?.markUsed()
            cache.find(digest(3))?.markUsed()
            cache.insert(records.make(digest(5)))
            #expect(held() == [1, 3, 4, 5])
            cache.insert(records.make(digest(6)))
            #expect(held() == [1, 3, 5, 6])
            // When all are in use the hand passes once, and takes the first it met.
            for number in [1, 3, 5, 6] { cache.find(digest(number))?.markUsed() }
            cache.insert(records.make(digest(7)))
            #expect(held().count == 4)
            #expect(held().contains(7))
        }
    }

    @Test(.holds("JOSE-34")) func `keeps the busy ones while new tokens flood in`() throws {
        try with(entries: 64) { cache, records in
            let busy = 0..<16
            for number in busy { cache.insert(records.make(digest(number))) }
            for number in 100..<3000 {
                cache.insert(records.make(digest(number)))
                for one in busy where (number + one) % 8 == 0 {
                    cache.find(digest(one))?.markUsed()
                }
            }
            #expect(cache.entries == 64)
            #expect(busy.allSatisfy { cache.find(digest($0)) != nil })
            #expect(records.alive == 64)
        }
    }

    @Test(.holds("JOSE-34")) func `replaces a record by a newer one of the same token`() throws {
        try with(entries: 4) { cache, records in
            let (old, new) = (records.make(digest(0)), records.make(digest(0)))
            old.retain()
            cache.insert(old)
            cache.insert(new)
            #expect(cache.find(digest(0)) == new)
            #expect(cache.entries == 1)
            #expect(cache.evictions == 0)
            #expect(!old.isCached)
            old.release()
            #expect(records.alive == 1)
        }
    }

    @Test(.holds("JOSE-34")) func `lets a record outlive its place while somebody uses it`() throws {
        try with(entries: 1) { cache, records in
            let record = records.make(digest(0))
            cache.insert(record)
            record.retain()
            record.retain()
            cache.insert(records.make(digest(1)))
            #expect(cache.find(digest(0)) == nil)
            // Two of ours and the one that counts them.
            #expect(record.uses == 3)
            #expect(record.shown("sub") == "user-1")
            // Removed already: a second time changes nothing.
            cache.remove(record)
            #expect(record.uses == 3)
            record.release()
            #expect(records.alive == 2)
            record.release()
            #expect(records.alive == 1)
        }
    }

    private func cost() throws -> Int {
        let record = try TokenRecords().make(digest(0))
        defer { record.release() }
        #expect(record.cost > 256)
        return record.cost
    }

    @Test(.holds("JOSE-34")) func `is found whatever its time: whoever finds it checks that`() throws {
        try with(entries: 10) { cache, records in
            let record = records.make(digest(0), leeway: -2_000_000_000)
            cache.insert(record)
            #expect(record.usableUntil < 0)
            #expect(cache.find(digest(0)) == record)
        }
    }

    @Test(.holds("JOSE-34")) func `forgets in a sweep what nobody may use, and goes on where the last one ended`()
        throws
    {
        try with(entries: 100) { cache, records in
            for number in 0..<20 {
                // Every other one is over at 1,800,000,330, and those between much later.
                cache.insert(records.make(digest(number), leeway: number.isMultiple(of: 2) ? 30 : 3000))
            }
            cache.sweep(5, now: 1_800_000_329)
            #expect(cache.entries == 20, "none is over yet")
            cache.sweep(10, now: 1_800_000_330)
            #expect(cache.entries == 15)
            cache.sweep(10, now: 1_800_000_330)
            #expect(cache.entries == 10)
            #expect((0..<20).allSatisfy { (cache.find(digest($0)) == nil) == $0.isMultiple(of: 2) })
            cache.sweep(100, now: .max)
            #expect(cache.entries == 0 && cache.bytes == 0)
        }
    }

    @Test(.holds("JOSE-34")) func `holds one entry, if it is told to hold none`() throws {
        try with(entries: 0) { cache, records in
            cache.insert(records.make(digest(1)))
            cache.insert(records.make(digest(2)))
            #expect(cache.entries == 1)
            #expect(cache.find(digest(2)) != nil)
        }
    }
}
