import HTTPMessage

/// Routes that upstreams of oauth2-proxy become.
struct ForeignRoutes {
    var routes: [RouteDraft] = []
    private(set) var notes: [(place: ForeignPlace, why: String)] = []

    init(_ upstreams: [ForeignUpstream], socketsByDefault: Bool) {
        for upstream in upstreams.prefix(Draft.maximumRoutes) {
            do throws(Omission) {
                for var route in try Self.routes(of: upstream) {
                    guard !routes.contains(where: { $0.path == route.path }) else {
                        throw Omission(why: "another upstream has its path")
                    }
                    if route.answer == nil, upstream.takesWebSockets ?? socketsByDefault {
                        route.lines.append("websocket: true")
                    }
                    routes.append(route)
                }
            } catch {
                notes.append((upstream.place, "\(error.why): no route is made"))
            }
        }
    }

    /// Why no route is made.
    private struct Omission: Error {
        let why: String
    }

    private static func routes(of upstream: ForeignUpstream) throws(Omission) -> [RouteDraft] {
        if upstream.isStatic || upstream.uri.hasPrefix("static:") { return [try fixed(upstream)] }
        guard !upstream.uri.hasPrefix("file:") else { throw Omission(why: "no files are served") }
        guard let (url, ownPath) = server(upstream.uri), let server = UpstreamDraft(servers: [.init(url: url)]) else {
            throw Omission(why: "is no URL of an upstream")
        }
        if let target = upstream.rewriteTarget { return try rewritten(upstream.path, target, server) }
        let path = upstream.path.isEmpty ? ownPath : upstream.path
        guard RouteDraft.isPath(path) else { throw Omission(why: "its path is no path of ours") }
        return [RouteDraft(path, upstream: server)]
    }

    /// A fixed answer, which oauth2-proxy gives whoever is signed in.
    private static func fixed(_ upstream: ForeignUpstream) throws(Omission) -> RouteDraft {
        let code = upstream.staticCode ?? upstream.uri.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }
        let path = upstream.path.isEmpty ? "/" : upstream.path
        guard RouteDraft.isPath(path),
            let answer = RouteAnswer.content(status: Int(code) ?? 200, type: nil, body: "Authenticated")
        else { throw Omission(why: "its path or its status is none of ours") }
        var route = RouteDraft(path, upstream: .unknown)
        route.answer = answer
        return route
    }

    /// Another prefix at the upstream, where the expression says no more than that.
    private static func rewritten(
        _ path: String, _ target: String, _ server: UpstreamDraft
    ) throws(Omission) -> [RouteDraft] {
        let isQuery = target.utf8.contains(UInt8(ascii: "?"))
        guard !isQuery, let pattern = PrefixPattern(path, to: target) else {
            throw Omission(why: "more than a prefix of its path is changed")
        }
        var routes: [RouteDraft] = []
        for path in pattern.paths {
            var route = RouteDraft(path, upstream: server)
            if pattern.prefix != pattern.target {
                guard let change = PathRewrite(prefix: pattern.prefix, to: pattern.target), route.apply(change) else {
                    throw Omission(why: "its upstream's paths are none of ours")
                }
            }
            routes.append(route)
        }
        return routes
    }

    /// The URL of an upstream without its path, and the path.
    static func server(_ text: String) -> (url: String, path: String)? {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst(5).drop { $0 == "/" }
            return path.isEmpty ? nil : ("unix:/" + path, "/")
        }
        guard let url = URI(text), url.scheme == "http" || url.scheme == "https", !url.host.isEmpty else { return nil }
        return ("\(url.scheme)://\(url.authority)", url.path.isEmpty ? "/" : url.path)
    }
}

/// What tells an upstream who is there.
struct ForeignIdentity {
    private(set) var identity = IdentityFields()
    private(set) var credential: String?
    private(set) var notes: [(place: ForeignPlace, name: String, why: String)] = []
    private(set) var differences: [String] = []
    private let groups: String

    init(_ settings: FlagSettings, isGitHub: Bool) {
        let email = settings.text("user-id-claim") ?? settings.text("oidc-email-claim") ?? "email"
        groups = settings.text("oidc-groups-claim") ?? "groups"
        let claims = [
            "user": settings.isTrue("prefer-email-to-user") ? email : isGitHub ? "login" : "sub", "email": email,
            "groups": groups,
        ]
        for field in settings.identity { add(field, claims) }
        if !settings.hasFields { addFieldsOfFlags(settings, claims) }
        guard isGitHub else { return }
        if credential == "{ pass: id_token }" {
            credential = nil
            differences.append("GitHub makes no ID tokens: no upstream gets one; prefer an assertion")
        }
        differences.append("the user is GitHub's login, which can change hands; sub is its number, which cannot")
        differences.append("organizations and teams of GitHub are in no field: its API is not asked about them")
    }

    /// A field of the alpha configuration.
    private mutating func add(_ field: ForeignField, _ claims: [String: String]) {
        let isBearer = field.name.lowercased() == "authorization" && field.prefix.lowercased() == "bearer "
        switch field.claim {
        case "access_token" where isBearer: credential = credential ?? "pass"
        case "access_token" where field.prefix.isEmpty: add(field.name, .accessToken, field.place)
        case "id_token" where isBearer: credential = "{ pass: id_token }"
        case "access_token", "id_token", "refresh_token", "created_at", "expires_on":
            notes.append((field.place, field.name, "has no key in identity: see upstream_credential"))
        default:
            guard field.prefix.isEmpty else {
                return notes.append((field.place, field.name, "a claim with a text before it has no key in identity"))
            }
            add(field.name, source(claims[field.claim] ?? field.claim), field.place)
        }
    }

    private mutating func addFieldsOfFlags(_ settings: FlagSettings, _ claims: [String: String]) {
        let ofUser = [
            ("User", "user"), ("Email", "email"), ("Groups", "groups"), ("Preferred-Username", "preferred_username"),
        ]
        for (isOn, prefix, flag) in [
            (settings.isTrue("set-xauthrequest"), "X-Auth-Request-", "set-xauthrequest"),
            (settings.isTrue("pass-user-headers", otherwise: true), "X-Forwarded-", "pass-user-headers"),
        ] where isOn {
            for (name, claim) in ofUser { add(prefix + name, source(claims[claim] ?? claim), settings[flag]?.place) }
        }
        if settings.isTrue("pass-access-token") {
            add("X-Forwarded-Access-Token", .accessToken, settings["pass-access-token"]?.place)
        }
        if settings.isTrue("pass-authorization-header") { credential = "{ pass: id_token }" }
    }

    private func source(_ claim: String) -> IdentityFields.Source {
        claim == groups ? .list(claim, separator: ",") : .claim(claim)
    }

    private mutating func add(_ name: String, _ source: IdentityFields.Source, _ place: ForeignPlace?) {
        guard let own = identity.add(name, source) else {
            if let place { notes.append((place, name, "identity cannot fill this field: choose another name")) }
            return
        }
        if own != name {
            differences.append("\(Printable.ascii(name)) is called \(own): \(IdentityFields.renaming)")
        }
    }
}
