import HTTP1
import HTTP2
import HTTPMessage
import Testing

/// What a stream has to send, as the tests' source reads it.
final class Body {
    var bytes: [UInt8]
    var ends: Bool
    var trailersFollow = false

    init(_ text: String = "", ends: Bool = true) { (bytes, self.ends) = (Array(text.utf8), ends) }

    var place: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    static func at(_ place: UnsafeMutableRawPointer) -> Body { Unmanaged<Body>.fromOpaque(place).takeUnretainedValue() }

    static let source = ContentSource(
        available: { place, most in
            let body = Body.at(place)
            if body.bytes.isEmpty { return body.ends ? .ended(trailersFollow: body.trailersFollow) : .later }
            let count = body.bytes.count
            return .bytes(count, ends: body.ends && count <= most && !body.trailersFollow)
        },
        copy: { place, target, count in
            let body = Body.at(place)
            for index in 0..<count { target[index] = body.bytes[index] }
            body.bytes.removeFirst(count)
        })
}

/// One event, with copies of what its pointers show.
enum Seen: Equatable {
    case request(Int32, String, hasBody: Bool, isTunnel: Bool)
    case refused(Int32, HeadFault)
    case malformed(Int32)
    case content(Int32, String)
    case trailers(Int32, String)
    case ended(Int32)
    case reset(Int32, UInt32, byPeer: Bool)
    case closed(Int32)
    case pong
    case goAway(UInt32)

    init(_ event: ServerEvent) {
        self =
            switch event {
            case .request(let stream, let head, let hasBody, let isTunnel):
                .request(stream, String(decoding: head, as: UTF8.self), hasBody: hasBody, isTunnel: isTunnel)
            case .refused(let stream, let fault, _, _): .refused(stream, fault)
            case .malformed(let stream): .malformed(stream)
            case .content(let stream, _, let bytes): .content(stream, String(decoding: bytes, as: UTF8.self))
            case .trailers(let stream, _, let lines): .trailers(stream, String(decoding: lines, as: UTF8.self))
            case .ended(let stream, _): .ended(stream)
            case .reset(let stream, _, let code, let byPeer): .reset(stream, code.rawValue, byPeer: byPeer)
            case .closed(let stream, _, _): .closed(stream)
            case .pong: .pong
            case .goAway(let code): .goAway(code.rawValue)
            }
    }
}

/// A server's connection, driven as a gateway drives it: everything that is read is looked at, everything queued is sent.
final class ServerUnderTest {
    let memory: ConnectionMemory
    let connection: ServerConnection
    let decoder = HeaderDecoder()
    var seen: [Seen] = []
    var sent: [SentFrame] = []
    /// Bytes that were sent, and each write's.
    var bytesSent = 0
    var writes = 0
    var now: UInt64 = 1_000_000
    /// Whether bodies are taken as they come, so that their windows come back.
    var takes = true
    /// What the parser of HTTP/1.1 said about each head.
    var verdicts: [Int32: HeadProgress] = [:]
    private var bodies: [Body] = []

    init(_ limits: ConnectionLimits = ConnectionLimits(), preface: Bool = true) throws {
        memory = try #require(ConnectionMemory())
        connection = try #require(ServerConnection(limits, memory: memory, source: Body.source))
        if preface {
            receive(Frames.preface + Frames.settings())
            receive(Frames.settingsAck)
            sent = []
        }
    }

    deinit {
        connection.destroy()
        memory.destroy()
    }

    /// Hands in bytes in pieces of this size, and sends what follows.
    func receive(_ bytes: [UInt8], by size: Int = .max, sends: Bool = true) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            piece.withUnsafeBufferPointer {
                connection.receive($0, now: now)
                drain()
            }
            if sends { flush() }
        }
    }

    func drain() {
        while let event = connection.nextEvent() {
            if case .request(let stream, let head, _, _) = event {
                judge(stream, Span(_unsafeElements: UnsafeBufferPointer(head)))
            }
            if case .content(let stream, _, let bytes) = event, takes { connection.taken(stream, bytes.count) }
            seen.append(Seen(event))
        }
    }

    /// Reads a rebuilt head as the gateway does: with the parser of HTTP/1.1, to its last byte.
    private func judge(_ stream: Int32, _ bytes: Span<UInt8>) {
        var parser = RequestHeadParser()
        var head = RequestHead()
        verdicts[stream] = parser.parse(bytes, limits: HTTP1Limits(), into: &head)
        guard verdicts[stream] == .complete else { return }
        #expect(head.length == bytes.count)
        #expect(head.fields.count(of: .host) == 1)
        #expect(head.fields.count(of: .transferEncoding) == 0)
        #expect(head.fields.count(of: .cookie) <= 1)
    }

    /// Sends what is queued.
    func flush(capacity: Int = 16 << 10) {
        var output = [UInt8](repeating: 0, count: capacity)
        var bytes: [UInt8] = []
        while true {
            let count = output.withUnsafeMutableBufferPointer { connection.send(into: $0) }
            guard count > 0 else { break }
            bytes += output.prefix(count)
            writes += 1
        }
        bytesSent += bytes.count
        sent += SentFrame.all(in: bytes)
        drain()
    }

    @discardableResult
    func answer(_ stream: Int32, _ head: String = "HTTP/1.1 200 OK\r\n\r\n", _ body: Body? = nil) -> Bool {
        if let body {
            bodies.append(body)
            connection.setPlace(stream, body.place)
        }
        let isSubmitted = Array(head.utf8).withUnsafeBufferPointer {
            connection.submitHead(stream, $0, ends: body == nil)
        }
        flush()
        return isSubmitted
    }

    func trailers(_ stream: Int32, _ lines: String) -> Bool {
        Array(lines.utf8).withUnsafeBufferPointer { connection.submitTrailers(stream, $0) }
    }

    /// The requests' heads, by their streams.
    var requests: [Int32] {
        seen.compactMap { if case .request(let stream, _, _, _) = $0 { stream } else { nil } }
    }

    func frames(_ type: UInt8) -> [SentFrame] { sent.filter { $0.type == type } }
    var resets: [UInt32] { frames(3).map(\.code) }
    var goAways: [UInt32] { frames(7).map(\.code) }
}
