import Crypto
import Sessions

/// What ties a login to the lines of the access log: whose it was and which session came of it, as digests (OPS-03).
package struct LoginNote: Sendable {
    /// Of the request that came back from the server.
    package var requestID: String
    /// What logs call the decision on it.
    package var decisionID = ""
    /// The address that it came from.
    package var peer: String
    /// The first 64 bits of SHA-256(`sub`), of which logs show half.
    package var subjectDigest: UInt64
    /// The session's reference.
    package var session: UInt64

    package init(requestID: String, peer: String, subjectDigest: UInt64, session: UInt64) {
        self.requestID = requestID
        self.peer = peer
        self.subjectDigest = subjectDigest
        self.session = session
    }

    init(_ session: Session, _ request: LoginRequest) {
        self.init(
            requestID: request.requestID, peer: request.peer,
            subjectDigest: UInt64(bigEndian: SHA256.hash(Array(session.subject.utf8).span).prefix),
            session: session.reference)
        decisionID = request.decisionID
    }
}
