import Access
import Issuers
import Login
import Sessions

/// A browser's session in place of a token.
extension CheckFacts {
    /// What the route says of logins; nil where it takes none.
    var loginAccess: LoginAccessSettings? { route?.access.login }

    /// The client whose logins the request is about: its path's, at the paths of logins, or its route's.
    var loginClient: String? {
        if evidence.path.hasPrefix(ReservedPath.prefix + "/"), let last = evidence.path.split(separator: "/").last,
            let login = settings.logins.first(where: { $0.name == last })
        {
            return login.name
        }
        guard let index = loginAccess?.login, settings.logins.indices.contains(index) else {
            return settings.logins.count == 1 ? settings.logins[0].name : nil
        }
        return settings.logins[index].name
    }

    /// The issuer of that client, by its name in the configuration.
    var loginIssuer: String? {
        guard let login = settings.logins.first(where: { $0.name == loginClient }),
            settings.clients.indices.contains(login.client)
        else { return nil }
        let index = settings.clients[login.client].issuer
        return settings.issuers.indices.contains(index) ? settings.issuers[index].name : nil
    }

    /// The configuration's name of the login that the route has: `clients.web`.
    var loginKey: String {
        guard let access = loginAccess, settings.logins.indices.contains(access.login) else {
            return "clients." + (loginClient ?? settings.logins.first?.name ?? "web")
        }
        return "clients.\(settings.logins[access.login].name)"
    }

    /// Whether the request is judged by a session: a request with an Authorization field is judged by that alone where
    /// the route takes tokens, and never by that where it takes none (RS-09, SC-11).
    var usesSession: Bool {
        guard let route, route.access.login != nil else { return false }
        return route.access.token == nil || evidence.authorization == .none
    }

    func seenOfSession(_ check: ExplainedCheck) -> String? {
        switch check {
        case .loginPath: return evidence.ownAnswer == .login ? evidence.ownAnswerWords : ShownText.quote(evidence.path)
        case .session: return seenSession
        case .sessionTokens: return seenTokens
        case .samePage: return seenPage
        default: return nil
        }
    }

    private var seenSession: String {
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

    /// How the sessions of the route's login are kept.
    var sealing: SessionSettings? {
        loginAccess.flatMap { settings.logins.indices.contains($0.login) ? settings.logins[$0.login].session : nil }
    }

    private var sealingKeyCount: String {
        let count = sealing?.keys.count ?? 0
        return "the \(count) key\(count == 1 ? "" : "s")"
    }

    private var seenTokens: String {
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

    private var seenPage: String {
        let browser = evidence.browser
        let kind = browser.offersWebSocket ? "a WebSocket" : ShownText.plain(evidence.method)
        return [
            kind, "Sec-Fetch-Site \(ShownText.list(browser.fetchSite))", "Origin \(ShownText.list(evidence.origins))",
            browser.hasRequestedBy ? "X-Requested-By" : "no X-Requested-By",
        ].joined(separator: ", ")
    }

    func wantedOfSession(_ check: ExplainedCheck) -> String? {
        switch check {
        case .loginPath: return "a request that this step takes, and answers of the server that fit it"
        case .session: return evidence.session.map { "one session in the cookie \($0.cookieName)" } ?? "a session"
        case .sessionTokens: return "an access token that has not expired, or can be refreshed"
        case .samePage:
            if loginAccess?.requiresHeader == true { return "X-Requested-By, in every request" }
            if evidence.browser.offersWebSocket { return "Origin " + ShownText.oneOf(ownOrigins) }
            return
                "Origin \(ShownText.oneOf(ownOrigins)); or without Origin, Sec-Fetch-Site \"same-origin\" or \"none\", "
                + "or X-Requested-By"
        default: return nil
        }
    }

    /// Origins of pages that may make unsafe requests.
    var ownOrigins: [String] { [listener.publicURL] + (loginAccess?.allowedOrigins ?? []) + sharedOrigins }

    /// Those that CORS lets act with the user's session, by this method; a WebSocket is none of its business.
    private var sharedOrigins: [String] {
        guard case .rules(let rules)? = route?.cors, rules.credentials, !evidence.browser.offersWebSocket,
            rules.methods?.contains(evidence.method) ?? true
        else { return [] }
        return rules.origins ?? []
    }

    /// Why there is nothing to check of a session, or of a token where there is a session.
    func reasonOfSession(_ check: ExplainedCheck) -> String? {
        if check == .loginPath {
            return evidence.ownAnswer == .document
                ? "the path is that of a document" : "the path is not the gateway's own"
        }
        guard let access = loginAccess else {
            return check.isOfLogins ? "the route takes no browser's session" : nil
        }
        guard usesSession else {
            return check.isOfLogins ? "the Authorization field decides alone, and no cookie replaces it" : nil
        }
        if check >= .credentials, check <= .queryToken {
            if route?.access.token != nil { return "no Authorization field: a session is looked for" }
            return "the route takes browsers' sessions alone"
        }
        if check > .samePage, check < .scope { return "a session stands in for a token" }
        switch check {
        case .session:
            return access.optional && evidence.session?.lives != true ? "no session, and the login is optional" : nil
        case .sessionTokens:
            if evidence.session?.lives != true { return access.optional ? "there is no session" : nil }
            let settings = settings.logins[access.login]
            return settings.refreshes || settings.keepsAccessToken ? nil : "no route needs the session's tokens"
        case .samePage: return reasonOfPage(access)
        case .authorizationDetails, .user: return "not asked of sessions"
        case .replay: return "a session stands in for a token"
        default: return nil
        }
    }

    private func reasonOfPage(_ access: LoginAccessSettings) -> String? {
        if access.optional, evidence.session?.lives != true { return "there is no session" }
        guard !access.requiresHeader || evidence.browser.offersWebSocket, !evidence.browser.offersWebSocket else {
            return nil
        }
        return ["GET", "HEAD", "OPTIONS"].contains(evidence.method) ? "\(evidence.method) changes nothing" : nil
    }

    /// Why the request counts as a person's who waits for a page, or does not.
    var navigationReason: String {
        let browser = evidence.browser
        let modes =
            "Sec-Fetch-Mode \(ShownText.list(browser.fetchMode)), "
            + "Sec-Fetch-Dest \(ShownText.list(browser.fetchDestination))"
        if browser.hasPurpose { return "Sec-Purpose: nobody waits for what is fetched beforehand" }
        if browser.hasRequestedWith { return "X-Requested-With: a script asks" }
        if !["GET", "HEAD", "POST"].contains(evidence.method) {
            return "no page is asked for by \(ShownText.plain(evidence.method))"
        }
        if browser.offersWebSocket { return "a WebSocket is no page" }
        if !browser.fetchMode.isEmpty || !browser.fetchDestination.isEmpty { return modes }
        return browser.acceptsPages
            ? "no Sec-Fetch fields, and Accept has text/html" : "no Sec-Fetch fields, and Accept has no text/html"
    }
}
