import Configuration
import HTTPMessage

/// What a server of nginx becomes here, and its locations.
struct NginxTranslation {
    private let pools: [String: Directive]
    private let server: Directive
    private let outside: [Directive]
    var draft: Draft
    /// Whether what nginx protects cannot be told apart from what is public, so that nothing is.
    private var protectsAll = false
    /// Of settings that keep everybody out everywhere.
    private var refusesAll: [String] = []
    private var hasTLS = false
    /// Its certificate and key, and what else its `tls` says.
    private(set) var certificate = ""
    private(set) var tlsKeys = ""
    /// What its listener says beside address and certificates.
    private(set) var listenerKeys: [String] = []
    /// The paths at which nginx asks.
    private let asked: Set<String>
    private var proxies: [String] = []
    /// Whether it is known from where headers of the PROXY protocol come; nil where none are read.
    private var knowsHeaders: Bool?

    init(pools: [String: Directive], server: Directive, outside: [Directive], draft: Draft) {
        self.pools = pools
        self.server = server
        self.outside = outside
        self.draft = draft
        let questions = Self.questions(server) + outside.flatMap { $0.all("auth_request") }
        asked = Set(questions.map { ($0.arguments.first ?? "").prefix { $0 != "?" } }.map(String.init))
    }

    private var scope: NginxScope { NginxScope(blocks: [server] + outside) }

    /// Makes the draft; `providers` are those of nginx itself, and `isAlone` says that no files of oauth2-proxy are there.
    mutating func translate(providers: [Directive], isAlone: Bool, isSite: Bool = false) {
        let shared = draft.routes.first?.lines.filter { $0.hasPrefix("cors:") } ?? []
        draft.forgetRoutes()
        if !draft.networks.isEmpty {
            draft.networks = []
            draft.note(
                server.place, "trusted-ip", .routes, "of oauth2-proxy behind nginx: say networks in login yourself")
        }
        listeners(isSite: isSite)
        let named = ([server] + outside).lazy.compactMap { $0.named("auth_oidc") }.first
        if let provider = providers.first(where: { $0.arguments.first == named }) ?? providers.first {
            own(provider)
        } else if isAlone {
            draft.step(
                "nginx does not say which provider it is: give oauth2-proxy's files behind it, or fill issuers and clients in"
            )
            draft.rules.undecide("oauth2-proxy")
        }
        for directive in server.all("rewrite")
        where !["permanent", "redirect"].contains(directive.arguments.last ?? "") {
            protectsAll = true
            note(directive, "more than a prefix is changed: nothing is public, and requests keep their path")
        }
        var routes: [(route: RouteDraft, isExact: Bool)] = []
        locations(of: server, in: scope, depth: 0, into: &routes)
        if protectsAll {
            for index in routes.indices where routes[index].route.isPublic { routes[index].route.isPublic = false }
        }
        // nginx asks for exact locations first, whatever their order.
        for (route, _) in routes.filter(\.isExact) + routes.filter({ !$0.isExact }) {
            var route = route
            for setting in refusesAll { route.rules.undecide(setting) }
            if route.answer == nil { route.lines += shared }
            draft.add(route)
        }
        redirects()
        for protected in routes.map(\.route) where !protected.isPublic && !protected.isSubtree {
            protectAround(protected.path)
        }
        draft.differ(
            "a location without a slash at its end is its path and what is below it: /app, /app/x, and not /apple")
    }

    /// What nginx protects by how a path begins, and ours by whole segments, must not be public in between.
    private mutating func protectAround(_ path: String) {
        for index in draft.routes.indices where draft.routes[index].isPublic && draft.routes[index].covers(path) {
            // nginx asks for exact locations first.
            if draft.routes[index].path == path, draft.routes[index].answer != nil { continue }
            draft.routes[index].isPublic = false
            draft.routes[index].comments.append("protected too: \(path) began names of this one that nginx protected")
        }
    }

