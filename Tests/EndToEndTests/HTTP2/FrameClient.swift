import CNGHTTP2
import TestSupport
import Testing

/// A client of HTTP/2 that sends the frames it is told to and shows those that it gets.
///
/// It acknowledges SETTINGS, and PINGs, unless it is told not to; windows are opened by whoever drives it.
final class FrameClient {
    /// One frame that came.
    struct Frame: CustomStringConvertible {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: [UInt8]

        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7

        var ends: Bool { type <= Frame.headers && flags & 1 != 0 }
        var text: String { String(decoding: payload, as: UTF8.self) }
        /// The code of RST_STREAM, and of GOAWAY.
        var code: UInt32 { FrameClient.number(payload.dropFirst(type == Frame.goAway ? 4 : 0)) }
        /// The last stream of GOAWAY.
        var lastStream: UInt32 { FrameClient.number(payload[...]) }
        var description: String { "type \(type) flags \(flags) stream \(stream) \(payload.prefix(40))" }
    }

    /// The last stream of a GOAWAY that only announces the end.
    static let anyStream: UInt32 = 0x7fff_ffff

    let client: RawClient
    var answersPings: Bool
    let acknowledges: Bool
    /// The fields of each stream's sections, in their order.
    private(set) var fields: [UInt32: [String]] = [:]
    /// Streams of which both GOAWAYs spoke, as they came.
    private(set) var lastStreams: [UInt32] = []
    /// What each SETTINGS of the server said, as they came: values by their identifiers.
    private(set) var settings: [[UInt16: UInt32]] = []
    /// The header of a frame whose payload has not come yet.
    private var head: [UInt8]?
    private var inflater: OpaquePointer?

