import Bytes
public import HTTPMessage

/// Why an offer of a WebSocket is none that could be taken up (RFC 6455 §4.2.1).
public enum WebSocketOfferRefusal: UInt8, Error, Sendable, CaseIterable {
    /// No `Sec-WebSocket-Key`, more than one, or one that is not 16 bytes in base64.
    case keyMissing, keyRepeated, keyMalformed
    /// No `Sec-WebSocket-Version`, more than one, or another than 13.
    case versionMissing, versionRepeated, versionUnknown
}

/// What the client says in a WebSocket handshake, beside the upgrade itself (`RequestHead.offersWebSocket`).
public enum WebSocketOffer {
    /// Where the key is; refuses what RFC 6455 §4.2.1 does not call a handshake.
    ///
    /// Whoever forwards it speaks for it: an upstream that takes less would make a tunnel of a request that a browser
    /// cannot send, and whose answer nobody could check.
    public static func key(
        in head: borrowing RequestHead, bytes: Span<UInt8>
    ) throws(WebSocketOfferRefusal) -> ByteRange {
        switch head.fields.count(of: .secWebSocketVersion) {
        case 0: throw .versionMissing
        case 1: break
        default: throw .versionRepeated
        }
        let version = head.fields[head.fields.firstIndex(of: .secWebSocketVersion)].value
        guard version.count == 2, bytes[Int(version.start)] == 0x31, bytes[Int(version.start) + 1] == 0x33
        else { throw .versionUnknown }
        switch head.fields.count(of: .secWebSocketKey) {
        case 0: throw .keyMissing
        case 1: break
        default: throw .keyRepeated
        }
        let key = head.fields[head.fields.firstIndex(of: .secWebSocketKey)].value
        guard isKey(bytes.extracting(key)) else { throw .keyMalformed }
        return key
    }

    /// 22 characters of base64 and `==`: 16 bytes.
    private static func isKey(_ text: Span<UInt8>) -> Bool {
        guard text.count == 24, text[22] == 0x3d, text[23] == 0x3d else { return false }
        for index in 0..<22 where !isBase64(text[index]) { return false }
        return true
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == 0x2b || byte == 0x2f
    }
}
