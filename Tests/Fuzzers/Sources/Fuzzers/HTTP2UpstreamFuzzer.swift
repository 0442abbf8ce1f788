import HTTP1
import HTTP2
import HTTPMessage

/// What an upstream sends on a connection of HTTP/2 that has three requests: GET on stream 1, HEAD on 3, a call of gRPC on 5.
enum HTTP2UpstreamFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        // Who answers takes what comes, and another request follows each answer.
        let told = FrameCuts { Asker(reads: $0) }.told(of: input)
        return told.fault == nil && !told.hasGoAway && !told.ended.isEmpty ? .accepted : .refused
    }
}

/// What a connection has told, without what depends on when something was sent.
private struct ToldAnswers: Equatable {
    var events: [String] = []
    var contents: [Int32: [UInt8]] = [:]
    var ended: Set<Int32> = []
    var fault: ConnectionFault?
    /// Whatever its code: of a frame that breaks two rules, the one is told that is looked at first, by its header or its content.
    var hasGoAway = false
}

/// The gateway's side of a connection to an upstream.
private final class Asker: FrameReader {
    /// One request, and how far its answer has come.
    private struct Asked {
        let method: MethodID
        /// The length that the answer's head has.
        var length: Int?
        var hasHead = false
        var mayHaveBody = true
        var isOver = false
    }

    /// Bytes that one connection may hold, whatever is sent to it.
    private static let bound = 2 << 20

    /// One for all, as a worker has it: nothing may be left there of the one before.
    nonisolated(unsafe) private static let memory = ConnectionMemory()

