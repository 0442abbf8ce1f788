import HTTP1
import HTTP2
import HTTPMessage
import Testing

/// One event of an upstream's connection, with copies of what its pointers show.
enum Answered: Equatable {
    case interim(Int32, String)
    case response(Int32, String, hasBody: Bool)
    case malformed(Int32, HeadFault)
    case content(Int32, String)
    case trailers(Int32, String)
    case ended(Int32)
    case reset(Int32, UInt32, byPeer: Bool)
    case closed(Int32, mayRepeat: Bool)
    case settings, pong
    case goAway(UInt32)

    init(_ event: ClientEvent) {
        self =
            switch event {
            case .interim(let stream, _, let head): .interim(stream, String(decoding: head, as: UTF8.self))
            case .response(let stream, _, let head, let hasBody):
                .response(stream, String(decoding: head, as: UTF8.self), hasBody: hasBody)
            case .malformed(let stream, _, let fault): .malformed(stream, fault)
            case .content(let stream, _, let bytes): .content(stream, String(decoding: bytes, as: UTF8.self))
            case .trailers(let stream, _, let lines): .trailers(stream, String(decoding: lines, as: UTF8.self))
            case .ended(let stream, _): .ended(stream)
            case .reset(let stream, _, let code, let byPeer): .reset(stream, code.rawValue, byPeer: byPeer)
            case .closed(let stream, _, _, let mayRepeat): .closed(stream, mayRepeat: mayRepeat)
            case .settings: .settings
            case .pong: .pong
            case .goAway(let code): .goAway(code.rawValue)
            }
    }
}

/// Our connection to an upstream that the test plays.
final class UpstreamUnderTest {
    let memory: ConnectionMemory
    let connection: ClientConnection
    let decoder = HeaderDecoder()
    var seen: [Answered] = []
    var sent: [SentFrame] = []
    private var bodies: [Body] = []

    init(_ limits: ConnectionLimits = ConnectionLimits(), settings: [UInt8]? = Frames.settings()) throws {
        memory = try #require(ConnectionMemory())
        connection = try #require(ClientConnection(limits, memory: memory, source: Body.source))
        flush()
        guard let settings else { return }
        receive(settings)
        (seen, sent) = ([], [])
    }

    deinit {
        connection.destroy()
        memory.destroy()
    }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer {
            connection.receive($0, now: 1_000_000)
            drain()
        }
        flush()
    }

    func drain() {
        while let event = connection.nextEvent() {
            if case .response(_, _, let head, _) = event { judge(Span(_unsafeElements: UnsafeBufferPointer(head))) }
            seen.append(Answered(event))
        }
    }

    /// Reads a rebuilt head as the gateway does.
    private func judge(_ bytes: Span<UInt8>) {
        var parser = ResponseHeadParser()
        var head = ResponseHead()
        #expect(parser.parse(bytes, limits: HTTP1Limits(), answering: .get, into: &head) == .complete)
        #expect(head.length == bytes.count)
    }

    func flush() {
        var output = [UInt8](repeating: 0, count: 16 << 10)
        var bytes: [UInt8] = []
        while true {
            let count = output.withUnsafeMutableBufferPointer { connection.send(into: $0) }
            guard count > 0 else { break }
            bytes += output.prefix(count)
        }
        if bytes.starts(with: Frames.preface) { bytes.removeFirst(Frames.preface.count) }
        sent += SentFrame.all(in: bytes)
        drain()
    }

    @discardableResult
    func ask(_ head: String = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", _ body: Body? = nil, flushes: Bool = true)
        -> Int32?
    {
        if let body { bodies.append(body) }
        let stream = Array(head.utf8).withUnsafeBufferPointer {
            connection.submitHead($0, ends: body == nil, place: body?.place)
        }
        if flushes { flush() }
        return stream
    }

    func frames(_ type: UInt8) -> [SentFrame] { sent.filter { $0.type == type } }
    var resets: [UInt32] { frames(3).map(\.code) }
}
