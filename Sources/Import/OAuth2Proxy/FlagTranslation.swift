import Configuration
import HTTPMessage

/// What settings of oauth2-proxy become here.
struct FlagTranslation {
    private let settings: FlagSettings
    private(set) var draft = Draft()
    /// The kind of provider, which is Google where nothing is said.
    private let provider: String
    /// It is GitHub itself, whose ways are known.
    private let isGitHub: Bool

    init(_ settings: FlagSettings) {
        self.settings = settings
        provider = settings.text("provider") ?? "google"
        isGitHub = GitHubProvider.isMeant(by: settings)
        for (setting, part, why) in settings.notes { draft.note(setting, part, why) }
        for name in settings.undecided { draft.rules.undecide(name) }
        leftOut()
        listeners()
        issuer()
        client()
        session()
        store()
        restrictions()
        networks()
        routes()
        rest()
    }

    // MARK: What has no code of its own

    /// Says of each setting that is not carried, why; what restricted access lets nobody pass.
    private mutating func leftOut() {
        for setting in settings.byName.values.sorted(by: Self.isBefore) {
            guard let row = FlagTable.row(setting.name) else { continue }
            let isSet = row.kind != .flag || settings.isTrue(setting.name)
            guard isSet, setting.values.contains(where: { !$0.isEmpty }) else { continue }
            switch row.effect {
            case .carried: continue
            case .left:
                let key = row.key.isEmpty ? "" : " (\(row.key))"
                draft.note(setting, Self.part(row.key), row.words + key)
            case .restricts:
                draft.rules.undecide(setting.name)
                draft.note(setting, .routes, "nobody passes until you decide: " + row.words)
            }
        }
    }

    static func isBefore(_ left: ForeignSetting, _ right: ForeignSetting) -> Bool {
        (left.place.file, left.place.position.line, left.name) < (
            right.place.file, right.place.position.line, right.name
        )
    }

    private static func part(_ key: Substring) -> Draft.Part {
        switch key.prefix(while: { $0 != "." && $0 != "," }) {
        case "listeners": .listeners
        case "issuers": .issuers
        case "clients": .clients
        case "routes": .routes
        default: .rest
        }
    }

    private mutating func note(_ name: String, _ part: Draft.Part, _ why: String) {
        if let setting = settings[name] { draft.note(setting, part, why) }
    }

    // MARK: Listeners

    private mutating func listeners() {
        publicURL()
        var shared: [String] = []
        let proxies = trustedProxies()
        if !proxies.isEmpty { shared.append("trusted_proxies: \(YAMLText.list(proxies))") }
        if settings.isTrue("reverse-proxy"), proxies.isEmpty {
            note(
                "reverse-proxy", .listeners,
                "say trusted_proxies with the networks of your proxies: nobody's fields are believed")
        }
        if let certificate = settings.text("tls-cert-file"), let key = settings.text("tls-key-file") {
            var tls = "certificate: \(YAMLText.scalar(certificate)), key: \(YAMLText.scalar(key))"
            if let version = settings.text("tls-min-version") {
                tls += ", minimum_version: \"\(version.hasSuffix("1.3") ? "1.3" : "1.2")\""
            }
            let address = address("https-address", otherwise: ":443")
            draft.listeners.append(["address: \(YAMLText.scalar(address))", "tls: { \(tls) }"] + shared)
            guard settings.text("http-address") != nil || settings.isTrue("force-https") else { return }
            let redirect = settings.isTrue("force-https") ? ["redirect_to_https: true"] : shared
            draft.listeners.append(
                ["address: \(YAMLText.scalar(self.address("http-address", otherwise: "127.0.0.1:4180")))"] + redirect)
        } else {
            for name in ["https-address", "tls-cert-file", "tls-key-file", "tls-min-version", "force-https"]
            where settings.text(name) != nil {
                note(name, .listeners, "without certificate and key there is no TLS here: what is in front has it")
            }
            draft.listeners.append(
                ["address: \(YAMLText.scalar(address("http-address", otherwise: "127.0.0.1:4180")))"] + shared)
        }
    }

    private mutating func publicURL() {
        guard let text = settings.text("redirect-url") else { return }
        guard let url = URI(text), !url.host.isEmpty else {
            return note("redirect-url", .listeners, "names no host: write public_url")
        }
        if url.scheme == "https" {
            draft.publicURL = "https://" + url.authority
        } else {
            draft.publicURL = "https://" + url.host
            note("redirect-url", .listeners, "browsers must come by https, and public_url says so")
        }
    }