    private static let requests: [(method: MethodID, head: [UInt8], hasBody: Bool)] = [
        (.get, Array("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), false),
        (.head, Array("HEAD / HTTP/1.1\r\nHost: a.example\r\n\r\n".utf8), false),
        (
            .post,
            Array(
                """
                POST /test.Echo/Unary HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/grpc\r\n\
                TE: trailers\r\n\r\n
                """.utf8), true
        ),
    ]

    private let memory: ConnectionMemory
    private let connection: ClientConnection
    private let reads: Bool
    private var told = ToldAnswers()
    private var open: [Int32: Asked] = [:]
    private var last: Int32 = -1

    /// A connection whose three requests have left.
    init(reads: Bool) {
        guard let memory = Asker.memory,
            let connection = ClientConnection(ConnectionLimits(), memory: memory, source: Asker.source)
        else { fatalError("there is memory") }
        (self.memory, self.connection, self.reads) = (memory, connection, reads)
        for number in Asker.requests.indices { ask(number) }
        send()
    }

    /// An empty message of gRPC, and its end.
    private static let source = ContentSource(
        available: { _, most in most >= 5 ? .bytes(5, ends: true) : .later },
        copy: { _, target, count in target.update(repeating: 0, count: count) })

    private func ask(_ number: Int) {
        let request = Asker.requests[number]
        let stream = request.head.withUnsafeBufferPointer {
            connection.submitHead($0, ends: !request.hasBody, place: UnsafeMutableRawPointer(bitPattern: 8))
        }
        guard let stream else { return hold(reads, "a new connection has room") }
        hold(stream == last + 2, "streams are odd and rise")
        last = stream
        open[stream] = Asked(method: request.method)
    }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer {
            connection.receive($0, now: 0)
            drain()
        }
        hold(memory.used < Asker.bound, "a connection holds no more than its bound")
        guard reads else { return }
        if connection.room > 0, open.count < 3, last < 200 { ask(Int(last) % 3) }
        send()
    }

    /// What was told, when nothing more comes: nothing is left then.
    func end() -> ToldAnswers {
        told.fault = connection.fault
        send()
        told.hasGoAway = connection.sentGoAway != nil
        connection.destroy()
        hold(memory.used == 0, "what a connection held is given back")
        return told
    }

    private func send() {
        var output = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<10_000 {
            let count = output.withUnsafeMutableBufferPointer { connection.send(into: $0) }
            drain()
            if count == 0 { return }
        }
        hold(false, "a connection has not always something to send")
    }

    private func drain() {
        while let event = connection.nextEvent() { take(event) }
    }

    private func take(_ event: ClientEvent) {
        switch event {
        case .interim(let stream, _, let head):
            hold(open[stream]?.hasHead == false, "what is interim comes before an answer")
            note(stream, "interim " + String(decoding: head, as: UTF8.self))
            check(Array(head), stream, isInterim: true)
        case .response(let stream, _, let head, let hasBody):
            hold(open[stream]?.hasHead == false, "a request has one answer")
            note(stream, "\(hasBody) " + String(decoding: head, as: UTF8.self))
            check(Array(head), stream, isInterim: false)
            open[stream]?.mayHaveBody = hasBody
            if !hasBody { end(stream) }
        case .malformed(let stream, _, let fault):
            note(stream, "malformed \(fault)")
            open[stream]?.isOver = true
        case .content(let stream, _, let bytes):
            hold(open[stream]?.hasHead == true && !bytes.isEmpty, "content has a head before it")
            hold(open[stream]?.mayHaveBody == true, "an answer that has ended has no content")
            note(stream, nil)
            told.contents[stream, default: []] += bytes
            if reads { connection.taken(stream, bytes.count) }
        case .trailers(let stream, _, let lines):
            hold(open[stream]?.hasHead == true, "trailers have a head before them")
            note(stream, "trailers " + String(decoding: lines, as: UTF8.self))
        case .ended(let stream, _):
            note(stream, "ended")
            end(stream)
        case .reset(let stream, _, let code, let byPeer):
            note(stream, "reset \(code.rawValue) \(byPeer)")
            open[stream]?.isOver = true
            // How much of it was told before depends on cuts.
            told.contents[stream] = nil
        case .closed(let stream, _, _, _):
            hold(open.removeValue(forKey: stream) != nil, "a stream closes once")
        case .settings: told.events.append("settings")
        case .pong: told.events.append("pong")
        case .goAway(let code): told.events.append("goAway \(code.rawValue)")
        }
    }

    /// An event of a stream that we have opened, and that is not over.
    private func note(_ stream: Int32, _ event: String?) {
        hold(open[stream]?.isOver == false, "what is told is of a stream that is open")
        if let event { told.events.append("\(stream) \(event)") }
    }

    /// Who counts the bytes and who looks at the stream's end find the same content.
    private func end(_ stream: Int32) {
        guard let asked = open[stream] else { return }
        hold(asked.hasHead, "an answer that has ended has a head")
        let count = told.contents[stream]?.count ?? 0
        if asked.method == .head { hold(count == 0, "an answer to HEAD has no content") }
        if asked.method != .head, let length = asked.length {
            hold(count == length, "an answer is as long as its head says")
        }
        open[stream]?.isOver = true
        told.ended.insert(stream)
    }

    /// A rebuilt head is read to its last byte by the parser of HTTP/1.1 and by a second reader alike, or refused.
    private func check(_ bytes: [UInt8], _ stream: Int32, isInterim: Bool) {
        guard let method = open[stream]?.method else { return }
        let strict = StrictResponse(bytes)
        switch ResponseReader(method: method).makeCut()(bytes) {
        case .complete(let reading):
            hold(reading.length == bytes.count, "a rebuilt head is one head")
            hold(reading.isInterim == isInterim, "what is interim is told as such")
            hold(!reading.fields.contains { $0.name == "transfer-encoding" }, "no framing was added")
            if case .length(let length) = reading.framing { open[stream]?.length = Int(length) }
            if let strict {
                strict.hold(to: reading, answering: method)
            } else {
                hold(false, "a second reader reads a rebuilt head")
            }
        case .incomplete: hold(false, "a rebuilt head is whole")
        case .refused: break
        }
        if !isInterim { open[stream]?.hasHead = true }
    }
}
