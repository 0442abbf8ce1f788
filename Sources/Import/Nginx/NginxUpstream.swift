import HTTPMessage

/// Where a location of nginx sends its requests.
struct NginxUpstream {
    /// Pools by name.
    let pools: [String: Directive]
    private(set) var upstream = UpstreamDraft.unknown
    /// The path that takes the place of the location's; nil where paths stay, or nothing is sent anywhere.
    private(set) var target: String?
    private(set) var notes: [(directive: Directive, why: String)] = []
    private(set) var differences: [String] = []

    init(_ location: Directive, _ own: NginxScope, pools: [String: Directive]) {
        self.pools = pools
        guard let pass = location.first("proxy_pass") else { return }
        if let found = server(pass, own) {
            upstream = found
        } else {
            notes.append((pass, "is no URL of an upstream: write it here"))
        }
    }

    private mutating func server(_ pass: Directive, _ own: NginxScope) -> UpstreamDraft? {
        guard let text = pass.arguments.first, let mark = text.firstRange(of: "://") else { return nil }
        let (scheme, rest) = (String(text[..<mark.lowerBound]), text[mark.upperBound...])
        if rest.hasPrefix("unix:") {
            let parts = rest.dropFirst(5).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            target = parts.count == 2 ? String(parts[1]) : nil
            return UpstreamDraft(servers: [.init(url: "unix:/" + (parts.first ?? "").drop { $0 == "/" })])
        }
        let authority = String(rest.prefix { $0 != "/" })
        if let slash = rest.firstIndex(of: "/") { target = String(rest[slash...]) }
        if target == "/$request_uri" { target = nil }
        if let pool = pools[authority] { return servers(pool, scheme, own) }
        guard !authority.utf8.contains(UInt8(ascii: "$")), URI("\(scheme)://\(authority)") != nil else { return nil }
        return UpstreamDraft(servers: [.init(url: "\(scheme)://\(authority)")])
    }

    /// The servers of a pool, and how one of them is chosen.
    private mutating func servers(_ pool: Directive, _ scheme: String, _ own: NginxScope) -> UpstreamDraft? {
        var servers: [UpstreamDraft.Server] = []
        var said: (failures: Int?, seconds: Int?) = (nil, nil)
        for directive in pool.all("server") {
            guard !directive.arguments.contains("down"), let name = directive.arguments.first else { continue }
            guard !directive.arguments.contains("backup") else {
                notes.append((directive, "a server that is asked last has no key: it is left out"))
                continue
            }
            var server = UpstreamDraft.Server(
                url: name.hasPrefix("unix:") ? "unix:/" + name.dropFirst(5).drop { $0 == "/" } : "\(scheme)://\(name)")
            for argument in directive.arguments.dropFirst() {
                let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { continue }
                switch parts[0] {
                case "weight": server.weight = Int(parts[1]) ?? 1
                case "max_fails": said.failures = max(said.failures ?? 0, Int(parts[1]) ?? 1)
                case "fail_timeout": said.seconds = max(said.seconds ?? 0, NginxNumber.seconds(parts[1]) ?? 10)
                default: notes.append((directive, "\(parts[0]) has no key"))
                }
            }
            servers.append(server)
        }
        guard var upstream = UpstreamDraft(servers: servers) else { return nil }
        if upstream.servers.count < servers.count {
            notes.append((pool, "sockets beside other servers, and what is no server, are left out"))
        }
        if said.failures != nil || said.seconds != nil {
            upstream.ejection = (said.failures ?? 1, said.seconds ?? 10)
        }
        choice(pool, &upstream)
        let again = own.first("proxy_next_upstream")?.arguments ?? ["error", "timeout"]
        upstream.retries = again != ["off"]
        return upstream
    }

    private mutating func choice(_ pool: Directive, _ upstream: inout UpstreamDraft) {
        for directive in pool.children where directive.name != "server" {
            switch directive.name {
            case "keepalive", "keepalive_timeout", "keepalive_requests", "keepalive_time", "zone": continue
            case "least_conn": upstream.prefersIdle = true
            case "ip_hash", "hash", "sticky":
                upstream.isSticky = true
                differences.append("a user stays at one server by the session, whatever \(directive.name) went by")
            default: notes.append((directive, "has no key: servers are used in turn"))
            }
        }
    }
}
