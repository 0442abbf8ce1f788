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

    init(_ pseudonym: String) {
        self.pseudonym = Route.Bytes(pseudonym)
        http10 = Route.Bytes("Via: 1.0 \(pseudonym)\r\n")
        http11 = Route.Bytes("Via: 1.1 \(pseudonym)\r\n")
    }

    /// Frees the name and the lines; nobody may use them any longer.
    func destroy() {
        for bytes in [pseudonym, http10, http11] { bytes.destroy() }
    }

    /// Whether a member of a Via field is a gateway of this name: `[name "/"] version RWS received-by [RWS comment]`.
    func names(_ member: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        while start < member.count, !Via.isBlank(member[start]) { start += 1 }
        while start < member.count, Via.isBlank(member[start]) { start += 1 }
        var end = start
        while end < member.count, !Via.isBlank(member[end]) { end += 1 }
        return ASCII.equalsIgnoringCase(member.span.extracting(start..<end), pseudonym.buffer.span)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
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
    /// Refuses a request that went through this gateway before: it would go round for ever (HTTP-51).
    func refuseLoop(_ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) {
        let head = pointee.head
        guard head.pointee.fields.count(of: .via) > 0 else { return }
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .via {
            let range = head.pointee.fields[index].value
            let list = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            var position = 0
            while let member = CommaList.next(in: list.span, from: &position) {
                let member = UnsafeBufferPointer(rebasing: list[member.range])
                guard pointee.via.names(member) else { continue }
                throw refuse(
                    .loopDetected, "a request that was not here before",
                    "Via: \(String(decoding: member.prefix(128), as: UTF8.self))")
            }
        }
    }

    /// Our member of Via, in a line behind those that came with the request (HTTP-50).
    func putVia(into writer: inout HeadWriter) {
        let isHTTP10 = pointee.head.pointee.minorVersion == 0
        writer.put(isHTTP10 ? pointee.via.http10.buffer : pointee.via.http11.buffer)
    }
}
