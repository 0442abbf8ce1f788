package import Sessions

/// When a session's tokens are to be refreshed.
package enum RefreshRules {
    /// The moment from which a request refreshes the session first, in seconds since 1970; `Int64.max` for never.
    ///
    /// RF-02: when a fifth of the access token's life is left, or a minute, whichever is less, so that no request
    /// arrives at an upstream with a token that expires on the way. What an upstream says of the token plays no part.
    package static func refreshAt(_ session: Session) -> Int64 {
        guard session.refreshToken != nil, session.accessTokenExpiresAt != .max else { return .max }
        // Both come from an answer of the server: nothing says that they are in order, or small.
        let (life, overflows) = session.accessTokenExpiresAt.subtractingReportingOverflow(session.accessTokenIssuedAt)
        guard !overflows, life > 0 else { return session.accessTokenExpiresAt }
        return session.accessTokenExpiresAt - min(60, life / 5)
    }
}
