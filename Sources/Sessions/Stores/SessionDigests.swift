import Bytes
package import Crypto

/// What endings are compared by: digests, so that names are exact bytes, of one length, and none is kept in clear.
package struct SessionDigests: Sendable {
    let id: SHA256Digest
    let serverSession: SHA256Digest?
    let subject: SHA256Digest

    init(_ session: Session) {
        id = session.idDigest
        serverSession = session.serverSession.map { SessionDigests.serverSession(session.issuer, $0) }
        subject = SessionDigests.subject(session.issuer, session.subject)
    }

    /// The digest of a session's identifier, by which stores know it.
    package static func id(_ id: [UInt8]) -> SHA256Digest { self.id(id.span) }

    /// The same of bytes that are lent.
    package static func id(_ id: Span<UInt8>) -> SHA256Digest {
        // As the fields are, without memory of its own: it is asked several times for a request.
        if id.count == 16 {
            var bytes = InlineArray<18, UInt8>(repeating: 1)
            bytes[1] = 16
            for index in 0..<16 { bytes[index &+ 2] = id[index] }
            return SHA256.hash(bytes.span)
        }
        var writer = FieldWriter()
        writer.byte(1)
        writer.block([UInt8](copying: id))
        return SHA256.hash(writer.bytes.span)
    }

    static func serverSession(_ issuer: String, _ sid: String) -> SHA256Digest { digest(2, issuer, sid) }

    static func subject(_ issuer: String, _ subject: String) -> SHA256Digest { digest(3, issuer, subject) }

    /// Lengths are part of what is hashed: no issuer and name run together to another issuer and name.
    private static func digest(_ kind: UInt8, _ issuer: String, _ name: String) -> SHA256Digest {
        var writer = FieldWriter()
        writer.byte(kind)
        writer.text(issuer)
        writer.text(name)
        return SHA256.hash(writer.bytes.span)
    }
}
