import Access
import Issuers

/// `exchange` of an upstream credential: a token for the upstream in exchange for the client's (RFC 8693).
enum ExchangeSection {
    private static let table = SettingTable(
        "the settings of a token exchange", defaults: ExchangeSettings(client: 0),
        [
            .key(
                "client", .text(PlainText.name(of: "a client")), .required, example: "shop",
                "Which of the clients asks, by its name."),
            .texts(
                "audience", \.audience,
                .either([
                    .text(PlainText.audience),
                    .list(ListShape(noun: "audiences", element: .text(PlainText.audience), count: 1...16)),
                ]), example: "orders", "Whom the new token is for, by a name that the server knows."),
            .texts(
                "resource", \.resource,
                .either([
                    .text(URLText.target),
                    .list(ListShape(noun: "URLs", element: .text(URLText.target), count: 1...16)),
                ]), example: "https://orders.internal/",
                "Whom it is for, by URL; one of the two must be said."),
            .texts(
                "scopes", \.scopes, .list(ListShape(noun: "scopes", element: .text(PlainText.scope), count: 1...32)),
                example: "[orders:read]", "What it may do; what the client's may by default."),
        ])
    static let shape = table.shape

    static func translate(
        _ object: CheckedObject, _ route: CheckedObject, _ context: RouteContext
    ) -> ExchangeSettings? {
        let problems = context.translation.problems
        for key in ["audience", "resource", "scopes"] { Repetition.refuse(object.texts(key), problems) }
        if !object.says("audience"), !object.says("resource") {
            problems.error(
                at: object.place, expected: "audience or resource", found: "neither",
                remedy:
                    "add  audience: orders  or  resource: https://orders.internal/ , or the token could be for anybody")
        }
        guard let name = object.text("client"), let client = context.clients.find(name, problems) else { return nil }
        judgeIssuers(name, client, route, context)
        var settings = ExchangeSettings(client: client.index)
        table.read(object, into: &settings)
        return settings
    }

    private static func judgeIssuers(
        _ name: PlacedText, _ client: ClientsByName.Client, _ route: CheckedObject, _ context: RouteContext
    ) {
        let problems = context.translation.problems
        guard let issuer = client.issuer, context.issuers.names?.contains(issuer) ?? false else { return }
        if context.issuers.discoversNothing(issuer) {
            problems.error(
                at: name.place, expected: "a client whose issuer has metadata",
                found: "\(Quoted.text(name.text)), of the issuer \(issuer) that discovers nothing",
                remedy: "the token endpoint is in the metadata: add  discovery: automatic  to the issuer")
        }
        var accepted = route.object("token")?.texts("issuers") ?? []
        if let login = LoginAccessSection.clientName(of: route),
            let known = context.clients.find(login, ProblemList())?.issuer
        {
            accepted.append(PlacedText(place: login.place, text: known))
        }
        let others = accepted.filter { $0.text != issuer }
        guard let other = others.first else { return }
        problems.warning(
            at: name.place, expected: "a client of the issuer whose tokens it exchanges",
            found: "\(Quoted.text(name.text)), of \(issuer), on a route for tokens of \(other.text)",
            remedy: "tokens of \(other.text) are sent to \(issuer): make sure that it may have them")
    }
}
