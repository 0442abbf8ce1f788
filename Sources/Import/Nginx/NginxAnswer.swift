import HTTPMessage

/// What nginx answers by itself, which it does before it asks anybody who is there.
enum NginxAnswer {
    /// The answer of a `return`; nil where ours cannot give it.
    static func answer(
        _ directive: Directive, path: String, own: NginxScope, hosts: [String]
    ) -> (answer: RouteAnswer, differs: Bool)? {
        let arguments = directive.arguments
        guard let first = arguments.first, arguments.count <= 2 else { return nil }
        guard let status = Int(first) else {
            return arguments.count == 1 ? redirect(first, 302, path: path, hosts: hosts) : nil
        }
        if [301, 302, 303, 307, 308].contains(status) {
            guard arguments.count == 2 else { return nil }
            return redirect(arguments[1], status, path: path, hosts: hosts)
        }
        let body = arguments.count == 2 ? arguments[1] : ""
        // 444 is no status: nginx says nothing at all.
        guard status != 444, status < 300 || status >= 400, !body.utf8.contains(UInt8(ascii: "$")) else { return nil }
        let type = own.first("default_type")?.arguments.first
        return RouteAnswer.content(status: status, type: body.isEmpty ? nil : type, body: body).map { ($0, false) }
    }

    private static func redirect(
        _ text: String, _ status: Int, path: String, hosts: [String]
    ) -> (answer: RouteAnswer, differs: Bool)? {
        var target = text
        if let host = hosts.first {
            for name in ["$host", "$server_name", "$http_host"] {
                if let mark = target.firstRange(of: "://" + name) { target.replaceSubrange(mark, with: "://" + host) }
            }
        }
        if target.hasPrefix("$scheme://") { target = "https" + target.dropFirst(7) }
        var keepsPath = false
        for end in ["$request_uri", "$uri$is_args$args", "$uri"] where target.hasSuffix(end) && !keepsPath {
            target = String(target.dropLast(end.utf8.count))
            keepsPath = true
        }
        guard !target.utf8.contains(UInt8(ascii: "$")) else { return nil }
        if keepsPath { target = PathRewrite.withoutSlash(target) + path }
        // What follows a subtree's path comes behind the target's, which nginx does not have.
        let differs = !keepsPath && path.hasSuffix("/")
        if differs, !target.hasSuffix("/") { target += "/" }
        return RouteAnswer.redirect(path, to: target, status: status, own: hosts).map { ($0, differs) }
    }

    /// Routes of a `rewrite` of a whole server that leads elsewhere; none where its expression is more than a prefix.
    static func routes(_ directive: Directive, hosts: [String]) -> [RouteDraft] {
        guard directive.arguments.count == 3,
            let pattern = PrefixPattern(directive.arguments[0], to: directive.arguments[1])
        else { return [] }
        let status = directive.arguments[2] == "permanent" ? 301 : 302
        return pattern.routes(status: status, hosts: hosts)
    }
}

extension PrefixPattern {
    /// Public routes that lead to the target; none where one of them cannot.
    func routes(status: Int, hosts: [String]) -> [RouteDraft] {
        var routes: [RouteDraft] = []
        for path in paths {
            let end = path.hasSuffix("/") ? "/" : ""
            let place = target.isEmpty && end.isEmpty ? "/" : target + end
            guard let answer = RouteAnswer.redirect(path, to: place, status: status, own: hosts) else { return [] }
            var route = RouteDraft(path, upstream: .unknown)
            route.answer = answer
            route.isPublic = true
            routes.append(route)
        }
        return routes
    }
}