    init(
        port: UInt16, window: UInt32? = nil, answersPings: Bool = true, acknowledges: Bool = true,
        from source: String? = nil, receiveBuffer: Int32? = nil
    ) throws {
        // Its frames are made here, whatever the test's other clients speak.
        client = try RawClient(port: port, receiveBuffer: receiveBuffer, from: source, speaking: .http1)
        self.answersPings = answersPings
        self.acknowledges = acknowledges
        nghttp2_hd_inflate_new(&inflater)
        let settings = window.map { [0, 4] + Self.bytes($0) } ?? []
        try client.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.frame(4, settings))
    }

    /// Takes the server's end of a connection that a client has made, whose preface it reads.
    init(serving socket: Socket, streams: UInt32? = nil, takesTunnels: Bool = false) throws {
        client = RawClient(over: socket)
        answersPings = true
        acknowledges = true
        nghttp2_hd_inflate_new(&inflater)
        let settings = (streams.map { [0, 3] + Self.bytes($0) } ?? []) + (takesTunnels ? [0, 8, 0, 0, 0, 1] : [])
        try client.send(Self.frame(4, settings))
        let preface = try client.bytes(24)
        #expect(preface == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
    }

    deinit { nghttp2_hd_inflate_del(inflater) }

    // MARK: What it sends

    static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xff), UInt8(payload.count & 0xff), type, flags]
            + bytes(stream) + payload
    }

    static func request(
        _ stream: UInt32, _ path: String, method: String = "GET", _ more: [(String, String)] = [], ends: Bool = true
    ) -> [UInt8] {
        let fields = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "gateway.test")] + more
        return section(stream, fields, ends: ends)
    }

    /// A field section: a head, or what stands behind a message.
    static func section(_ stream: UInt32, _ fields: [(String, String)], ends: Bool) -> [UInt8] {
        frame(1, flags: ends ? 5 : 4, stream: stream, block(of: fields))
    }

    /// Fields as literals that enter no table (RFC 7541 §6.2.2).
    private static func block(of fields: [(String, String)]) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block.append(0)
            for text in [name, value] { block += length(text.utf8.count) + Array(text.utf8) }
        }
        return block
    }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 127 else { return [UInt8(count)] }
        var (bytes, left): ([UInt8], Int) = ([127], count - 127)
        while left >= 128 {
            bytes.append(UInt8(left & 127 | 128))
            left >>= 7
        }
        return bytes + [UInt8(left)]
    }

    static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> [UInt8] { frame(3, stream: stream, bytes(code)) }

    static func window(_ stream: UInt32, _ increment: UInt32) -> [UInt8] { frame(8, stream: stream, bytes(increment)) }

    func get(_ stream: UInt32, _ path: String, _ more: [(String, String)] = []) throws {
        try client.send(Self.request(stream, path, more))
    }

    /// Opens a WebSocket as RFC 8441 has it.
    func openSocket(
        _ stream: UInt32, _ path: String, _ more: [(String, String)] = [], speaking name: String = "websocket"
    ) throws {
        let fields = [
            (":method", "CONNECT"), (":protocol", name), (":scheme", "http"), (":path", path),
            (":authority", "gateway.test"),
        ]
        try client.send(Self.frame(1, flags: 4, stream: stream, Self.block(of: fields + more)))
    }

    // MARK: What it gets

    /// The next frame but SETTINGS and what answers them.
    func next(within limit: Duration = Deadline.patience) throws -> Frame {
        while true {
            let head = try self.head ?? client.bytes(9, within: limit)
            self.head = head
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let payload = length > 0 ? try client.bytes(length, within: limit) : []
            self.head = nil
            let frame = Frame(type: head[3], flags: head[4], stream: Self.number(head[5...]), payload: payload)
            switch frame.type {
            case Frame.headers: fields[frame.stream, default: []] += decode(payload)
            case Frame.goAway: lastStreams.append(frame.lastStream)
            case Frame.ping where frame.flags & 1 == 0 && answersPings:
                try client.send(Self.frame(Frame.ping, flags: 1, payload))
            case 4:
                if frame.flags & 1 == 0 {
                    settings.append(Self.settings(in: payload))
                    if acknowledges { try client.send(Self.frame(4, flags: 1)) }
                }
                continue
            default: break
            }
            return frame
        }
    }

    /// Frames up to and with the first one that is looked for.
    @discardableResult
    func frames(
        until isLast: (Frame) -> Bool, within limit: Duration = Deadline.patience
    ) throws -> [Frame] {
        var frames: [Frame] = []
        repeat { frames.append(try next(within: limit)) } while !isLast(frames[frames.count - 1])
        return frames
    }

    /// The status of a stream whose answer is read to its end; nil where a reset ends it.
    func status(of stream: UInt32) throws -> String? {
        let last = try frames { $0.stream == stream && ($0.ends || $0.type == Frame.reset) }.last
        guard last?.ends == true else { return nil }
        return fields[stream]?.first { $0.hasPrefix(":status: ") }.map { String($0.dropFirst(9)) }
    }

    /// Every frame until the peer closes the connection.
    func framesToEnd(within limit: Duration = Deadline.patience) throws -> [Frame] {
        var frames: [Frame] = []
        while true {
            do { frames.append(try next(within: limit)) } catch WireFailure.closed { return frames }
        }
    }

    private static func settings(in payload: [UInt8]) -> [UInt16: UInt32] {
        stride(from: 0, to: payload.count - 5, by: 6).reduce(into: [:]) { found, place in
            found[UInt16(payload[place]) << 8 | UInt16(payload[place + 1])] = number(payload[(place + 2)...])
        }
    }

    private func decode(_ block: [UInt8]) -> [String] {
        var found: [String] = []
        var rest = block[...]
        while true {
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let used = rest.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(inflater, &field, &flags, $0.baseAddress, $0.count, 1)
            }
            guard used >= 0 else { return found + ["error \(used)"] }
            rest = rest.dropFirst(used)
            if UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                let name = String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self)
                let value = UnsafeBufferPointer(start: field.value, count: field.valuelen)
                found.append(name + ": " + String(decoding: value, as: UTF8.self))
            }
            if UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                return found
            }
            if used == 0, rest.isEmpty { return found + ["unfinished"] }
        }
    }
}
