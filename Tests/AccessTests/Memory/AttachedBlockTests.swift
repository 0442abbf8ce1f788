import Bytes
import TestTraits
import Testing

@testable import Access

private func block(_ rule: Int, _ text: String, until: Int64 = .max) -> AttachedBlock {
    AttachedBlock(rule: rule, Array(text.utf8), usableUntil: until)
}

private func uses(_ block: AttachedBlock) -> Int32 { block.storage.pointee.uses }

@Suite struct `what is kept with a record` {
    private let kinds: [TokenRecord.Attachment] = [.identityFields, .assertion, .upstreamToken]

    @Test(arguments: ["", "X-User: a\r\n", String(repeating: "x", count: 100_000)])
    func `is the bytes that were given, for a rule and until a time`(text: String) {
        let block = block(7, text, until: 1234)
        defer { block.release() }
        #expect(block.rule == 7 && block.usableUntil == 1234)
        #expect(String(copying: block.bytes) == text)
        #expect(block.cost >= text.utf8.count + MemoryLayout<AttachedBlock.Storage>.size)
    }

    @Test(.holds("TX-04", "RS-25")) func `is one a rule, and the one before is let go`() throws {
        for kind in kinds {
            let record = try TokenRecords().make(digest(1))
            defer { record.release() }
            #expect(record.attached(kind, rule: 0) == nil)
            let (first, second, third) = (block(0, "first"), block(1, "second"), block(2, "third"))
            for one in [first, second, third] { one.retain() }
            #expect(record.attach(first, as: kind) == first.cost)
            #expect(record.attach(second, as: kind) == second.cost)
            #expect(record.attach(third, as: kind) == third.cost)
            // In the middle, at the head, and at the end of the list.
            #expect(record.attach(block(1, "2"), as: kind) == 1 - 6)
            #expect(record.attach(block(1, "two"), as: kind) == 3 - 1)
            #expect(record.attach(block(0, "one"), as: kind) == 3 - 5)
            let found = (0...3).map { record.attached(kind, rule: $0).map { String(copying: $0.bytes) } }
            #expect(found == ["one", "two", "third", nil])
            #expect(uses(first) == 1 && uses(second) == 1, "ours alone")
            #expect(uses(third) == 2)
            for one in [first, second, third] { one.release() }
        }
    }

    @Test(.refuses("TX-04")) func `is of one kind, and is never taken for another's`() throws {
        let record = try TokenRecords().make(digest(1))
        defer { record.release() }
        _ = record.attach(block(0, "the upstream's token"), as: .upstreamToken)
        #expect(record.attached(.identityFields, rule: 0) == nil && record.attached(.assertion, rule: 0) == nil)
        _ = record.attach(block(0, "X-User: a\r\n"), as: .identityFields)
        _ = record.attach(block(0, "X-Identity: j\r\n"), as: .assertion)
        let found = kinds.map { record.attached($0, rule: 0).map { String(copying: $0.bytes) } }
        #expect(found == ["X-User: a\r\n", "X-Identity: j\r\n", "the upstream's token"])
    }

    @Test(.refuses("TX-04")) func `costs the cache what it takes, and no more for each that follows`() throws {
        for kind in kinds {
            let records = try TokenRecords()
            var cache = TokenCache(entries: 8, bytes: .max / 2)
            let record = records.make(digest(1))
            cache.insert(record)
            let before = cache.bytes
            for number in 0..<100 {
                cache.charge(record, record.attach(block(0, "token \(number % 10)"), as: kind))
            }
            #expect(cache.bytes == before + (try #require(record.attached(kind, rule: 0))).cost)
            cache.destroy()
            #expect(cache.bytes == 0)
            #expect(records.alive == 0)
        }
    }

    @Test func `ends with its record`() throws {
        for kind in kinds {
            let record = try TokenRecords().make(digest(1))
            let blocks = (0..<3).map { block($0, "text") }
            for one in blocks {
                one.retain()
                _ = record.attach(one, as: kind)
            }
            #expect(blocks.allSatisfy { uses($0) == 2 })
            record.release()
            #expect(blocks.allSatisfy { uses($0) == 1 }, "ours alone")
            for one in blocks { one.release() }
        }
    }

    @Test(.holds("TX-04")) func `outlives its record for the exchange that is about to present it`() throws {
        let record = try TokenRecords().make(digest(1))
        let token = block(0, "for the upstream")
        _ = record.attach(token, as: .upstreamToken)
        token.retain()
        record.release()
        #expect(String(copying: token.bytes) == "for the upstream")
        #expect(uses(token) == 1)
        token.release()
    }

    @Test(.refuses("TX-04")) func `is not left in memory by the last who lets it go`() {
        let token = block(0, "somebody else's credential")
        let count = token.bytes.count
        // A piece of memory of our own stands in for what the allocator would hand to the next one.
        let copy = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
        defer { copy.deallocate() }
        token.wipe()
        let start = UnsafeRawPointer(token.storage + 1)
        copy.copyMemory(from: start, byteCount: count)
        #expect((0..<count).allSatisfy { copy.load(fromByteOffset: $0, as: UInt8.self) == 0 })
        token.release()
    }
}
