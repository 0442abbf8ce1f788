import Configuration
import HTTPMessage

/// What a configuration of Apache with mod_auth_openidc becomes here: the first virtual host that signs people in, and those at the
/// same address, each a host.
struct ApacheTranslation {
    private var draft = Draft()
    private var directives: [Directive] = []
    /// Sections by path in the order of merging; those of folders and proxies hold for every path and come first.
    private var sections: [(path: String, section: Directive)] = []
    private var protectsAll = false
    private var refusesAll: [String] = []
    private var settings: [String: Directive] = [:]
    private var port: String?
    /// Of a host that does nothing but lead to https.
    private var plainPort: UInt16?
    private var hasTLS = false

    /// Its certificate and key.
    private var certificate = ""

    static func draft(_ directives: [Directive]) -> Draft {
        let top = flattened(directives)
        let hosts = top.filter { $0.name == "virtualhost" }
        let asks: (Directive) -> Bool = { host in signsIn(host) }
        let host = hosts.first(where: asks) ?? hosts.first { $0.contains("oidcclientid") } ?? hosts.first
        var translation = ApacheTranslation()
        let others = hosts.filter { $0.place != host?.place }
        translation.plainPort = others.lazy.compactMap { ApacheAnswers.portThatLeadsToHTTPS($0, nil) }.first
        translation.translate(top, host)
        var draft = translation.draft
        var certificates = [translation.certificate]
        for other in others {
            // One listener leads every host to itself.
            let plain = ApacheAnswers.portThatLeadsToHTTPS(other, nil)
            if plain != nil, plain == translation.plainPort { continue }
            var site = ApacheTranslation()
            site.translate(top, other, isSite: true)
            for name in site.draft.otherHosts {
                site.draft.note(
                    other.place, "ServerAlias \(name)", .listeners,
                    "a further host has one name: write another into hosts, with its routes")
            }
            if other.arguments == host?.arguments, site.hasTLS == translation.hasTLS, draft.add(site: site.draft) {
                if !certificates.contains(site.certificate) { certificates.append(site.certificate) }
            } else {
                draft.note(
                    other.place, "VirtualHost", .listeners,
                    "hosts are carried that have a ServerName at the address of the first that signs people in: import another "
                        + "by itself")
            }
        }
        if certificates.count > 1 {
            let list = certificates.map { "{ \($0) }" }.joined(separator: ", ")
            for index in draft.listeners[0].indices where draft.listeners[0][index].hasPrefix("tls: ") {
                draft.listeners[0][index] = "tls: { certificates: [\(list)] }"
            }
        }
        return draft
    }

    /// What conditions of modules and versions hold, in their place.
    private static func flattened(_ directives: [Directive]) -> [Directive] {
        directives.flatMap { directive -> [Directive] in
            var own = directive
            own.children = flattened(directive.children)
            return ["ifmodule", "ifdefine", "ifversion"].contains(directive.name) && directive.isBlock
                ? own.children : [own]
        }
    }

    private mutating func translate(_ top: [Directive], _ host: Directive?, isSite: Bool = false) {
        directives = top.filter { $0.name != "virtualhost" } + (host?.children ?? [])
        port = host?.arguments.first.flatMap { $0.split(separator: ":").last }.map(String.init)
        for directive in directives where directive.name.hasPrefix("oidc") { settings[directive.name] = directive }
        leftOut()
        listeners(redirectURI: isSite ? host?.first("oidcredirecturi")?.arguments.first : value("oidcredirecturi"))
        provider()
        client()
        session()
        collectSections()
        routes()
        draft.differ("claims are in fields whose names are told to the app; there are no environment variables")
        draft.differ("the paths of OIDCRedirectURI are gone: a logout is at /.portcullis/logout/web")
    }

    private static func signsIn(_ directive: Directive) -> Bool {
        directive.name == "authtype" && schemes.contains(directive.arguments.first?.lowercased() ?? "")
            || directive.children.contains { signsIn($0) }
    }

    private static let schemes = ["openid-connect", "auth-openidc", "oauth20"]

    private func value(_ name: String) -> String? { settings[name]?.arguments.first }

    private mutating func refuseAll(_ name: String) {
        if !refusesAll.contains(name), refusesAll.count < 32 { refusesAll.append(name) }
    }

