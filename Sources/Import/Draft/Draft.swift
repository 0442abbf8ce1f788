import Configuration
import HTTPMessage

/// A configuration of ours that is made of a foreign one, and what is to be said about it.
struct Draft: Sendable {
    static let unknownURL = "https://public-url-not-named.invalid"
    static let unknownIssuer = "https://issuer-not-named.invalid/"
    static let unknownClient = "client-id-not-named"
    /// More than this have no place in one file.
    static let maximumRoutes = 1000
    static let maximumNotes = 1000
    /// Of values that are left out so many are named.
    private static let maximumNames = 256

    /// The parts of our file that something belongs to.
    enum Part: Sendable { case listeners, issuers, clients, routes, rest }

    /// What the operator calls the login client, in routes and in the paths to register; a further host may have its own.
    var client = "web"
    /// What the issuer is called that the client is of.
    var issuer = "provider"
    /// Where the client's secret is to be put.
    var secretFile = Draft.ownSecret
    static let ownSecret = "client.secret"
    /// Further hosts at the same listener, each with routes and what else is said of it alone (`DraftSites`).
    var sites: [Draft] = []
    /// It is one of those itself.
    var isSite = false

    var publicURL: String?
    var otherHosts: [String] = []
    /// Each a mapping's lines, the first of which is its address.
    var listeners: [[String]] = []
    var issuerURL: String?
    var issuerLines: [String] = []
    var clientID: String?
    var authentication = "{ method: client_secret_basic, secret: { file: client.secret } }"
    var scopes = ["openid", "profile", "email"]
    var clientLines: [String] = []
    var sessionLines: [String] = []
    /// The domains that sessions' cookies were of, and where that is said.
    var cookieDomains: (place: ForeignPlace, name: String, domains: [String])?
    var rules = ClaimRules()
    /// Networks whose people need no login, on any route.
    var networks: [String] = []
    var routes: [RouteDraft] = []
    /// Keys at the top, such as timeouts.
    var lines: [String] = []
    /// Steps before the first start.
    private(set) var steps: [String] = []
    private(set) var differences: [String] = []
    private(set) var notes: [(part: Part, text: String)] = []
    private var noted: Set<String> = []

    /// Says of a setting, at its place, why it is not carried.
    mutating func note(_ setting: ForeignSetting, _ part: Part, _ why: String) {
        note(setting.place, setting.spelling, part, why)
    }

    mutating func note(_ place: ForeignPlace, _ name: String, _ part: Part, _ why: String) {
        remark("\(place.text): \(Printable.ascii(name)): \(Printable.ascii(why, limit: 400))", part)
    }

    mutating func remark(_ text: String, _ part: Part) {
        guard notes.count <= Self.maximumNotes, noted.insert(text).inserted else { return }
        notes.append((part, notes.count == Self.maximumNotes ? "and more, for which there is no room" : text))
    }

    /// Says which values let somebody pass there and are left out here.
    mutating func leave(_ values: [String], of name: String, _ why: String) {
        guard !values.isEmpty else { return }
        remark("\(Printable.ascii(name)): \(values.count) left out, who pass no longer: \(why)", .routes)
        let shown = values.prefix(Self.maximumNames).map { Printable.ascii($0, limit: 100) }
        for start in stride(from: 0, to: shown.count, by: 8) {
            remark("  \(shown[start..<min(start + 8, shown.count)].joined(separator: ", "))", .routes)
        }
    }

    mutating func step(_ text: String) { if !steps.contains(text) { steps.append(text) } }
    mutating func differ(_ text: String) { if !differences.contains(text) { differences.append(text) } }

    /// What is said of cookies where none is of a domain.
    static let cookiesOfOneHost = "cookies are new, begin with __Host-, and are for one host over https"

    /// Has the session's cookie be of a domain, where it was: of the longest that the host is under.
    private mutating func carryCookieDomain() {
        guard let (place, name, said) = cookieDomains else { return }
        let host = publicURL.flatMap { URI($0)?.host.lowercased() } ?? ""
        let domains = said.map { String($0.lowercased().drop { $0 == "." }) }
        let found = domains.filter { host.hasSuffix(".\($0)") && AcceptedText.isGood($0, for: .cookieDomain) }
        guard let domain = found.max(by: { $0.utf8.count < $1.utf8.count }) else {
            return note(
                place, name, .clients,
                domains.contains(host)
                    ? "the host of public_url alone gets the session's cookie" : "is no domain that public_url is under"
            )
        }
        sessionLines.append("domain: \(YAMLText.scalar(domain))")
        differences.removeAll { $0 == Self.cookiesOfOneHost }
        differ("cookies are new, begin with __Secure-, and are for all hosts under \(domain) over https")
        let others = sites.contains { $0.client == client } ? "all" : "the other"
        step(
            "write \(others) hosts under \(domain) into hosts, and their routes; or take domain out of the session: each "
                + "server under it is sent sessions, and can plant its own")
    }

