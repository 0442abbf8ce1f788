import Access
import Gateway

/// `login` of a route: what a browser's session must be to pass.
enum LoginAccessSection {
    static let value = Shape.either([.text(PlainText.name(of: "a client")), .object(shape)])

    private static let table = SettingTable(
        "a mapping with client",
        defaults: LoginAccessSettings(login: 0),
        [
            .key(
                "client", .text(PlainText.name(of: "a client")), .required, example: "shop",
                "The client whose login it is, by its name above."),
            .key(
                "scopes", TokenSection.scopes, .optional, example: "[orders:read]",
                "Scopes that must all have been granted; by method, the methods not named are answered 405."),
            .texts(
                "acr_values", \.rights.acrValues,
                .list(ListShape(noun: "acr values", element: .text(PlainText.authenticationContext), count: 1...16)),
                example: "[urn:example:mfa]",
                "How the user must have signed in, the best first; otherwise the browser is sent to do so."),
            .seconds(
                "max_age", orNone: \.rights.maximumAge, 30...31_536_000, example: "15m",
                "How long ago the user may have signed in; otherwise the browser is sent to do so again."),
            .list(
                "allowed_origins", \.allowedOrigins,
                .list(ListShape(noun: "origins", element: .text(URLText.originField), count: 1...64)),
                example: "[https://app.example.com]",
                "Origins beside our own whose pages may change something here or open WebSockets.",
                written: { $0 }, read: { WebAddress($0)?.origin }),
            .flag(
                "require_header", \.requiresHeader,
                "Refuses requests without X-Requested-By, which no other site's page can send."),
            .flag(
                "keep_form", \.keepsForm,
                "Sends a form of at most 16KiB again after the login that it came too late for."),
            .flag("optional", \.optional, "Lets requests without a session pass without identity."),
            .key(
                "networks",
                .list(ListShape(noun: "networks", element: .text(NetworkText.ofVisitors), count: 1...64)), .optional,
                example: "[10.0.0.0/8]",
                "Lets requests of clients in these networks do the same; told in the access log."
            ),
        ] + ClaimSection.keys(example: "{ groups: [staff] }"))
    private static let shape = table.shape

    static func translate(
        _ route: CheckedObject, _ methods: MethodsOfRoute, _ context: RouteContext
    ) -> LoginAccessSettings? {
        let problems = context.translation.problems
        guard let name = clientName(of: route), let client = context.clients.find(name, problems) else { return nil }
        let index = context.logins.index(of: name.text)
        judgeIssuer(name, client, context)
        var settings = LoginAccessSettings(login: index ?? 0)
        guard let object = route.object("login") else { return index == nil ? nil : settings }
        for key in ["scopes", "acr_values", "allowed_origins"] { Repetition.refuse(object.texts(key), problems) }
        table.read(object, into: &settings)
        settings.rights.claims = ClaimSection.translate(object, context.translation)
        settings.rights.scopes = object.texts("scopes").map(\.text)
        settings.rights.scopesByMethod = methods.loginScopes
        settings.networks = networks(object, of: route, context)
        judgeScopes(object, name.text, client, problems)
        IdentityFromSection.judge(object, client: name.text, client.object, problems)
        return index == nil ? nil : settings
    }

    /// Networks whose clients need no login; refused where a proxy in front would have its own address stand for everybody's.
    private static func networks(
        _ object: CheckedObject, of route: CheckedObject, _ context: RouteContext
    ) -> [AddressRange] {
        let networks = object.texts("networks")
        let problems = context.translation.problems
        Repetition.refuse(networks, problems)
        guard let first = networks.first else { return [] }
        let host = context.hosts.place(of: route).map { context.hosts.settings[$0] }
        for (place, listener) in context.listeners.enumerated()
        where host?.isServed(at: place) ?? true && listener.tls == nil
            && (host?.publicURL ?? listener.publicURL).hasPrefix("https:") && listener.address.unixPath == nil
            && listener.trustedProxies.isEmpty && listener.proxyProtocolFrom.isEmpty && !listener.redirectsToHTTPS
        {
            problems.error(
                at: first.place,
                expected: "trusted_proxies in the listener \(listener.address.text), for TLS ends in front of it",
                found: "none: the address of whoever stands there would be everybody's",
                remedy: "name that proxy in trusted_proxies of the listener, or leave networks out")
        }
        return networks.compactMap { NetworkText.range($0.text) }
    }

    /// The client that a route's `login` names, by itself or in a mapping.
    static func clientName(of route: CheckedObject) -> PlacedText? {
        route.text("login") ?? route.object("login")?.text("client")
    }

    /// The places to send a browser and a code to are in the metadata alone.
    private static func judgeIssuer(_ name: PlacedText, _ client: ClientsByName.Client, _ context: RouteContext) {
        guard let issuer = client.issuer, context.issuers.names?.contains(issuer) ?? false,
            context.issuers.discoversNothing(issuer), !context.issuers.hasEndpoints(issuer)
        else { return }
        context.translation.problems.error(
            at: name.place, expected: "a client whose issuer has metadata",
            found: "\(Quoted.text(name.text)), of the issuer \(issuer) that discovers nothing",
            remedy: "the authorization endpoint is in the metadata: add  discovery: automatic  to the issuer")
    }

    /// Servers may grant more than was asked, but seldom do.
    private static func judgeScopes(
        _ object: CheckedObject, _ name: String, _ client: ClientsByName.Client, _ problems: ProblemList
    ) {
        guard let known = client.object, known["scopes"] != nil || !known.says("scopes") else { return }
        let isOpenID = !IdentityFromSection.isAsked(of: known)
        let asked = known["scopes"] == nil ? (isOpenID ? ["openid"] : []) : known.texts("scopes").map(\.text)
        let needed = object.texts("scopes") + object.entries("scopes").flatMap { $0.value?.texts ?? [] }
        if isOpenID, object.says("email"), !asked.contains("email"), (known.text("userinfo")?.text ?? "off") == "off",
            !known.says("claims")
        {
            problems.warning(
                at: object.place(of: "email"), expected: "email among the scopes that the client asks for",
                found: "\(asked.joined(separator: ", "))",
                remedy: "add it to clients.\(name).scopes: few servers tell the address of mail without it")
        }
        for scope in needed where !asked.contains(scope.text) {
            problems.warning(
                at: scope.place, expected: "a scope that the client asks for", found: Quoted.text(scope.text),
                remedy: "add it to clients.\(name).scopes, or nobody passes where the server grants no more than that")
        }
    }
}
