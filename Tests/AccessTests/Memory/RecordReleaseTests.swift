import Crypto
import TestTraits
import Testing

@testable import Access

/// A record is freed when the last of those who use it lets go: never before, for an exchange would read what is no
/// more, and always then, for a worker would fill its memory.
@Suite struct `a record` {
    /// How a record leaves its cache.
    enum Departure: CaseIterable {
        /// Its keys or its time have passed, and a request found it.
        case removal
        /// A sweep found that its time has passed.
        case sweep
        /// The cache has as many entries as it may.
        case eviction
        /// Something was made for another record, and the cache has as many bytes as it may.
        case charge
        /// The token was verified anew.
        case replacement
        /// The whole cache ends: the configuration is another.
        case reload
    }

    private struct Cached {
        let witness: Witness
        let cost: Int
        private var cache: TokenCache

        init() throws {
            witness = try Witness(digest(0), usableUntil: 500)
            cost = witness.record.cost
            cache = TokenCache(entries: 2, bytes: 2 * cost)
            cache.insert(witness.record)
        }

        /// The record leaves the cache, and then the cache ends if it has not.
        mutating func leave(_ departure: Departure) throws {
            let record = witness.record
            switch departure {
            case .removal: cache.remove(record)
            case .sweep: cache.sweep(10, now: 500)
            case .eviction:
                cache.insert(try Witness(digest(1)).record)
                cache.insert(try Witness(digest(2)).record)
            case .charge:
                let other = try Witness(digest(1)).record
                cache.insert(other)
                cache.charge(other, 1)
            case .replacement: cache.insert(try Witness(digest(0)).record)
            case .reload: break
            }
            if departure != .reload, let found = cache.find(digest(0)) { #expect(found != record, "\(departure)") }
            cache.destroy()
        }
    }

    @Test(.holds("JOSE-34"), arguments: Departure.allCases)
    func `is freed once, in whatever order its cache and those who use it let go`(departure: Departure) throws {
        for uses in 0...3 {
            // So many of the uses end before the record leaves the cache, and the others after that.
            for before in 0...uses {
                var cached = try Cached()
                let witness = cached.witness
                for _ in 0..<uses { witness.record.retain() }
                for _ in 0..<before { witness.record.release() }
                #expect(witness.isThere, "\(departure): the cache has a use of it")
                try cached.leave(departure)
                for left in (0..<(uses - before)).reversed() {
                    #expect(witness.isThere, "\(departure): \(left + 1) of \(uses) use it")
                    #expect(witness.record.session?.login == 3, "what it holds is there as long as it is")
                    witness.record.release()
                }
                #expect(!witness.isThere, "\(departure), \(before) of \(uses) before")
            }
        }
    }

    @Test(.refuses("JOSE-34")) func `that left its cache is not let go of again`() throws {
        let witness = try Witness()
        var cache = TokenCache(entries: 4, bytes: .max / 2)
        cache.insert(witness.record)
        witness.record.retain()
        for _ in 0..<3 { cache.remove(witness.record) }
        #expect(witness.isThere && witness.record.uses == 1)
        cache.sweep(10, now: .max)
        cache.destroy()
        #expect(witness.isThere && witness.record.uses == 1)
        witness.record.release()
        #expect(!witness.isThere)
    }

    @Test(.holds("JOSE-34")) func `of which what is made for it drives it out is there while its request goes on`()
        throws
    {
        let witness = try Witness(digest(0))
        let other = try Witness(digest(1))
        var cache = TokenCache(entries: 4, bytes: witness.record.cost + other.record.cost)
        cache.insert(witness.record)
        cache.insert(other.record)
        witness.record.retain()
        let block = AttachedBlock(rule: 0, Array("X-User: a\r\n".utf8))
        cache.charge(witness.record, witness.record.attach(block, as: .identityFields))
        #expect(cache.find(digest(0)) == nil, "the hand stood at it")
        #expect(witness.record.attached(.identityFields, rule: 0) == block)
        #expect(witness.isThere)
        witness.record.release()
        #expect(!witness.isThere)
        cache.destroy()
        #expect(!other.isThere)
    }

    @Test(.holds("JOSE-34"), arguments: [1, 2, 3] as [UInt64])
    func `is neither lost nor freed early when a thousand come and go by chance`(seed: UInt64) throws {
        var state = seed
        func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var cache = TokenCache(entries: 8, bytes: .max / 2)
        var all: [Witness] = []
        var exchanges: [Witness] = []
        for number in 0..<1000 {
            let witness = try Witness(digest(below(20)), usableUntil: Int64(number + below(50)))
            all.append(witness)
            cache.insert(witness.record)
            for _ in 0..<below(3) {
                witness.record.retain()
                exchanges.append(witness)
            }
            if below(4) == 0 { cache.sweep(4, now: Int64(number)) }
            while exchanges.count > 10 { exchanges.remove(at: below(exchanges.count)).record.release() }
            let inUse = exchanges.allSatisfy(\.isThere)
            #expect(inUse, "step \(number)")
        }
        let cached = all.count { $0.isThere } - Set(exchanges.map { ObjectIdentifier($0.identity) }).count
        #expect(cached <= 8)
        cache.destroy()
        for exchange in exchanges { exchange.record.release() }
        #expect(all.allSatisfy { !$0.isThere })
    }
}