    private mutating func note(_ directive: Directive, _ part: Draft.Part, _ why: String) {
        draft.note(directive.place, directive.spelling ?? directive.name, part, why)
    }

    /// Directives that are not carried, each at its place, also those in sections.
    private mutating func leftOut() {
        func walk(_ directive: Directive, _ draft: inout Draft) {
            if let row = DirectiveTable.row(directive.name) {
                let key = row.key.isEmpty ? "" : " (\(row.key))"
                let part: Draft.Part =
                    row.key.hasPrefix("issuers")
                    ? .issuers : row.key.hasPrefix("routes") ? .routes : row.key.hasPrefix("clients") ? .clients : .rest
                if row.effect == .restricts { draft.rules.undecide(String(row.name)) }
                if row.effect != .carried { draft.note(directive.place, String(row.name), part, row.words + key) }
            } else if directive.name.hasPrefix("oidc") {
                draft.rules.undecide(directive.spelling ?? directive.name)
                draft.note(
                    directive.place, directive.spelling ?? directive.name, .rest,
                    "is not known: nobody passes until you decide")
            } else if directive.name.hasPrefix("remoteip") {
                draft.note(
                    directive.place, directive.spelling ?? directive.name, .listeners,
                    "name the proxies in front in trusted_proxies, or in proxy_protocol where they write its headers")
            } else if ["include", "includeoptional", "use"].contains(directive.name) {
                draft.note(
                    directive.place, directive.spelling ?? directive.name, .rest,
                    "was not read: what is in it is missing here")
            }
            for child in directive.children { walk(child, &draft) }
        }
        for directive in directives { walk(directive, &draft) }
        // Sections of a file that was not read could protect anything.
        if directives.contains(where: {
            ["include", "includeoptional", "use"].contains($0.name)
                && $0.arguments.first?.hasSuffix("options-ssl-apache.conf") != true
        }) {
            protectsAll = true
        }
    }

    // MARK: Listener, provider, client

