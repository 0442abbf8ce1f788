import OAuth
package import Refusals
package import Sessions

/// What happened to somebody's login or session, for the audit log.
///
/// Names a user, and prints as nothing: what may be shown of them is the audit log's to know.
package struct LoginAudit: Sendable {
    package enum Event: Sendable, Equatable {
        case login
        /// The login had the authentication that a route asked for.
        case stepUpMet
        /// A user who is known got no session.
        case refused(Refusal)
        case logout(by: LogoutParty)
        /// A session is over; `check` is the row whose check failed, where one did.
        case ended(SessionSignal, check: String? = nil)
    }

    package var event: Event
    package var issuer: String
    /// `sub`; nil where nobody said it.
    package var subject: String?
    /// What logs call the session; nil where several may have ended.
    package var session: UInt64?
    /// Of the request that it came of, and where that was from; empty where it came of none.
    package var names = RequestNames()
    package var peer = ""

    init(_ event: Event, issuer: String, subject: String?, session: UInt64? = nil, in request: LoginRequest? = nil) {
        self.event = event
        self.issuer = issuer
        self.subject = subject
        self.session = session
        guard let request else { return }
        names = request.names
        peer = request.peer
    }

    init(_ event: Event, of session: Session, in request: LoginRequest? = nil) {
        self.init(
            event, issuer: session.issuer, subject: session.subject, session: session.reference, in: request)
    }
}

/// Who asked for a logout.
package enum LogoutParty: String, Sendable, CaseIterable {
    /// The browser of the session.
    case user
    /// The authorization server, by a frame in the browser of the session.
    case frontChannel = "front_channel"
    /// The authorization server, by a logout token.
    case backChannel = "back_channel"
}

/// What ended a session.
package enum SessionSignal: String, Sendable, CaseIterable {
    case userLogout = "user_logout"
    case frontChannelLogout = "front_channel_logout"
    /// By a logout token for all sessions of a user.
    case backChannelLogout = "back_channel_logout"
    /// By a logout token for one session of the authorization server.
    case sid = "back_channel_sid"
    /// The authorization server does not refresh its tokens any more.
    case refreshRefused = "refresh_refused"
    /// Its new tokens fit in no cookie.
    case tooLarge = "too_large"
    /// No request came for too long.
    case idle
    /// It had its whole time.
    case absolute
    /// The same browser signed in anew.
    case replaced
    /// It gave way to a newer one: there was no room for both.
    case storeFull = "store_full"

    init(_ which: SessionEnd, by party: LogoutParty) {
        switch (party, which) {
        case (.user, _): self = .userLogout
        case (.frontChannel, _): self = .frontChannelLogout
        case (.backChannel, .serverSession): self = .sid
        case (.backChannel, _): self = .backChannelLogout
        }
    }

    package init(_ limit: ExpiredSession.Limit) {
        switch limit {
        case .idle: self = .idle
        case .absolute: self = .absolute
        }
    }
}

extension LoginClient {
    /// Tells the audit log what became of a session.
    func audit(_ event: LoginAudit.Event, of session: Session, in request: LoginRequest? = nil) {
        onEvent(.audited(client: index, LoginAudit(event, of: session, in: request)))
    }

    /// Tells it of a user who signed in and got no session.
    func audit(_ event: LoginAudit.Event, _ identity: LoginIdentity, in request: LoginRequest) {
        onEvent(
            .audited(
                client: index,
                LoginAudit(event, issuer: identity.issuer, subject: identity.subject, in: request)))
    }

    /// Tells it of a session that reached a limit.
    func audit(_ expired: ExpiredSession) {
        onEvent(
            .audited(
                client: index,
                LoginAudit(
                    .ended(SessionSignal(expired.limit)), issuer: expired.issuer, subject: expired.subject,
                    session: expired.reference)))
    }

    /// Tells it of a logout, and of each session that is known to have ended by it.
    func auditLogout(by party: LogoutParty, _ which: SessionEnd, _ ended: [Session], in request: LoginRequest) {
        let logout: LoginAudit
        switch which {
        case .session(let session): logout = LoginAudit(.logout(by: party), of: session, in: request)
        case .serverSession(let issuer, _, let subject):
            // The server may say whose session it is, and where it does not, the session does.
            logout = LoginAudit(
                .logout(by: party), issuer: issuer, subject: subject ?? ended.first?.subject, in: request)
        case .subject(let issuer, let subject, _):
            logout = LoginAudit(.logout(by: party), issuer: issuer, subject: subject, in: request)
        }
        onEvent(.audited(client: index, logout))
        for session in ended { audit(.ended(SessionSignal(which, by: party)), of: session, in: request) }
    }
}

extension LoginAudit: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[login audit]`.
    package var description: String { "[login audit]" }

    /// The same as `description`.
    package var debugDescription: String { description }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
