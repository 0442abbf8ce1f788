import Crypto
import Issuers
import JOSE
import JSON
import OAuth

/// What a client asks of its authorization server for a login, and what it signs that with.
struct AuthorizationRequestSection {
    private(set) var settings: AuthorizationRequestSettings
    /// Signs request objects; nil for the forms without one, or after a problem has been noted.
    private(set) var key: SigningJWK?

    /// `known` is nil where the client's own credentials do not fit.
    init(_ client: CheckedObject, _ known: ClientSettings?, _ translation: Translation) {
        let isFAPI = FAPIProfile.isAsked(of: client)
        let problems = translation.problems
        settings = AuthorizationRequestSettings(
            form: isFAPI ? .pushedSigned : .plain, responseMode: isFAPI ? .jwt : .query)
        LoginKeys.request.read(client, into: &settings)
        for key in ["scopes", "resource", "acr_values"] { Repetition.refuse(client.texts(key), problems) }
        if IdentityFromSection.isAsked(of: client) {
            settings.isOpenID = false
            if client["scopes"] == nil { settings.scopes = [] }
        } else if client["scopes"] != nil {
            Self.judgeScopes(client, problems)
        }
        Self.judgeClaims(client, problems)
        guard settings.form.isSigned else {
            if client.says("request_object") {
                problems.error(
                    at: client.place(of: "request_object"),
                    expected: "a signed form of authorization_request beside request_object",
                    found: settings.form.rawValue,
                    remedy:
                        "write  authorization_request: pushed_signed  (or signed, signed_by_reference), or leave it out"
                )
            }
            return
        }
        RequestObjectSection.apply(client.object("request_object"), to: &settings, problems)
        key = RequestObjectSection.key(client, known?.credentials.method, settings.form, translation)
    }

    /// OpenID Connect Core §3.1.2.1: without openid no ID token comes back, and nobody would be known.
    private static func judgeScopes(_ client: CheckedObject, _ problems: ProblemList) {
        let scopes = client.texts("scopes")
        // While a scope does not fit, it may be meant to be openid.
        let path = "\(client.place(of: "scopes").path)["
        guard !scopes.contains(where: { $0.text == "openid" }),
            !problems.problems.contains(where: { $0.path.hasPrefix(path) })
        else { return }
        let words = (["openid"] + scopes.map(\.text)).joined(separator: ", ")
        problems.error(
            at: client.place(of: "scopes"), expected: "openid among the scopes of a login", found: "others alone",
            remedy: "write it as  scopes: [\(Quoted.bare(words))] ; without it the server sends no ID token")
    }

    private static func judgeClaims(_ client: CheckedObject, _ problems: ProblemList) {
        guard let claims = client.json("claims") else { return }
        for member in claims.members where !["userinfo", "id_token"].contains(member.name) {
            problems.error(
                at: client.place(of: "claims"), expected: "userinfo and id_token alone in claims",
                found: Quoted.text(member.name),
                remedy: "write it as  claims: { id_token: { \(Quoted.bare(member.name)): { essential: true } } }")
        }
        guard claims["userinfo"] != nil, client.text("userinfo")?.text ?? "off" == "off",
            !client.says("userinfo") || client["userinfo"] != nil
        else { return }
        problems.error(
            at: client.place(of: "claims"), expected: "userinfo: optional or required beside claims of userinfo",
            found: "userinfo: off", remedy: "add  userinfo: optional  or ask for the claims under id_token")
    }
}
