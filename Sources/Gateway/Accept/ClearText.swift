import Access
import Bytes
import HTTPMessage
import Telemetry
import Transport

/// Plain HTTP where https is spoken: told what to do, and never served.
extension WorkerRef {
    /// Has a connection that begins with a letter, as every method does and no TLS record, go on as plain HTTP, whose one
    /// request is answered 400: a reset would tell nobody anything.
    func seeClearText(_ client: ClientRef) {
        guard let first = client.pointee.stream.firstByte, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
        else { return }
        handshakeFailed(client, .notTLS)
        client.pointee.stream.dropTLS()
        client.pointee.clearText = .atTLS
    }

    /// What becomes of a request in the clear; nil for the one kind that is served, an ACME server's question.
    ///
    /// GET and HEAD go to https with nothing lost. What else there is has been read on the way already, and would be sent
    /// once more as if nothing had happened: a refusal is what its sender notices. So is a token that was sent.
    func judgeClearText(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> Step? {
        let client = exchange.pointee.client.unsafelyUnwrapped
        let expected = "https, as in \(pointee.publicURLs[Int(client.pointee.listener)])"
        switch client.pointee.clearText {
        case .served: return nil
        case .atTLS: throw refuse(.plainHTTP, expected, "plain HTTP to a port of TLS")
        case .redirected:
            if isChallenge(bytes) { return nil }
            guard exchange.pointee.method == .get || exchange.pointee.method == .head,
                pointee.head.pointee.targetForm == .origin || pointee.head.pointee.targetForm == .absolute
            else { throw refuse(.plainHTTP, expected, "another method than GET and HEAD over plain HTTP") }
            guard pointee.head.pointee.fields.count(of: .authorization) == 0 else {
                throw refuse(.plainHTTP, expected, "credentials over plain HTTP")
            }
            return .redirectToHTTPS
        }
    }

    /// Whether it is for a public route below the path that ACME servers ask at over plain HTTP (RFC 8555 §8.3).
    ///
    /// Only in letters that have one reading: what is found here is what the route is found by afterwards.
    private func isChallenge(_ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let range = pointee.head.pointee.path
        let path = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        let prefix: StaticString = "/.well-known/acme-challenge/"
        let token = path.dropFirst(prefix.utf8CodeUnitCount)
        guard path.starts(with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)),
            !token.isEmpty, token.allSatisfy(isTokenCharacter), let route = pointee.routes.match(path.span)
        else { return false }
        return route.pointee.isPublic && route.pointee.settings.path.hasPrefix("\(prefix)")
    }

    /// base64url (RFC 8555 §8.3).
    private func isTokenCharacter(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ASCII.lowercase(byte))
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// The same address over https: the operator's origin, and the path and query of the request.
    func secureLocation(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> String {
        let head = pointee.head
        let listener = exchange.pointee.client.unsafelyUnwrapped.pointee.listener
        var target: [UInt8] = []
        func append(_ start: UInt32, _ count: Int) {
            for byte in UnsafeBufferPointer(start: bytes + Int(start), count: count) {
                if byte > 0x20 && byte < 0x7F {
                    target.append(byte)
                } else {
                    PercentEncoding.appendEscape(byte, to: &target)
                }
            }
        }
        append(UInt32(head.pointee.path.start), Int(head.pointee.path.count))
        // Behind an authority there is always a slash, or the path would be part of the name.
        if target.first != UInt8(ascii: "/") { target.insert(UInt8(ascii: "/"), at: 0) }
        if head.pointee.hasQuery {
            target.append(UInt8(ascii: "?"))
            append(UInt32(head.pointee.query.start), Int(head.pointee.query.count))
        }
        return pointee.publicURLs[Int(listener)] + String(decoding: target, as: UTF8.self)
    }
}
