import Crypto

/// What of a session takes how much room, for the operator who has to make it smaller (SC-07).
package enum SessionSize {
    /// The parts with their sizes as they are received, the largest first; nothing of what they say.
    package static func parts(of session: Session) -> [String] {
        let parts: [(name: String, bytes: Int)] = [
            ("access token", session.accessToken?.count ?? 0), ("refresh token", session.refreshToken?.count ?? 0),
            ("ID token", session.idToken?.count ?? 0), ("claims", session.claims.count),
            ("scopes", session.scopes.reduce(0) { $0 + $1.utf8.count + 1 }),
            (
                "issuer and subject",
                session.issuer.utf8.count + session.subject.utf8.count + (session.serverSession?.utf8.count ?? 0)
            ),
        ]
        return parts.filter { $0.bytes > 0 }.sorted { $0.bytes > $1.bytes }.map { "\($0.name) (\($0.bytes) bytes)" }
    }

    /// The bytes of all parts together.
    static func total(of session: Session) -> Int {
        (session.accessToken?.count ?? 0) + (session.refreshToken?.count ?? 0) + (session.idToken?.count ?? 0)
            + session.claims.count + session.scopes.reduce(0) { $0 + $1.utf8.count + 1 } + session.issuer.utf8.count
            + session.subject.utf8.count + (session.serverSession?.utf8.count ?? 0)
    }
}
