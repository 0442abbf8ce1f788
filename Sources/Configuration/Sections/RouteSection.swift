import Access
import Bytes
import Gateway
import HTTPMessage
import Sessions

/// `routes`: where requests go, and who may make them.
enum RouteSection {
    static let pathAllowances: [(word: String, allowance: PathAllowances)] = [
        ("encoded_slash", .encodedSlash), ("backslash", .backslash), ("double_encoding", .doubleEncoding),
        ("semicolon", .semicolon), ("non_ascii", .nonASCII),
    ]

    private static let table = SettingTable(
        "a route",
        defaults: RouteSettings(name: "", path: "", upstream: UpstreamSettings(servers: []), access: .publicAccess),
        places + credentials + clients + upstreams + PathRewriteSection.rows + RouteAnswerSection.rows
            + FieldChangesSection.rows, exactlyOne: ["token", "login", "public"],
        together: ["token", "login"], strangers: ["auth": "say  token: {…} ,  login: NAME  or  public: true"],
        alternatives: ["upstream": RouteAnswerSection.keys])
    static let shape = table.shape

    /// Which requests are the route's.
    private static let places: [Setting<RouteSettings>] = [
        .key(
            "path", .text(RoutePathText.shape), .required, example: "/api/orders/",
            "The path served: with / at its end the whole subtree, otherwise that path alone; * stands for one segment."
        ),
        .key(
            "host", .text(HostText.shape), .optional, example: "grafana.example.com",
            "The host served, one of hosts; by default the names of the listeners. A host has no routes but those that name it."
        ),
        .key(
            "name", .text(PlainText.routeName), .optional, example: "orders",
            "The name in logs and metrics; the host and the path by default."),
        .key(
            "upstream",
            .either([.text(UpstreamSection.url), .object(UpstreamSection.shape)]), .required,
            example: "http://127.0.0.1:3001",
            "Where the requests go: a URL, a Unix socket as unix:/run/app.sock, or a mapping with url and TLS settings."
        ),
        .key(
            "methods",
            .list(ListShape(noun: "methods", element: .text(PlainText.method), count: 1...32)), .optional,
            example: "[GET, POST]",
            "The methods allowed; others are answered 405. By default all, or those that scopes names."),
        .key(
            "fields",
            .entries(
                EntriesShape(
                    noun: "one field name to its value", name: FieldNameText.shape,
                    value: .text(PlainText.printable("a value such as v2", limit: 256)), count: 1...1)),
            .optional, example: "{ X-Version: v2 }",
            "A field that a request must have, once and with this very value, to be this route's and not another's of the same path."
        ),
    ]

    /// Who may make them.
    private static let credentials: [Setting<RouteSettings>] = [
        .key(
            "token", .object(TokenSection.shape), .optional,
            example: "{ issuers: [main], audience: https://api.example.com }",
            "What an access token must be to pass."),
        .key(
            "login", LoginAccessSection.value, .optional, example: "shop",
            "Sends browsers to sign in, as this client; what their session must be to pass."),
        .key(
            "public", .onlyTrue, .optional, example: "true",
            "Lets everybody pass, without identity."),
        .key(
            "identity",
            .entries(
                EntriesShape(
                    noun: "field names to claims", name: FieldNameText.ofIdentity, value: IdentitySection.value,
                    count: 1...32)),
            .optional, example: "{ X-User-Id: sub }",
            "Header fields for the upstream and the claims that fill them; clients can never send them."),
        .flag("websocket", \.webSocket, "Lets WebSocket handshakes through, after authentication."),
    ]

    /// What they may look like, and whose pages may make them.
    private static let clients: [Setting<RouteSettings>] = [
        .words(
            "allow_in_path", \.pathAllowances, pathAllowances.map { ($0.word, $0.allowance) }, noun: "relaxations",
            example: "[encoded_slash]",
            "What is otherwise refused in a path because two servers may read it differently."),
        .flag(
            "case_insensitive", \.ignoresCase,
            "Fits paths in any case, for an upstream that takes /Admin for /admin; the path is in lower case."),
        .list(
            "public_urls", \.publicURLs, .list(ListShape(noun: "URLs", element: .text(URLText.base), count: 1...16)),
            example: "[https://shop.example.com/v1]",
            "What stands before the path in other URLs of this route, for the htu of DPoP proofs.",
            written: { $0 }, read: URLText.baseOfPaths),
        .key(
            "allowed_origins",
            .list(ListShape(noun: "origins", element: .text(URLText.originField), count: 0...64)), .optional,
            example: "[https://app.example.com]",
            "What Origin must be where there is one, else 403; not looked at by default, ours alone with mcp."),
        .key(
            "cors", CORSSection.value, .optional, example: "{ origins: [https://app.example.com] }",
            "What scripts of pages elsewhere may do: a mapping, or upstream; by default nothing."),
    ]

