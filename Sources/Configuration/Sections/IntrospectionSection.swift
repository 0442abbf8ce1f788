import Issuers

/// `introspection` of an issuer: tokens that it is asked about (RFC 7662).
enum IntrospectionSection {
    private static let table = SettingTable(
        "the settings of introspection", defaults: IntrospectionSettings(client: 0),
        [
            .key(
                "client", .text(PlainText.name(of: "a client")), .required, example: "shop",
                "Which of the clients asks, by its name; it must be one of this issuer."),
            .text(
                "endpoint", orNone: \.endpoint, URLText.endpoint, example: "https://id.example.com/introspect",
                "Where to ask, overriding what the metadata says."),
            .word(
                "tokens", \.tokens, [("opaque", .opaque), ("all", .all)],
                "What is asked about: tokens that are no JWT, or all, so that a revoked JWT is refused too."),
            .flag(
                "signed", \.requiresSigned,
                "Accepts signed answers alone (RFC 9701), checked with the issuer's keys."),
            .text(
                "audience", orNone: \.audience, PlainText.audience, example: "shop-api",
                "The aud of signed answers; the client's id by default."),
            .seconds(
                "cache", \.positiveLifetime, 0...300,
                "How long an answer that a token is active is believed; 0s asks for every request."),
            .seconds(
                "negative_cache", \.negativeLifetime, 0...300,
                "How long an answer that a token is not active is believed."),
            .milliseconds("timeout", \.timeout, 100...30_000, "How long one answer may take."),
            .bytes(
                "answer_limit", \.answerBytes, 4096...1_048_576,
                "The largest answer that is read; a token whose answer is longer is refused with 502."),
            .flag("hint", \.hint, "Says token_type_hint=access_token, which some servers refuse."),
        ])
    static let shape = table.shape

    /// `insecure` says that the issuer may be reached by plain HTTP.
    static func translate(
        _ issuer: CheckedEntry, insecure: Bool, _ context: IssuerContext
    ) -> IntrospectionSettings? {
        guard let object = issuer.value?.object?.object("introspection") else { return nil }
        let problems = context.translation.problems
        judgeEndpoint(object, issuer.name, insecure: insecure, context)
        let signed = object.flag("signed") ?? false
        if object.says("audience"), !signed, !object.says("signed") || object["signed"] != nil {
            problems.error(
                at: object.place(of: "audience"), expected: "signed: true beside audience", found: "plain answers",
                remedy: "leave audience out, or add  signed: true : plain answers are addressed to nobody")
        }
        guard let name = object.text("client"), let client = context.clients.find(name, problems) else { return nil }
        if let other = client.issuer, other != issuer.name {
            problems.error(
                at: name.place, expected: "a client of the issuer \(issuer.name)",
                found: "\(Quoted.text(name.text)), a client of \(other)",
                remedy: "its credentials are for \(other) alone: name a client whose issuer is \(issuer.name)")
        }
        var settings = IntrospectionSettings(client: client.index)
        table.read(object, into: &settings)
        return settings
    }

    private static func judgeEndpoint(
        _ object: CheckedObject, _ issuer: String, insecure: Bool, _ context: IssuerContext
    ) {
        let problems = context.translation.problems
        if !object.says("endpoint"), context.issuers.discoversNothing(issuer) {
            problems.error(
                at: object.place, expected: "endpoint when nothing is discovered", found: "none",
                remedy: "add  endpoint: https://id.example.com/introspect , or  discovery: automatic  to the issuer")
        }
        guard let endpoint = object.text("endpoint"), let address = WebAddress(endpoint.text), !address.isSecure,
            !(insecure && IPAddress.isLoopback(address.host))
        else { return }
        problems.error(
            at: endpoint.place, expected: "an https URL", found: Quoted.text(endpoint.text),
            remedy: "tokens and the client's credentials travel there")
    }
}
