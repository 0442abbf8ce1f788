import Access
import Gateway

/// `token` of a route: what an access token must be to pass.
enum TokenSection {
    private static let table = SettingTable(
        "the token rules of a route", defaults: TokenSettings(issuers: [], audiences: []),
        [
            .key(
                "issuers",
                .list(
                    ListShape(noun: "names of issuers", element: .text(PlainText.name(of: "an issuer")), count: 1...32)),
                .required, example: "[main]", "The issuers whose tokens pass here, by their names above."),
            .key(
                "audience",
                .either([
                    .text(PlainText.audience),
                    .list(ListShape(noun: "audiences", element: .text(PlainText.audience), count: 1...16)),
                ]), .required, example: "https://api.example.com",
                "What aud must contain, exactly; of several, one."),
            .key(
                "scopes", .either([.list(scopes(1...32)), .entries(scopesByAnyMethod)]), .optional,
                example: "[orders:read]",
                "Scopes that a token must all have; by method, of HTTP or of gRPC, the methods not named are refused."),
            .text("realm", \.realm, PlainText.realm, "The name of the protected space in challenges."),
            .flag(
                "optional", \.optional,
                "Lets requests without a token pass without identity; a token that is not good is still refused."),
            .flag(
                "user_only", \.userOnly,
                "Refuses tokens of clients that act for themselves (sub equal to client_id)."),
            .word(
                "query_token", \.queryToken, [("reject", .reject), ("ignore", .ignore)],
                "What access_token in the query means beside a header; it is never a credential."),
            .words(
                "schemes", \.schemes, [("Bearer", .bearer), ("DPoP", .dpop)], noun: "schemes",
                example: "[DPoP, Bearer]",
                "The authentication schemes accepted; a token bound to a key needs its proof whatever is said here."),
            .word(
                "streams", \.keepsStreams, [("end", false), ("keep", true)],
                "What becomes of gRPC calls that are open when their token expires."),
            .key(
                "dpop", .object(DPoPSection.shape), .optional, example: "{ nonce: required }",
                "How this route takes DPoP proofs."),
            .texts(
                "acr_values", \.rights.acrValues,
                .list(ListShape(noun: "acr values", element: .text(PlainText.authenticationContext), count: 1...16)),
                example: "[urn:example:mfa]",
                "The token's acr must be one of these, the best first; otherwise the user is sent to sign in so."),
            .seconds(
                "max_age", orNone: \.rights.maximumAge, 0...31_536_000, example: "15m",
                "How long ago the user may have signed in (auth_time)."),
            .value(
                "authorization_details", \.authorizationDetails,
                .either([
                    .list(AuthorizationDetailsSection.rules(1...32)), .entries(AuthorizationDetailsSection.byMethod),
                ]), .optional, example: "[{ type: orders, actions: [read] }]",
                "Rights that the token's authorization_details must all grant; by method as in scopes.",
                read: AuthorizationDetailsSection.rules),
            .key(
                "resource", ResourceSection.value, .standard("false"), example: "{ name: Orders }",
                "Publishes what this route wants of tokens (RFC 9728), and points to it in every challenge."),
        ] + ClaimSection.keys(example: "{ realm_access.roles: [admin] }"))
    static let shape = table.shape

    /// A list, or lists by method of HTTP.
    static let scopes = Shape.either([.list(scopes(1...32)), .entries(scopesByMethod)])

    private static func scopes(_ count: ClosedRange<Int>) -> ListShape {
        ListShape(noun: "scopes", element: .text(PlainText.scope), count: count)
    }

    private static let scopesByMethod = EntriesShape(
        noun: "methods to lists of scopes", name: PlainText.method, value: .list(scopes(0...32)), count: 1...32,
        example: "[orders:read]")

    /// The same, or by method of a gRPC service.
    private static let scopesByAnyMethod = EntriesShape(
        noun: "methods to lists of scopes", name: GRPCMethodText.orHTTPMethod, value: .list(scopes(0...32)),
        count: 1...128, example: "[orders:read]")

    static func translate(
        _ object: CheckedObject, _ methods: MethodsOfRoute, _ context: RouteContext
    ) -> TokenSettings? {
        let problems = context.translation.problems
        for issuer in object.texts("issuers") { _ = context.issuers.index(of: issuer, problems) }
        judgeIntrospection(object.texts("issuers"), context)
        for issuer in object.texts("issuers") where context.issuers.hasEndpoints(issuer.text) {
            problems.error(
                at: issuer.place, expected: "an issuer with keys or introspection",
                found: "\(Quoted.text(issuer.text)), which has endpoints alone",
                remedy: "nobody here could verify its tokens: let browsers alone sign in there, with login")
        }
        for key in ["issuers", "audience", "scopes", "schemes", "acr_values"] {
            Repetition.refuse(object.texts(key), problems)
        }
        let dpop = DPoPSection.translate(object, problems)
        guard let issuers = object["issuers"]?.texts, let audiences = object["audience"]?.texts else { return nil }
        var settings = TokenSettings(issuers: issuers.map(\.text), audiences: audiences.map(\.text))
        settings.rights.scopes = object.texts("scopes").map(\.text)
        settings.rights.scopesByMethod = methods.scopes
        settings.rights.scopesByGRPCMethod = methods.scopesByGRPCMethod
        table.read(object, into: &settings)
        settings.rights.claims = ClaimSection.translate(object, context.translation)
        settings.dpop = dpop
        settings.authorizationDetailsByMethod = methods.authorizationDetails
        return settings
    }

    /// An opaque token does not say whose it is: to ask one issuer after the other would show all of them every token.
    private static func judgeIntrospection(_ issuers: [PlacedText], _ context: RouteContext) {
        let introspecting = issuers.filter { context.issuers.isIntrospecting($0.text) }
        guard let first = introspecting.first else { return }
        for other in introspecting.dropFirst() where other.text != first.text {
            context.translation.problems.error(
                at: other.place, expected: "at most one issuer with introspection on a route",
                found: "\(Quoted.text(other.text)) beside \(Quoted.text(first.text))",
                remedy: "an opaque token does not say whose it is: give each of the issuers a route of its own")
        }
    }
}