    /// What its upstream gets, and how long it may take.
    private static let upstreams: [Setting<RouteSettings>] = [
        .key(
            "limits", .object(RouteBounds.limits), .optional, example: "{ request_body: 10MiB }",
            "What this route has in place of the limits for all."),
        .key(
            "timeouts", .object(RouteBounds.timeouts), .optional, example: "{ upstream_first_byte: 2m }",
            "What this route has in place of the timeouts for all."),
        .flag(
            "mcp", \.isMCP,
            "A Model Context Protocol server: its resource is published, and no token passes through."),
        .key(
            "upstream_credential", UpstreamCredentialSection.value, .standard("none"),
            example: "{ assertion: { audience: orders } }",
            "What the upstream gets in place of the client's credentials."),
        .word(
            "upstream_401", \.hidesUnauthorized, [("pass", false), ("bad_gateway", true)],
            "What clients get for a 401 of the upstream: itself, or 502 where their own credentials stayed here."),
        .key(
            "error_pages", .object(ErrorPageSection.shape), .optional, example: "{ upstream: [502, 503] }",
            "Where people get a page of the gateway's own in place of the upstream's response."),
        .flag(
            "grpc", \.isGRPC,
            "Called by gRPC: grpc-timeout ends a call and no other time does, and trailers of requests pass."),
        .word(
            "request_trailers", \.passesRequestTrailers, [("drop", false), ("pass", true)],
            "What becomes of fields behind a request's content, at an upstream that speaks HTTP/2."),
        .flag(
            "client_cert", \.sendsClientCert,
            "Tells the upstream the client's certificate in Client-Cert (RFC 9440), where it has shown one."),
        .key(
            "trace_ratio", .text(RatioText.shape), .optional, example: "1%",
            "The part of this route's traces which is sampled, in place of that of tracing."),
    ]

    static func translate(_ object: CheckedObject, _ context: RouteContext) -> RouteSettings? {
        let problems = context.translation.problems
        let answer = RouteAnswerSection.translate(object, context)
        let upstream =
            object["upstream"].flatMap { UpstreamSection.translate($0, context) }
            ?? answer.map { _ in UpstreamSettings(servers: []) }
        let methods = MethodsOfRoute(object, problems)
        let access = access(object, methods, context)
        let credential = UpstreamCredentialSection.translate(object, access, context)
        let identity = IdentitySection.translate(object, problems)
        IdentitySection.judgeTokens(object, access, context)
        if let path = object.text("path") {
            let words = object.texts("allow_in_path").map(\.text)
            judgePath(path, pathAllowances.filter { words.contains($0.word) }.map(\.allowance), problems)
            if object.flag("case_insensitive") == true { judgeCase(path, problems) }
        }
        let host = context.hosts.index(of: object, problems)
        guard let path = object.text("path")?.text, let upstream, let access, host != nil || !object.says("host") else {
            return nil
        }
        var settings = RouteSettings(
            name: object.text("name")?.text ?? "\(host.map { context.hosts.settings[$0].name } ?? "")\(path)",
            path: path, upstream: upstream, access: access,
            identity: identity, methods: methods.allowed)
        table.read(object, into: &settings)
        settings.host = host
        settings.field = RouteFieldSettings.said(object)
        settings.cors = CORSSection.translate(object, methods, context)
        settings.allowedOrigins = allowedOrigins(object, context)
        settings.limits = RouteBounds.limits(object, problems)
        settings.timeouts = RouteBounds.timeouts(object)
        settings.credential = credential
        settings.requestFields = FieldChangesSection.translate(object, "request_fields", problems)
        settings.responseFields = FieldChangesSection.translate(object, "response_fields", problems)
        settings.responseIdentity = FieldChangesSection.responseClaims(of: object, problems)
        settings.answer = answer
        if case .redirect(_, _, let target)? = answer {
            settings.rewrite = RouteSettings.rewrite(ofRedirectFrom: path, to: target)
        } else {
            settings.rewrite = PathRewriteSection.translate(object, problems)
        }
        settings.proofURL = UpstreamCredentialSection.proofURL(object, context)
        settings.replacedStatuses = ErrorPageSection.translate(object, context.translation.problems)
        settings.traceRatio = TracingSection.ratio(of: object)
        if settings.sendsClientCert { judgeClientCert(object, context) }
        if settings.isGRPC, answer == nil { judgeGRPC(object, upstream, problems) }
        return settings
    }

