// SPDX-License-Identifier: Apache-2.0
import Gateway

/// `token` of a route: what an access token must be to pass.
enum TokenSection {
    static let shape = ObjectShape(
        noun: "the token rules of a route",
        keys: [
            KeyDescription(
                "issuers",
                .list(
                    ListShape(noun: "names of issuers", element: .text(PlainText.name(of: "an issuer")), count: 1...32)),
                .required, example: "[main]", "The issuers whose tokens pass here, by their names above."),
            KeyDescription(
                "audience",
                .either([
                    .text(PlainText.audience),
                    .list(ListShape(noun: "audiences", element: .text(PlainText.audience), count: 1...16)),
                ]), .required, example: "https://api.example.com",
                "What aud must contain, exactly; of several, one."),
            KeyDescription(
                "scopes", .either([.list(scopes(1...32)), .entries(scopesByMethod)]), .optional,
                example: "[orders:read]",
                "Scopes that a token must all have; by method, the methods not named are answered 405."),
            KeyDescription(
                "claims",
                .entries(
                    EntriesShape(
                        noun: "claims to values", name: ClaimPathText.shape,
                        value: .either([
                            .scalar, .list(ListShape(noun: "values", element: .scalar, count: 1...64)),
                        ]), count: 1...32)),
                .optional, example: "{ realm_access.roles: [admin] }",
                "Claims that must have one of the values named, themselves or in their list; all must hold."),
            KeyDescription(
                "realm", .text(PlainText.realm), .standard("portcullis"),
                "The name of the protected space in challenges."),
            KeyDescription(
                "optional", .boolean, .standard("false"),
                "Lets requests without a token pass without identity; a token that is not good is still refused."),
            KeyDescription(
                "user_only", .boolean, .standard("false"),
                "Refuses tokens of clients that act for themselves (sub equal to client_id)."),
            KeyDescription(
                "query_token", .word(["reject", "ignore"]), .standard("reject"),
                "What access_token in the query means beside a header; it is never a credential."),
            KeyDescription(
                "schemes", .list(ListShape(noun: "schemes", element: .word(["Bearer"]), count: 1...1)),
                .standard("[Bearer]"), "The authentication schemes accepted."),
        ])

    private static func scopes(_ count: ClosedRange<Int>) -> ListShape {
        ListShape(noun: "scopes", element: .text(PlainText.scope), count: count)
    }

    private static let scopesByMethod = EntriesShape(
        noun: "methods to lists of scopes", name: PlainText.method, value: .list(scopes(0...32)), count: 1...32)

    static func translate(
        _ object: CheckedObject, _ methods: MethodsOfRoute, _ context: RouteContext
    ) -> TokenSettings? {
        let problems = context.translation.problems
        if let names = context.issuerNames {
            for issuer in object.texts("issuers") where !names.contains(issuer.text) {
                problems.error(
                    at: issuer.place, expected: "the name of an issuer", found: Quoted.text(issuer.text),
                    remedy: Suggestion.remedy(for: issuer.text, among: names, called: "issuers"))
            }
        }
        for key in ["issuers", "audience", "scopes"] { refuseRepetition(object.texts(key), problems) }
        guard let issuers = object["issuers"]?.texts, let audiences = object["audience"]?.texts else { return nil }
        var settings = TokenSettings(issuers: issuers.map(\.text), audiences: audiences.map(\.text))
        settings.scopes = object.texts("scopes").map(\.text)
        settings.scopesByMethod = methods.scopes
        settings.claims = object.entries("claims").compactMap(claimRule)
        if let realm = object.text("realm") { settings.realm = realm.text }
        settings.optional = object.flag("optional") ?? false
        settings.userOnly = object.flag("user_only") ?? false
        if object.text("query_token")?.text == "ignore" { settings.queryToken = .ignore }
        return settings
    }

    private static func claimRule(_ entry: CheckedEntry) -> ClaimRuleSettings? {
        guard let claim = ClaimPathText.parse(entry.name), let value = entry.value else { return nil }
        return ClaimRuleSettings(claim: claim, anyOf: value.texts.map(\.text))
    }

    private static func refuseRepetition(_ texts: [PlacedText], _ problems: ProblemList) {
        for (index, text) in texts.enumerated() where texts[..<index].contains(where: { $0.text == text.text }) {
            problems.error(
                at: text.place, expected: "each value once", found: "\(Quoted.text(text.text)) again",
                remedy: "keep one of them")
        }
    }
}

/// The methods of a route, which `methods` and the keys of `token.scopes` say together.
///
/// A method that needs no scope only because nobody thought of it would be an open door: with scopes by method, the
/// methods are those that have scopes, and `methods` may not name others. HEAD needs what GET needs (RFC 9110 §9.3.2).
struct MethodsOfRoute {
    /// Nil allows every method.
    private(set) var allowed: [String]?
    private(set) var scopes: [String: [String]] = [:]

    init(_ route: CheckedObject, _ problems: ProblemList) {
        let said = route.texts("methods")
        if route["methods"] != nil { allowed = said.map(\.text) }
        for (index, method) in said.enumerated() where said[..<index].contains(where: { $0.text == method.text }) {
            problems.error(
                at: method.place, expected: "each method once", found: "\(Quoted.text(method.text)) again",
                remedy: "keep one of them")
        }
        guard let entries = route.object("token")?["scopes"]?.entries else { return }
        for entry in entries { scopes[entry.name] = entry.value?.texts.map(\.text) ?? [] }
        if let get = scopes["GET"], scopes["HEAD"] == nil, allowed?.contains("HEAD") ?? true { scopes["HEAD"] = get }
        guard route.says("methods") else {
            allowed = entries.map(\.name)
            if scopes["HEAD"] != nil, !entries.contains(where: { $0.name == "HEAD" }) { allowed?.append("HEAD") }
            return
        }
        judge(entries, said, problems)
    }

    private func judge(_ entries: [CheckedEntry], _ said: [PlacedText], _ problems: ProblemList) {
        for method in said where scopes[method.text] == nil {
            problems.error(
                at: method.place, expected: "a method that token.scopes names", found: Quoted.text(method.text),
                remedy: "add  \(method.text): [...]  to scopes; an empty list asks for none")
        }
        for entry in entries where !said.contains(where: { $0.text == entry.name }) {
            problems.error(
                at: entry.place, expected: "a method that the route's methods allow", found: Quoted.text(entry.name),
                remedy: "add it to methods, or leave it out here")
        }
    }
}