    private mutating func address(_ name: String, otherwise: String) -> String {
        let text = settings.text(name) ?? otherwise
        if let address = ListenAddress.ours(text) { return address }
        note(
            name, .listeners,
            "names no address of ours: a host is written as its IP address, and fd: is a name of systemd")
        return name == "http-address" ? "127.0.0.1:4180" : "127.0.0.1:4443"
    }

    /// The proxies in front, of which nobody's fields are believed without `reverse-proxy`.
    private mutating func trustedProxies() -> [String] {
        let said = settings.list("trusted-proxy-ip")
        guard settings.isTrue("reverse-proxy") else {
            if !said.isEmpty { note("trusted-proxy-ip", .listeners, "says nothing without reverse-proxy") }
            return []
        }
        var proxies: [String] = []
        for network in said.compactMap(ForeignNetworks.network) where proxies.count < 64 {
            if !proxies.contains(network) { proxies.append(network) }
        }
        if proxies.count < Set(said).count {
            note("trusted-proxy-ip", .listeners, "what is no network, or is everybody, is left out")
        }
        return proxies
    }

    /// Networks that need no login, where it is known without doubt from where a client comes.
    private mutating func networks() {
        let said = settings.list("trusted-ip")
        guard !said.isEmpty else { return }
        let isBehind = settings.isTrue("reverse-proxy")
        let proxies = isBehind ? trustedProxies() : []
        let isForwarded = settings.text("real-client-ip-header")?.lowercased() == "x-forwarded-for"
        let hasTLS = settings.text("tls-cert-file") != nil && settings.text("tls-key-file") != nil
        guard isBehind ? isForwarded && !proxies.isEmpty : hasTLS else {
            return note(
                "trusted-ip", .routes,
                isBehind
                    ? "say networks in login once trusted_proxies has proxies that write X-Forwarded-For"
                    : "say networks in login, and trusted_proxies: without TLS here somebody else knows the addresses")
        }
        let found = ForeignNetworks(said, proxies: proxies)
        draft.networks = found.networks
        if !found.left.isEmpty {
            note(
                "trusted-ip", .routes, "what is no network, or has a proxy in it, is left out: say it in login yourself"
            )
        }
        if !found.networks.isEmpty {
            draft.differ("trusted-ip: who comes from there has no identity, and what they change needs X-Requested-By")
        }
    }

    // MARK: The provider and the client

    private mutating func issuer() {
        draft.issuerURL = isGitHub ? GitHubProvider.issuer : Provider.issuer(provider, settings)
        if isGitHub {
            draft.issuerLines.append(GitHubProvider.endpoints)
            draft.differ(
                "GitHub makes no ID tokens: who it is, its API says; the article ServersWithoutOpenID says what is weaker"
            )
        } else if draft.issuerURL == nil {
            if let setting = settings["provider"] {
                draft.note(
                    setting, .issuers, "no issuer of OpenID Connect is known of it: nobody signs in until you name one")
            }
        } else if settings["oidc-issuer-url"] == nil {
            note("login-url", .issuers, "endpoints come from the issuer's metadata")
        }
        let files = settings.list("provider-ca-file")
        if let file = files.first { draft.issuerLines.append("certificate_authority: \(YAMLText.scalar(file))") }
        if files.count > 1 { note("provider-ca-file", .issuers, "one file: join them") }
        if draft.issuerURL?.hasPrefix("http:") == true {
            draft.step("issuers.provider.url: browsers' logins need an issuer with https")
        }
    }

