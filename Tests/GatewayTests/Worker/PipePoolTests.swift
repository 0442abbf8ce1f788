import Glibc
import TestTraits
import Testing
import Transport

@testable import Gateway

/// A pipe of the pool, which has one.
private func taken(from pool: inout PipePool) throws -> Pipe {
    let pipe = pool.take()
    return try #require(pipe)
}

@Suite struct `a pool of pipes` {
    @Test func `lends so many and no more`() throws {
        var pool = PipePool()
        var pipes = (0..<PipePool.limit).compactMap { _ in pool.take() }
        #expect(pipes.count == PipePool.limit)
        #expect(pool.take() == nil)
        pool.giveBack(pipes.removeLast())
        let again = try taken(from: &pool)
        for pipe in pipes + [again] { pool.giveBack(pipe) }
        #expect(pool.lent == 0)
    }

    @Test(.refuses("HTTP-40")) func `never lends a pipe that still holds somebody's bytes`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(write(ends[0], "secret", 6) == 6)
        var pool = PipePool()
        var pipe = try taken(from: &pool)
        #expect(pipe.fill(from: ByteStream(descriptor: ends[1]), atMost: 100) == 6)
        pool.giveBack(pipe)
        let next = try taken(from: &pool)
        #expect(next.count == 0)
        // Empty in the kernel too, not only by its own count.
        var probe = next
        try #require(write(ends[0], "mine", 4) == 4)
        #expect(probe.fill(from: ByteStream(descriptor: ends[1]), atMost: 100) == 4)
        #expect(probe.drain(into: ByteStream(descriptor: ends[0])) == true)
        var seen = [UInt8](repeating: 0, count: 100)
        #expect(read(ends[1], &seen, 100) == 4)
        #expect(Array(seen.prefix(4)) == Array("mine".utf8))
        pool.giveBack(probe)
    }

    @Test func `is tried again after a socket it was no use for`() throws {
        var pool = PipePool()
        pool.giveBack(try taken(from: &pool))
        pool.giveUp()
        for _ in 0..<PipePool.uselessTimes { #expect(pool.take() == nil) }
        pool.giveBack(try taken(from: &pool))
        #expect(pool.lent == 0)
    }
}
