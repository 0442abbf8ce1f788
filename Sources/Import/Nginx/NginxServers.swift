import Configuration

/// The servers of an nginx configuration: the first that asks about its requests, and those at the same socket, each a host.
struct NginxServers {
    private let servers: [Directive]
    private let outside: [Directive]
    private let pools: [String: Directive]
    private let providers: [Directive]
    /// What oauth2-proxy's own files say of provider and client.
    private let beside: Draft?

    /// A draft of all of them.
    static func draft(_ directives: [Directive], beside: Draft?) throws(ImportRefusal) -> Draft {
        let https = directives.filter { $0.name == "http" }
        let all = directives + https.flatMap(\.children)
        let servers = all.filter { $0.name == "server" && $0.isBlock }
        let asks: (Directive) -> Bool = { $0.contains("auth_request") || $0.contains("auth_oidc") }
        let inherits = https.contains { http in http.children.contains { asks($0) && !$0.isBlock } }
        guard let server = servers.first(where: asks) ?? (inherits ? servers.first : nil) else {
            let place = directives.first?.place ?? ForeignPlace(file: "nginx", position: .init(line: 1, column: 1))
            throw ImportRefusal(
                place, expected: "a server with auth_request or auth_oidc", found: "none",
                remedy: "give the file with the server that asks oauth2-proxy, or what  nginx -T  prints")
        }
        let pools = all.filter { $0.name == "upstream" && $0.isBlock }
        let providers = https.flatMap { $0.all("oidc_provider") } + directives.filter { $0.name == "oidc_provider" }
        return NginxServers(
            servers: servers, outside: https,
            pools: Dictionary(pools.map { ($0.arguments.first ?? "", $0) }) { first, _ in first },
            providers: providers, beside: beside
        ).draft(first: server)
    }

    private func draft(first server: Directive) -> Draft {
        let first = translation(of: server, isSite: false)
        var draft = first.draft
        var redirects: [Directive] = []
        var certificates = [first.certificate]
        for other in servers where other.place != server.place {
            if Self.leadsElsewhere(other) {
                redirects.append(other)
            } else if isSite(other, beside: server), let site = site(of: other, first, server),
                draft.add(site: site.draft)
            {
                if !certificates.contains(site.certificate) { certificates.append(site.certificate) }
            } else {
                note(other, &draft)
            }
        }
        if certificates.count > 1, !draft.listeners.isEmpty {
            let list = certificates.map { "{ \($0) }" }.joined(separator: ", ")
            for index in draft.listeners[0].indices where draft.listeners[0][index].hasPrefix("tls: ") {
                draft.listeners[0][index] = "tls: { certificates: [\(list)]\(first.tlsKeys) }"
            }
        }
        if !draft.sites.isEmpty, first.tlsKeys.firstRange(of: "client_certificates") != nil {
            draft.differ("client_certificates are asked for at all hosts of the listener")
        }
        for redirect in redirects { self.redirect(redirect, &draft) }
        return draft
    }

    private func translation(of server: Directive, isSite: Bool) -> NginxTranslation {
        var draft = beside ?? Draft()
        // What oauth2-proxy's own files say of that is the first one's.
        if isSite { (draft.publicURL, draft.otherHosts) = (nil, []) }
        var translation = NginxTranslation(pools: pools, server: server, outside: outside, draft: draft)
        translation.translate(providers: providers, isAlone: beside == nil, isSite: isSite)
        return translation
    }

    /// Another server as a host; nil where it has no name of its own.
    private func site(of other: Directive, _ first: NginxTranslation, _ server: Directive) -> NginxTranslation? {
        var site = translation(of: other, isSite: true)
        guard site.draft.publicURL != nil else { return nil }
        let named = other.first("server_name")
        for name in site.draft.otherHosts {
            site.draft.note(
                other.place, "server_name \(name)", .listeners,
                "a further host has one name: write another into hosts, with its routes")
        }
        if site.listenerKeys != first.listenerKeys {
            // From where somebody comes is what the listener says.
            for index in site.draft.routes.indices { site.draft.routes[index].networks = [] }
            site.draft.note(
                (named ?? other).place, "server \(site.draft.host ?? "")", .listeners,
                "the listener's proxies are those of the first server: say networks in login yourself")
        }
        if beside != nil, !targets(other).isEmpty, asked(other) != asked(server) {
            site.draft.rules.undecide("auth_request")
            site.draft.note(
                other.place, "server \(site.draft.host ?? "")", .routes,
                "asks elsewhere than the first server: nobody passes until you decide")
        }
        return site
    }

    /// Whether a server is at the socket that the first one's listener has.
    private func isSite(_ other: Directive, beside server: Directive) -> Bool {
        guard let socket = Self.sockets(server).first else { return false }
        return Self.sockets(other).contains(socket) && Self.isSecure(other) == Self.isSecure(server)
    }

    /// The addresses that a server listens at, as far as they are ones of ours; nginx's own where it names none.
    private static func sockets(_ server: Directive) -> [String] {
        let listens = server.all("listen")
        guard !listens.isEmpty else { return ["0.0.0.0:80"] }
        return listens.compactMap { listen in
            let text = listen.arguments.first ?? ""
            return ListenAddress.ours(UInt16(text) != nil ? "*:" + text : text)
        }
    }

    private static func isSecure(_ server: Directive) -> Bool {
        server.all("listen").contains { $0.arguments.contains("ssl") } || server.first("ssl_certificate") != nil
    }

    /// The paths of a server at which requests are asked about.
    private func targets(_ server: Directive) -> Set<String> {
        let questions = server.every("auth_request") + outside.flatMap { $0.all("auth_request") }
        return Set(questions.compactMap(Self.path)).subtracting(["off"])
    }

    /// Where a server's questions go.
    private func asked(_ server: Directive) -> Set<String> {
        let targets = targets(server)
        let asking = server.every("location").filter { targets.contains($0.arguments.last ?? "") }
        return Set(asking.flatMap { $0.all("proxy_pass") }.compactMap(Self.path))
    }

    /// The first argument without a query.
    private static func path(_ directive: Directive) -> String? {
        directive.arguments.first.map { text in String(text.prefix { $0 != "?" }) }
    }

    /// Whether a server does nothing but lead elsewhere.
    private static func leadsElsewhere(_ server: Directive) -> Bool {
        ["301", "302", "307", "308"].contains(server.first("return")?.arguments.first ?? "")
            && !server.contains("proxy_pass")
    }

    private func redirect(_ other: Directive, _ draft: inout Draft) {
        let names = other.all("server_name").flatMap(\.arguments)
        let urls = [draft.publicURL] + draft.sites.map(\.publicURL)
        let port = other.first("listen")?.arguments.first ?? ""
        guard let address = ListenAddress.ours(UInt16(port) != nil ? "*:" + port : port), !other.contains("ssl"),
            names.contains(where: { urls.contains("https://" + $0) })
        else { return note(other, &draft) }
        let lines = ["address: \(YAMLText.scalar(address))", "redirect_to_https: true"]
        if draft.listeners.count < 2 {
            draft.listeners.append(lines)
        } else if draft.listeners[1] != lines {
            // One listener leads every host to itself.
            note(other, &draft)
        }
    }

    private func note(_ other: Directive, _ draft: inout Draft) {
        let name = other.all("server_name").flatMap(\.arguments).first ?? ""
        draft.note(
            other.place, "server \(name)", .listeners,
            "servers are carried that have a name of their own at the socket of the first that asks about its requests: import "
                + "another by itself")
    }
}