    /// What leads elsewhere before any location is looked for.
    private mutating func redirects() {
        for directive in server.all("rewrite") where ["permanent", "redirect"].contains(directive.arguments.last ?? "")
        {
            let routes = NginxAnswer.routes(directive, hosts: hosts)
            if routes.isEmpty || routes.contains(where: { route in draft.routes.contains { $0.path == route.path } }) {
                note(directive, "more than a prefix, or a location's own: it leads nowhere until a route says redirect")
            } else {
                for route in routes { draft.add(route) }
            }
        }
    }

    /// The hosts that are this server's own.
    private var hosts: [String] {
        (draft.publicURL.map { [String($0.dropFirst("https://".utf8.count))] } ?? []) + draft.otherHosts
    }

    private mutating func refuseAll(_ name: String) {
        if !refusesAll.contains(name), refusesAll.count < 32 { refusesAll.append(name) }
    }

    private mutating func note(_ directive: Directive, _ why: String, _ part: Draft.Part = .routes) {
        let first = directive.arguments.first.map { " " + $0 } ?? ""
        draft.note(
            directive.place,
            directive.name
                + (directive.name == "location"
                    ? " " + directive.arguments.joined(separator: " ")
                    : ["proxy_set_header", "add_header", "proxy_hide_header", "include"].contains(directive.name)
                        ? first : ""),
            part, why)
    }

    // MARK: The server

    private mutating func listeners(isSite: Bool) {
        let names = server.all("server_name").flatMap(\.arguments)
        let plain = names.filter { name in
            name != "_" && !name.isEmpty
                && name.utf8.allSatisfy {
                    $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0 >= 0x2D && $0 <= 0x39 && $0 != 0x2F
                }
        }
        if let directive = server.first("server_name"), plain.count < names.count {
            note(directive, "list each name; *.example.com is a host here too, of one label in front", .listeners)
        }
        let listens = server.all("listen")
        draft.listeners = []
        var lines: [String] = []
        let isSecure = listens.contains { $0.arguments.contains("ssl") } || server.first("ssl_certificate") != nil
        hasTLS = isSecure
        if isSecure { tls(isSite: isSite) }
        proxies = scope.all("set_real_ip_from").compactMap(\.arguments.first).compactMap(ForeignNetworks.network)
            .reduce(into: []) { if !$0.contains($1), $0.count < 64 { $0.append($1) } }
        if let listen = listens.first(where: { $0.arguments.dropFirst().contains("proxy_protocol") }) {
            knowsHeaders = realIPField == "proxy_protocol" && !proxies.isEmpty
            if knowsHeaders == true {
                lines.append("proxy_protocol: { from: \(YAMLText.list(proxies)) }")
                draft.differ("connections from elsewhere than proxy_protocol.from are closed")
            } else {
                note(
                    listen, "nobody passes until you decide: name the balancer's networks in proxy_protocol.from",
                    .listeners)
            }
        } else if !proxies.isEmpty {
            lines.append("trusted_proxies: \(YAMLText.list(proxies))")
            if !readsForwardedFor {
                draft.differ("clients of trusted_proxies are those of X-Forwarded-For, no other field")
            }
        }
        listenerKeys = lines
        if isSecure { lines.insert("tls: { \(certificate)\(tlsKeys) }", at: 0) }
        for listen in listens where !isSite {
            let text = listen.arguments.first ?? ""
            let isPort = UInt16(text) != nil
            guard let address = ListenAddress.ours(isPort ? "*:" + text : text) else {
                note(listen, "names no address of ours", .listeners)
                continue
            }
            if draft.listeners.isEmpty {
                draft.listeners.append(["address: \(YAMLText.scalar(address))"] + lines)
            } else {
                note(listen, "one address is carried: add a listener for another", .listeners)
            }
        }
        if draft.listeners.isEmpty { draft.listeners.append(["address: 0.0.0.0:\(isSecure ? 443 : 80)"] + lines) }
        guard let host = plain.first else { return }
        let port = listens.first?.arguments.first.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
        let suffix = isSecure && port != nil && port != 443 ? ":\(port ?? 443)" : ""
        draft.publicURL = "https://\(host.lowercased())\(suffix)"
        draft.otherHosts = plain.dropFirst().map { $0.lowercased() + suffix }.filter {
            $0 != host.lowercased() + suffix
        }
        draft.otherHosts = draft.otherHosts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        if !isSecure { draft.differ("browsers come by https: without ssl here, what is in front of this must have it") }
    }

