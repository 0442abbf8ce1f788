import Bytes
import HTTPMessage

extension ReceivedSection {
    /// Takes a pseudo field; its value waits aside, since only all of them together make a line.
    mutating func addPseudo(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(HeadFault) {
        guard kind != .trailers else { throw .pseudoFieldUnknown }
        guard !hasLine else { throw .pseudoFieldLate }
        let range = ByteRange(from: aside.count, to: aside.count &+ value.count)
        switch (kind, name.count) {
        case (.request, 7) where ASCII.equalsExactly(name, ":method"): try Self.set(&pseudo.method, range)
        case (.request, 7) where ASCII.equalsExactly(name, ":scheme"): try Self.set(&pseudo.scheme, range)
        case (.request, 5) where ASCII.equalsExactly(name, ":path"): try Self.set(&pseudo.path, range)
        case (.request, 10) where ASCII.equalsExactly(name, ":authority"): try Self.set(&pseudo.authority, range)
        case (.request, 9) where ASCII.equalsExactly(name, ":protocol"): try Self.set(&pseudo.tunnel, range)
        case (.response, 7) where ASCII.equalsExactly(name, ":status"): try Self.set(&pseudo.status, range)
        default: throw .pseudoFieldUnknown
        }
        aside.append(value, pool)
    }

    private static func set(_ place: inout ByteRange, _ range: ByteRange) throws(HeadFault) {
        guard !place.isPresent else { throw .pseudoFieldRepeated }
        place = range
    }

    /// Writes the first line, and Host, when the last pseudo field has come.
    mutating func beginLines() throws(HeadFault) {
        guard !hasLine else { return }
        hasLine = true
        switch kind {
        case .trailers: return
        case .response: try beginResponse()
        case .request: try beginRequest()
        }
    }

    private mutating func beginResponse() throws(HeadFault) {
        guard pseudo.status.isPresent else { throw .statusMissing }
        let status = aside.bytes.extracting(pseudo.status)
        guard status.count == 3, status[0] &- 0x31 < 5, ASCII.isDigit(status[1]), ASCII.isDigit(status[2]),
            !ASCII.equalsExactly(status, "101")
        else { throw .statusInvalid }
        lines.append("HTTP/1.1 ", pool)
        lines.append(status, pool)
        lines.append(" \r\n", pool)
    }

    private mutating func beginRequest() throws(HeadFault) {
        guard pseudo.method.isPresent else { throw .methodMissing }
        let method = aside.bytes.extracting(pseudo.method)
        guard FieldCheck.isMethod(method) else { throw .methodMalformed }
        if ASCII.equalsExactly(method, "CONNECT") {
            try beginTunnel()
        } else {
            guard !pseudo.tunnel.isPresent else { throw .pseudoFieldUnknown }
        }
        guard pseudo.scheme.isPresent else { throw .schemeMissing }
        guard accepts(aside.bytes.extracting(pseudo.scheme)) else { throw .schemeNotAccepted }
        guard pseudo.path.isPresent else { throw .pathMissing }
        let path = aside.bytes.extracting(pseudo.path)
        guard FieldCheck.isPath(path, method: method) else { throw .pathMalformed }
        if isTunnel { lines.append("GET", pool) } else { lines.append(method, pool) }
        lines.append(" ", pool)
        lines.append(path, pool)
        lines.append(" HTTP/1.1\r\n", pool)
        try addAuthority()
    }

    private mutating func addAuthority() throws(HeadFault) {
        guard pseudo.authority.isPresent else { return }
        let authority = aside.bytes.extracting(pseudo.authority)
        guard Authority.isValid(authority) else { throw .authorityMalformed }
        lines.append("host: ", pool)
        lines.append(authority, pool)
        lines.append("\r\n", pool)
    }

    /// CONNECT is taken as the opening of a WebSocket alone (RFC 8441 §4): nobody is connected to what a client names.
    private mutating func beginTunnel() throws(HeadFault) {
        guard pseudo.tunnel.isPresent else { throw .connectNotOffered }
        guard bounds.announcesTunnels else { throw .tunnelNotOffered }
        guard ASCII.equalsIgnoringCase(aside.bytes.extracting(pseudo.tunnel), "websocket") else {
            throw .tunnelProtocolUnknown
        }
        guard pseudo.authority.isPresent else { throw .authorityMissing }
        isTunnel = true
    }

    private func accepts(_ scheme: Span<UInt8>) -> Bool {
        switch bounds.scheme {
        case .https: ASCII.equalsIgnoringCase(scheme, "https")
        case .http: ASCII.equalsIgnoringCase(scheme, "http")
        case .either: ASCII.equalsIgnoringCase(scheme, "https") || ASCII.equalsIgnoringCase(scheme, "http")
        }
    }

    /// What makes the head that of a WebSocket over HTTP/1.1 (RFC 8441 §5).
    ///
    /// The key's line is the last, so that whoever has randomness can put a key in its place: a client's own is
    /// ignored, and one of ours that an upstream could guess would prove nothing.
    mutating func addHandshake() {
        lines.append("connection: Upgrade\r\nupgrade: websocket\r\n", pool)
        if !hasVersion { lines.append("sec-websocket-version: 13\r\n", pool) }
        lines.append("sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", pool)
    }
}
