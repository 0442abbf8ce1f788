/// Where one WebSocket frame ends and the next begins, seen from the headers alone (RFC 6455 §5.2).
///
/// Bytes go through a tunnel unchanged, wrong ones too: all that is asked here is where a frame of ours could stand.
public struct WebSocketFrames: Sendable {
    /// The length bits of the second byte.
    private var shortLength: UInt8 = 0
    private var headerCount = 0
    private var headerLength = 2
    private var extendedLength: UInt64 = 0
    private var payload: UInt64 = 0

    /// The start of a tunnel, which is between frames.
    public init() {}

    /// Whether a frame of ours could be put here.
    public var isBetweenFrames: Bool { headerCount == 0 && payload == 0 }

    /// Takes the next bytes of the tunnel, however they are cut.
    public mutating func pass(_ bytes: Span<UInt8>) {
        var position = 0
        while position < bytes.count {
            if payload > 0 {
                let skipped = Int(min(payload, UInt64(bytes.count - position)))
                payload -= UInt64(skipped)
                position += skipped
                continue
            }
            take(bytes[position])
            position += 1
        }
    }

    private mutating func take(_ byte: UInt8) {
        switch headerCount {
        case 0: headerLength = 2
        case 1:
            extendedLength = 0
            shortLength = byte & 0x7F
            if shortLength == 126 { headerLength = 4 }
            if shortLength == 127 { headerLength = 10 }
            if byte & 0x80 != 0 { headerLength += 4 }
        default:
            let lengthBytes = shortLength == 126 ? 2 : shortLength == 127 ? 8 : 0
            if headerCount < 2 + lengthBytes { extendedLength = extendedLength << 8 | UInt64(byte) }
        }
        headerCount += 1
        if headerCount >= 2, headerCount == headerLength {
            payload = shortLength < 126 ? UInt64(shortLength) : extendedLength
            headerCount = 0
        }
    }
}
