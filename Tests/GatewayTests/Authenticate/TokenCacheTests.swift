import Crypto
import OAuth
import TestTraits
import Testing

@testable import Gateway

@Suite struct `the cache of verified tokens` {
    private func with(
        entries: Int, bytes: Int = .max / 2, body: (inout TokenCache, TokenRecords) throws -> Void
    ) throws {
        let records = try TokenRecords()
        var cache = TokenCache(TokenCacheSettings(entries: entries, bytes: bytes))
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
            let digest = SHA256.hash(text.span)
            cache.insert(records.make(digest))
            for bit in 0..<text.count * 8 {
                var changed = text
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(cache.find(SHA256.hash(changed.span)) == nil)
            }
            for bit in 0..<256 {
                var changed = digest.bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                // Also where only bits differ that do not choose the slot.
                guard let other = SHA256Digest(changed.span) else {
                    Issue.record("32 bytes are a digest")
                    return
                }
                #expect(cache.find(other) == nil, "bit \(bit)")
            }
            #expect(cache.find(digest) != nil)
        }
    }

    @Test(.holds("JOSE-34"), .refuses("JOSE-34")) func `holds as many entries as its bound and not one more`() throws {
        try with(entries: 10) { cache, records in
            for number in 0..<10 { cache.insert(records.make(TokenRecords.digest(number))) }
            #expect(cache.entries == 10)
            #expect(cache.evictions == 0)
            cache.insert(records.make(TokenRecords.digest(10)))
            #expect(cache.entries == 10)
            #expect(cache.evictions == 1)
            #expect(cache.find(TokenRecords.digest(10)) != nil)
            #expect((0..<10).count { cache.find(TokenRecords.digest($0)) != nil } == 9)
            #expect(records.alive == 10)
        }
    }

    @Test(.holds("JOSE-34"), .refuses("JOSE-34")) func `holds as many bytes as its bound and not one more`() throws {
        let cost = try cost()
        for (bytes, held) in [(3 * cost, 3), (3 * cost + 1, 3), (3 * cost - 1, 2), (4 * cost - 1, 3)] {
            try with(entries: 100, bytes: bytes) { cache, records in
                for number in 0..<4 {
                    cache.insert(records.make(TokenRecords.digest(number)))
                    #expect(cache.bytes <= bytes)
                    #expect(cache.bytes == cache.entries * cost)
                }
                #expect(cache.entries == held)
                #expect(cache.find(TokenRecords.digest(3)) != nil)
            }
        }
    }

    @Test(.holds("JOSE-34")) func `holds one record alone when that is larger than its bound`() throws {
        try with(entries: 100, bytes: 10) { cache, records in
            for number in 0..<3 {
                cache.insert(records.make(TokenRecords.digest(number)))
                #expect(cache.entries == 1)
                #expect(cache.find(TokenRecords.digest(number)) != nil)
            }
        }
    }

    @Test(.holds("JOSE-34")) func `counts identity lines, and keeps its bound when they come`() throws {
        let cost = try cost()
        try with(entries: 100, bytes: 3 * cost) { cache, records in
            let made = (0..<3).map { records.make(TokenRecords.digest($0)) }
            for record in made { cache.insert(record) }
            let inUse = made[2]
            inUse.pointee.uses += 1
            cache.charge(inUse, 64)
            #expect(cache.bytes <= 3 * cost)
            #expect(cache.bytes == (0..<3).reduce(0) { $0 + (cache.find(TokenRecords.digest($1))?.pointee.cost ?? 0) })
            #expect(inUse.pointee.cost == cost + 64)
            TokenRecord.release(inUse)
        }
    }

    @Test(.refuses("JOSE-34")) func `charges nothing for a record that it no longer holds`() throws {
        try with(entries: 100) { cache, records in
            let record = records.make(TokenRecords.digest(0))
            cache.insert(record)
            record.pointee.uses += 1
            cache.remove(record)
            cache.charge(record, 1000)
            #expect(cache.bytes == 0)
            TokenRecord.release(record)
        }
    }

    @Test(.refuses("JOSE-34")) func `lets those go first that nobody used since the hand passed`() throws {
        try with(entries: 4) { cache, records in
            for number in 0..<4 { cache.insert(records.make(TokenRecords.digest(number))) }
            func held() -> [Int] { (0..<10).filter { cache.find(TokenRecords.digest($0)) != nil } }
            cache.insert(records.make(TokenRecords.digest(4)))
            #expect(held() == [1, 2, 3, 4])
            cache.find(TokenRecords.digest(1))?.pointee.wasUsed = true
            cache.find(TokenRecords.digest(3))?.pointee.wasUsed = true
            cache.insert(records.make(TokenRecords.digest(5)))
            #expect(held() == [1, 3, 4, 5])
            cache.insert(records.make(TokenRecords.digest(6)))
            #expect(held() == [1, 3, 5, 6])
            // When all are in use the hand passes once, and takes the first it met.
            for number in [1, 3, 5, 6] { cache.find(TokenRecords.digest(number))?.pointee.wasUsed = true }
            cache.insert(records.make(TokenRecords.digest(7)))
            #expect(held().count == 4)
            #expect(held().contains(7))
        }
    }

    @Test(.holds("JOSE-34")) func `keeps the busy ones while new tokens flood in`() throws {
        try with(entries: 64) { cache, records in
            let busy = 0..<16
            for number in busy { cache.insert(records.make(TokenRecords.digest(number))) }
            for number in 100..<3000 {
                cache.insert(records.make(TokenRecords.digest(number)))
                for one in busy where (number + one) % 8 == 0 {
                    cache.find(TokenRecords.digest(one))?.pointee.wasUsed = true
                }
            }
            #expect(cache.entries == 64)
            #expect(busy.allSatisfy { cache.find(TokenRecords.digest($0)) != nil })
            #expect(records.alive == 64)
        }
    }

    @Test(.holds("JOSE-34")) func `replaces a record by a newer one of the same token`() throws {
        try with(entries: 4) { cache, records in
            let (old, new) = (records.make(TokenRecords.digest(0)), records.make(TokenRecords.digest(0)))
            old.pointee.uses += 1
            cache.insert(old)
            cache.insert(new)
            #expect(cache.find(TokenRecords.digest(0)) == new)
            #expect(cache.entries == 1)
            #expect(cache.evictions == 0)
            #expect(!old.pointee.isCached)
            TokenRecord.release(old)
            #expect(records.alive == 1)
        }
    }

    @Test(.holds("JOSE-34")) func `lets a record outlive its place while somebody uses it`() throws {
        try with(entries: 1) { cache, records in
            let record = records.make(TokenRecords.digest(0))
            cache.insert(record)
            record.pointee.uses += 2
            cache.insert(records.make(TokenRecords.digest(1)))
            #expect(cache.find(TokenRecords.digest(0)) == nil)
            // Two of ours and the one that counts them.
            #expect(record.pointee.uses == 3)
            #expect(record.pointee.shown("sub") == "user-1")
            // Removed already: a second time changes nothing.
            cache.remove(record)
            #expect(record.pointee.uses == 3)
            TokenRecord.release(record)
            #expect(records.alive == 2)
            TokenRecord.release(record)
            #expect(records.alive == 1)
        }
    }

    private func cost() throws -> Int {
        let record = try TokenRecords().make(TokenRecords.digest(0))
        defer { TokenRecord.release(record) }
        #expect(record.pointee.cost > 256)
        return record.pointee.cost
    }
}

