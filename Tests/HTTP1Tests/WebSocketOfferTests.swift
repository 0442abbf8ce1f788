import HTTP1
import HTTPMessage
import TestTraits
import Testing

private let version = "Sec-WebSocket-Version: 13"
private let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

/// RFC 6455 §4.2.1.
@Suite struct `an offer of a WebSocket` {
    /// The key of a handshake with these lines, or why there is none.
    private func offered(_ lines: [String]) throws -> Result<String, WebSocketOfferRefusal> {
        let start = ["GET / HTTP/1.1", "Host: a", "Connection: Upgrade", "Upgrade: websocket"]
        let bytes = Array(((start + lines).joined(separator: "\r\n") + "\r\n\r\n").utf8)
        var parser = RequestHeadParser()
        var head = RequestHead()
        #expect(parser.parse(bytes.span, limits: HTTP1Limits(), into: &head) == .complete)
        let isOffer = head.offersWebSocket
        #expect(isOffer)
        do throws(WebSocketOfferRefusal) {
            let range = try WebSocketOffer.key(in: head, bytes: bytes.span)
            return .success(String(decoding: bytes[Int(range.start)..<range.end], as: UTF8.self))
        } catch {
            return .failure(error)
        }
    }

    @Test(.holds("HTTP-58")) func `has a key of 16 bytes and version 13`() throws {
        #expect(try offered([version, key]) == .success("dGhlIHNhbXBsZSBub25jZQ=="))
        #expect(
            try offered(["sec-websocket-key: \t+/////////////////////==\t", version])
                == .success("+/////////////////////=="))
    }

    @Test(
        .refuses("HTTP-58"),
        arguments: [
            ([version], .keyMissing), ([version, key, key], .keyRepeated),
            ([version, "Sec-WebSocket-Key:"], .keyMalformed),
            ([version, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZSE="], .keyMalformed),
            ([version, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ==="], .keyMalformed),
            ([version, "Sec-WebSocket-Key: dGhl-HNhbXBsZSBub25jZQ=="], .keyMalformed),
            ([version, "Sec-WebSocket-Key: \"dGhlIHNhbXBsZSBub25jZQ==\""], .keyMalformed),
            ([key], .versionMissing), ([key, version, version], .versionRepeated),
            ([version, version], .versionRepeated),
            ([key, "Sec-WebSocket-Version: 8"], .versionUnknown),
            ([key, "Sec-WebSocket-Version: 13, 8"], .versionUnknown),
            ([key, "Sec-WebSocket-Version: 013"], .versionUnknown), ([key, "Sec-WebSocket-Version:"], .versionUnknown),
        ] as [([String], WebSocketOfferRefusal)])
    func `is refused otherwise`(lines: [String], refusal: WebSocketOfferRefusal) throws {
        #expect(try offered(lines) == .failure(refusal))
    }
}