    /// Takes routes and what was said of their fields away, to be made of another source.
    mutating func forgetRoutes() {
        routes = []
        differences.removeAll { $0.hasSuffix(IdentityFields.renaming) }
    }

    /// Adds a route unless its path has one already, of which the stricter one stays; but an answer stays in any case.
    mutating func add(_ route: RouteDraft) {
        if let index = routes.firstIndex(where: { $0.path == route.path }) {
            if routes[index].answer != nil || route.answer != nil { return }
            if routes[index].isPublic {
                routes[index] = route
            } else if !route.isPublic {
                routes[index].rules.add(route.rules)
                routes[index].isOptional = routes[index].isOptional && route.isOptional
                routes[index].networks = routes[index].networks.filter(route.networks.contains)
            }
        } else if routes.count < Self.maximumRoutes {
            routes.append(route)
        }
    }

    /// The longest route that has a path.
    func route(for path: String) -> RouteDraft? {
        routes.filter { $0.covers(path) }.max { $0.path.utf8.count < $1.path.utf8.count }
    }

    /// What is printed: YAML that `check` reads.
    func text(from source: String, command: String) throws(ImportRefusal) -> String {
        var text = ["# Made by  portcullis import \(command)  of \(Printable.ascii(source)).", "#"]
        text += list("Before the first start:", steps)
        text += list("What will behave otherwise:", differences)
        text.append("# What could not be carried is said at the part that it belongs to, with its place in the source.")
        text += ["", "listeners:"] + comments(.listeners)
        let own = listeners.isEmpty ? [["address: 127.0.0.1:4180"]] : listeners
        let hosts = otherHosts.isEmpty ? [] : ["hosts: \(YAMLText.list(otherHosts))"]
        for lines in own {
            let all = [lines[0], "public_url: \(YAMLText.scalar(publicURL ?? Self.unknownURL))"] + hosts
            for (index, line) in (all + lines.dropFirst()).enumerated() {
                text.append((index == 0 ? "  - " : "    ") + line)
            }
        }
        text += siteLines
        text += ["", "issuers:"] + comments(.issuers)
        let all = [self] + sites
        for draft in all.distinct(by: \.issuer) { text += draft.issuerText }
        text += ["", "clients:"] + comments(.clients)
        for draft in all.distinct(by: \.client) where draft.isSigningIn { text += draft.clientText }
        text += ["", "routes:"] + comments(.routes)
        let names = Set(all.flatMap(\.routes).flatMap(\.identity.names))
        for draft in all {
            for route in draft.routes { text += route.text(client: draft.client, identity: names) }
        }
        let rest = comments(.rest)
        if !rest.isEmpty { text += ["", "# Without a key here:"] + rest.map { String($0.dropFirst(2)) } }
        if !lines.isEmpty { text += [""] + lines }
        let made = text.joined(separator: "\n") + "\n"
        guard made.utf8.count <= Configuration.maximumBytes else {
            throw ImportRefusal(
                ForeignPlace(file: source, position: Position(line: 1, column: 1)),
                expected: "what fits into a configuration of 1 MiB", found: "more",
                remedy: "give the part that has to do with logins, or one host after the other")
        }
        return made
    }

    private var issuerText: [String] {
        let lines = ["url: \(YAMLText.scalar(issuerURL ?? Self.unknownIssuer))"] + issuerLines
        return ["  \(issuer):"] + lines.map { "    " + $0 }
    }

    private var clientText: [String] {
        let lines =
            ["issuer: \(issuer)", "id: \(YAMLText.scalar(clientID ?? Self.unknownClient))"]
            + ["authentication: \(authentication)", "scopes: \(YAMLText.list(scopes))"] + clientLines + ["session:"]
            + (sessionLines + ["keys: [{ file: session.key }]"]).map { "  " + $0 }
        return ["  \(client):"] + lines.map { "    " + $0 }
    }

    private func comments(_ part: Part) -> [String] { notes.filter { $0.part == part }.map { "  # " + $0.text } }

    private func list(_ title: String, _ texts: [String]) -> [String] {
        texts.isEmpty ? [] : ["# " + title] + texts.map { "# - " + Printable.ascii($0, limit: 600) } + ["#"]
    }
}

extension Draft {
    /// What is true of every import, said once all else is known.
    mutating func finish() {
        keepWhatIsGood()
        carryCookieDomain()
        settleRoutes()
        say()
        finishSites()
    }