@Suite struct `the record of a verified token` {
    @Test(
        .holds("JOSE-28", "JOSE-34"),
        arguments: [
            // The later of nbf and iat, which is 1,800,000,000 unless said otherwise.
            ("1799999990", nil, 1_799_999_970), ("1800000020", nil, 1_799_999_990), (nil, nil, 1_799_999_970),
            ("1799999980", "1799999970", 1_799_999_950),
        ] as [(String?, String?, Int64)])
    func `says from when until when it may be believed, and by which keys`(
        notBefore: String?, issuedAt: String?, usableFrom: Int64
    ) throws {
        var claims: [String: String?] = ["nbf": notBefore]
        if let issuedAt { claims["iat"] = issuedAt }
        let records = try TokenRecords(claims)
        let record = records.make(TokenRecords.digest(0), leeway: 30)
        defer { TokenRecord.release(record) }
        #expect(record.pointee.usableUntil == 1_800_000_330)
        #expect(record.pointee.usableFrom == usableFrom)
        #expect(record.pointee.generation == 7)
        #expect(record.pointee.issuer == 1)
    }

    @Test(.holds("JOSE-34")) func `is found whatever its time: whoever finds it checks that`() throws {
        let records = try TokenRecords()
        var cache = TokenCache(TokenCacheSettings(entries: 10))
        let record = records.make(TokenRecords.digest(0), leeway: -2_000_000_000)
        cache.insert(record)
        #expect(record.pointee.usableUntil < 0)
        #expect(cache.find(TokenRecords.digest(0)) == record)
        cache.destroy()
    }

    @Test func `keeps one block of lines for each mapping, and frees them`() throws {
        let records = try TokenRecords()
        let record = records.make(TokenRecords.digest(0))
        for mapping in 0..<3 {
            let lines = [UInt8](repeating: UInt8(mapping), count: 4)
            record.pointee.identity = IdentityBlock.make(mapping, lines, next: record.pointee.identity)
        }
        for mapping in 0..<3 {
            #expect(TokenRecord.identity(of: record, mapping: mapping)?.pointee.lines.pointee == UInt8(mapping))
        }
        #expect(TokenRecord.identity(of: record, mapping: 3) == nil)
        TokenRecord.release(record)
        #expect(records.alive == 0)
    }

    @Test func `keeps what the log and later mappings need, and nothing of the token`() throws {
        let records = try TokenRecords(["roles": #"["a","b"]"#, "client_id": #""shop""#])
        let record = records.make(TokenRecords.digest(0))
        defer { TokenRecord.release(record) }
        #expect(String(decoding: record.pointee.clientID, as: UTF8.self) == "shop")
        #expect(record.pointee.shown("roles") == "a, b")
        #expect(record.pointee.shown("absent") == "none")
    }

    @Test(.holds("OPS-01")) func `is referred to by the first digits of its digest`() {
        let empty: [UInt8] = []
        let bits = SHA256.hash(empty.span).leadingBits
        #expect(bits >> 32 == 0xe3b0_c442)
    }
}
