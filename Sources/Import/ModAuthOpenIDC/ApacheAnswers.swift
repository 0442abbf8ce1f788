/// What Apache answers by itself, which it does before it asks anybody who is there.
struct ApacheAnswers {
    private(set) var routes: [RouteDraft] = []
    private(set) var notes: [(directive: Directive, why: String)] = []

    init(_ directives: [Directive], hosts: [String], _ proxied: ApacheUpstreams) {
        var isConditional = false
        for directive in directives {
            switch directive.name {
            case "redirect", "redirectpermanent", "redirecttemp": redirect(directive, hosts, proxied)
            case "redirectmatch":
                notes.append(
                    (directive, "an expression is no path of ours: it leads nowhere until a route says redirect"))
            case "rewritecond": isConditional = true
            case "rewriterule":
                let flags = directive.arguments.last?.uppercased() ?? ""
                if let status = Self.status(ofFlags: flags) {
                    rewrite(directive, isConditional ? nil : status, hosts)
                }
                isConditional = false
            default: continue
            }
        }
    }

    /// The status of a rule that leads elsewhere; nil for one that does not.
    static func status(ofFlags flags: String) -> Int? {
        guard flags.hasPrefix("["), flags.hasSuffix("]") else { return nil }
        for flag in flags.dropFirst().dropLast().split(separator: ",") {
            let flag = flag.drop { $0 == " " }
            if flag == "R" || flag == "REDIRECT" { return 302 }
            for name in ["R=", "REDIRECT="] where flag.hasPrefix(name) {
                switch flag.dropFirst(name.utf8.count) {
                case "301", "PERMANENT": return 301
                case "302", "TEMP": return 302
                case "303", "SEEOTHER": return 303
                case "307": return 307
                case "308": return 308
                default: return nil
                }
            }
        }
        return nil
    }

    /// The port of a host that does nothing but lead to https; nil for any other host.
    static func portThatLeadsToHTTPS(_ host: Directive, _ known: UInt16?) -> UInt16? {
        let port = host.arguments.first.flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
        guard known == nil, let port, !host.contains("proxypass"), !host.contains("sslcertificatefile") else {
            return nil
        }
        let leads = host.children.contains { directive in
            let words = directive.arguments
            if directive.name.hasPrefix("redirect") {
                let place = words.drop { !$0.hasPrefix("/") }
                return place.first == "/" && place.count == 2 && place.last?.hasPrefix("https://") == true
            }
            return directive.name == "rewriterule" && words.count >= 2 && words[1].hasPrefix("https://%{")
        }
        return leads ? port : nil
    }

    private mutating func rewrite(_ directive: Directive, _ status: Int?, _ hosts: [String]) {
        guard let status, directive.arguments.count == 3, !directive.arguments[1].utf8.contains(UInt8(ascii: "%")),
            let pattern = PrefixPattern(directive.arguments[0], to: directive.arguments[1])
        else {
            return notes.append((directive, "more than a prefix: it leads nowhere until a route says redirect"))
        }
        let made = pattern.routes(status: status, hosts: hosts)
        if made.isEmpty { notes.append((directive, "leads to a place that no route can name")) }
        add(made)
    }

    private mutating func redirect(_ directive: Directive, _ hosts: [String], _ proxied: ApacheUpstreams) {
        var words = directive.arguments
        var status = directive.name == "redirectpermanent" ? 301 : 302
        if let first = words.first, !first.hasPrefix("/") {
            let known = ["permanent": 301, "temp": 302, "seeother": 303, "gone": 410]
            status = known[first.lowercased()] ?? Int(first) ?? 0
            words.removeFirst()
        }
        guard let path = words.first, RouteDraft.isPath(path) else {
            return notes.append((directive, "is no path of ours"))
        }
        if let pass = proxied.pass(for: path), !pass.isExcluded {
            return notes.append((directive, "ProxyPass has that path, and comes first there"))
        }
        var made: [RouteDraft] = []
        for own in path.hasSuffix("/") ? [path] : [path, path + "/"] {
            var route = RouteDraft(own, upstream: .unknown)
            route.isPublic = true
            if words.count == 1 {
                route.answer = (400...599).contains(status) ? .content(status: status, type: "", body: "") : nil
            } else if words.count == 2 {
                let target = own == path || words[1].hasSuffix("/") ? words[1] : words[1] + "/"
                // What follows is put behind the target as it is: without a slash it would be another word.
                let isWhole = !own.hasSuffix("/") || target.hasSuffix("/")
                route.answer = isWhole ? .redirect(own, to: target, status: status, own: hosts) : nil
            }
            guard route.answer != nil else {
                return notes.append((directive, "leads to a place that no route can name, or says more than that"))
            }
            made.append(route)
        }
        add(made)
    }

    private mutating func add(_ made: [RouteDraft]) {
        for route in made where !routes.contains(where: { $0.path == route.path }) { routes.append(route) }
    }
}
