/// A session that reached one of its limits, as far as the audit log names it: without its tokens and its claims.
package struct ExpiredSession: Sendable, Equatable {
    /// Which limit it was (SC-08).
    package enum Limit: Sendable {
        case idle, absolute
    }

    package let issuer: String
    package let subject: String
    /// What logs call the session.
    package let reference: UInt64
    package let limit: Limit

    init(_ session: Session, _ limit: Limit) {
        issuer = session.issuer
        subject = session.subject
        reference = session.reference
        self.limit = limit
    }
}

extension SessionLimits {
    /// The limit that a session which was last seen at `seenAt` has reached; nil while it is within both.
    func reached(by session: Session, seenAt: Int64, now: Int64) -> ExpiredSession.Limit? {
        if now >= end(of: session) { return .absolute }
        return permit(session, seenAt: seenAt, now: now) ? nil : .idle
    }
}

extension SessionStore {
    package func expired(_ value: [UInt8], now: Int64) -> ExpiredSession? { nil }

    package func takeExpired() -> [ExpiredSession] { [] }
}

extension CookieSessionStore {
    package func expired(_ value: [UInt8], now: Int64) -> ExpiredSession? {
        guard let bytes = keys.open(value.span), let session = SessionCodec.decode(bytes, client: client),
            isOfIssuer(session), !ended.cover(session)
        else { return nil }
        return limits.reached(by: session, seenAt: session.seenAt, now: now).map { ExpiredSession(session, $0) }
    }
}