    /// gRPC has its status behind the content, which HTTP/1.1 loses.
    private static func judgeGRPC(_ object: CheckedObject, _ upstream: UpstreamSettings, _ problems: ProblemList) {
        guard upstream.version != .http2 else { return }
        problems.error(
            at: object.place(of: "grpc"), expected: "an upstream with protocol: h2", found: "one without",
            remedy: "write  upstream: { url: …, protocol: h2 }  or leave grpc out")
    }

    /// A certificate that no listener asks for is never sent on.
    private static func judgeClientCert(_ object: CheckedObject, _ context: RouteContext) {
        guard context.listenersAreKnown else { return }
        let learn = context.listeners.contains {
            $0.tls?.clientCertificates != nil || !$0.clientCertFieldFrom.isEmpty
        }
        guard !learn else { return }
        context.translation.problems.error(
            at: object.place(of: "client_cert"), expected: "a listener that asks clients for certificates",
            found: "none", remedy: "say client_certificates in a listener's tls, or leave client_cert out")
    }

    /// MCP-06: a page whose name was made to lead here (DNS rebinding) shows by its Origin whose it is.
    private static func allowedOrigins(_ object: CheckedObject, _ context: RouteContext) -> [String]? {
        guard object["allowed_origins"] != nil else {
            guard object.flag("mcp") == true else { return nil }
            // Who is named there may call, or nobody would have been named.
            let others = object.object("cors").flatMap { CORSSection.origins($0) } ?? []
            return context.hosts.publicURLs(of: object, context.listeners) + others
        }
        return object.texts("allowed_origins").compactMap { WebAddress($0.text)?.origin }
    }

    private static func access(
        _ object: CheckedObject, _ methods: MethodsOfRoute, _ context: RouteContext
    ) -> RouteSettings.Access? {
        for key in ["public_urls", "allowed_origins"] {
            Repetition.refuse(object.texts(key), context.translation.problems)
        }
        let login = LoginAccessSection.translate(object, methods, context)
        if let token = object.object("token") {
            guard var settings = TokenSection.translate(token, methods, context) else { return nil }
            ResourceSection.complete(&settings, of: object, context)
            guard object.says("login") else { return .token(settings) }
            return login.map { .tokenOrLogin(settings, $0) }
        }
        if object.says("login") {
            if object.flag("mcp") == true, !object.says("token") {
                context.translation.problems.error(
                    at: object.place(of: "mcp"), expected: "a token on an MCP route", found: "login alone",
                    remedy: "MCP's clients are programs: say token in place of login, or leave mcp out")
            }
            return object.says("token") ? nil : login.map { .login($0) }
        }
        guard object.flag("public") == true else { return nil }
        if object.flag("mcp") == true, !object.says("token") {
            context.translation.problems.error(
                at: object.place(of: "mcp"), expected: "a token on an MCP route", found: "public: true",
                remedy: "say token in place of public, or leave mcp out")
        }
        FieldChangesSection.judgePublic(object, context.translation.problems)
        if object.says("identity"), !object.says("token") {
            context.translation.problems.error(
                at: object.place(of: "identity"), expected: "no identity on a public route", found: "field names",
                remedy: "nobody is known here; leave identity out, or say token with optional: true")
        }
        return .publicAccess
    }

    /// A path that requests are refused for, or that is not in the form that requests are matched in, would never match.
    private static func judgePath(_ path: PlacedText, _ allowances: [PathAllowances], _ problems: ProblemList) {
        let bytes = Array(path.text.utf8)
        var canonical: [UInt8] = []
        if PathPolicy.refusal(of: bytes.span, allowing: PathAllowances(allowances)) == nil {
            PathPolicy.appendCanonical(bytes.span, mergingSlashes: true, to: &canonical)
            if canonical == bytes { return judgePattern(path, problems) }
            problems.error(
                at: path.place,
                expected: "a path as requests are matched: \(String(decoding: canonical, as: UTF8.self))",
                found: Quoted.text(path.text), remedy: "write it in that form; requests are brought into it first")
        } else {
            problems.error(
                at: path.place, expected: "a path that requests may have", found: Quoted.text(path.text),
                remedy: "requests with such a path are refused; see allow_in_path")
        }
    }
}