    /// The listener, and the public URL: that of `redirectURI`, which is the host's own, or by its name.
    private mutating func listeners(redirectURI: String?) {
        let first: (String) -> String? = { [directives] name in
            directives.last { $0.name == name }?.arguments.first
        }
        var lines: [String] = []
        let isSecure = first("sslcertificatefile") != nil || first("sslengine")?.lowercased() == "on"
        hasTLS = isSecure
        if isSecure {
            let file = first("sslcertificatefile")
            let key = first("sslcertificatekeyfile") ?? file ?? "tls.key"
            certificate = "certificate: \(YAMLText.scalar(file ?? "tls.crt")), key: \(YAMLText.scalar(key))"
            lines.append("tls: { \(certificate) }")
        }
        if let verify = directives.last(where: { $0.name == "sslverifyclient" }),
            verify.arguments.first?.lowercased() != "none"
        {
            refuseAll("SSLVerifyClient")
            note(verify, .listeners, "nobody passes until you decide: say client_certificates")
        }
        let listen = first("listen")
        let number =
            port.flatMap { UInt16($0) } ?? listen.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
            ?? (isSecure ? 443 : 80)
        draft.listeners = [["address: 0.0.0.0:\(number)"] + lines]
        if let plainPort, isSecure, plainPort != number {
            draft.listeners.append(["address: 0.0.0.0:\(plainPort)", "redirect_to_https: true"])
        }
        let suffix = isSecure && number != 443 ? ":\(number)" : ""
        if let text = redirectURI, let url = URI(text), !url.host.isEmpty {
            draft.publicURL = "https://" + (url.scheme == "https" ? url.authority : url.host)
        } else if let name = first("servername") {
            let host = name.split(separator: "/").last.map { String($0.prefix { $0 != ":" }) } ?? ""
            if URI("https://" + host) != nil { draft.publicURL = "https://" + host.lowercased() + suffix }
        }
        let aliases = directives.filter { $0.name == "serveralias" }.flatMap(\.arguments).map { $0.lowercased() }
        draft.otherHosts = aliases.filter {
            URI("https://\($0)") != nil && !$0.utf8.contains(UInt8(ascii: "*")) && draft.publicURL != "https://\($0)"
        }
        draft.otherHosts = draft.otherHosts.map { $0 + suffix }.reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    private mutating func provider() {
        let metadata = "/.well-known/openid-configuration"
        if let url = value("oidcproviderissuer") {
            draft.issuerURL = url
        } else if let url = value("oidcprovidermetadataurl") {
            if url.hasSuffix(metadata) {
                draft.issuerURL = String(url.dropLast(metadata.utf8.count))
                draft.step(
                    "issuers.provider.url: compare it with issuer in the provider's metadata, which may have a slash at its end"
                )
            } else if let directive = settings["oidcprovidermetadataurl"] {
                note(directive, .issuers, "the issuer is not known from this URL: write issuer of that document")
            }
        }
        if let url = draft.issuerURL,
            URI(url) == nil
                || ["/common/", "/organizations/", "/consumers/"].contains(where: { url.firstRange(of: $0) != nil })
        {
            draft.issuerURL = nil
        }
        if let file = value("oidccabundlepath") {
            draft.issuerLines.append("certificate_authority: \(YAMLText.scalar(file))")
        }
    }

    private mutating func client() {
        draft.clientID = value("oidcclientid")
        draft.scopes = (["openid"] + (value("oidcscope")?.split(separator: " ").map(String.init) ?? [])).reduce(into: []
        ) { if !$0.contains($1) { $0.append($1) } }
        let method =
            value("oidcprovidertokenendpointauth").map { String($0.prefix { $0 != ":" }) } ?? "client_secret_basic"
        switch method {
        case "client_secret_basic", "client_secret_post", "client_secret_jwt":
            draft.authentication = "{ method: \(method), secret: { file: client.secret } }"
        case "private_key_jwt":
            let file = settings["oidcprivatekeyfiles"]?.arguments.first.map { text in
                String(text.split { "#:@".contains($0) }.last ?? "")
            }
            draft.authentication =
                "{ method: private_key_jwt, key: { file: \(YAMLText.scalar(file ?? "client.key")) } }"
        case "tls_client_auth", "self_signed_tls_client_auth":
            draft.authentication =
                "{ method: \(method), certificate: \(YAMLText.scalar(value("oidcclienttokenendpointcert") ?? "client.crt")), key: { file: \(YAMLText.scalar(value("oidcclienttokenendpointkey") ?? "client.key")) } }"
        default:
            if let directive = settings["oidcprovidertokenendpointauth"] {
                note(directive, .clients, "a client without a credential has no key: give it a secret")
            }
        }
        if let mode = value("oidcresponsemode"), ["query", "form_post"].contains(mode) {
            draft.clientLines.append("response_mode: \(mode)")
        }
        if value("oidcproviderauthrequestmethod")?.uppercased() == "PAR" {
            draft.clientLines.append("authorization_request: pushed")
        }
        if let mode = value("oidcdpopmode")?.lowercased(), ["optional", "required"].contains(mode) {
            draft.clientLines.append("dpop: \(mode)")
        }
        if let algorithm = value("oidcidtokensignedresponsealg"), AcceptedText.isGood(algorithm, for: .algorithm) {
            draft.clientLines.append("id_token: { algorithm: \(YAMLText.scalar(algorithm)) }")
        }
        if value("oidcprovideruserinfoendpoint") != "" { draft.clientLines.append("userinfo: optional") }
        if let directive = settings["oidcauthrequestparams"] { parameters(directive) }
        if value("oidcproviderbackchannellogoutsupported")?.lowercased() == "on" {
            draft.clientLines.append("logout: { backchannel: true }")
        }
    }

    private mutating func parameters(_ directive: Directive) {
        for pair in (directive.arguments.first ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            let isPlain = parts.count == 2 && !parts[1].utf8.contains { "%+#$".utf8.contains($0) }
            if isPlain, parts[0] == "prompt", AcceptedText.isGood(parts[1], for: .prompt) {
                draft.clientLines.append("prompt: \(YAMLText.scalar(parts[1]))")
            } else if isPlain, parts[0] == "acr_values", AcceptedText.isGood(parts[1], for: .authenticationContext) {
                draft.clientLines.append("acr_values: \(YAMLText.list([parts[1]]))")
            } else {
                note(directive, .clients, "no parameter is sent but prompt and acr_values: \(parts.first ?? "")")
            }
        }
    }

    private mutating func session() {
        let idle = value("oidcsessioninactivitytimeout").flatMap { Int($0) } ?? 300
        let absolute = value("oidcsessionmaxduration").flatMap { Int($0) } ?? 28_800
        let bounded = absolute <= 0 ? 28_800 : min(max(absolute, 60), 34_560_000)
        draft.sessionLines += ["idle: \(min(max(idle, 60), bounded))s", "absolute: \(bounded)s"]
        let site = settings["oidccookiesamesite"]?.arguments.map { $0.lowercased() } ?? []
        if site.first == "strict" { draft.sessionLines.append("same_site: strict") }
        if let directive = settings["oidccookiedomain"] {
            draft.cookieDomains = (directive.place, directive.spelling ?? directive.name, directive.arguments)
        }
        draft.differ("sessions are in sealed cookies; say store: memory or shared for another place")
    }

    // MARK: Sections and routes

    private mutating func collectSections() {
        for directive in directives where directive.isBlock {
            switch directive.name {
            case "proxy", "directory":
                let isForProxies = directive.name == "proxy" && directive.arguments.first == "*"
                if isForProxies || Self.signsIn(directive) {
                    sections.insert(("/", directive), at: sections.filter { $0.section.name != "location" }.count)
                }
            case "location":
                let path = directive.arguments.last ?? ""
                if directive.arguments.count == 1, RouteDraft.isPath(path) {
                    sections.append((path, directive))
                } else {
                    expression(directive)
                }
            case "locationmatch", "directorymatch", "proxymatch", "if", "elseif", "else", "files", "filesmatch",
                "limit", "limitexcept":
                expression(directive)
            default: continue
            }
        }
        for directive in directives where directive.name == "rewriterule" {
            let flags = directive.arguments.last.map { $0.uppercased() } ?? ""
            if ["[F", ",F", "[G", ",G", "FORBIDDEN"].contains(where: { flags.firstRange(of: $0) != nil }) {
                refuseAll("RewriteRule")
                note(directive, .routes, "forbids by an expression: nobody passes until you decide")
            } else if ApacheAnswers.status(ofFlags: flags) == nil {
                protectsAll = true
                note(directive, .routes, "paths are passed on by ProxyPass alone: nothing is public")
            }
        }
    }

    /// A section that no path of ours stands for.
    private mutating func expression(_ section: Directive) {
        var access = ApacheAccess()
        access.merge(section)
        guard access.scheme != nil || !access.requirements.isEmpty else { return }
        let outcome = ApacheRequirement.any(access.requirements)
        let scheme = access.scheme ?? ""
        let isLogin = !outcome.isEverybody && outcome.rules.isEmpty && (scheme.isEmpty || Self.schemes.contains(scheme))
        if outcome.isEverybody {
            return note(
                section, .routes, "an expression is no path of ours: it stays as protected as what is around it")
        }
        protectsAll = true
        if isLogin, !access.requirements.isEmpty {
            return note(
                section, .routes, "an expression is no path of ours: so that it stays protected, nothing is public")
        }
        refuseAll(section.spelling ?? section.name)
        note(
            section, .routes,
            "an expression is no path of ours, and it lets fewer pass: nobody passes anywhere until you decide")
    }

    private static func covers(_ section: String, _ path: String) -> Bool {
        section == "/" || section == path || path.hasPrefix(section.hasSuffix("/") ? section : section + "/")
    }

    private mutating func routes() {
        var proxied = ApacheUpstreams(directives, sections)
        for (directive, why) in proxied.notes { note(directive, .routes, why) }
        for difference in proxied.differences { draft.differ(difference) }
        let hosts = (draft.publicURL.map { [String($0.dropFirst("https://".utf8.count))] } ?? []) + draft.otherHosts
        let answers = ApacheAnswers(directives, hosts: hosts, proxied)
        for (directive, why) in answers.notes { note(directive, .routes, why) }
        let answered = Set(answers.routes.map(\.path))
        proxied.passes.removeAll { $0.isExcluded && answered.contains($0.path) }
        var paths: [String] = []
        for path in sections.map(\.path) + proxied.passes.map(\.path) {
            for own in path.hasSuffix("/") ? [path] : [path, path + "/"]
            where !paths.contains(own) && !answered.contains(own) && paths.count < Draft.maximumRoutes {
                paths.append(own)
            }
        }
        let callback = value("oidcredirecturi").flatMap { text in text.hasPrefix("/") ? text : URI(text)?.path } ?? ""
        for path in paths where callback.isEmpty || path != callback && path != callback + "/" {
            var access = ApacheAccess()
            for (section, directive) in sections where Self.covers(section, path) { access.merge(directive) }
            draft.add(route(path, access, proxied.pass(for: path)))
        }
        for route in answers.routes where draft.routes.count < Draft.maximumRoutes { draft.add(route) }
        if proxied.passes.isEmpty { draft.step("no ProxyPass names an upstream: this gateway serves no files") }
    }

    private mutating func route(_ path: String, _ access: ApacheAccess, _ pass: ApacheUpstreams.Pass?) -> RouteDraft {
        var route = RouteDraft(path, upstream: pass?.upstream ?? .unknown)
        if let pass, !(pass.change.map { route.apply($0) } ?? false) {
            route.rules.undecide("ProxyPass")
            note(
                pass.directive, .routes,
                "more than a prefix is changed, or nothing is passed on: nobody passes at \(path) until you decide")
        }
        let outcome = ApacheRequirement.any(access.requirements)
        let scheme = access.scheme ?? "none"
        if access.requirements.isEmpty, !Self.schemes.contains(scheme) || scheme == "none" {
            route.isPublic = true
        } else if outcome.isEverybody {
            route.isPublic = true
        } else {
            route.rules.add(outcome.rules)
            if scheme == "oauth20" || !Self.schemes.contains(scheme) { route.rules.undecide("AuthType \(scheme)") }
            if scheme == "auth-openidc" {
                draft.differ("tokens of programs open no route until it says token, beside login")
            }
        }
        if let directive = access.requirements.first, !outcome.rules.undecided.isEmpty {
            note(directive, .routes, "lets fewer pass by what has no key: nobody passes at \(path) until you decide")
        }
        if let directive = access.requirements.first, outcome.isPartial, outcome.rules.undecided.isEmpty {
            note(directive, .routes, "at \(path) an alternative that has no key is left out: fewer pass")
        }
        visitors(outcome, access, &route)
        for setting in refusesAll { route.rules.undecide(setting) }
        if protectsAll { route.isPublic = false }
        if !route.rules.isEmpty { route.isPublic = false }
        let value: (String) -> Directive? = { [settings] in access.settings[$0] ?? settings[$0] }
        route.isOptional = value("oidcunauthaction")?.arguments.first?.lowercased() == "pass" && route.rules.isEmpty
        let fields = ApacheFields(
            access, directives, value: { value($0)?.arguments.first },
            bindsTokens: draft.clientLines.contains { $0.hasPrefix("dpop:") })
        for (directive, why) in fields.notes { note(directive, .routes, why) }
        route.identity = fields.identity
        route.credential = fields.credential
        route.requestFields = fields.requestFields
        route.responseFields = fields.responseFields
        if pass?.takesWebSockets == true { route.lines.append("websocket: true") }
        return route
    }

    /// Networks whose people need not sign in, where a client's address is without doubt its own.
    private mutating func visitors(
        _ outcome: ApacheRequirement.Outcome, _ access: ApacheAccess, _ route: inout RouteDraft
    ) {
        guard !outcome.networks.isEmpty, outcome.rules.undecided.isEmpty, let directive = access.requirements.first
        else {
            return
        }
        guard hasTLS, !directives.contains(where: { $0.name.hasPrefix("remoteip") }) else {
            return note(
                directive, .routes,
                "say networks in login yourself, and trusted_proxies: somebody else knows the addresses")
        }
        let found = ForeignNetworks(outcome.networks, proxies: [])
        route.networks = found.networks
        if !found.left.isEmpty { note(directive, .routes, "what is no network in CIDR notation needs a login") }
        draft.differ("who comes from networks has no identity, and what they change needs X-Requested-By")
    }
}
