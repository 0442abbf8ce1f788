import Access
import Bytes
import HTTPMessage
import Transport

extension WorkerRef {
    /// Host (or the absolute-form's authority) must be one of the listener's, and agree with SNI (HTTP-21, HTTP-75).
    func checkAuthority(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) {
        let client = exchange.pointee.client.unsafelyUnwrapped
        let listener = pointee.listeners + Int(client.pointee.listener)
        let range = pointee.head.pointee.authority
        let authority = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        // HTTP/1.0 may do without Host; there is but one resource it can mean.
        var isKnown = authority.isEmpty
        for index in 0..<listener.pointee.authorityCount
        where ASCII.equalsIgnoringCase(authority.span, listener.pointee.authorities[index].buffer.span) {
            isKnown = true
            break
        }
        guard isKnown else {
            throw refuse(
                .authorityUnknown, "an authority of this listener",
                String(decoding: authority.prefix(128), as: UTF8.self))
        }
        if client.pointee.stream.tls != nil {
            let host = hostWithoutPort(authority)
            guard client.pointee.stream.serverNameAgrees(with: host) else {
                throw refuse(
                    .serverNameDisagrees, "the name of the TLS handshake", String(decoding: host, as: UTF8.self))
            }
        }
    }

    private func hostWithoutPort(_ authority: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var end = authority.count
        while end > 0, ASCII.isDigit(authority[end - 1]) { end -= 1 }
        guard end > 0, authority[end - 1] == UInt8(ascii: ":") else { return authority }
        return UnsafeBufferPointer(rebasing: authority[0..<(end - 1)])
    }
}
