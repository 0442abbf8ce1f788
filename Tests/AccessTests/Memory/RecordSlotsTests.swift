import Testing

@testable import Access

@Suite struct `the places of a cache` {
    @Test(arguments: [(0, 512), (1, 512), (512, 512), (513, 1024), (1024, 1024), (200_000, 262_144)])
    func `are a power of two, and a page at least`(wanted: Int, count: Int) {
        let slots = RecordSlots(atLeast: wanted)
        defer { slots.destroy() }
        #expect(slots.count == count)
    }

    @Test func `are empty until something is put there, and empty again when it is taken away`() throws {
        let records = try TokenRecords()
        let record = records.make(digest(0))
        defer { record.release() }
        let slots = RecordSlots(atLeast: 2048)
        defer { slots.destroy() }
        for place in [0, 1, 511, 512, 513, 1024, 2047] {
            #expect(slots[place] == nil)
            slots[place] = record
            #expect(slots[place] == record)
            #expect((0..<2048).count { slots[$0] != nil } == 1, "no other place has it")
            slots[place] = nil
            #expect(slots[place] == nil)
        }
    }

    @Test func `go round: what follows the last is the first`() throws {
        let records = try TokenRecords()
        let (one, other) = (records.make(digest(0)), records.make(digest(1)))
        defer {
            one.release()
            other.release()
        }
        let slots = RecordSlots(atLeast: 1024)
        defer { slots.destroy() }
        slots[1024] = one
        slots[1023 + 5 * 1024] = other
        #expect(slots[0] == one && slots[1024] == one)
        #expect(slots[1023] == other)
    }
}