    private var realIPField: String? { scope.first("real_ip_header")?.arguments.first?.lowercased() }

    private var readsForwardedFor: Bool { realIPField == "x-forwarded-for" }

    /// Whether it is known without doubt from where somebody comes.
    private var knowsVisitors: Bool {
        knowsHeaders ?? (proxies.isEmpty ? hasTLS : readsForwardedFor)
    }

    private mutating func tls(isSite: Bool) {
        let certificate = scope.first("ssl_certificate")?.arguments.first
        let key = scope.first("ssl_certificate_key")?.arguments.first
        if certificate == nil { draft.step("tls: name certificate and key, which this file of nginx does not") }
        self.certificate =
            "certificate: \(YAMLText.scalar(certificate ?? "tls.crt")), key: \(YAMLText.scalar(key ?? "tls.key"))"
        if let asked = scope.first("ssl_verify_client"), let mode = asked.arguments.first, mode != "off" {
            let authorities = scope.first("ssl_client_certificate")?.arguments.first
            // A listener asks for the certificates of all its hosts, by what its first one says.
            if mode == "on" || mode == "optional", let authorities, !isSite {
                tlsKeys +=
                    ", client_certificates: { request: \(mode == "on" ? "required" : "optional"), trust: { authorities: \(YAMLText.scalar(authorities)) } }"
            } else {
                refuseAll("ssl_verify_client")
                note(asked, "nobody passes until you decide: say client_certificates", .listeners)
            }
        }
        if let versions = scope.first("ssl_protocols"), versions.arguments == ["TLSv1.3"] {
            tlsKeys += ", minimum_version: \"1.3\""
        }
    }

    /// An nginx that is itself a client of a provider.
    private mutating func own(_ provider: Directive) {
        for directive in provider.children {
            let value = directive.arguments.first ?? ""
            switch directive.name {
            case "issuer": draft.issuerURL = value
            case "client_id": draft.clientID = value
            case "client_secret": break
            case "scope":
                let asked = directive.arguments.flatMap { $0.split { " +".contains($0) }.map(String.init) }
                draft.scopes = (["openid"] + asked).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            case "ssl_trusted_certificate": draft.issuerLines.append("certificate_authority: \(YAMLText.scalar(value))")
            case "session_timeout":
                let seconds = NginxNumber.seconds(value) ?? 28_800
                if seconds >= 60 {
                    draft.sessionLines += [
                        "idle: \(min(seconds, 34_560_000))s", "absolute: \(min(seconds, 34_560_000))s",
                    ]
                }
            default: note(directive, "has no key", .clients)
            }
        }
    }

    // MARK: Locations

    private mutating func locations(
        of block: Directive, in scope: NginxScope, depth: Int, into routes: inout [(route: RouteDraft, isExact: Bool)]
    ) {
        for location in block.all("location") where location.isBlock {
            let own = scope.inside(location)
            self.location(location, in: own, into: &routes)
            if depth < 8 { locations(of: location, in: own, depth: depth + 1, into: &routes) }
        }
    }

