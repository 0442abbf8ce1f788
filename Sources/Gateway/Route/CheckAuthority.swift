import Access
import Bytes
import HTTPMessage
import Transport

extension WorkerRef {
    /// Host must be one of the listener's, and agree with SNI (HTTP-21, HTTP-75).
    func checkAuthority(_ head: HeadView, _ client: ClientRef) throws(Refused) {
        try head.checkAuthority(pointee.listening.listeners[Int(client.pointee.listener)].authorities)
        guard client.pointee.stream.tls == nil || client.pointee.stream.serverNameAgrees(with: head.host) else {
            throw Refused(
                .serverNameDisagrees, expected: "the name of the TLS handshake", found: String(copying: head.host))
        }
    }
}