    /// Says what is to be done, and what is otherwise.
    private mutating func say() {
        if publicURL == nil {
            step("public_url: write the URL that browsers use; until then every request is answered 421")
        }
        if isSigningIn { sayOfLogin() }
        let forwarding = routes.filter { $0.answer == nil }
        if forwarding.contains(where: { $0.upstream == .unknown }) {
            step("routes: write upstreams in place of \(UpstreamDraft.unknown.text); until then the answer is 502")
        }
        if forwarding.contains(where: \.upstream.hasTLS) {
            differ("certificates of upstreams are always verified; say certificate_authority where the system has none")
        }
        for rule in Set(routes.flatMap(\.rules.left)).sorted(by: { $0.claim < $1.claim }) {
            leave(rule.values, of: rule.claim, "write all of them into a file, a line each, and say file")
        }
        let undecided = Set(routes.flatMap(\.rules.undecided)).sorted()
        if !undecided.isEmpty {
            step("decide about \(undecided.joined(separator: ", ")): routes with import_undecided let nobody pass")
        }
        let hasIDTokens = !issuerLines.contains { $0.hasPrefix("endpoints:") }
        differ(
            "PKCE, state\(hasIDTokens ? ", nonce, issuer and audience" : " and issuer") are always checked; no setting takes "
                + "that away")
        differ("a script without a session gets 401 and where to log in, never a redirect to the provider")
    }

    private mutating func sayOfLogin() {
        if issuerURL == nil {
            step("issuers.\(issuer).url: write the issuer of your provider; until then nobody signs in")
        }
        if clientID == nil { step("clients.\(client).id: write the client_id; until then nobody signs in") }
        let base = publicURL ?? "PUBLIC_URL"
        step("register \(base)/.portcullis/callback/\(client) as redirect URI of the client")
        step("register \(base)/.portcullis/logged-out/\(client) as its post-logout redirect URI, if it has such")
        step(
            "portcullis keys new session --out session.key ; sessions of before are over, everybody signs in once more")
        if authentication.firstRange(of: secretFile) != nil {
            step("write the client's secret, which is not printed here, into \(secretFile), for its user alone to read")
        }
    }

    private mutating func settleRoutes() {
        if routes.isEmpty { routes = [RouteDraft("/", upstream: .unknown)] }
        for index in routes.indices {
            // What is restricted and what nobody has decided is not public, whoever said so.
            if !routes[index].rules.isEmpty { routes[index].isPublic = false }
            guard !routes[index].isPublic else { continue }
            routes[index].rules.add(rules)
            if routes[index].networks.isEmpty { routes[index].networks = networks }
        }
        closeBareNames()
    }

    /// Takes away what no key takes, so that the operator is asked for it.
    private mutating func keepWhatIsGood() {
        if let url = issuerURL, !AcceptedText.isGood(url, for: .issuer) { issuerURL = nil }
        if let url = publicURL, !AcceptedText.isGood(url, for: .upstream) { publicURL = nil }
        if let id = clientID, !AcceptedText.isGood(id, for: .clientID) { clientID = nil }
        scopes = Array(scopes.filter { AcceptedText.isGood($0, for: .scope) }.prefix(64))
        otherHosts = Array(otherHosts.filter { AcceptedText.isGood($0, for: .authority) }.prefix(64))
    }

    /// A route of `/app/` has `/app` too, which there was another rule's: that rule gets a route of its own.
    private mutating func closeBareNames() {
        var byPath = Dictionary(routes.map { ($0.path, $0) }) { first, _ in first }
        for route in routes where route.isSubtree && route.path != "/" {
            let bare = String(route.path.dropLast())
            guard byPath[bare] == nil, routes.count < Self.maximumRoutes * 2 else { continue }
            let around = Self.subtrees(above: bare).compactMap { byPath[$0] }.first
            var other = around ?? RouteDraft("/", upstream: route.upstream)
            if around == nil { other.rules.add(rules) }
            let isEqual =
                other.isPublic == route.isPublic && other.isOptional == route.isOptional
                && other.rules.text == route.rules.text && other.methods == route.methods
                && other.networks == route.networks
            // Where nobody had that name, a login is no less than what is below it asks for.
            if isEqual || around == nil && (!route.isPublic || route.answer != nil) { continue }
            // What follows a subtree's own path comes behind the place that it leads to.
            if case .redirect(let target, let status)? = other.answer, other.isSubtree {
                let rest = bare.dropFirst(other.path.utf8.count - 1)
                other.answer = .redirect(to: PathRewrite.withoutSlash(target) + rest, status: status)
            }
            other.path = bare
            other.comments = []
            routes.append(other)
            byPath[bare] = other
        }
    }

    /// The subtrees that have a path without a slash at its end, the longest first.
    private static func subtrees(above path: String) -> [String] {
        var found: [String] = []
        var rest = path[...]
        while let slash = rest.lastIndex(of: "/") {
            found.append(String(rest[...slash]))
            rest = rest[..<slash]
        }
        return found
    }
}
