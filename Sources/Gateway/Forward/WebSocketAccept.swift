import Bytes
import Crypto

/// What a server that takes a WebSocket up must answer in `Sec-WebSocket-Accept` (RFC 6455 §4.2.2).
///
/// It proves that the answer was made for this handshake: not by a cache, and not by a server that copies fields.
struct WebSocketAccept: Equatable {
    /// 28 characters of base64; none where nothing was asked.
    private var words: (UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0)

    /// Nothing was asked: no value is right.
    init() {}

    /// The answer to this `Sec-WebSocket-Key`.
    init(key: Span<UInt8>) {
        var text: [UInt8] = []
        text.reserveCapacity(key.count + 36)
        for index in key.indices { text.append(key[index]) }
        text += Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        guard let digest = SHA1.hash(text.span) else { return }
        let value = Array(Base64.encode(digest.span).utf8)
        precondition(value.count == 28, "20 bytes are 28 characters of base64")
        words = (
            WebSocketAccept.word(value[0..<8]), WebSocketAccept.word(value[8..<16]),
            WebSocketAccept.word(value[16..<24]),
            UInt32(truncatingIfNeeded: WebSocketAccept.word(value[24..<28]))
        )
    }

    /// Whether a server's value is this one.
    func equals(_ value: Span<UInt8>) -> Bool {
        guard value.count == 28, words.0 != 0 else { return false }
        var bytes: [UInt8] = []
        for index in value.indices { bytes.append(value[index]) }
        return WebSocketAccept.word(bytes[0..<8]) == words.0 && WebSocketAccept.word(bytes[8..<16]) == words.1
            && WebSocketAccept.word(bytes[16..<24]) == words.2
            && WebSocketAccept.word(bytes[24..<28]) == UInt64(words.3)
    }

    /// Writes it.
    func put(into writer: inout HeadWriter) {
        guard writer.hasRoom(28) else { return }
        for word in [words.0, words.1, words.2, UInt64(words.3) << 32] {
            for byte in 0..<8 {
                let value = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * byte))
                guard value != 0 else { return }
                writer.space[0] = value
                writer.advance(1)
            }
        }
    }

    static func == (one: WebSocketAccept, other: WebSocketAccept) -> Bool { one.words == other.words }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
