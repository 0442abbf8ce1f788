import Crypto
import Sessions

/// A user of one authorization server, as a digest: whose share of what all users have a request takes (OPS-05).
///
/// By user and not by address: behind one address may be a whole office, and one user may come from many.
struct ServerUser: Hashable, Sendable {
    private let digest: SHA256Digest

    /// The user that `issuer` calls `subject`.
    init(issuer: String, subject: String) {
        // No issuer identifier has a line break: no other pair has the same bytes.
        let both = issuer + "\n" + subject
        digest = SHA256.hash(both.utf8Span.span)
    }

    /// The user of a session.
    init(_ session: Session) { self.init(issuer: session.issuer, subject: session.subject) }

    /// As requests to servers name whoever they are sent for; no network is spelled so.
    var name: String { "user " + digest.base64URL }
}