    private mutating func client() {
        draft.clientID = settings.text("client-id")
        if let file = settings.text("jwt-key-file") {
            draft.authentication = "{ method: private_key_jwt, key: { file: \(YAMLText.scalar(file)) } }"
        } else if settings.text("jwt-key") != nil {
            draft.authentication = "{ method: private_key_jwt, key: { file: client.key } }"
            draft.step("write the private key, which is not printed here, into client.key, for its user alone to read")
        } else {
            draft.authentication = "{ method: \(Provider.method(provider)), secret: \(secret) }"
        }
        let groups = settings.list("allowed-group").isEmpty || provider != "oidc" ? [] : ["groups"]
        let asked =
            settings.text("scope")?.split(separator: " ").map(String.init)
            ?? (isGitHub ? [] : ["openid", "email", "profile"] + groups)
        let wanted = isGitHub ? GitHubProvider.scopes + asked.filter { $0 != "openid" } : ["openid"] + asked
        draft.scopes = wanted.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        if isGitHub { draft.clientLines += GitHubProvider.clientLines }
        if Provider.isMicrosoft(provider) { draft.clientLines.append("assume_pkce: true") }
        questions()
        if let resource = settings.text("resource") {
            if AcceptedText.isGood(resource, for: .target) {
                draft.clientLines.append("resource: \(YAMLText.scalar(resource))")
            } else {
                note("resource", .clients, "is no URL: say audience, or a scope that names the API")
            }
        }
        if let mode = settings.text("auth-request-response-mode") {
            if ["query", "form_post"].contains(mode) {
                draft.clientLines.append("response_mode: \(mode)")
            } else {
                note("auth-request-response-mode", .clients, "query and form_post are known")
            }
        }
        if !isGitHub { idToken() }
        let asksUserInfo = provider != "google" && !isGitHub && !settings.isTrue("skip-claims-from-profile-url")
        if asksUserInfo { draft.clientLines.append("userinfo: \(needsUserInfo ? "required" : "optional")") }
        if !settings.isTrue("insecure-oidc-allow-unverified-email") {
            draft.clientLines.append("require_verified_email: true")
            draft.differ("an address without email_verified: true is passed to nobody, also where the claim is missing")
        }
        if provider == "google" { draft.clientLines.append("logout: { at_server: false }") }
    }

    /// What the provider is to ask.
    private mutating func questions() {
        if let prompt = settings.text("prompt") {
            if AcceptedText.isGood(prompt, for: .prompt) {
                draft.clientLines.append("prompt: \(YAMLText.scalar(prompt))")
            } else {
                note("prompt", .clients, "is no prompt of OpenID Connect that shows a page")
            }
        }
        let values = (settings.text("acr-values") ?? "").split(separator: " ").map(String.init)
            .filter { AcceptedText.isGood($0, for: .authenticationContext) }
        if !values.isEmpty, isGitHub { note("acr-values", .clients, "GitHub does not say how somebody signed in") }
        if !values.isEmpty, !isGitHub {
            draft.clientLines.append("acr_values: \(YAMLText.list(Array(values.prefix(16))))")
        }
    }

    /// Whether groups that restrict access are known from there alone.
    private var needsUserInfo: Bool {
        !settings.list("gitlab-group").isEmpty || !settings.list("keycloak-group").isEmpty
    }

    private var secret: String {
        if let file = settings.text("client-secret-file") { return "{ file: \(YAMLText.scalar(file)) }" }
        // The alpha configuration names variables, whose values it never has.
        if let text = settings.text("client-secret"), text.hasPrefix("${"), text.hasSuffix("}") {
            let name = text.dropFirst(2).dropLast()
            if AcceptedText.isGood(String(name), for: .environmentVariable) {
                return "{ env: \(name) }"
            }
        }
        return "{ file: client.secret }"
    }

    private mutating func idToken() {
        var parts: [String] = []
        let known = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
        let algorithms = known.filter(settings.list("oidc-enabled-signing-alg").contains)
        if !algorithms.isEmpty { parts.append("algorithm: \(YAMLText.list(algorithms))") }
        let others = Array(Set(settings.list("oidc-extra-audience")).sorted().prefix(16))
            .filter { AcceptedText.isGood($0, for: .audience) }
        if !others.isEmpty {
            parts.append("trusted_audiences: \(YAMLText.list(others))")
            draft.differ(
                "an ID token must have the client's id in aud; other audiences may stand beside it, not in its place")
        }
        if !parts.isEmpty { draft.clientLines.append("id_token: { \(parts.joined(separator: ", ")) }") }
    }

