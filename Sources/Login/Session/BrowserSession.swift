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

/// All sessions that a request's cookies could stand for, where another host may have planted some of them.
struct BrowserSessions: Sendable {
    var found: [(session: Session, value: [UInt8])] = []
    /// Values that stand for no session any more, or never did.
    var over: [[UInt8]] = []
    /// The store could say of each value what it is, and all were tried.
    var areAll = true

    /// As many as one request may ask about.
    mutating func noteOver(_ value: [UInt8]) { if over.count < LoginClient.questionLimit { over.append(value) } }
}

extension LoginClient {
    /// Values of one request that the store is asked about at most, one after the other.
    fileprivate static let questionLimit = 8

    /// The sessions of this client in a request's cookies, for what ends them (SC-16).
    ///
    /// Of several cookies of one name nobody can tell which was planted: none of the sessions lives on.
    func sessions(in cookies: [UInt8]) async -> BrowserSessions {
        let brought = CookieField.values(of: cookieName, in: cookies.span)
        var sessions = BrowserSessions(areAll: brought.areAll)
        var questions = 0
        for value in brought.values {
            switch store.lookUp(value, now: now) {
            case .none: sessions.noteOver(value)
            case .found(let session, _): sessions.found.append((session, value))
            case .elsewhere:
                guard questions < Self.questionLimit else {
                    sessions.areAll = false
                    continue
                }
                questions += 1
                do throws(SessionStoreRefusal) {
                    if let session = try await store.load(value, now: now) {
                        sessions.found.append((session, value))
                    } else {
                        sessions.noteOver(value)
                    }
                } catch {
                    sessions.areAll = false
                }
            }
        }
        return sessions
    }

    /// The session of this client in a request's cookies, for what uses it; what ends it goes by `sessions`.
    func session(in cookies: [UInt8]) async -> BrowserSession {
        guard case .one(let value) = CookieField.value(of: cookieName, in: cookies.span) else { return .none }
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

    /// The lines that delete the session's cookie, with all that there can be of it, and what of its name another host may
    /// have planted at the same path (SC-16).
    func cookieDeletion(at request: LoginRequest) -> [String] {
        let session = settings.session
        return session.cookieDeletion + session.strayDeletion(at: request.publicURL)
            + session.formerDeletion(in: request.cookies.span)
    }
}
