package import Sessions

/// When a session's tokens are to be refreshed.
package enum RefreshRules {
    /// The moment from which a request refreshes the session first, in seconds since 1970; `Int64.max` for never.
    ///
    /// RF-02: when a fifth of the access token's life is left, or a minute, whichever is less, so that no request
    /// arrives at an upstream with a token that expires on the way. What an upstream says of the token plays no part.
    ///
    /// Where upstreams are shown the ID token, that counts too: but a refresh that brought no newer one is not repeated.
    ///
    /// At once, where it is not known whose the tokens are (OIDC-20).
    package static func refreshAt(_ session: Session, showsIDToken: Bool = false) -> Int64 {
        guard session.isConfirmed else { return .min }
        let access = refreshAt(ofAccessToken: session)
        guard showsIDToken, session.refreshToken != nil, let life = IDTokenLife(session) else { return access }
        let due = life.end - min(60, life.seconds / 5)
        return session.accessTokenIssuedAt < due ? min(access, due) : access
    }

    /// Whether a request may use a session whose refresh is due and did not come about (RF-06).
    package static func isUsable(_ session: Session, now: Int64) -> Bool {
        session.isConfirmed && session.accessTokenExpiresAt > now
    }

    private static func refreshAt(ofAccessToken session: Session) -> Int64 {
        guard session.refreshToken != nil, session.accessTokenExpiresAt != .max else { return .max }
        // Both come from an answer of the server: nothing says that they are in order, or small.
        let (life, overflows) = session.accessTokenExpiresAt.subtractingReportingOverflow(session.accessTokenIssuedAt)
        guard !overflows, life > 0 else { return session.accessTokenExpiresAt }
        return session.accessTokenExpiresAt - min(60, life / 5)
    }
}
