/// A connection that takes the text of HTTP/1.1 requests, speaks HTTP/2, and gives its responses as text again.
///
/// Requests that are written one behind the other are streams at once; their responses come in that order.
package final class HTTP2ClientStream: ByteStream {
    /// A request on its way, and what came for it.
    private struct Exchange {
        let number: Int
        var response: ResponseText
        /// Octets that we may send.
        var room: Int
        /// The frames' contents that nobody has read.
        var arrived: [Event] = []
        var hasEnded = false
        var isReset = false
    }

    private enum Event {
        case head([HeaderField], ends: Bool)
        case content([UInt8], framed: Int)
        case end
    }

    let below: any ByteStream
    private var requests: RequestText
    private var exchanges: [Exchange] = []
    private var received: [UInt8] = []
    private var ready: [UInt8] = []
    private let blocks = FieldBlockReader()
    /// The beginning of a header section whose rest is to come.
    private var section: (stream: Int, ends: Bool, block: [UInt8])?
    private var next = 1
    private var hasBegun = false
    private var hasSettings = false
    private var takesTunnels = false
    private var firstRoom = 65_535
    private var room = 65_535
    private var end: ReadOutcome?
    /// The code that a stream was reset with before its response was whole, or else that of the connection's end.
    package private(set) var refusal: UInt32?

    /// Over a connected stream, where nothing was sent yet.
    init(over stream: any ByteStream, isSecure: Bool) {
        below = stream
        requests = RequestText(scheme: isSecure ? "https" : "http")
    }

    // MARK: Requests

    package func write(_ bytes: [UInt8], until deadline: Deadline) throws {
        for step in try requests.take(bytes) {
            switch step {
            case .head(let head, let ends): try begin(head, ends: ends, until: deadline)
            case .content(let content): try send(content, until: deadline)
            case .end(let trailers): try endRequest(trailers, until: deadline)
            }
        }
    }

    private func begin(_ head: RequestHeadText, ends: Bool, until deadline: Deadline) throws {
        if !hasBegun {
            hasBegun = true
            // No pushes; and of all streams together as much as they have room for.
            let settings = HTTP2Frame(.settings, [0, 2, 0, 0, 0, 0])
            let window = HTTP2Frame(.windowUpdate, HTTP2Frame.octets(1 << 30))
            try below.write(HTTP2Frame.preface + settings.octets + window.octets, until: deadline)
        }
        var isTunnel = false
        if case .tunnel = head.framing {
            isTunnel = true
            while !hasSettings { try receive(until: deadline) }
            guard takesTunnels else { throw WireFailure.malformed("the server takes no extended CONNECT") }
        }
        let frames = HTTP2Frame.headers(stream: next, FieldBlock.encode(head.fields), ends: ends)
        exchanges.append(
            Exchange(
                number: next, response: ResponseText(method: head.method, isTunnel: isTunnel), room: firstRoom))
        next += 2
        try below.write(frames.flatMap(\.octets), until: deadline)
    }

    /// Sends content of the last request, as there is room for it; what its receiver wants no more is nobody's.
    private func send(_ content: [UInt8], until deadline: Deadline) throws {
        var left = content[...]
        while !left.isEmpty {
            guard let index = exchanges.indices.last, !exchanges[index].isReset else { return }
            let count = min(left.count, HTTP2Frame.largest, room, exchanges[index].room)
            guard count > 0 else {
                try receive(until: deadline)
                if end != nil { return }
                continue
            }
            let frame = HTTP2Frame(.data, stream: exchanges[index].number, Array(left.prefix(count)))
            room -= count
            exchanges[index].room -= count
            left = left.dropFirst(count)
            try below.write(frame.octets, until: deadline)
        }
    }

    private func endRequest(_ trailers: [HeaderField], until deadline: Deadline) throws {
        guard let last = exchanges.last, !last.isReset else { return }
        let frames =
            trailers.isEmpty
            ? [HTTP2Frame(.data, flags: HTTP2Frame.Flag.endStream, stream: last.number)]
            : HTTP2Frame.headers(stream: last.number, FieldBlock.encode(trailers), ends: true)
        try below.write(frames.flatMap(\.octets), until: deadline)
    }

    /// Nothing more is sent of a request that was answered before its end: what is written next begins another.
    package func leaveRequest() { requests = RequestText(scheme: requests.scheme) }

    package func shutdownWriting() {
        guard requests.isOpen else { return }
        try? endRequest([], until: .patient)
    }

    package func close() { below.close() }
    package func reset() { below.reset() }

    // MARK: Responses

    package func read(atMost count: Int, until deadline: Deadline) throws -> ReadOutcome {
        while ready.isEmpty {
            if let outcome = try advance(until: deadline) { return outcome }
            guard ready.isEmpty else { break }
            if let end { return end }
            do { try receive(until: deadline) } catch WireFailure.timedOut { return .nothingYet }
        }
        defer { ready.removeFirst(min(count, ready.count)) }
        return .bytes(Array(ready.prefix(count)))
    }

    /// Puts what came for the first request among what is ready; an outcome where its stream was reset.
    private func advance(until deadline: Deadline) throws -> ReadOutcome? {
        while ready.isEmpty, !exchanges.isEmpty {
            guard !exchanges[0].arrived.isEmpty else {
                if exchanges[0].hasEnded {
                    exchanges.removeFirst()
                    continue
                }
                guard exchanges[0].isReset else { return nil }
                exchanges.removeFirst()
                return .reset
            }
            switch exchanges[0].arrived.removeFirst() {
            case .head(let fields, let ends): ready += try exchanges[0].response.head(fields, ends: ends)
            case .content(let bytes, let framed):
                ready += try exchanges[0].response.content(bytes)
                // The sender gets room for what was read, and not for what waits.
                if framed > 0, !exchanges[0].hasEnded, !exchanges[0].isReset, end == nil {
                    let update = HTTP2Frame(
                        .windowUpdate, stream: exchanges[0].number, HTTP2Frame.octets(framed))
                    try? below.write(update.octets, until: deadline)
                }
            case .end:
                ready += try exchanges[0].response.end()
                if exchanges[0].response.isOpenTunnel { return .end }
            }
        }
        return nil
    }

    // MARK: Frames

    /// Reads from the socket once, and sees to all frames that are whole.
    private func receive(until deadline: Deadline) throws {
        switch try below.read(atMost: 64 * 1024, until: deadline) {
        case .bytes(let bytes): received += bytes
        case .nothingYet: throw WireFailure.timedOut("frames")
        case .end: end = .end
        case .reset: end = .reset
        }
        while let frame = HTTP2Frame(takenFrom: &received) { try follow(frame) }
    }

    private func follow(_ frame: HTTP2Frame) throws {
        if section != nil, frame.kind != HTTP2Frame.Kind.continuation.rawValue {
            throw WireFailure.malformed("a frame within a header section")
        }
        switch HTTP2Frame.Kind(rawValue: frame.kind) {
        case .settings: try settings(frame)
        case .headers:
            section = (frame.stream, frame.has(HTTP2Frame.Flag.endStream), try frame.content())
            try endSection(frame)
        case .continuation:
            guard section?.stream == frame.stream else { throw WireFailure.malformed("CONTINUATION of nothing") }
            section?.block += frame.payload
            try endSection(frame)
        case .data:
            // All streams together always have room.
            if !frame.payload.isEmpty {
                let update = HTTP2Frame(.windowUpdate, HTTP2Frame.octets(frame.payload.count))
                try? below.write(update.octets, until: .patient)
            }
            let content = try frame.content()
            let ends = frame.has(HTTP2Frame.Flag.endStream)
            change(frame.stream) { exchange in
                exchange.arrived.append(.content(content, framed: frame.payload.count))
                if ends { exchange.arrived.append(.end) }
                exchange.hasEnded = exchange.hasEnded || ends
            }
        case .resetStream:
            let code = UInt32(HTTP2Frame.number(frame.payload[...]))
            change(frame.stream) { exchange in
                exchange.isReset = true
                if !exchange.hasEnded { refusal = code }
            }
        case .ping:
            guard !frame.has(HTTP2Frame.Flag.acknowledges) else { return }
            let answer = HTTP2Frame(.ping, flags: HTTP2Frame.Flag.acknowledges, frame.payload)
            try? below.write(answer.octets, until: .patient)
        case .goAway:
            let code = UInt32(HTTP2Frame.number(frame.payload.dropFirst(4).prefix(4)))
            if code != 0 { refusal = code }
        case .windowUpdate:
            let increment = HTTP2Frame.number(frame.payload[...])
            if frame.stream == 0 { room += increment } else { change(frame.stream) { $0.room += increment } }
        case .pushPromise: throw WireFailure.malformed("a push")
        case .priority, nil: break
        }
    }

    private func settings(_ frame: HTTP2Frame) throws {
        guard !frame.has(HTTP2Frame.Flag.acknowledges) else { return }
        hasSettings = true
        for start in stride(from: 0, to: frame.payload.count - 5, by: 6) {
            let value = HTTP2Frame.number(frame.payload[(start + 2)..<(start + 6)])
            switch HTTP2Frame.number(frame.payload[start..<(start + 2)]) {
            case 4:
                for index in exchanges.indices { exchanges[index].room += value - firstRoom }
                firstRoom = value
            case 8: takesTunnels = value == 1
            default: break
            }
        }
        try? below.write(
            HTTP2Frame(.settings, flags: HTTP2Frame.Flag.acknowledges).octets, until: .patient)
    }

    private func endSection(_ frame: HTTP2Frame) throws {
        guard frame.has(HTTP2Frame.Flag.endHeaders), let whole = section else { return }
        section = nil
        let fields = try blocks.fields(whole.block)
        change(whole.stream) { exchange in
            exchange.arrived.append(.head(fields, ends: whole.ends))
            exchange.hasEnded = exchange.hasEnded || whole.ends
        }
    }

    private func change(_ stream: Int, _ body: (inout Exchange) -> Void) {
        guard let index = exchanges.firstIndex(where: { $0.number == stream }) else { return }
        body(&exchanges[index])
    }
}
