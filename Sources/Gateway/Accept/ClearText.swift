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
        client.pointee.part = .none
    }

    /// What clients see of the site that a request is for; of a wildcard with its asterisk.
    func publicURL(_ exchange: ExchangeRef) -> String {
        let site = pointee.policy.access.pointee.site(of: exchange.pointee.findings)
        return pointee.policy.publicURLs[site ?? Int(exchange.pointee.client.pointee.listener)]
    }

    /// The same address over https: the operator's origin, and the path and query of the request.
    func secureLocation(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> String {
        let head = pointee.scratch.head
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
        let origin = publicURL(exchange)
        let path = String(decoding: target, as: UTF8.self)
        guard let star = origin.utf8.firstIndex(of: UInt8(ascii: "*")) else { return origin + path }
        // The label that the wildcard stands for, of letters, digits and hyphens, or the site would not be this one.
        let authority = UnsafeBufferPointer(
            start: bytes + Int(head.pointee.authority.start), count: Int(head.pointee.authority.count))
        let label = authority.prefix { $0 != UInt8(ascii: ".") }
        return String(origin[..<star]) + String(decoding: label, as: UTF8.self)
            + String(origin[origin.utf8.index(after: star)...]) + path
    }
}
