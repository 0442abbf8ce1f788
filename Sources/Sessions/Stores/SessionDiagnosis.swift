/// What became of a cookie's value, for the operator who asks; a browser is never told (SC-04).
///
/// Why a value did not open is said no further than this: whether a key of that id is here is in the clear, and whatever
/// else was wrong with it stays one case.
package enum SessionDiagnosis: Sendable, Equatable {
    /// A session that lives.
    case lives
    /// A session of which nobody has said whose its tokens are: it serves nobody until somebody has (OIDC-20).
    case unconfirmed
    /// Sealed by a key that is not among those configured, or not sealed here at all.
    case keyUnknown
    /// A key of that id is here, and the value does not open: changed, cut, or of another client, cookie or issuer.
    case unopened
    /// Nothing was seen of it for the idle time; until then, in seconds since 1970.
    case idle(since: Int64)
    /// Its absolute end, in seconds since 1970, has passed.
    case over(since: Int64)
    /// Ended by a logout.
    case ended
    /// This store cannot say more than that it has no such session.
    case unknown
    /// Another process has to be asked.
    case elsewhere
}

extension SessionStore {
    /// What can be said of a store that only looks up.
    package func diagnose(_ value: [UInt8], now: Int64) -> SessionDiagnosis {
        switch lookUp(value, now: now) {
        case .found(let session, _): session.isConfirmed ? .lives : .unconfirmed
        case .none: .unknown
        case .elsewhere: .elsewhere
        }
    }
}

extension CookieSessionStore {
    package func diagnose(_ value: [UInt8], now: Int64) -> SessionDiagnosis {
        guard keys.isKeyKnown(of: value.span) else { return .keyUnknown }
        guard let bytes = keys.open(value.span), let session = SessionCodec.decode(bytes, client: client) else {
            return .unopened
        }
        guard isOfIssuer(session) else { return .unopened }
        guard now < limits.end(of: session) else { return .over(since: limits.end(of: session)) }
        guard limits.permit(session, seenAt: session.seenAt, now: now) else {
            return .idle(since: SessionLimits.sum(session.seenAt, limits.idle))
        }
        guard !ended.cover(session) else { return .ended }
        return session.isConfirmed ? .lives : .unconfirmed
    }
}

/// How much room the sessions of a client will take in a browser, before there is one (SC-07).
package enum SessionEstimate {
    /// The bytes of the value that a session is sealed to, and the cookies that it is divided among.
    package static func cookies(of session: Session, name: String) -> (bytes: Int, count: Int) {
        let bytes = SealingKeys.sealedCount(SessionCodec.encode(session).count)
        var count = 1
        while count <= SetCookie.maximumChunks, bytes > SetCookie.capacity(name: name, cookies: count) { count += 1 }
        return (bytes, count)
    }
}
