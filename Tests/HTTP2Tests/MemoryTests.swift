import HTTP2
import TestTraits
import Testing

@Suite struct `memory of connections over HTTP/2` {
    @Test(.holds("H2-73")) func `is not asked of the system again for requests like those before`() throws {
        let server = try ServerUnderTest()
        var next: UInt32 = 1
        func takeFlight() {
            let streams = (0..<50).map { next + UInt32($0) * 2 }
            next += 100
            server.receive(streams.flatMap { Frames.request($0, [("x-a", "b")]) })
            for stream in streams { server.answer(Int32(stream), "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n", Body("hello")) }
        }
        for _ in 0..<4 { takeFlight() }
        let taken = server.memory.takenFromSystem
        for _ in 0..<20 { takeFlight() }
        #expect(server.requests.count == 24 * 50)
        #expect(taken > 0)
        #expect(server.memory.takenFromSystem == taken)
    }
}
