import Issuers
import Login
import OAuth

/// `identity_from` of a client: who logged in, at a server that makes no ID tokens (OIDC-18).
enum IdentityFromSection {
    static let key = "identity_from"

    static let shape = ObjectShape(
        noun: "a mapping with url and subject",
        keys: [
            KeyDescription(
                "url", .text(URLText.endpoint), .required, example: "https://api.github.com/user",
                "The endpoint that is asked with the access token whose it is."),
            KeyDescription(
                "subject", .text(ClaimPathText.name), .required, example: "id",
                "The member of its answer that is the user's subject: one that no user can change, and nobody gets again."
            ),
            KeyDescription(
                "emails_url", .text(URLText.endpoint), .optional, example: "https://api.github.com/user/emails",
                "The endpoint of the user's addresses of mail; without it no address counts as verified."),
        ])

    static func isAsked(of client: CheckedObject) -> Bool { client.says(key) }

    /// The endpoint, with all that contradicts it noted; nil where there is none, or after a problem.
    static func translate(
        _ client: CheckedObject, at place: Place, of issuer: IssuerSettings, _ problems: ProblemList
    ) -> UserEndpointSettings? {
        guard isAsked(of: client) else {
            guard issuer.keys == .absent else { return nil }
            problems.error(
                at: place, expected: "identity_from in a client of the issuer \(issuer.name), which has endpoints",
                found: "none",
                remedy:
                    "add  identity_from: { url: https://api.example.com/user, subject: id } : without metadata and keys "
                    + "no ID token could be verified")
            return nil
        }
        judge(client, problems)
        if issuer.keys != .absent {
            problems.error(
                at: client.place(of: key), expected: "endpoints in the issuer \(issuer.name) beside identity_from",
                found: "none",
                remedy:
                    "add  endpoints: { authorization: …, token: … }  to the issuer; where it has metadata, its ID tokens "
                    + "say who it is: leave identity_from out")
        }
        guard let object = client.object(key) else { return nil }
        for name in ["url", "emails_url"] {
            EndpointsSection.judge(object.text(name), insecure: issuer.insecureAllowHTTP, problems)
        }
        guard let url = object.text("url"), let subject = object.text("subject") else { return nil }
        return UserEndpointSettings(
            url: url.text, subject: subject.text, emailsURL: object.text("emails_url")?.text)
    }

    /// Notes what an ID token would be needed for, or metadata (OIDC-21): half of it would look like all of it.
    static func judge(_ client: CheckedObject, _ problems: ProblemList) {
        guard isAsked(of: client) else { return }
        for name in alwaysRefused where client.says(name) { refuse(name, in: client, problems) }
        for name in ["silent_first", "third_party_start"] where client.flag(name) == true {
            refuse(name, in: client, problems)
        }
        for (name, allowed) in [
            ("userinfo", ["off"]), ("authorization_request", ["plain"]), ("response_mode", ["query", "form_post"]),
        ] {
            guard let word = client.text(name)?.text, !allowed.contains(word) else { continue }
            refuse(name, in: client, problems)
        }
        if let logout = client.object("logout") {
            for name in [
                "at_server", "post_hint", "backchannel", "require_type", "accept_without_expiry", "frontchannel",
            ]
            where logout.flag(name) == true {
                refuse(name, in: logout, problems)
            }
        }
        if let scope = client.texts("scopes").first(where: { $0.text == "openid" }) {
            problems.error(
                at: scope.place, expected: "no openid among the scopes beside identity_from", found: "openid",
                remedy: "leave it out: it asks for an ID token, which nobody here would verify")
        }
        if client.flag("assume_pkce") != true {
            problems.error(
                at: client.place(of: key), expected: "assume_pkce: true beside identity_from", found: "none",
                remedy:
                    "nothing that the server publishes says that it knows PKCE with S256: see that its documents do, "
                    + "as GitHub's, and add  assume_pkce: true")
        }
    }

    private static let alwaysRefused = [
        "profile", "request_object", "decryption_keys", "acr_values", "max_age", "claims", "response", "id_token",
    ]

    private static func refuse(_ name: String, in object: CheckedObject, _ problems: ProblemList) {
        problems.error(
            at: object.place(of: name), expected: "no \(name) beside identity_from",
            found: object.text(name).map { Quoted.text($0.text) } ?? name,
            remedy:
                "leave it out: it needs an OpenID provider, and this server makes no ID tokens and publishes nothing")
    }

    /// Notes what a route asks of a login that this one cannot say (OIDC-21).
    static func judge(_ login: CheckedObject, client name: String, _ client: CheckedObject?, _ problems: ProblemList) {
        guard let client, isAsked(of: client) else { return }
        for key in ["acr_values", "max_age"] where login.says(key) {
            problems.error(
                at: login.place(of: key), expected: "no \(key) where the client \(Quoted.bare(name)) has identity_from",
                found: key, remedy: "leave it out: only an ID token says how and when somebody signed in")
        }
        if login.says("email"), !(client.object(Self.key)?.says("emails_url") ?? true) {
            problems.error(
                at: login.place(of: "email"),
                expected: "emails_url in clients.\(Quoted.bare(name)).identity_from beside a rule for email",
                found: "none",
                remedy:
                    "add  emails_url: https://api.example.com/user/emails : nobody passes by an address that nobody "
                    + "verified")
        }
    }

    /// Notes an upstream that is to get an ID token of such a login.
    static func judgeIDToken(_ word: PlacedText, of route: CheckedObject, _ context: RouteContext) {
        guard let name = LoginAccessSection.clientName(of: route),
            let client = context.clients.find(name, ProblemList())?.object, isAsked(of: client)
        else { return }
        context.translation.problems.error(
            at: word.place,
            expected: "a client with ID tokens beside pass: id_token", found: "\(name.text), which has identity_from",
            remedy: "its server makes none: say  assertion  for a token that the gateway signs")
    }
}
