import Access
import Gateway

/// `login` of a route: what a browser's session must be to pass.
enum LoginAccessSection {
    static let value = Shape.either([.text(PlainText.name(of: "a client")), .object(shape)])

    private static let shape = ObjectShape(
        noun: "a mapping with client",
        keys: [
            KeyDescription(
                "client", .text(PlainText.name(of: "a client")), .required, example: "shop",
                "The client whose login it is, by its name above."),
            KeyDescription(
                "scopes", TokenSection.scopes, .optional, example: "[orders:read]",
                "Scopes that must all have been granted; by method, the methods not named are answered 405."),
            KeyDescription(
                "claims", TokenSection.claims, .optional, example: "{ groups: [staff] }",
                "Claims of the user that must have one of the values named; all must hold."),
            KeyDescription(
                "acr_values",
                .list(ListShape(noun: "acr values", element: .text(PlainText.authenticationContext), count: 1...16)),
                .optional, example: "[urn:example:mfa]",
                "How the user must have signed in, the best first; otherwise the browser is sent to do so."),
            KeyDescription(
                "max_age", .duration(DurationShape(range: 30_000...31_536_000_000, step: .seconds)), .optional,
                example: "15m",
                "How long ago the user may have signed in; otherwise the browser is sent to do so again."
            ),
            KeyDescription(
                "allowed_origins",
                .list(ListShape(noun: "origins", element: .text(URLText.originField), count: 1...64)), .optional,
                example: "[https://app.example.com]",
                "Origins beside our own whose pages may change something here or open WebSockets."),
            KeyDescription(
                "require_header", .boolean, .standard("false"),
                "Refuses requests without X-Requested-By, which no other site's page can send."),
            KeyDescription(
                "keep_form", .boolean, .standard("false"),
                "Sends a form of at most 16KiB again after the login that it came too late for."),
            KeyDescription(
                "optional", .boolean, .standard("false"), "Lets requests without a session pass without identity."),
        ])

    static func translate(
        _ route: CheckedObject, _ methods: MethodsOfRoute, _ context: RouteContext
    ) -> LoginAccessSettings? {
        let problems = context.translation.problems
        guard let name = clientName(of: route), let client = context.clients.find(name, problems) else { return nil }
        let index = context.logins.index(of: name.text)
        judgeIssuer(name, client, context)
        var requirements = TokenSettings(issuers: client.issuer.map { [$0] } ?? [], audiences: [])
        var settings = LoginAccessSettings(login: index ?? 0, requirements: requirements)
        guard let object = route.object("login") else { return index == nil ? nil : settings }
        for key in ["scopes", "acr_values", "allowed_origins"] { Repetition.refuse(object.texts(key), problems) }
        requirements.scopes = object.texts("scopes").map(\.text)
        requirements.scopesByMethod = methods.loginScopes
        requirements.claims = TokenSection.claimRules(object)
        requirements.acrValues = object.texts("acr_values").map(\.text)
        requirements.maxAgeSeconds = object.seconds("max_age")
        requirements.optional = object.flag("optional") ?? false
        judgeScopes(object, name.text, client, problems)
        settings.requirements = requirements
        settings.allowedOrigins = object.texts("allowed_origins").compactMap { WebAddress($0.text)?.origin }
        settings.requiresHeader = object.flag("require_header") ?? false
        settings.keepsForm = object.flag("keep_form") ?? false
        settings.optional = requirements.optional
        return index == nil ? nil : settings
    }

    /// The client that a route's `login` names, by itself or in a mapping.
    static func clientName(of route: CheckedObject) -> PlacedText? {
        route.text("login") ?? route.object("login")?.text("client")
    }

    /// The places to send a browser and a code to are in the metadata alone.
    private static func judgeIssuer(_ name: PlacedText, _ client: ClientsByName.Client, _ context: RouteContext) {
        guard let issuer = client.issuer, context.issuers.names?.contains(issuer) ?? false,
            context.issuers.discoversNothing(issuer)
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
        let asked = known["scopes"] == nil ? ["openid"] : known.texts("scopes").map(\.text)
        let needed = object.texts("scopes") + object.entries("scopes").flatMap { $0.value?.texts ?? [] }
        for scope in needed where !asked.contains(scope.text) {
            problems.warning(
                at: scope.place, expected: "a scope that the client asks for", found: Quoted.text(scope.text),
                remedy: "add it to clients.\(name).scopes, or nobody passes where the server grants no more than that")
        }
    }
}