    private mutating func session() {
        let seconds = settings.text("cookie-expire").flatMap(FlagValue.duration) ?? 604_800
        if seconds > 0 {
            let bounded = min(max(seconds, 60), 34_560_000)
            let text = bounded % 3600 == 0 ? "\(bounded / 3600)h" : "\(bounded)s"
            draft.sessionLines += ["idle: \(text)", "absolute: \(text)"]
        } else {
            note(
                "cookie-expire", .clients,
                "a session ends after 30 minutes without a request, or 8 hours: no cookie lasts as long as a browser")
        }
        if settings.text("cookie-samesite")?.lowercased() == "strict" { draft.sessionLines.append("same_site: strict") }
        if settings.text("cookie-samesite")?.lowercased() == "none" {
            note("cookie-samesite", .clients, "lax: pages of other sites bring no session along")
        }
        let refreshes = settings.text("cookie-refresh").flatMap(FlagValue.duration) ?? 0 > 0
        if refreshes, provider != "google" {
            draft.differ("a session is refreshed before its access token expires, not each cookie-refresh")
        } else {
            draft.clientLines.append("refresh: false")
            if refreshes {
                note("cookie-refresh", .clients, "without access_type=offline Google gives no refresh token")
            }
        }
        draft.differ(Draft.cookiesOfOneHost)
        if let setting = settings["cookie-domain"] {
            draft.cookieDomains = (setting.place, setting.spelling, settings.list("cookie-domain"))
        }
    }

    private mutating func store() {
        guard settings.text("session-store-type") == "redis" else { return }
        let (lines, asked) = ForeignStore.lines(settings)
        guard !lines.isEmpty else {
            return note("session-store-type", .clients, "no server is named that can be read: sessions stay in cookies")
        }
        draft.sessionLines.append("store: shared")
        draft.lines += lines
        for step in asked { draft.step(step) }
    }

    // MARK: Who passes

    private mutating func restrictions() {
        addresses()
        let claim = settings.text("oidc-groups-claim") ?? "groups"
        let groups = ["allowed-group", "gitlab-group", "keycloak-group"].flatMap { settings.list($0) }
        let usable = groups.filter { !$0.hasPrefix("role:") }
        let roles =
            settings.list("allowed-role") + groups.filter { $0.hasPrefix("role:") }.map { String($0.dropFirst(5)) }
        if !groups.isEmpty, draft.issuerURL == nil || provider == "google" || isGitHub {
            for name in ["allowed-group", "gitlab-group", "keycloak-group"] where settings[name] != nil {
                draft.rules.undecide(name)
                note(name, .routes, "nobody passes until you decide: this provider's groups are in no claim")
            }
        } else if !usable.isEmpty {
            draft.differ(
                "groups are those that the ID token or userinfo has in \(Printable.ascii(claim)); no API is asked for more"
            )
        }
        let known = draft.rules.undecided.isEmpty || provider != "google" && !isGitHub ? usable : []
        let rules = (known.isEmpty ? [] : [ClaimRule(claim: claim, values: known)]) + roles.compactMap(Self.rule)
        // Of groups and roles one is enough.
        if !usable.isEmpty || !roles.isEmpty {
            draft.rules.require(oneOf: rules, from: roles.isEmpty ? "allowed-group" : "allowed-role")
        }
        if roles.contains(where: { Self.rule($0) == nil }) {
            note("allowed-role", .routes, "a role of a client whose name has a dot is left out")
        }
        if !roles.isEmpty {
            draft.differ("roles must be in the ID token or in userinfo: map them into it, until then nobody passes")
        }
        let tenants = settings.list("entra-id-allowed-tenant")
        if !tenants.isEmpty { draft.rules.require("tid", tenants, from: "entra-id-allowed-tenant") }
    }

    /// Whose addresses of mail pass: those of domains, and those of a file.
    private mutating func addresses() {
        let domains = settings.list("email-domain")
        let file = settings.text("authenticated-emails-file")
        if domains.contains("*") { return }
        if domains.isEmpty, file == nil {
            draft.rules.undecide("email-domain")
            draft.step(
                "email-domain is not in what was read, and oauth2-proxy does not start without: give all its sources")
            return
        }
        guard settings.text("oidc-email-claim") ?? "email" == "email",
            settings.text("user-id-claim") ?? "email" == "email"
        else {
            for name in ["email-domain", "authenticated-emails-file"] where settings[name] != nil {
                draft.rules.undecide(name)
                note(name, .routes, "nobody passes until you decide: addresses count in the claim email alone")
            }
            return
        }
        var (rule, left) = EmailRule.of(domains)
        draft.leave(left, of: "email-domain", "ours has the domain itself beside what is below it, or it is none")
        if let file {
            rule.file = file
            draft.step("\(Printable.ascii(file)): an address of mail in each line and nothing else; # begins a comment")
        }
        draft.rules.require(rule, from: file == nil ? "email-domain" : "authenticated-emails-file")
        draft.differ(
            "addresses let somebody pass where email_verified is true alone; of a provider that never says so, such as "
                + "Entra ID, say another claim, such as tid")
    }

