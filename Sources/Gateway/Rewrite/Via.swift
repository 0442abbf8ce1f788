import Access
import Bytes
import Crypto
import HTTPMessage

/// The name by which a gateway knows its own requests again, and the lines in which it says it (RFC 9110 §7.6.3).
struct Via {
    /// A token; compared without case.
    let pseudonym: Route.Bytes
    /// The whole line for a request that came as HTTP/1.0, CRLF included.
    let http10: Route.Bytes
    /// The same for HTTP/1.1.
    let http11: Route.Bytes
    /// The same for HTTP/2.
    let http2: Route.Bytes

    init(_ pseudonym: String) {
        self.pseudonym = Route.Bytes(pseudonym)
        http10 = Route.Bytes("Via: 1.0 \(pseudonym)\r\n")
        http11 = Route.Bytes("Via: 1.1 \(pseudonym)\r\n")
        http2 = Route.Bytes("Via: 2.0 \(pseudonym)\r\n")
    }

    /// Frees the name and the lines; nobody may use them any longer.
    func destroy() {
        for bytes in [pseudonym, http10, http11, http2] { bytes.destroy() }
    }
}

extension GatewaySettings {
    /// A pseudonym for whoever chooses none: the same for replicas, another for a gateway with another public URL, and
    /// no name of a host (RFC 9110 §7.6.3).
    package static func pseudonym(for listeners: [ListenerSettings]) -> String {
        let digest = SHA256.hash(Array((listeners.first?.publicURL ?? "").utf8).span)
        return "portcullis-" + Hex.encode(digest.bytes.span).prefix(8)
    }
}

extension WorkerRef {
    /// Our member of Via, in a line behind those that came with the request (HTTP-50).
    func putVia(_ client: ClientRef, into writer: inout HeadWriter) {
        guard !client.pointee.part.isStream else { return writer.put(pointee.policy.via.http2.buffer) }
        let isHTTP10 = pointee.scratch.head.pointee.minorVersion == 0
        writer.put(isHTTP10 ? pointee.policy.via.http10.buffer : pointee.policy.via.http11.buffer)
    }
}
