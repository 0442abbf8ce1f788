/// A client that sends exactly the bytes it is given and reads responses strictly.
package final class RawClient {
    private let stream: any ByteStream
    private var reader = WireResponseReader()
    private(set) package var wasReset = false

    /// Connects to a port of 127.0.0.1, in the clear or over TLS, perhaps from another address of this machine.
    ///
    /// By HTTP/2 it is still given the text of HTTP/1.1, and reads such text. The bytes of a `header` are sent before all
    /// others, in one segment with the first of them.
    package init(
        port: UInt16, tls: TLSClientOptions? = nil, receiveBuffer: Int32? = nil, from source: String? = nil,
        behind header: [UInt8] = [], speaking version: WireProtocol = .current
    ) throws {
        let socket = try Socket.connect(port: port, receiveBuffer: receiveBuffer, from: source)
        try socket.hold(header)
        var stream: any ByteStream = socket
        if var tls {
            if version == .http2, tls.applicationProtocols.isEmpty { tls.applicationProtocols = ["h2"] }
            stream = try TLSClientStream(over: socket, options: tls)
        }
        self.stream = version == .http2 ? HTTP2ClientStream(over: stream, isSecure: tls != nil) : stream
    }

    /// Speaks over a connection that is open, as its server may.
    package init(over socket: Socket) { stream = socket }

    /// Connects to a Unix socket.
    package init(unixPath path: String) throws { stream = try Socket.connect(unixPath: path) }

    /// What the TLS handshake agreed on; nil in the clear.
    package var tls: TLSClientStream? { (http2?.below ?? stream) as? TLSClientStream }

    /// What is particular about HTTP/2; nil where it is not spoken.
    package var http2: HTTP2ClientStream? { stream as? HTTP2ClientStream }

    /// Sends bytes exactly as they are.
    package func send(_ bytes: [UInt8], within limit: Duration = Deadline.patience) throws {
        try stream.write(bytes, until: .after(limit))
    }

    /// Sends the text's UTF-8 bytes exactly as they are.
    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends the bytes cut after each of the given offsets, a segment each.
    package func send(_ text: String, cutAt offsets: [Int]) throws {
        let bytes = Array(text.utf8)
        var start = 0
        for offset in offsets.sorted() + [bytes.count] where offset > start {
            try send(Array(bytes[start..<offset]))
            start = offset
        }
    }

    /// The next response, interim ones included; `method` decides whether it has a body.
    package func response(to method: String = "GET", within limit: Duration = Deadline.patience) throws -> WireResponse
    {
        let deadline = Deadline.after(limit)
        while true {
            if let response = try reader.next(answering: method) { return response }
            try receive(until: deadline, awaiting: "a response after \(text(Array(reader.buffer.prefix(300))))")
        }
    }

    /// The next responses, in order.
    package func responses(_ count: Int, to method: String = "GET") throws -> [WireResponse] {
        try (0..<count).map { _ in try response(to: method) }
    }

    /// Exactly `count` bytes.
    package func bytes(_ count: Int, within limit: Duration = Deadline.patience) throws -> [UInt8] {
        let deadline = Deadline.after(limit)
        while reader.buffer.count < count {
            if reader.hasEnded { throw WireFailure.closed("after \(reader.buffer.count) of \(count) bytes") }
            try receive(until: deadline, awaiting: "\(count) bytes, have \(reader.buffer.count)")
        }
        return reader.take(count)
    }

    /// Bytes up to and with `pattern`.
    package func bytes(through pattern: String, within limit: Duration = Deadline.patience) throws -> [UInt8] {
        let deadline = Deadline.after(limit)
        let wanted = Array(pattern.utf8)
        while true {
            if let position = firstIndex(of: wanted, in: reader.buffer) { return reader.take(position + wanted.count) }
            if reader.hasEnded { throw WireFailure.closed("no \(pattern) in \(text(reader.buffer))") }
            try receive(until: deadline, awaiting: pattern)
        }
    }

    /// Everything until the peer closes.
    package func bytesToEnd(within limit: Duration = Deadline.patience) throws -> [UInt8] {
        let deadline = Deadline.after(limit)
        while !reader.hasEnded { try receive(until: deadline, awaiting: "the end") }
        return reader.takeAll()
    }

    /// Reads and forgets `count` bytes, cheaply.
    package func discard(_ count: Int, within limit: Duration = .seconds(180)) throws {
        let deadline = Deadline.after(limit)
        var left = count - reader.take(count).count
        while left > 0 {
            switch try stream.read(atMost: min(left, 256 * 1024), until: deadline) {
            case .bytes(let bytes): left -= bytes.count
            case .end, .reset: throw WireFailure.closed("\(left) of \(count) bytes missing")
            case .nothingYet: throw WireFailure.timedOut("\(left) of \(count) bytes missing")
            }
        }
    }

    /// Whether the peer ends the connection, without a further byte, before the limit.
    package func isClosedByPeer(within limit: Duration = Deadline.patience) -> Bool {
        let deadline = Deadline.after(limit)
        while !reader.hasEnded, reader.buffer.isEmpty {
            do { try receive(until: deadline, awaiting: "the end") } catch { return false }
        }
        return reader.hasEnded && reader.buffer.isEmpty
    }

    /// Whether nothing at all arrives, not even an end, within the limit.
    package func staysSilent(for limit: Duration = .milliseconds(150)) -> Bool {
        guard reader.buffer.isEmpty, !reader.hasEnded else { return false }
        do { try receive(until: .after(limit), awaiting: "silence") } catch { return true }
        return false
    }

    /// Sends FIN and keeps reading.
    package func finishSending() { stream.shutdownWriting() }
    /// Closes both directions.
    package func close() { stream.close() }
    /// Closes with RST.
    package func reset() { stream.reset() }

    private func receive(until deadline: Deadline, awaiting what: String) throws {
        if reader.hasEnded { throw WireFailure.closed("awaiting \(what)") }
        switch try stream.read(atMost: 64 * 1024, until: deadline) {
        case .bytes(let bytes): reader.append(bytes)
        case .end: reader.end()
        case .reset:
            wasReset = true
            reader.end()
        case .nothingYet: throw WireFailure.timedOut(what)
        }
    }
}