    private mutating func location(
        _ location: Directive, in own: NginxScope, into routes: inout [(route: RouteDraft, isExact: Bool)]
    ) {
        guard routes.count < Draft.maximumRoutes else { return refuseAll("too many locations") }
        let path = location.arguments.last ?? ""
        let modifier = location.arguments.count > 1 ? location.arguments[0] : ""
        // Of nginx itself, and of oauth2-proxy, which has no paths here.
        if path.hasPrefix("@") || isQuestions(location, path) { return }
        let isProtected = own.question != nil || own.first("auth_oidc") != nil
        let refusal = refusal(location, own)
        guard modifier.isEmpty || modifier == "=" || modifier == "^~", RouteDraft.isPath(path) else {
            var rules = ClaimRules()
            if let question = own.question { self.rules(of: question, into: &rules) }
            if refusal.map({ own.restriction?.place == $0.place || Self.denies($0) }) ?? !rules.isEmpty {
                refuseAll("location " + path)
                return note(
                    location, "an expression that lets fewer pass: nobody passes anywhere until you decide")
            }
            if isProtected { protectsAll = true }
            return note(
                location,
                isProtected
                    ? "an expression is no path of ours: so that it stays protected, nothing is public"
                    : "an expression is no path of ours: it stays as protected as what is around it")
        }
        let isExact = modifier == "="
        let leadsElsewhere = refusal.map { $0.name == "return" && !Self.denies($0) } ?? false
        if isExact, path.hasSuffix("/"), own.restriction == nil, leadsElsewhere || refusal == nil && !isProtected {
            return note(
                location,
                "one path with a slash at its end is a subtree here: it stays as protected as what is around it")
        }
        let paths = isExact || path.hasSuffix("/") ? [path] : [path, path + "/"]
        if let answers = answers(location, own, paths, isExact: isExact) {
            for (path, answer) in zip(paths, answers) {
                var route = RouteDraft(path, upstream: .unknown)
                route.answer = answer
                route.isPublic = true
                route.responseFields = NginxFields(own).responseFields
                routes.append((route, isExact))
            }
            return
        }
        var route = forwarding(path, location, own)
        if let refusal {
            route.rules.undecide(refusal.name)
            note(refusal, "nobody passes at \(path) until you decide")
        }
        if let question = own.question { rules(of: question, into: &route.rules) }
        visitors(own, &route)
        if isExact, path.hasSuffix("/"), refusal == nil {
            route.rules.undecide("location = \(path)")
            note(location, "one path with a slash at its end is a subtree here: nobody passes there until you decide")
        }
        if !isProtected, route.rules.isEmpty {
            if let include = own.unreadFiles {
                note(include, "was not read, and may protect \(path): it is protected")
            } else {
                route.isPublic = true
            }
        }
        for path in paths {
            route.path = path
            routes.append((route, isExact))
        }
    }

    /// What nginx answers at these paths before it asks who is there; nil where it does not, or ours cannot.
    private mutating func answers(
        _ location: Directive, _ own: NginxScope, _ paths: [String], isExact: Bool
    ) -> [RouteAnswer]? {
        guard let reply = location.first("return"), server.first("return") == nil, own.restriction == nil,
            own.unreadFiles == nil, location.first("rewrite") == nil,
            !isExact || paths.allSatisfy({ !$0.hasSuffix("/") })
        else { return nil }
        let found = paths.compactMap { NginxAnswer.answer(reply, path: $0, own: own, hosts: hosts) }
        guard found.count == paths.count else { return nil }
        if found.contains(where: \.differs) {
            draft.differ("what follows \(paths[paths.count - 1]) comes behind the place that it leads to")
        }
        return found.map(\.answer)
    }

    /// A route with the location's upstream and fields.
    private mutating func forwarding(_ path: String, _ location: Directive, _ own: NginxScope) -> RouteDraft {
        let upstream = NginxUpstream(location, own, pools: pools)
        for (directive, why) in upstream.notes { note(directive, why) }
        for difference in upstream.differences { draft.differ(difference) }
        var route = RouteDraft(path, upstream: upstream.upstream)
        if let target = upstream.target, target != path {
            if let change = PathRewrite(of: path, to: target), route.apply(change) {
                if path.hasSuffix("/") != target.hasSuffix("/") {
                    draft.differ("\(path)/x reaches its upstream as /x, no longer as //x")
                }
            } else {
                route.rules.undecide("proxy_pass")
                note(
                    location.first("proxy_pass") ?? location,
                    "more than a prefix is changed: nobody passes at \(path) until you decide")
            }
        }
        let fields = NginxFields(own)
        for (directive, why) in fields.notes { note(directive, why) }
        for difference in fields.differences { draft.differ(difference) }
        route.identity = fields.identity
        route.credential = fields.credential
        route.requestFields = fields.requestFields
        route.responseFields = fields.responseFields
        if fields.takesWebSockets { route.lines.append("websocket: true") }
        route.lines += bounds(own)
        return route
    }

