import Access
import Gateway
import OAuth

/// `assertion` of an upstream credential: a signed identity for one upstream.
enum AssertionSection {
    private static let table = SettingTable(
        "the settings of identity assertions", defaults: AssertionSettings(audience: ""),
        [
            .value(
                "audience", \.audience, .text(PlainText.audience), .required, example: "orders",
                "The aud of the assertion: who is to believe it."
            ) { $0.text },
            .seconds("lifetime", \.lifetime, 10...600, written: "60s", "How long one is good."),
            .texts(
                "claims", \.claims,
                .list(ListShape(noun: "claims", element: .text(ClaimPathText.name), count: 1...32)),
                example: "[email, roles]",
                "Claims of the access token to repeat, beside sub, client_id and scope, which are always there."),
            .text(
                "field", \.field, FieldNameText.ofAssertion, example: "X-Identity",
                "The field that carries it: Authorization, as Bearer, or another, the JWT alone."),
        ])
    static let shape = table.shape

    static func translate(
        _ object: CheckedObject, _ route: CheckedObject, _ problems: ProblemList
    ) -> AssertionSettings {
        let claims = object.texts("claims")
        Repetition.refuse(claims, problems)
        for claim in claims where IdentityAssertion.ownClaims.contains(claim.text) {
            problems.error(
                at: claim.place, expected: "a claim that the assertion does not write itself",
                found: Quoted.text(claim.text), remedy: "leave it out")
        }
        var settings = AssertionSettings(audience: "")
        table.read(object, into: &settings)
        guard let field = object.text("field") else { return settings }
        let folded = FieldNameText.folded(field.text)
        if folded == "authorization" { settings.field = "Authorization" }
        if let other = route.entries("identity").first(where: { FieldNameText.folded($0.name) == folded }) {
            problems.error(
                at: field.place, expected: "a field that identity does not fill",
                found: "\(Quoted.text(field.text)), which identity fills on \(other.place.position.words)",
                remedy: "rename one of them")
        }
        return settings
    }
}
