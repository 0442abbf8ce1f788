import HTTP1
import HTTP2
import HTTPMessage

/// What a client sends on a connection of HTTP/2, behind the preface.
enum HTTP2Fuzzer {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    static func attempt(_ input: [UInt8]) -> Outcome {
        let told = FrameCuts(preface: preface) { Listener(answers: $0) }.told(of: input)
        return told.fault == nil && told.goAway == nil && !told.requests.isEmpty ? .accepted : .refused
    }
}

/// What a connection has told, without what depends on when something was sent.
struct Told: Equatable {
    var requests: [String] = []
    var others: [String] = []
    var contents: [Int32: [UInt8]] = [:]
    var resets: Set<Int32> = []
    var fault: ConnectionFault?
    var goAway: UInt32?
}

/// The gateway's side of a connection.
private final class Listener: FrameReader {
    /// Bytes that one connection may hold, whatever is sent to it.
    private static let bound = 2 << 20

    /// One for all, as a worker has it: nothing may be left there of the one before.
    nonisolated(unsafe) private static let memory = ConnectionMemory()

    private let memory: ConnectionMemory
    private let connection: ServerConnection
    private let answers: Bool
    private var told = Told()
    private var open: Set<Int32> = []
    private var last: Int32 = 0
    // Budgets fill with time, which a piece takes as well as the whole.
    private var now: UInt64 = 0

    init(answers: Bool) {
        var limits = ConnectionLimits()
        limits.announcesTunnels = true
        // As behind a trusted proxy: recorded clients spoke in the clear.
        limits.scheme = .either
        guard let memory = Listener.memory,
            let connection = ServerConnection(limits, memory: memory, source: Listener.source)
        else { fatalError("there is memory") }
        (self.memory, self.connection, self.answers) = (memory, connection, answers)
    }

    /// A hundred bytes for each stream, and their end.
    private static let source = ContentSource(
        available: { _, most in .bytes(100, ends: most >= 100) },
        copy: { _, target, count in target.update(repeating: 0x78, count: count) })

    func receive(_ bytes: [UInt8]) {
        if answers { now += 1000 }
        bytes.withUnsafeBufferPointer {
            connection.receive($0, now: now)
            drain()
        }
        hold(memory.used < Listener.bound, "a connection holds no more than its bound")
        if answers { send() }
    }

    /// What was told, when nothing more comes: nothing is left then.
    func end() -> Told {
        told.fault = connection.fault
        if !answers { send() }
        // Where a fault has ended it, what the library or we have said first is what the peer hears: that depends on who saw it first.
        told.goAway = told.fault == nil ? connection.sentGoAway?.rawValue : nil
        for stream in told.resets { told.contents[stream] = nil }
        connection.destroy()
        hold(memory.used == 0, "what a connection held is given back")
        return told
    }

    private func send() {
        var output = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<10_000 {
            let count = output.withUnsafeMutableBufferPointer { connection.send(into: $0) }
            drain(isSending: true)
            if count == 0 { return }
        }
        hold(false, "a connection has not always something to send")
    }

    private func drain(isSending: Bool = false) {
        while let event = connection.nextEvent() { take(event, isSending: isSending) }
    }

    private func take(_ event: ServerEvent, isSending: Bool) {
        switch event {
        case .request(let stream, let head, let hasBody, let isTunnel):
            begin(stream)
            told.requests.append("\(stream) \(hasBody) \(isTunnel) " + String(decoding: head, as: UTF8.self))
            check(Array(head))
            answer(stream)
        case .refused(let stream, let fault, _, _):
            begin(stream)
            told.others.append("\(stream) refused \(fault)")
            answer(stream)
        case .malformed(let stream):
            hold(stream > last && stream % 2 == 1, "a malformed head is of a stream that was not told")
            last = stream
            told.others.append("\(stream) malformed")
        case .content(let stream, _, let bytes):
            hold(open.contains(stream) && !bytes.isEmpty, "content is of a stream that was told")
            told.contents[stream, default: []] += bytes
            if answers { connection.taken(stream, bytes.count) }
        case .trailers(let stream, _, let lines):
            hold(open.contains(stream), "trailers are of a stream that was told")
            told.others.append("\(stream) trailers " + String(decoding: lines, as: UTF8.self))
        case .ended(let stream, _):
            hold(open.contains(stream), "an end is of a stream that was told")
            told.others.append("\(stream) ended")
        case .reset(let stream, _, let code, let byPeer):
            hold(open.contains(stream), "a reset is of a stream that was told")
            told.resets.insert(stream)
            told.others.append("\(stream) reset \(code.rawValue) \(byPeer)")
        case .closed(let stream, _, _):
            hold(open.remove(stream) != nil, "a stream closes once")
            hold(isSending || connection.openStreams == open.count || !open.isEmpty, "streams are counted")
        case .pong: told.others.append("pong")
        case .goAway(let code): told.others.append("goAway \(code.rawValue)")
        }
    }

    private func begin(_ stream: Int32) {
        hold(stream > last && stream % 2 == 1, "streams are odd and rise")
        last = stream
        open.insert(stream)
        hold(open.count <= 128, "no more streams are open than were allowed")
    }

    /// A rebuilt head is read to its last byte, or refused.
    private func check(_ bytes: [UInt8]) {
        var parser = RequestHeadParser()
        var head = RequestHead()
        switch parser.parse(bytes.span, limits: HTTP1Limits(), into: &head) {
        case .complete: hold(head.length == bytes.count, "a rebuilt head is one head")
        case .incomplete: hold(false, "a rebuilt head is whole")
        case .refused: break
        }
    }

    private func answer(_ stream: Int32) {
        guard answers else { return }
        let head = Array("HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n".utf8)
        let trailers = Array("x-sum: 7\r\n".utf8)
        switch stream / 2 % 4 {
        case 0: hold(submit(stream, head, ends: true), "an open stream takes an answer")
        case 1:
            connection.setPlace(stream, UnsafeMutableRawPointer(bitPattern: 8))
            _ = submit(stream, head, ends: false)
        case 2:
            connection.setPlace(stream, UnsafeMutableRawPointer(bitPattern: 8))
            connection.admit(stream)
            _ = submit(stream, head, ends: false)
            _ = trailers.withUnsafeBufferPointer { connection.submitTrailers(stream, $0) }
        default: connection.reset(stream, .cancel)
        }
    }

    private func submit(_ stream: Int32, _ head: [UInt8], ends: Bool) -> Bool {
        head.withUnsafeBufferPointer { connection.submitHead(stream, $0, ends: ends) }
    }
}
