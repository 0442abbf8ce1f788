import TestSupport
import TestTraits
import Testing

@testable import Gateway

extension Buffer {
    fileprivate var content: [UInt8] { isEmpty ? [] : Array(UnsafeBufferPointer(start: bytes, count: count)) }

    fileprivate mutating func append(_ source: [UInt8], from pool: inout BufferPool) -> Bool {
        source.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return true }
            return append(start, source.count, from: &pool)
        }
    }
}

@Suite struct `a buffer` {
    @Test func `owns nothing until bytes come, and again when the last is taken`() {
        var (pool, buffer) = (BufferPool(), Buffer())
        #expect(buffer.isEmpty)
        #expect(buffer.room == 0)
        #expect(pool.lent == 0)
        #expect(buffer.append([1, 2, 3], from: &pool))
        #expect(pool.lent == BufferPool.sizes.small)
        buffer.consume(2, to: &pool)
        #expect(buffer.content == [3])
        #expect(pool.lent == BufferPool.sizes.small)
        buffer.consume(1, to: &pool)
        #expect(buffer.isEmpty)
        #expect(buffer.base == nil)
        #expect(pool.lent == 0)
        buffer.release(to: &pool)
        #expect(pool.lent == 0)
    }

    @Test func `grows from size to size and keeps what it holds`() {
        var (pool, buffer) = (BufferPool(), Buffer())
        var expected: [UInt8] = []
        for (count, capacity) in [
            (4096, 4 << 10), (1, 16 << 10), (12_287, 16 << 10), (1, 64 << 10), (49_151, 64 << 10), (1, 256 << 10),
            (120_000, 256 << 10),
        ] {
            let piece = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ expected.count) }
            #expect(buffer.append(piece, from: &pool))
            expected += piece
            #expect(buffer.capacity == capacity)
            #expect(pool.lent == capacity, "the smaller memory was given back")
            #expect(buffer.content == expected)
        }
        buffer.release(to: &pool)
        #expect(pool.lent == 0)
    }

    @Test(.refuses("OPS-05")) func `refuses to grow past the largest size, and keeps what it holds`() {
        var (pool, buffer) = (BufferPool(), Buffer())
        #expect(buffer.append([UInt8](repeating: 1, count: BufferPool.largest), from: &pool))
        #expect(!buffer.append([2], from: &pool))
        #expect(!buffer.reserve(1, from: &pool))
        #expect(buffer.count == BufferPool.largest)
        buffer.consume(1, to: &pool)
        #expect(buffer.append([3], from: &pool), "what was taken makes room")
        #expect(!buffer.append([4], from: &pool))
        #expect(buffer.content.last == 3)
        #expect(pool.lent == BufferPool.largest)
        buffer.release(to: &pool)
        var other = Buffer()
        #expect(!other.reserve(BufferPool.largest + 1, from: &pool))
        #expect(pool.lent == 0)
    }

    @Test func `moves its bytes to the front instead of growing when that is enough`() {
        var (pool, buffer) = (BufferPool(), Buffer())
        #expect(buffer.append((0..<4000).map { UInt8(truncatingIfNeeded: $0) }, from: &pool))
        buffer.consume(3990, to: &pool)
        #expect(buffer.room == 96)
        #expect(buffer.append([UInt8](repeating: 9, count: 4000), from: &pool))
        #expect(buffer.capacity == BufferPool.sizes.small)
        let kept = (3990..<4000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(buffer.content == kept + [UInt8](repeating: 9, count: 4000))
        buffer.release(to: &pool)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `holds what an array would`(seed: UInt64) {
        var numbers = Numbers(seed: seed)
        var (pool, buffer, model) = (BufferPool(), Buffer(), [UInt8]())
        let noise = (0..<70_000).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        for _ in 0..<1500 {
            if numbers.below(2) == 0 {
                let count = numbers.pick([0, 1, 10, 1000, 4096, 5000, 16_384, 60_000])
                let piece = Array(noise.dropFirst(numbers.below(10_000)).prefix(count))
                let fits = model.count + count <= BufferPool.largest
                #expect(buffer.append(piece, from: &pool) == fits)
                if fits { model += piece }
            } else if !model.isEmpty {
                let count = numbers.below(3) == 0 ? model.count : 1 + numbers.below(model.count)
                buffer.consume(count, to: &pool)
                model.removeFirst(count)
            }
            #expect(buffer.count == model.count)
            #expect(pool.lent == buffer.capacity)
            guard buffer.content == model else {
                Issue.record("other bytes than were put in")
                break
            }
        }
        buffer.release(to: &pool)
        #expect(pool.lent == 0)
    }
}

@Suite struct `the pool of buffers` {
    @Test(arguments: [
        (0, 4 << 10), (1, 4 << 10), (4096, 4 << 10), (4097, 16 << 10), (16_384, 16 << 10), (16_385, 64 << 10),
        (65_536, 64 << 10), (65_537, 256 << 10), (262_144, 256 << 10),
    ])
    func `lends the smallest size that fits`(count: Int, size: Int) {
        var pool = BufferPool()
        let (base, lent) = pool.take(atLeast: count)
        #expect(lent == size)
        #expect(pool.lent == size)
        pool.giveBack(base, lent)
        #expect(pool.lent == 0)
    }

    @Test func `lends what came back last first`() {
        var pool = BufferPool()
        let (first, second) = (pool.take(atLeast: 1), pool.take(atLeast: 1))
        #expect(first.0 != second.0)
        pool.giveBack(first.0, first.1)
        pool.giveBack(second.0, second.1)
        #expect(pool.take(atLeast: 1).0 == second.0)
        #expect(pool.take(atLeast: 1).0 == first.0)
    }

    @Test(.holds("OPS-05")) func `takes back more than it keeps`() {
        var pool = BufferPool()
        for count in [1, 5000, 20_000] {
            let taken = (0..<1100).map { _ in pool.take(atLeast: count) }
            #expect(Set(taken.map(\.0)).count == 1100)
            for (base, size) in taken { pool.giveBack(base, size) }
            #expect(pool.lent == 0)
        }
    }
}
