import CNGHTTP2

/// Frames as they are on the wire (RFC 9113 §4.1), right ones and wrong ones.
enum Frames {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), type, flags]
            + bigEndian(stream) + payload
    }

    static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    static func settings(_ entries: [(UInt16, UInt32)] = []) -> [UInt8] {
        frame(4, entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xff)] + bigEndian($0.1) })
    }

    static let settingsAck = frame(4, flags: 1)

    static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream: stream, bytes)
    }

    static func data(_ stream: UInt32, _ text: String, ends: Bool = false) -> [UInt8] {
        data(stream, Array(text.utf8), ends: ends)
    }

    static func padded(_ stream: UInt32, _ text: String, padding: UInt8, ends: Bool = false) -> [UInt8] {
        frame(
            0, flags: ends ? 9 : 8, stream: stream,
            [padding] + Array(text.utf8) + [UInt8](repeating: 0, count: Int(padding)))
    }

    static func headers(_ stream: UInt32, _ block: [UInt8], ends: Bool = true, endsSection: Bool = true) -> [UInt8] {
        frame(1, flags: (ends ? 1 : 0) | (endsSection ? 4 : 0), stream: stream, block)
    }

    static func continuation(_ stream: UInt32, _ block: [UInt8], endsSection: Bool) -> [UInt8] {
        frame(9, flags: endsSection ? 4 : 0, stream: stream, block)
    }

    static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> [UInt8] {
        frame(3, stream: stream, bigEndian(code))
    }

    static func ping(_ byte: UInt8 = 0, ack: Bool = false) -> [UInt8] {
        frame(6, flags: ack ? 1 : 0, [UInt8](repeating: byte, count: 8))
    }

    static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
        frame(8, stream: stream, bigEndian(increment))
    }

    static func goAway(_ last: UInt32, _ code: UInt32 = 0) -> [UInt8] { frame(7, bigEndian(last) + bigEndian(code)) }

    /// A field as a literal that enters no table, whatever its bytes are (RFC 7541 §6.2.2).
    static func literal(_ name: [UInt8], _ value: [UInt8]) -> [UInt8] {
        [0] + length(name.count) + name + length(value.count) + value
    }

    static func literal(_ name: String, _ value: String) -> [UInt8] { literal(Array(name.utf8), Array(value.utf8)) }

    /// A field as a literal that enters the table.
    static func indexed(_ name: String, _ value: String) -> [UInt8] {
        [0x40] + length(name.utf8.count) + Array(name.utf8) + length(value.utf8.count) + Array(value.utf8)
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

    static func block(_ fields: [(String, String)]) -> [UInt8] { fields.flatMap { literal($0.0, $0.1) } }

    /// A request without a body.
    static func request(
        _ stream: UInt32, method: String = "GET", path: String = "/", _ more: [(String, String)] = [],
        ends: Bool = true
    ) -> [UInt8] {
        headers(
            stream,
            block([(":method", method), (":scheme", "https"), (":path", path), (":authority", "a.example")] + more),
            ends: ends)
    }
}

/// A frame that a connection has sent.
struct SentFrame: Equatable, CustomStringConvertible {
    let type: UInt8
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]

    var description: String { "type \(type) flags \(flags) stream \(stream) payload \(payload.prefix(32))" }
    var text: String { String(decoding: payload, as: UTF8.self) }
    var ends: Bool { type <= 1 && flags & 1 != 0 }
    /// The code of RST_STREAM, and of GOAWAY.
    var code: UInt32 {
        let bytes = type == 7 ? payload.dropFirst(4).prefix(4) : payload.prefix(4)
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
    var lastStream: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    static func all(in bytes: [UInt8]) -> [SentFrame] {
        var (frames, index): ([SentFrame], Int) = ([], 0)
        while index + 9 <= bytes.count {
            let length = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            let stream = bytes[(index + 5)..<(index + 9)].reduce(0) { $0 << 8 | UInt32($1) }
            frames.append(
                SentFrame(
                    type: bytes[index + 3], flags: bytes[index + 4], stream: stream,
                    payload: Array(bytes[(index + 9)..<min(bytes.count, index + 9 + length)])))
            index += 9 + length
        }
        return frames
    }
}

/// The library's own decoder of header blocks, for what a connection has sent.
final class HeaderDecoder {
    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    func fields(_ block: [UInt8]) -> [String] {
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
