import Access
import Gateway
import Login
import Sessions
import Telemetry

/// A browser's session in place of a token.
extension Check {
    static let ofSession = rows(
        answered: CheckFacts.answeredByRoute, skipped: [\.sessionNotTaken], shown: { !$0.settings.logins.isEmpty },
        [
            Check(
                .session, "session", "configuration", of: .route, seen: CheckWords(\.seenSession),
                wanted: CheckWords { facts in
                    facts.evidence.session.map { "one session in the cookie \($0.cookieName)" } ?? "a session"
                }, skipped: [\.withoutSession]),
            Check(
                .sessionTokens, "session's tokens", "RFC 6749 §6", of: .route, seen: CheckWords(\.seenTokens),
                wanted: "an access token that has not expired, or can be refreshed", skipped: [\.noSessionTokens]),
            Check(
                .samePage, "page of ours", "RFC 6454 §7", of: .route, seen: CheckWords(\.seenPage),
                wanted: CheckWords(\.wantedPage), skipped: [\.safeRequest]),
        ])
}

extension CheckFacts {
    /// Whether the request needs no session, by the route or by its client's network, and has none that lives.
    var isWithoutSession: Bool {
        (loginAccess?.optional == true || evidence.session?.isLetInByNetwork == true) && evidence.session?.lives != true
            && !isUnconfirmed
    }

    /// Whether its session is one of which nobody has said whose its tokens are: nobody is served by that.
    var isUnconfirmed: Bool { evidence.session?.diagnosis == .unconfirmed }

    /// Why it needs none, where that is so.
    var withoutSession: String? {
        guard isWithoutSession else { return nil }
        return loginAccess?.optional == true
            ? "no session, and the login is optional" : "no session, and the client's network needs none"
    }

    fileprivate var sessionNotTaken: String? {
        if loginAccess == nil { return "the route takes no browser's session" }
        return usesSession ? nil : "the Authorization field decides alone, and no cookie replaces it"
    }

    fileprivate var seenSession: String {
        guard let session = evidence.session else { return "" }
        let cookies = "\(session.cookieCount) cookie\(session.cookieCount == 1 ? "" : "s") \(session.cookieName)"
        if session.isRepeated { return "\(cookies), which may be somebody else's: none counts" }
        guard let diagnosis = session.diagnosis else { return "no cookie \(session.cookieName)" }
        let bytes = "\(cookies), \(session.bytes) bytes"
        switch diagnosis {
        case .lives:
            let whose = session.subject.isEmpty ? "" : " of sub \(ShownText.quote(session.subject))"
            return "\(bytes): a session\(whose), since \(UnixTime.text(session.createdAt)), until "
                + UnixTime.text(session.endsAt)
        case .unconfirmed: return "\(bytes), of a session of which nobody has said yet whose its tokens are"
        case .keyUnknown where sealingKeysAreOfProcess: return "\(bytes), and \(loginKey).session has no keys"
        case .keyUnknown: return "\(bytes), sealed with none of \(sealingKeyCount) configured"
        case .unopened: return "\(bytes), with the id of a key that is configured: it does not open"
        case .idle(let since): return "\(bytes), idle too long since \(UnixTime.text(since))"
        case .over(let since): return "\(bytes), over since \(UnixTime.text(since))"
        case .ended: return "\(bytes), ended by a logout"
        case .unknown: return "\(bytes), of no session that is known here"
        case .elsewhere: return "\(bytes), of a session that is kept elsewhere"
        }
    }

    /// Whether sessions are sealed by a key that only the running process has.
    var sealingKeysAreOfProcess: Bool { sealing?.keys.isEmpty ?? false }

    /// The domain that the session's cookie is of; nil for one host.
    var cookieDomain: String? { sealing?.domain }

    /// How the sessions of the route's login are kept.
    private var sealing: SessionSettings? {
        loginAccess.flatMap { settings.logins.indices.contains($0.login) ? settings.logins[$0.login].session : nil }
    }

    private var sealingKeyCount: String {
        let count = sealing?.keys.count ?? 0
        return "the \(count) key\(count == 1 ? "" : "s")"
    }

    fileprivate var seenTokens: String {
        if isUnconfirmed { return "new ones, of which the endpoint of identity_from has not said whose they are" }
        guard let session = evidence.session, session.lives else { return "" }
        var words: [String] = []
        if let expiry = session.tokenExpiresAt {
            let distance = expiry - now
            words.append(
                "the access token " + (distance <= 0 ? "expired" : "expires") + " \(UnixTime.text(expiry)), "
                    + (distance <= 0
                        ? "\(ShownText.duration(-distance)) ago" : "\(ShownText.duration(distance)) ahead"))
        }
        words.append(session.isRefreshDue ? "a refresh is due, and not tried here" : "no refresh is due")
        return words.joined(separator: "; ")
    }

    fileprivate var noSessionTokens: String? {
        guard let access = loginAccess else { return nil }
        if evidence.session?.lives != true { return isWithoutSession ? "there is no session" : nil }
        let login = settings.logins[access.login]
        return login.refreshes || login.uses.keepsAccessToken ? nil : "no route needs the session's tokens"
    }

    fileprivate var seenPage: String {
        let browser = evidence.browser
        let kind = browser.offersWebSocket ? "a WebSocket" : ShownText.plain(evidence.method)
        return [
            kind, "Sec-Fetch-Site \(ShownText.list(browser.fetchSite))", "Origin \(ShownText.list(evidence.origins))",
            browser.hasRequestedBy ? "X-Requested-By" : "no X-Requested-By",
        ].joined(separator: ", ")
    }

    fileprivate var wantedPage: String {
        if loginAccess?.requiresHeader == true { return "X-Requested-By, in every request" }
        if evidence.browser.offersWebSocket { return "Origin " + ShownText.oneOf(ownOrigins) }
        return
            "Origin \(ShownText.oneOf(ownOrigins)); or without Origin, Sec-Fetch-Site \"same-origin\" or \"none\", "
            + "or X-Requested-By"
    }

    fileprivate var safeRequest: String? {
        if isWithoutSession { return "there is no session" }
        guard loginAccess?.requiresHeader == false, !evidence.browser.offersWebSocket else { return nil }
        return ["GET", "HEAD", "OPTIONS"].contains(evidence.method) ? "\(evidence.method) changes nothing" : nil
    }

    /// Origins of pages that may make unsafe requests.
    var ownOrigins: [String] { [publicURL] + (loginAccess?.allowedOrigins ?? []) + sharedOrigins }

    /// Those that CORS lets act with the user's session, by this method; a WebSocket is none of its business.
    private var sharedOrigins: [String] {
        guard case .rules(let rules)? = route?.cors, rules.credentials, !evidence.browser.offersWebSocket,
            rules.methods?.contains(evidence.method) ?? true
        else { return [] }
        return rules.origins ?? []
    }
}
