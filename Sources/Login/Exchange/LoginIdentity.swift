import Crypto
import OAuth

/// Who logged in, whoever said so: an ID token, or the server's own endpoint.
struct LoginIdentity: Sendable {
    /// The configured issuer.
    let issuer: String
    let subject: String
    /// When the server said so, in seconds since 1970.
    let issuedAt: Int64
    /// The server's own session, which logout tokens name.
    var serverSession: String?
    /// The ID token, where there is one.
    var idToken: Secret?
    var nonce: String?

    init(_ token: VerifiedIDToken) {
        issuer = token.issuer
        subject = token.subject
        issuedAt = token.issuedAt
        serverSession = token.sid
        idToken = token.signed
        nonce = token.nonce
    }

    /// The user that the issuer's endpoint names by this subject.
    init(issuer: String, subject: String, at now: Int64) {
        self.issuer = issuer
        self.subject = subject
        issuedAt = now
    }
}
