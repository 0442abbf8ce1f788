import HTTP2
import TestTraits
import Testing

/// Whole conversations of a client, right ones and wrong ones.
enum Conversations {
    static let all: [[UInt8]] = [
        Frames.settings() + Frames.request(1, [("cookie", "a=1"), ("x-a", "b"), ("cookie", "c=2")]) + Frames.ping(),
        Frames.settings([(4, 10)]) + Frames.request(1, method: "POST", [("content-length", "5")], ends: false)
            + Frames.data(1, "he") + Frames.padded(1, "llo", padding: 3)
            + Frames.headers(1, Frames.block([("x-sum", "7")])) + Frames.windowUpdate(0, 100),
        Frames.settings() + Frames.headers(1, [0x82, 0x87], endsSection: false)
            + Frames.continuation(1, [0x84], endsSection: false) + Frames.continuation(1, [], endsSection: false)
            + Frames.continuation(1, [0x01, 0x01, 0x61], endsSection: true) + Frames.reset(1) + Frames.request(3),
        Frames.settings() + Frames.request(1, [("x-a", " b")]) + Frames.request(3, [("X-B", "c")]) + Frames.request(5),
        Frames.settings() + Frames.request(1, method: "POST", [("content-length", "5")], ends: false)
            + Frames.data(1, "abcdef") + Frames.data(1, "g", ends: true) + Frames.request(3),
        Frames.settings() + Frames.request(1) + Frames.goAway(0) + Frames.frame(0x4a, [1, 2, 3]),
        Frames.settings() + Frames.request(1) + Frames.data(9, "x"),
        Frames.settings() + Frames.headers(1, [0xff, 0xff, 0xff, 0x7f]),
        // Refused by their numbers alone: they count all the same, whether their header came in one piece.
        Frames.settings()
            + (0..<350).flatMap {
                Frames.headers(UInt32($0 * 2 + 1), [0x82, 0x87, 0x84, 0x01, 0x01, 0x61], ends: false)
            },
    ].map { Frames.preface + $0 }
}

@Suite struct `a conversation over HTTP/2` {
    /// The events, with the content of a stream in one piece however it came.
    private func told(_ server: ServerUnderTest) -> [String] {
        var told: [String] = []
        // Streams close when something is sent, and so at other moments.
        var closed: [String] = []
        for event in server.seen {
            if case .closed = event {
                closed.append("\(event)")
                continue
            }
            if case .content(let stream, let text) = event {
                // Of a stream that is reset for its length, more or less of it was told before.
                if server.seen.contains(where: { if case .reset(stream, _, _) = $0 { true } else { false } }) {
                    continue
                }
                if let last = told.last, last.hasPrefix("content \(stream): ") {
                    told[told.count - 1] = last + text
                } else {
                    told.append("content \(stream): \(text)")
                }
            } else {
                told.append("\(event)")
            }
        }
        return told + closed.sorted()
    }

    @Test(.holds("H2-03"), .refuses("H2-03", "H2-60"), arguments: Conversations.all.indices)
    func `means the same however its bytes are cut`(index: Int) throws {
        let bytes = Conversations.all[index]
        let whole = try ServerUnderTest(preface: false)
        whole.receive(bytes)
        for cut in stride(from: 0, to: bytes.count, by: bytes.count < 1000 ? 1 : 211) {
            let server = try ServerUnderTest(preface: false)
            server.receive(Array(bytes[..<cut]))
            server.receive(Array(bytes[cut...]))
            #expect(told(server) == told(whole), "cut at \(cut)")
        }
        for size in [1, 2, 3, 8, 10] {
            let server = try ServerUnderTest(preface: false)
            server.receive(bytes, by: size)
            #expect(told(server) == told(whole), "by \(size)")
            #expect(server.goAways == whole.goAways && server.resets == whole.resets)
            #expect(server.connection.fault == whole.connection.fault)
        }
    }

    @Test(.holds("H2-54"), .refuses("H2-54")) func `may be read a few requests at a time`() throws {
        let server = try ServerUnderTest()
        let flight = (0..<100).flatMap { Frames.request(UInt32($0 * 2 + 1)) }
        var requests: [Int32] = []
        var turns = 0
        var offset = 0
        while offset < flight.count {
            Array(flight[offset...]).withUnsafeBufferPointer { bytes in
                server.connection.receive(bytes, now: 0)
                var left = 32
                while left > 0, let event = server.connection.nextEvent() {
                    if case .request(let stream, _, _, _) = event { requests.append(stream) }
                    left -= 1
                }
                offset += bytes.count - server.connection.unread
            }
            turns += 1
        }
        #expect(turns == 4)
        #expect(requests == (0..<100).map { Int32($0 * 2 + 1) })
    }

    @Test(.refuses("H2-73")) func `that is broken off leaves nothing behind`() throws {
        let memory = try #require(ConnectionMemory())
        for bytes in Conversations.all {
            for cut in stride(from: 0, to: bytes.count, by: 5) {
                let connection = try #require(ServerConnection(ConnectionLimits(), memory: memory, source: Body.source))
                Array(bytes[..<cut]).withUnsafeBufferPointer {
                    connection.receive($0, now: 0)
                    while connection.nextEvent() != nil {}
                }
                connection.destroy()
                #expect(memory.used == 0)
            }
        }
        memory.destroy()
    }
}
