import Issuers

/// `endpoints` of an issuer: an OAuth 2.0 server that is no OpenID provider and publishes nothing about itself.
enum EndpointsSection {
    static let shape = ObjectShape(
        noun: "the endpoints of an issuer",
        keys: [
            KeyDescription(
                "authorization", .text(URLText.endpoint), .required, example: "https://id.example.com/authorize",
                "Where browsers are sent to sign in."),
            KeyDescription(
                "token", .text(URLText.endpoint), .required, example: "https://id.example.com/token",
                "Where codes and refresh tokens are redeemed."),
            KeyDescription(
                "revocation", .text(URLText.endpoint), .optional, example: "https://id.example.com/revoke",
                "Where tokens are revoked (RFC 7009); without it they end by themselves."),
        ])

    /// What is about keys, metadata or tokens, of which such a server has none that anybody here could verify.
    private static let others = [
        "discovery", "jwks_uri", "jwks", "algorithms", "accept_typ", "profile", "leeway", "scope_claim", "allow_ports",
        "allow_private", "keys", "introspection",
    ]

    /// The endpoints; nil where there are none, or after a problem has been noted.
    static func translate(
        _ issuer: CheckedObject, insecure: Bool, _ problems: ProblemList
    ) -> IssuerSettings.Endpoints? {
        guard issuer.says("endpoints") else { return nil }
        for key in others where issuer.says(key) && issuer.text(key)?.text != "none" {
            problems.error(
                at: issuer.place(of: key), expected: "no \(key) beside endpoints", found: key,
                remedy:
                    "leave it out: endpoints is for a server without metadata and keys, whose tokens nobody verifies; "
                    + "for an OpenID provider leave endpoints out")
        }
        guard let object = issuer.object("endpoints") else { return nil }
        for key in ["authorization", "token", "revocation"] { judge(object.text(key), insecure: insecure, problems) }
        guard let authorization = object.text("authorization"), let token = object.text("token") else { return nil }
        return IssuerSettings.Endpoints(
            authorization: authorization.text, token: token.text, revocation: object.text("revocation")?.text)
    }

    /// Whoever can read a code or a token on its way is the user, and whoever can change an answer is anybody.
    static func judge(_ url: PlacedText?, insecure: Bool, _ problems: ProblemList) {
        guard let url, let address = WebAddress(url.text), !address.isSecure,
            !(insecure && IPAddress.isLoopback(address.host))
        else { return }
        problems.error(
            at: url.place, expected: "an https URL", found: Quoted.text(url.text),
            remedy: "whoever can read or change what travels there can sign in as anybody")
    }
}