    /// People of some networks, who need not sign in where it is known without doubt from where they come.
    private mutating func visitors(_ own: NginxScope, _ route: inout RouteDraft) {
        guard let texts = own.visitors, let directive = own.first("satisfy") else { return }
        guard knowsVisitors else {
            return note(directive, "say networks in login yourself: without TLS here somebody else knows the addresses")
        }
        let found = ForeignNetworks(texts, proxies: proxies)
        route.networks = found.networks
        if !found.left.isEmpty { note(directive, "what is no network, or has a proxy in it, needs a login") }
        draft.differ("who comes from networks has no identity, and what they change needs X-Requested-By")
    }

    /// What keeps a location from being a login or public alone.
    private func refusal(_ location: Directive, _ own: NginxScope) -> Directive? {
        if let found = own.restriction { return found }
        if let found = location.first("return") ?? server.first("return") { return found }
        for name in [
            "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass", "root", "alias", "try_files",
            "js_content", "content_by_lua_block", "empty_gif",
        ] {
            if let found = location.first(name), location.first("proxy_pass") == nil { return found }
        }
        if let found = location.first("rewrite"), !["permanent", "redirect"].contains(found.arguments.last ?? "") {
            return found
        }
        guard location.first("proxy_pass") == nil else { return nil }
        return location.children.isEmpty || location.first("location") == nil ? location : nil
    }

    /// Whether an answer of nginx's own keeps everybody out, and leads nowhere.
    private static func denies(_ answer: Directive) -> Bool {
        answer.name == "return" && !["301", "302", "303", "307", "308"].contains(answer.arguments.first ?? "")
    }

    /// Whether a location is where nginx asks, or oauth2-proxy's own pages.
    private func isQuestions(_ location: Directive, _ path: String) -> Bool {
        if path == "/oauth2" || path.hasPrefix("/oauth2/") { return true }
        return asked.contains { target in
            target == path || path.hasSuffix("/") && path != "/" && target.hasPrefix(path)
        }
    }

    private static func questions(_ block: Directive) -> [Directive] {
        block.all("auth_request") + block.children.filter(\.isBlock).flatMap { questions($0) }
    }

    /// Groups and addresses that the question itself names, as oauth2-proxy reads them from its query.
    private mutating func rules(of question: Directive, into rules: inout ClaimRules) {
        var query =
            (question.arguments.first ?? "").split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init)
            ?? ""
        let target = String((question.arguments.first ?? "").prefix { $0 != "?" })
        for location in server.all("location") where location.arguments.last == target {
            if let mark = location.first("proxy_pass")?.arguments.first, let at = mark.firstIndex(of: "?") {
                query += "&" + mark[mark.index(after: at)...]
            }
        }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            let values = parts[1].split(separator: ",").map(String.init)
            let isPlain = !parts[1].utf8.contains { "%+$*".utf8.contains($0) }
            switch parts[0] {
            case "allowed_groups" where isPlain: rules.require("groups", values, from: "allowed_groups")
            case "allowed_emails" where isPlain:
                rules.require("email", values, from: "allowed_emails")
                let line = "require_verified_email: true"
                if !draft.clientLines.contains(line) { draft.clientLines.append(line) }
            case "allowed_email_domains" where parts[1].utf8.allSatisfy({ !"%+$".utf8.contains($0) }):
                let (rule, left) = EmailRule.of(values)
                rules.require(rule, from: "allowed_email_domains")
                draft.leave(
                    left, of: "allowed_email_domains",
                    "ours has the domain itself beside what is below it, or it is none")
            case "rd": continue
            default:
                rules.undecide(parts[0])
                note(question, "nobody passes until you decide: \(parts[0]) has no key")
            }
        }
    }

    // MARK: Upstreams and fields

    /// Bounds and times of a location.
    private func bounds(_ own: NginxScope) -> [String] {
        var lines: [String] = []
        if let size = own.first("client_max_body_size")?.arguments.first.flatMap(NginxNumber.bytes) {
            lines.append("limits: { request_body: \(size) }")
        }
        if let seconds = own.first("proxy_read_timeout")?.arguments.first.flatMap(NginxNumber.seconds), seconds > 0,
            seconds <= 86_400
        {
            lines.append(
                "timeouts: { upstream_first_byte: \(min(seconds, 3600))s, response_body: \(min(seconds, 3600))s }")
        }
        return lines
    }
}
