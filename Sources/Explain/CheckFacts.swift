import Access
import Gateway
import Issuers
import JOSE
import JSON
import Login
import OAuth
import Sessions

/// What the columns of the table are read from: one request's evidence, and the settings that it is judged by.
///
/// Decides nothing.
struct CheckFacts {
    let evidence: RequestEvidence
    let verdict: Verdict
    let settings: GatewaySettings
    /// Unix seconds.
    let now: Int64

    /// The log's words for what was wanted, where the request was refused.
    var expected: String {
        guard case .refused(_, let expected, _, _) = verdict else { return "" }
        return expected
    }

    /// The log's words for what was found instead, or for why nobody could say.
    var found: String {
        switch verdict {
        case .refused(_, _, let found, _): found
        case .undecided(_, let reason): reason
        case .forwarded, .answered: ""
        }
    }

    var names: ConfigurationNames { ConfigurationNames(settings) }
    var token: TokenEvidence? { evidence.token }
    var proof: TokenEvidence? { evidence.proofs.first }

    /// The route that was found.
    var route: RouteSettings? {
        evidence.route.flatMap { settings.routes.indices.contains($0) ? settings.routes[$0] : nil }
    }

    /// What the route wants of a token; nil for a public one, and where a session is what it looks at.
    var policy: TokenSettings? { usesSession ? nil : route?.access.token }

    /// What the route wants of whoever the token or the session is of; nil for a public one.
    var rights: RightsSettings? { usesSession ? loginAccess?.rights : policy?.rights }

    /// The claims that rights are looked for in: the token's, or the session's.
    var claims: JSONValue? { usesSession ? evidence.session?.claims : token?.claims }

    /// The configured issuer that the token names.
    var issuer: IssuerSettings? { evidence.issuer.map { settings.issuers[$0] } }

    var listener: ListenerSettings { settings.listeners[min(evidence.listener, settings.listeners.count - 1)] }

    /// What clients see of the site: of the host that the route names, or of the listener.
    var publicURL: String {
        route?.host.map { settings.hosts[$0].publicURL }
            ?? (route == nil ? loginPublicURL : nil) ?? listener.publicURL
    }

    /// That of the host of the login that the request's path is of: of several, the one that it was sent to.
    private var loginPublicURL: String? {
        guard let login = settings.logins.firstIndex(where: { $0.name == loginClient }) else { return nil }
        let all = LoginHosts.all(of: login, in: settings.routes)
        let hosts = all.compactMap { $0.map { settings.hosts[$0] } }
        let named = hosts.first { $0.answers(evidence.authority.lowercased()) }
        return (named ?? (all.contains(nil) ? nil : hosts.first))?.publicURL
    }

    /// `exp`, `nbf`, `iat` or `auth_time`.
    func date(_ claim: String, of token: TokenEvidence?) -> Int64? {
        token?.claims?[claim].flatMap { NumericDate($0) }?.floor
    }

    /// What the route says of logins; nil where it takes none.
    var loginAccess: LoginAccessSettings? { route?.access.login }

    /// Whether the request is judged by a session: a request with an Authorization field is judged by that alone where
    /// the route takes tokens, and never by that where it takes none (RS-09, SC-11).
    var usesSession: Bool {
        guard let route, route.access.login != nil else { return false }
        return route.access.token == nil || evidence.authorization == .none
    }

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
