import Glibc
import TestSupport
import Testing
import Transport

@Suite struct `a pipe between two sockets` {
    private typealias Stream = Transport.ByteStream

    @Test func `passes bytes on as they came`() throws {
        let (from, to) = (try SocketPair(), try SocketPair())
        var pipe = try #require(Pipe(capacity: 64 << 10))
        defer { pipe.close() }
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(Stream(descriptor: from.there).send(bytes) == bytes.count)
        #expect(pipe.fill(from: Stream(descriptor: from.here), atMost: 4000) == 4000)
        #expect(pipe.count == 4000)
        #expect(pipe.drain(into: Stream(descriptor: to.here)) == true)
        #expect(pipe.count == 0)
        // Never more than was allowed: what lies behind stays in the socket.
        #expect(Stream(descriptor: to.there).receive().bytes == Array(bytes[..<4000]))
        #expect(Stream(descriptor: from.here).receive().bytes == Array(bytes[4000...]))
    }

    @Test func `tells nothing yet from the end`() throws {
        let from = try SocketPair()
        var pipe = try #require(Pipe(capacity: 64 << 10))
        defer { pipe.close() }
        #expect(pipe.fill(from: Stream(descriptor: from.here), atMost: 4000) == Stream.wantsRead)
        Inheritance.whileNothingIsSpawned { _ = close(from.there) }
        #expect(pipe.fill(from: Stream(descriptor: from.here), atMost: 4000) == 0)
    }

    @Test func `keeps what a full socket does not take`() throws {
        let (from, to) = (try SocketPair(), try SocketPair())
        var pipe = try #require(Pipe(capacity: 64 << 10))
        defer { pipe.close() }
        let filler = [UInt8](repeating: 0x66, count: 64 << 10)
        while Stream(descriptor: to.here).send(filler) > 0 {}
        #expect(Stream(descriptor: from.there).send([1, 2, 3]) == 3)
        #expect(pipe.fill(from: Stream(descriptor: from.here), atMost: 100) == 3)
        #expect(pipe.drain(into: Stream(descriptor: to.here)) == false)
        #expect(pipe.count == 3)
        while Stream(descriptor: to.there).receive().outcome > 0 {}
        #expect(pipe.drain(into: Stream(descriptor: to.here)) == true)
        #expect(Stream(descriptor: to.there).receive().bytes == [1, 2, 3])
    }

    @Test func `says when nobody is there to take it`() throws {
        let (from, to) = (try SocketPair(), try SocketPair())
        var pipe = try #require(Pipe(capacity: 64 << 10))
        defer { pipe.close() }
        #expect(Stream(descriptor: from.there).send([1]) == 1)
        #expect(pipe.fill(from: Stream(descriptor: from.here), atMost: 100) == 1)
        Inheritance.whileNothingIsSpawned { _ = close(to.there) }
        #expect(pipe.drain(into: Stream(descriptor: to.here)) == nil)
    }
}
