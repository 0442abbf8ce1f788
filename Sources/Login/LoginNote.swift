import Crypto
import Sessions

/// What ties a login to the lines of the access log: whose it was and which session came of it, as digests (OPS-03).
package struct LoginNote: Sendable {
    /// Of the request that came back from the server.
    package var names: RequestNames
    /// The address that it came from.
    package var peer: String
    /// The first 64 bits of SHA-256(`sub`), of which logs show half.
    package var subjectDigest: UInt64
    /// The session's reference.
    package var session: UInt64

    package init(_ names: RequestNames, peer: String, subjectDigest: UInt64, session: UInt64) {
        self.names = names
        self.peer = peer
        self.subjectDigest = subjectDigest
        self.session = session
    }

    init(_ session: Session, _ request: LoginRequest) {
        self.init(
            request.names, peer: request.peer,
            subjectDigest: UInt64(bigEndian: SHA256.hash(Array(session.subject.utf8).span).prefix),
            session: session.reference)
    }
}
