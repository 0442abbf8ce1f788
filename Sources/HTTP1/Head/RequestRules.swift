import Bytes
import HTTPMessage

/// What the fields of a request head must say together before anybody may act on them.
///
/// Framing first: as long as the end of the message is in doubt, nothing else in it means anything.
enum RequestRules {
    /// Decides framing, authority, persistence and expectations, or refuses the head.
    @inline(__always)
    static func apply(to head: inout RequestHead, bytes: Span<UInt8>) throws(HTTP1Refusal) {
        head.authorizationCount = head.fields.count(of: .authorization)
        head.authorizationIndex = head.fields.firstIndex(of: .authorization)
        head.framing =
            try MessageFraming.declared(in: head.fields, bytes: bytes, minorVersion: head.minorVersion) ?? .none
        try applyHost(to: &head, bytes: bytes)
        let options = try ConnectionOptions.inRequest(head.fields, bytes: bytes, names: &head.connectionNames)
        head.keepAlive = head.minorVersion > 0 && !options.contains(.close)
        head.expectContinue = try expectsContinue(head, bytes: bytes)
        head.offersWebSocket = options.contains(.upgrade) && offersWebSocket(head, bytes: bytes)
    }

    /// RFC 9112 §3.2: one valid Host in HTTP/1.1, also when the target's own authority makes it moot.
    @inline(__always)
    private static func applyHost(to head: inout RequestHead, bytes: Span<UInt8>) throws(HTTP1Refusal) {
        let count = head.fields.count(of: .host)
        guard count <= 1 else { throw .hostRepeated }
        guard count == 1 else {
            guard head.minorVersion == 0 else { throw .hostMissing }
            return
        }
        let value = head.fields[head.fields.firstIndex(of: .host)].value
        guard Authority.isValid(bytes.extracting(value)) else { throw .hostInvalid }
        if head.targetForm == .origin || head.targetForm == .asterisk { head.authority = value }
    }

    /// RFC 9110 §10.1.1: ignored from HTTP/1.0 clients; an expectation we do not know cannot be met.
    @inline(__always)
    private static func expectsContinue(_ head: borrowing RequestHead, bytes: Span<UInt8>) throws(HTTP1Refusal) -> Bool
    {
        guard head.fields.count(of: .expect) > 0, head.minorVersion > 0 else { return false }
        for index in head.fields.firstIndex(of: .expect)..<head.fields.count {
            let slot = head.fields[index]
            guard slot.id == .expect else { continue }
            guard ASCII.equalsIgnoringCase(bytes.extracting(slot.value), "100-continue") else {
                throw .expectationUnknown
            }
        }
        return true
    }

    private static func offersWebSocket(_ head: borrowing RequestHead, bytes: Span<UInt8>) -> Bool {
        // With a body, bytes of it could be taken for the first bytes of the tunnel.
        guard head.methodID == .get, head.minorVersion > 0, head.framing == .none,
            head.fields.count(of: .upgrade) == 1
        else { return false }
        let value = head.fields[head.fields.firstIndex(of: .upgrade)].value
        return ASCII.equalsIgnoringCase(bytes.extracting(value), "websocket")
    }
}