extension RouteSection {
    /// A colon may begin a segment, but where it does somebody usually means a parameter; and with `*` at the end all below.
    private static func judgePattern(_ path: PlacedText, _ problems: ProblemList) {
        if path.text.hasSuffix("/*") {
            problems.warning(
                at: path.place, expected: "a path that ends with /, for all below it",
                found: "\(Quoted.text(path.text)), whose last segment is any one, and nothing below that",
                remedy: "write  \(path.text.dropLast())  if all below it is meant, or \(path.text)/ for that of each")
        }
        guard let segment = path.text.split(separator: "/").first(where: { $0.hasPrefix(":") && $0 != ":" }) else {
            return
        }
        problems.warning(
            at: path.place, expected: "a path that requests have",
            found: "\(Quoted.text(String(segment))), which stands for itself alone", remedy: RoutePathText.noPatterns)
    }

    /// Letters outside ASCII have no case that all servers agree on; nor has an escape one reading in lower case.
    private static func judgeCase(_ path: PlacedText, _ problems: ProblemList) {
        guard path.text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 > 0x7E || ASCII.lowercase($0) != $0 })
        else {
            return
        }
        let lower = path.text.lowercased()
        let isASCII = !lower.utf8.contains { $0 == UInt8(ascii: "%") || $0 > 0x7E }
        problems.error(
            at: path.place, expected: "a path in lower case, of ASCII without escapes, where case_insensitive is true",
            found: Quoted.text(path.text),
            remedy: isASCII ? "write \(lower); it fits in any case" : "leave case_insensitive out")
    }

    /// Refuses a path that fits in one case alone below one that fits in any: the server that takes no notice of case would
    /// have requests for the first one, spelt otherwise, pass by the rules of the second (T-09).
    static func judgeCases(_ objects: [CheckedObject], _ problems: ProblemList) {
        let paths = objects.compactMap { object in
            object.text("path").map {
                (
                    path: $0, host: object.text("host")?.text.lowercased(),
                    ignoresCase: object.flag("case_insensitive") ?? false
                )
            }
        }
        let allAbove = paths.filter(\.ignoresCase)
        for (path, host, ignoresCase) in paths where !ignoresCase {
            var folded = Array(path.text.utf8)
            _ = CaseFolding.replaceLetters(in: &folded)
            let lower = String(decoding: folded.map(ASCII.lowercase), as: UTF8.self)
            guard
                let first = allAbove.first(where: {
                    $0.host == host && (lower == $0.path.text || covers($0.path.text, lower))
                })?.path
            else { continue }
            problems.error(
                at: path.place, expected: "case_insensitive: true, as \(Quoted.text(first.text)) has it",
                found: "\(Quoted.text(path.text)), which is that path or below it in another case",
                remedy:
                    "say case_insensitive: true in both, or in neither; the first is on \(first.place.position.words)"
            )
        }
    }

    /// Says of a guarded path that what is behind it is nobody's: requests there are refused, which the operator may not expect.
    static func judgeExactPaths(_ routes: [(object: CheckedObject, settings: RouteSettings)], _ problems: ProblemList) {
        for subtree in SealedSubtree.all(in: routes.map(\.settings)) {
            let path = subtree.path ?? routes[subtree.exact].settings.path
            guard let place = routes[subtree.exact].object.text("path")?.place else { continue }
            problems.warning(
                at: place, expected: "a route for \(path)/, or one above it that asks for as much",
                found:
                    "\(Quoted.text(routes[subtree.taker].settings.path)), which lets through what \(Quoted.text(path)) refuses",
                remedy:
                    "servers may take \(path)/x for \(path), so requests below it are refused; write a route for those that are wanted"
            )
        }
    }

    /// Says of two paths with wildcards of which neither is part of the other that the one which comes first asks for less: what
    /// fits both is guarded by the other one alone to whoever reads only that.
    static func judgeCrossings(
        _ routes: [(object: CheckedObject, settings: RouteSettings)], _ problems: ProblemList
    ) {
        let hosts = Dictionary(grouping: routes.indices) { routes[$0].settings.host }
        for places in hosts.values.sorted(by: { $0[0] < $1[0] }) {
            judgeCrossings(ofHost: places.map { routes[$0] }, problems)
        }
    }

    private static func judgeCrossings(
        ofHost routes: [(object: CheckedObject, settings: RouteSettings)], _ problems: ProblemList
    ) {
        let paths = routes.map { SegmentedPath($0.settings.path) }
        let isWild = paths.map(\.hasWildcard)
        guard isWild.contains(true) else { return }
        let neighbours = NeighbouringPaths(paths)
        for (index, route) in routes.enumerated() {
            let other = neighbours.of(paths[index]).first {
                (isWild[index] || isWild[$0]) && paths[index].precedes(paths[$0]) && paths[index].crosses(paths[$0])
                    && !route.settings.asksForAsMuch(as: routes[$0].settings)
            }
            guard let other, let place = route.object.text("path")?.place else { continue }
            let (first, second) = (Quoted.text(route.settings.path), Quoted.text(routes[other].settings.path))
            problems.warning(
                at: place, expected: "a route for what fits both \(first) and \(second)",
                found: "\(first), which comes first there and lets through what \(second) refuses",
                remedy: "write a route without * where the two meet; it says who may pass")
        }
    }

    /// Refuses routes of a host with wildcards of which some take notice of case and some do not: which path comes first would
    /// depend on who reads it.
    static func judgeCasesOfWildcards(_ objects: [CheckedObject], _ problems: ProblemList) {
        for routes in Dictionary(grouping: objects, by: { $0.text("host")?.text.lowercased() ?? "" }).values {
            let paths = routes.compactMap { object in object.text("path").map { (object: object, path: $0) } }
            guard let wild = paths.first(where: { SegmentedPath($0.path.text).hasWildcard })?.path else { continue }
            let ignoring = paths.filter { $0.object.flag("case_insensitive") == true }
            guard !ignoring.isEmpty, ignoring.count < paths.count,
                let other = paths.first(where: { $0.object.flag("case_insensitive") != true })
            else { continue }
            problems.error(
                at: other.path.place,
                expected: "the same case_insensitive in all routes of a host that has a path with *",
                found:
                    "\(Quoted.text(other.path.text)) without it, beside \(Quoted.text(ignoring[0].path.text)) with it",
                remedy: "say it in all of them or in none, or write \(Quoted.text(wild.text)) without *")
        }
    }

    /// Whether a subtree has that path, or is its own.
    private static func covers(_ subtree: String, _ path: String) -> Bool {
        subtree.hasSuffix("/") && (path.hasPrefix(subtree) || path + "/" == subtree)
    }
}

