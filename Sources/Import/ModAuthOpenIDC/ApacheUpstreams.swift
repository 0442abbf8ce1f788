/// Where Apache sends requests, by path.
struct ApacheUpstreams {
    /// A `ProxyPass`.
    struct Pass {
        var path: String
        var upstream = UpstreamDraft.unknown
        /// How the upstream knows its paths; nil for what ours cannot say.
        var change: PathRewrite?
        var takesWebSockets: Bool
        /// Whether nothing is sent anywhere.
        var isExcluded: Bool
        var directive: Directive
    }

    var passes: [Pass] = []
    private(set) var notes: [(directive: Directive, why: String)] = []
    private(set) var differences: [String] = []

    init(_ directives: [Directive], _ sections: [(path: String, section: Directive)]) {
        let inside = sections.flatMap { section in
            section.section.all("proxypass").map { ([section.path] + $0.arguments, $0) }
        }
        for (arguments, directive) in directives.filter({ $0.name == "proxypass" }).map({ ($0.arguments, $0) }) + inside
        {
            guard arguments.count >= 2, RouteDraft.isPath(arguments[0]), passes.count < Draft.maximumRoutes else {
                notes.append((directive, "is no path and URL of an upstream"))
                continue
            }
            if !passes.contains(where: { $0.path == arguments[0] }) { add(arguments, directive, directives) }
        }
        for directive in directives where directive.name == "proxypassmatch" {
            notes.append((directive, "an expression is no path of ours: no route is made of it"))
        }
    }

    /// The longest one; Apache takes the first, of which the longer ones are to stand before the shorter.
    func pass(for path: String) -> Pass? {
        passes.filter { pass in
            pass.path == "/" || pass.path == path
                || path.hasPrefix(pass.path.hasSuffix("/") ? pass.path : pass.path + "/")
        }.max { $0.path.utf8.count < $1.path.utf8.count }
    }

    private mutating func add(_ arguments: [String], _ directive: Directive, _ directives: [Directive]) {
        let (path, target) = (arguments[0], arguments[1])
        var pass = Pass(
            path: path, takesWebSockets: arguments.contains("upgrade=websocket") || target.hasPrefix("ws"),
            isExcluded: target == "!", directive: directive)
        if target.hasPrefix("balancer://") {
            let name = "balancer://" + target.dropFirst(11).prefix { $0 != "/" }
            if let servers = servers(name, arguments, directives) { pass.upstream = servers }
            pass.change = change(path, String(target.dropFirst(name.utf8.count)))
        } else if let (url, own) = ForeignRoutes.server(target.hasPrefix("ws") ? "http" + target.dropFirst(2) : target),
            let server = UpstreamDraft(servers: [.init(url: url)])
        {
            pass.upstream = server
            pass.change = change(path, own)
        } else if target != "!" {
            notes.append((directive, "is no URL of an upstream: write it at \(path)"))
        }
        passes.append(pass)
    }

    /// Prefixes as Apache means them, whether or not a slash was forgotten at an end.
    private func change(_ path: String, _ target: String) -> PathRewrite? {
        PathRewrite(prefix: PathRewrite.withoutSlash(path), to: PathRewrite.withoutSlash(target))
    }

    /// The members of a balancer, and how one of them is chosen.
    private mutating func servers(
        _ name: String, _ arguments: [String], _ directives: [Directive]
    ) -> UpstreamDraft? {
        var servers: [UpstreamDraft.Server] = []
        var said = Array(arguments.dropFirst(2))
        for section in directives where section.name == "proxy" && section.arguments.first == name {
            said += section.all("proxyset").flatMap(\.arguments)
            for member in section.all("balancermember") {
                guard let url = member.arguments.first.flatMap({ ForeignRoutes.server($0)?.url }) else {
                    notes.append((member, "is no URL of a server"))
                    continue
                }
                var server = UpstreamDraft.Server(url: url)
                var isLast = false
                for argument in member.arguments.dropFirst() {
                    let parts = argument.lowercased().split(separator: "=", maxSplits: 1).map(String.init)
                    guard parts.count == 2 else { continue }
                    switch parts[0] {
                    case "loadfactor": server.weight = Int(parts[1]) ?? 1
                    case "status": isLast = parts[1].utf8.contains { "hd".utf8.contains($0) }
                    case "route": continue
                    default: notes.append((member, "\(parts[0]) has no key"))
                    }
                }
                if isLast {
                    notes.append((member, "a server that is asked last, or not at all, has no key: it is left out"))
                } else {
                    servers.append(server)
                }
            }
        }
        guard var upstream = UpstreamDraft(servers: servers) else { return nil }
        choice(said, &upstream)
        return upstream
    }

    private mutating func choice(_ said: [String], _ upstream: inout UpstreamDraft) {
        for word in said {
            if word.lowercased() == "lbmethod=bybusyness" { upstream.prefersIdle = true }
            if word.lowercased().hasPrefix("stickysession=") {
                upstream.isSticky = true
                differences.append("a user stays at one server by the session, no longer by a cookie of the servers")
            }
        }
    }
}
