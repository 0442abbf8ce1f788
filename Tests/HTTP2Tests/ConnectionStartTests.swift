import HTTP2
import TestTraits
import Testing

@Suite struct `the start of an HTTP/2 connection` {
    @Test(.holds("H2-05")) func `sends SETTINGS first and acknowledges the client's`() throws {
        let server = try ServerUnderTest(preface: false)
        server.flush()
        #expect(server.sent.first?.type == 4)
        server.receive(Frames.preface + Frames.settings())
        #expect(server.sent.contains(SentFrame(type: 4, flags: 1, stream: 0, payload: [])))
        // The connection's window, beyond the 65,535 that it begins with.
        #expect(server.frames(8).map(\.lastStream) == [UInt32(1 << 20) - 65_535])
    }

    @Test(
        .refuses("H2-05"),
        arguments: [
            Frames.preface + Frames.request(1), Frames.preface + Frames.ping(), Array("GET / HTTP/1.1\r\n\r\n".utf8),
            Array("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n".utf8) + Frames.settings(),
        ])
    func `is over with anything else than preface and SETTINGS`(bytes: [UInt8]) throws {
        for size in [1, 7, Int.max] {
            let server = try ServerUnderTest(preface: false)
            server.receive(bytes, by: size)
            #expect(server.requests == [])
            #expect(server.connection.isOver)
        }
    }

    @Test(.holds("H2-05"), .refuses("H2-05"), arguments: [false, true])
    func `is a fault when SETTINGS are not acknowledged in time`(comes: Bool) throws {
        let server = try ServerUnderTest(preface: false)
        server.receive(Frames.preface + Frames.settings() + (comes ? Frames.settingsAck : []))
        server.connection.endAcknowledgement()
        server.flush()
        #expect(server.connection.fault == (comes ? nil : .settingsTimeout))
        #expect(server.connection.sentGoAway == (comes ? nil : .settingsTimeout))
    }

    @Test(.holds("H2-08")) func `obeys a window that changes under open streams`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.settings([(4, 0)]) + Frames.request(1))
        let text = String(repeating: "x", count: 30_000)
        server.answer(1, "HTTP/1.1 200 OK\r\n\r\n", Body(text))
        #expect(server.frames(0).isEmpty)
        server.receive(Frames.settings([(4, 1)]))
        #expect(server.frames(0).map(\.text) == ["x"])
        server.receive(Frames.settings([(4, 10)]) + Frames.settings([(4, 0)]))
        // Ten were granted, and then ten fewer than what was sent: the window is negative until it is opened again.
        server.receive(Frames.settings([(4, 65_535)]))
        #expect(server.frames(0).map(\.text).joined() == text)
        #expect(server.frames(0).last?.ends == true)
    }

    @Test(
        .refuses("H2-08"),
        arguments: [
            ([(UInt16(4), UInt32(1) << 31)], UInt32(3)), ([(5, 16_383)], 1), ([(5, 1 << 24)], 1), ([(2, 2)], 1),
        ] as [([(UInt16, UInt32)], UInt32)])
    func `is over with a setting that has no meaning`(entries: [(UInt16, UInt32)], code: UInt32) throws {
        let server = try ServerUnderTest()
        server.receive(Frames.settings(entries))
        #expect(server.goAways == [code])
        #expect(server.connection.isOver)
    }

    @Test func `ignores settings that it does not know`() throws {
        let server = try ServerUnderTest()
        server.receive(Frames.settings([(0x4a4a, 7)]) + Frames.request(1))
        #expect(server.requests == [1])
    }

    @Test(.holds("H2-07")) func `takes a whole flight of streams before its SETTINGS are acknowledged`() throws {
        let server = try ServerUnderTest(preface: false)
        let flight = (0..<128).flatMap { Frames.request(UInt32($0 * 2 + 1)) }
        server.receive(Frames.preface + Frames.settings() + flight)
        #expect(server.requests.count == 128)
        #expect(server.resets == [])
    }

    @Test(.refuses("H2-07")) func `refuses streams over the limit from the first byte`() throws {
        let server = try ServerUnderTest(preface: false)
        let flight = (0..<300).flatMap { Frames.request(UInt32($0 * 2 + 1)) }
        server.receive(Frames.preface + Frames.settings() + flight)
        #expect(server.requests.count == 128)
        #expect(Set(server.resets).subtracting([ErrorCode.refusedStream.rawValue]) == [])
        #expect(server.connection.openStreams == 128)
    }

    @Test(.refuses("H2-07")) func `is over with a stream above a limit that was acknowledged`() throws {
        let server = try ServerUnderTest()
        server.receive((0..<129).flatMap { Frames.request(UInt32($0 * 2 + 1)) })
        #expect(server.requests.count == 128)
        #expect(server.goAways == [1])
    }
}