extension RouteFieldSettings {
    /// The field that a route names.
    static func said(_ route: CheckedObject) -> RouteFieldSettings? {
        route.entries("fields").first.flatMap { entry in
            entry.value?.text.map { RouteFieldSettings(name: entry.name.lowercased(), value: $0) }
        }
    }
}

/// What a route's translation needs to know of the rest of the configuration.
struct RouteContext {
    let translation: Translation
    let issuers: IssuersByName
    let clients: ClientsByName
    let logins: LoginsByName
    let hosts: HostsByName
    let listeners: [ListenerSettings]
    /// False while a listener does not load.
    let listenersAreKnown: Bool
    let admin: AdminSettings
}

/// Paths of routes.
enum RoutePathText {
    static let reservedPrefix = OwnPaths.prefix

    static let noPatterns =
        "* stands for one whole segment, and a path that ends with / for all below it; there are no other patterns"

    static let shape = TextShape(expected: "a path such as /api/orders/", pattern: "^/[^?#\\u0000-\\u0020]*$") { text in
        guard text.hasPrefix("/") else {
            return TextFault(remedy: text.hasPrefix("^") || text.hasPrefix("*") ? noPatterns : "begin it with /")
        }
        if text.contains("?") || text.contains("#") {
            return TextFault(remedy: "leave out the query: only paths are matched")
        }
        // A guard that stands on such a path guards nothing: requests have something else in its place.
        if text.contains(where: { "{}<>[]^|".contains($0) }) {
            return TextFault(remedy: noPatterns)
        }
        if text.contains("*"), let fault = fault(ofWildcards: text) { return fault }
        if text == reservedPrefix || text.hasPrefix(reservedPrefix + "/") {
            return TextFault(remedy: "paths below \(reservedPrefix)/ belong to the gateway itself")
        }
        guard (1...2048).contains(text.utf8.count), !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            return TextFault(remedy: "write it without spaces and control characters")
        }
        return nil
    }

    private static func fault(ofWildcards text: String) -> TextFault? {
        let segments = SegmentedPath(text).segments
        let wildcards = segments.count { $0 == SegmentedPath.wildcard }
        guard segments.allSatisfy({ $0 == SegmentedPath.wildcard || !$0.contains("*") }) else {
            return TextFault(remedy: noPatterns)
        }
        guard wildcards <= SegmentedPath.mostWildcards, segments.count <= SegmentedPath.mostSegments else {
            return TextFault(
                remedy:
                    "write at most \(SegmentedPath.mostWildcards) of * and \(SegmentedPath.mostSegments) segments: what comes behind them can end with /"
            )
        }
        return nil
    }
}
