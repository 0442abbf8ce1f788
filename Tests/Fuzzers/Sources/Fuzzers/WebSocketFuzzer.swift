import HTTP1
import HTTPMessage

/// Where a connection stops being HTTP: `h` and a request head, which is taken when it offers a WebSocket; `f` and the
/// bytes of a tunnel, which are taken when they end between two frames (RFC 6455 §4.1, §5.2).
enum WebSocketFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let rest = Array(input.dropFirst())
        return switch input.first {
        case UInt8(ascii: "h"): handshake(rest)
        case UInt8(ascii: "f"): frames(rest)
        default: .refused
        }
    }

    private static func handshake(_ bytes: [UInt8]) -> Outcome {
        let verdict = HeadCuts.verdict(of: bytes, reader: RequestReader(limits: HTTP1Limits()))
        guard case .complete(let reading) = verdict, let strict = StrictRequest(bytes) else { return .refused }
        hold(reading.offersWebSocket == strict.offersWebSocket, "a WebSocket is offered as RFC 6455 has it")
        guard reading.offersWebSocket else { return .refused }
        hold(reading.methodID == .get && reading.minorVersion == 1, "a WebSocket begins with GET in HTTP/1.1")
        hold(reading.framing == .none, "no byte of a body is taken for one of the tunnel")
        hold(reading.identifiers.filter { $0 == .upgrade }.count == 1, "one protocol is offered")
        return isWhole(bytes, reading) ? .accepted : .refused
    }

    /// Whether the offer has the one key and the one version that it needs.
    private static func isWhole(_ bytes: [UInt8], _ reading: RequestReading) -> Bool {
        var parser = RequestHeadParser()
        var head = RequestHead()
        guard case .complete = parser.parse(bytes.span, limits: HTTP1Limits(), into: &head),
            let key = try? WebSocketOffer.key(in: head, bytes: bytes.span)
        else { return false }
        hold(key.count == 24, "a key is 16 bytes in base64")
        for name in [FieldID.secWebSocketKey, .secWebSocketVersion] {
            hold(reading.identifiers.filter { $0 == name }.count == 1, "key and version are said once")
        }
        return true
    }

    private static func frames(_ bytes: [UInt8]) -> Outcome {
        let ends = ends(of: bytes)
        var oneByOne = WebSocketFrames()
        for count in 0...bytes.count {
            hold(oneByOne.isBetweenFrames == ends.contains(count), "a frame ends where its header says")
            if count < bytes.count { oneByOne.pass([bytes[count]].span) }
            guard bytes.count <= 256 || count % 61 == 0 else { continue }
            let pieces = (Array(bytes[..<count]), Array(bytes[count...]))
            var inTwo = WebSocketFrames()
            inTwo.pass(pieces.0.span)
            hold(inTwo.isBetweenFrames == ends.contains(count), "a frame's end does not depend on what is behind it")
            inTwo.pass(pieces.1.span)
            hold(inTwo.isBetweenFrames == ends.contains(bytes.count), "nor on where bytes were cut")
        }
        return ends.contains(bytes.count) ? .accepted : .refused
    }

    /// The places between frames, found frame by frame.
    private static func ends(of bytes: [UInt8]) -> Set<Int> {
        var ends: Set<Int> = [0]
        var start = 0
        while start + 2 <= bytes.count {
            let short = Int(bytes[start + 1] & 0x7f)
            let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
            let header = 2 + lengthBytes + (bytes[start + 1] >= 0x80 ? 4 : 0)
            guard start + header <= bytes.count else { break }
            let digits = bytes[(start + 2)..<(start + 2 + lengthBytes)]
            let payload = lengthBytes == 0 ? UInt64(short) : digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard payload <= UInt64(bytes.count - start - header) else { break }
            start += header + Int(payload)
            ends.insert(start)
        }
        return ends
    }
}