    /// A rule of a role; those of a client are `client:role`.
    private static func rule(_ role: String) -> ClaimRule? {
        let parts = role.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 1 { return ClaimRule(claim: "realm_access.roles", values: [role]) }
        guard parts.allSatisfy({ !$0.isEmpty }), !parts[0].utf8.contains(where: { $0 == 0x2E || $0 == 0x5C }),
            parts[0].firstRange(of: "://") == nil
        else { return nil }
        return ClaimRule(claim: "resource_access.\(parts[0]).roles", values: [parts[1]])
    }

    // MARK: Routes

    private mutating func routes() {
        let upstreams =
            settings.upstreams
            + settings.list("upstream").map { uri in
                ForeignUpstream(
                    place: settings["upstream"]?.place
                        ?? ForeignPlace(file: "", position: Position(line: 1, column: 1)), path: "", uri: uri)
            }
        var made = ForeignRoutes(upstreams, socketsByDefault: settings.isTrue("proxy-websockets", otherwise: true))
        for (place, why) in made.notes { draft.note(place, "upstream", .routes, why) }
        if upstreams.isEmpty || made.routes.isEmpty {
            made.routes = [RouteDraft("/", upstream: .unknown)]
        }
        let identity = ForeignIdentity(settings, isGitHub: isGitHub)
        for (place, name, why) in identity.notes { draft.note(place, name, .routes, why) }
        for difference in identity.differences { draft.differ(difference) }
        for index in made.routes.indices {
            made.routes[index].identity = identity.identity
            made.routes[index].credential = identity.credential
            if settings.isTrue("skip-auth-preflight") { made.routes[index].lines.append("cors: upstream") }
        }
        draft.routes = made.routes
        for name in ["skip-auth-regex", "skip-auth-route"] {
            guard let setting = settings[name] else { continue }
            for pattern in setting.values.prefix(Draft.maximumRoutes) { open(pattern, setting) }
        }
    }

    /// Makes a route public whose path is plain; every other stays protected.
    private mutating func open(_ rule: String, _ setting: ForeignSetting) {
        let parts = rule.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let method = parts.count == 2 && setting.name == "skip-auth-route" ? parts[0].uppercased() : ""
        let pattern = method.isEmpty && !rule.hasPrefix("=") ? rule : parts[parts.count - 1]
        let isMethod = method.utf8.allSatisfy { $0 >= 0x41 && $0 <= 0x5A } && method.utf8.count <= 20
        guard isMethod, let paths = PlainPattern.paths(pattern) else {
            return draft.note(setting, .routes, "stays protected, for it is no plain prefix: " + rule)
        }
        for path in paths {
            guard let route = draft.route(for: path), !(route.path == path && !method.isEmpty) else {
                draft.note(setting, .routes, "stays protected, for no other upstream has that path: " + rule)
                continue
            }
            var open = route
            open.path = path
            open.isPublic = true
            if method.isEmpty {
                for index in draft.routes.indices where open.covers(draft.routes[index].path) {
                    draft.routes[index].isPublic = true
                }
            } else {
                open.methods = [method]
                draft.differ("other methods than \(method) at \(path) are answered 405")
            }
            draft.add(open)
        }
    }

    private mutating func rest() {
        if let timeout = settings.text("upstream-timeout").flatMap(FlagValue.duration), timeout > 0 {
            draft.lines.append("timeouts: { upstream_first_byte: \(min(timeout, 3600))s }")
        }
        if let text = settings.text("metrics-address") {
            if let address = ListenAddress.ours(text) {
                draft.lines.append("admin: { address: \(YAMLText.scalar(address)) }")
            } else {
                note("metrics-address", .rest, "names no address of ours")
            }
        }
        if !settings.isTrue("request-logging", otherwise: true) { draft.lines.append("log: { access: \"off\" }") }
        draft.differ("metrics and health are at the admin listener: /metrics, /healthz and /readyz")
        draft.differ(
            "the paths of /oauth2/ are gone: see /.portcullis/login, /logout and /session in the article Login")
    }
}
