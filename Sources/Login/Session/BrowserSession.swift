import Sessions

/// The session that a request's cookies stand for.
enum BrowserSession: Sendable {
    /// None: no cookie, two of them (SC-06), or one that opens nothing.
    case none
    /// `successor` is the value that the browser is to get, where it brought one from before a refresh.
    case found(Session, value: [UInt8], successor: [UInt8]?)
    /// The store cannot say (SC-13).
    case unavailable
}

extension LoginClient {
    /// The session of this client in a request's cookies.
    func session(in cookies: [UInt8]) async -> BrowserSession {
        guard case .one(let value) = CookieField.value(of: cookieName, in: cookies.span) else { return .none }
        return await session(by: value)
    }

    /// The session that the cookie stands for when this is its value.
    func session(by value: [UInt8]) async -> BrowserSession {
        let now = now
        switch store.lookUp(value, now: now) {
        case .none: return .none
        case .found(let session, let successor): return .found(session, value: value, successor: successor)
        case .elsewhere:
            do throws(SessionStoreRefusal) {
                guard let session = try await store.load(value, now: now) else { return .none }
                return .found(session, value: value, successor: nil)
            } catch {
                return .unavailable
            }
        }
    }

    /// The lines that give the browser another value of the session's cookie.
    func cookieLines(_ value: [UInt8], replacing cookies: [UInt8]) -> [String] {
        settings.session.cookieLines(value, replacing: CookieField.chunks(of: cookieName, in: cookies.span))
            + settings.session.formerDeletion(in: cookies.span)
    }

    /// The lines that delete the session's cookie, with all that there can be of it, and whatever of its name another host
    /// may have planted: who logs out is nobody afterwards, and nobody else either (SC-16).
    func cookieDeletion(at request: LoginRequest) -> [String] {
        let session = settings.session
        return session.cookieDeletion + session.strayDeletion(at: request.publicURL)
            + session.formerDeletion(in: request.cookies.span)
    }
}
