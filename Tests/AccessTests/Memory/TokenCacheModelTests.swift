import Crypto
import TestSupport
import TestTraits
import Testing

@testable import Access

/// The cache beside a dictionary, under operations that a seed chooses.
@Suite struct `the cache of verified tokens, compared with a dictionary` {
    /// Digests that crowd into a few slots at both ends of a table of 1024, so that probing wraps around.
    private static let crowded: [SHA256Digest] = [1019, 1021, 1022, 1023, 0, 1, 2, 5].flatMap { slot in
        (0..<6).map { digest(slot: slot, UInt8($0 * 37 + 1)) }
    }

    @Test(.holds("JOSE-34"), .refuses("JOSE-34"), arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `finds exactly what was put in and not taken out, however slots collide`(seed: UInt64) throws {
        var numbers = Numbers(seed: seed)
        let records = try TokenRecords()
        var cache = TokenCache(entries: 512, bytes: .max / 2)
        var model: [SHA256Digest: TokenRecord] = [:]
        for step in 0..<2000 {
            let one = numbers.pick(Self.crowded)
            switch numbers.below(5) {
            case 0, 1:
                let record = records.make(one, wordCount: numbers.below(9))
                cache.insert(record)
                model[one] = record
            case 2, 3:
                if let record = model.removeValue(forKey: one) { cache.remove(record) }
            default:
                if let record = model[one] { cache.charge(record, numbers.below(100)) }
            }
            #expect(cache.entries == model.count)
            #expect(cache.bytes == model.values.reduce(0) { $0 + $1.cost })
            guard Self.crowded.allSatisfy({ cache.find($0) == model[$0] }) else {
                Issue.record("step \(step) of seed \(seed): a record was lost or found wrongly")
                break
            }
        }
        #expect(records.alive == model.count)
        cache.destroy()
        #expect(records.alive == 0)
    }

    @Test(.holds("JOSE-34"), arguments: [11, 12, 13, 14] as [UInt64])
    func `stays within its bounds, and holds what it took last`(seed: UInt64) throws {
        var numbers = Numbers(seed: seed)
        let records = try TokenRecords()
        let sample = records.make(digest(0))
        let limit = (entries: 40, bytes: 30 * sample.cost)
        sample.release()
        var cache = TokenCache(entries: limit.entries, bytes: limit.bytes)
        var held: [TokenRecord] = []
        for _ in 0..<3000 {
            let one = digest(slot: UInt16(numbers.below(48)) + 1000, UInt8(numbers.below(3)))
            if let known = cache.find(one), numbers.below(4) > 0 {
                known.markUsed()
                if numbers.below(8) == 0 {
                    known.retain()
                    held.append(known)
                }
                continue
            }
            let record = records.make(one, wordCount: numbers.below(40))
            cache.insert(record)
            #expect(cache.find(one) == record)
            #expect(cache.entries <= limit.entries)
            #expect(cache.bytes <= limit.bytes)
            if held.count > 20 { held.remove(at: numbers.below(held.count)).release() }
        }
        #expect(cache.evictions > 0)
        #expect(records.alive <= cache.entries + held.count)
        for record in held { record.release() }
        #expect(records.alive == cache.entries)
        cache.destroy()
        #expect(records.alive == 0)
    }
}
