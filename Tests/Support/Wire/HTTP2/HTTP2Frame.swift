/// A frame of HTTP/2 (RFC 9113 §4.1).
struct HTTP2Frame {
    enum Kind: UInt8 {
        case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// Flags, of those kinds of frames that have them.
    enum Flag {
        static let endStream: UInt8 = 1
        static let acknowledges: UInt8 = 1
        static let endHeaders: UInt8 = 4
        static let padded: UInt8 = 8
        static let priority: UInt8 = 32
    }

    /// What every frame may hold whose receiver says nothing else.
    static let largest = 16_384
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    let kind: UInt8
    let flags: UInt8
    let stream: Int
    let payload: [UInt8]

    init(_ kind: Kind, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) {
        self.kind = kind.rawValue
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// Takes a whole frame from the beginning of what was received; nil while octets are missing.
    init?(takenFrom octets: inout [UInt8]) {
        guard octets.count >= 9 else { return nil }
        let length = Self.number(octets[..<3])
        guard octets.count >= 9 + length else { return nil }
        kind = octets[3]
        flags = octets[4]
        stream = Self.number(octets[5..<9]) & 0x7FFF_FFFF
        payload = Array(octets[9..<(9 + length)])
        octets.removeFirst(9 + length)
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// The frame on the wire.
    var octets: [UInt8] {
        [UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), kind, flags]
            + Self.octets(stream) + payload
    }

    /// The payload without padding and priority, of frames that may have them.
    func content() throws -> [UInt8] {
        var content = payload[...]
        if has(Flag.padded) {
            guard let padding = content.first, Int(padding) < content.count else {
                throw WireFailure.malformed("a frame's padding")
            }
            content = content.dropFirst().dropLast(Int(padding))
        }
        if kind == Kind.headers.rawValue, has(Flag.priority) { content = content.dropFirst(5) }
        return Array(content)
    }

    /// A header section in as many frames as it needs.
    static func headers(stream: Int, _ block: [UInt8], ends: Bool) -> [HTTP2Frame] {
        let starts = Array(stride(from: 0, to: max(1, block.count), by: largest))
        return starts.map { start in
            let part = Array(block[start..<min(block.count, start + largest)])
            let isLast = start + largest >= block.count
            return HTTP2Frame(
                start == 0 ? .headers : .continuation,
                flags: (isLast ? Flag.endHeaders : 0) | (start == 0 && ends ? Flag.endStream : 0), stream: stream, part)
        }
    }

    /// The number that octets are, the most significant first.
    static func number(_ octets: ArraySlice<UInt8>) -> Int { octets.reduce(0) { $0 << 8 | Int($1) } }

    /// The four octets of a number.
    static func octets(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) } }
}
