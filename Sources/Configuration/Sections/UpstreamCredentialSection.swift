import Access
import Bytes
import Crypto
import Gateway
import Login
import OAuth

/// `upstream_credential` of a route: what the upstream gets in place of the client's credentials.
enum UpstreamCredentialSection {
    static let value = Shape.either([.word(["none", "pass"]), .object(shape)])

    private static let shape = ObjectShape(
        noun: "a mapping with exchange, static, assertion or pass",
        keys: [
            KeyDescription(
                "exchange", .object(ExchangeSection.shape), .optional,
                example: "{ client: shop, audience: orders }",
                "A token for the upstream, from the authorization server in exchange for the client's (RFC 8693)."),
            KeyDescription(
                "static", .object(staticShape), .optional, example: "{ file: /run/secrets/upstream-token }",
                "Always the same credential."),
            KeyDescription(
                "assertion", .object(AssertionSection.shape), .optional, example: "{ audience: orders }",
                "A short-lived JWT signed here that says who the caller is."),
            KeyDescription(
                "pass", .either([.word(["id_token"]), .object(passShape)]), .optional,
                example: "{ proof_url: https://orders.internal }",
                "The session's access token, with a fresh proof where it is bound to a key; or id_token, its ID token."),
        ], exactlyOne: ["exchange", "static", "assertion", "pass"])

    private static let passShape = ObjectShape(
        noun: "a mapping with proof_url",
        keys: [
            KeyDescription(
                "proof_url", .text(URLText.base), .required, example: "https://orders.internal",
                "What the htu of proofs begins with, as the upstream's resource server sees it.")
        ])

    private static let staticShape = SecretReference.shape(
        noun: "a reference to a credential",
        beside: [
            KeyDescription(
                "scheme", .text(PlainText.scheme), .standard("Bearer"),
                "The scheme before it; for Basic the value is user:password, encoded here.")
        ])

    static func translate(
        _ route: CheckedObject, _ access: RouteSettings.Access?, _ context: RouteContext
    ) -> UpstreamCredentialSettings {
        guard let value = route["upstream_credential"] else { return .none }
        judge(value, route, access, context.translation.problems)
        if let word = value.object?.text("pass") { IdentityFromSection.judgeIDToken(word, of: route, context) }
        if let word = value.text { return word == "pass" ? .pass : .none }
        guard let object = value.object else { return .none }
        if let exchange = object.object("exchange") {
            return ExchangeSection.translate(exchange, route, context).map { .exchange($0) } ?? .none
        }
        if let reference = object.object("static") {
            return fixed(reference, context.translation).map { .fixed($0) } ?? .none
        }
        if object.text("pass") != nil { return .passIDToken }
        if object.object("pass") != nil { return .pass }
        if let assertion = object.object("assertion") {
            return .assertion(AssertionSection.translate(assertion, route, context.translation.problems))
        }
        return .none
    }

    /// The base of the `htu` of proofs for the upstream, where it is said; a path that follows begins with a slash.
    static func proofURL(_ route: CheckedObject, _ context: RouteContext) -> String? {
        guard let pass = route.object("upstream_credential")?.object("pass"), let url = pass.text("proof_url") else {
            return nil
        }
        let problems = context.translation.problems
        let name = LoginAccessSection.clientName(of: route)
        if !route.says("login") {
            problems.error(
                at: url.place, expected: "login on a route with proof_url", found: "none",
                remedy: "proofs are made for tokens of sessions alone: write  upstream_credential: pass")
        } else if let name, let client = context.clients.find(name, ProblemList())?.object,
            ProofChoice.of(client) == .off
        {
            problems.error(
                at: url.place, expected: "dpop: required or optional in the client \(name.text) beside proof_url",
                found: "off", remedy: "its tokens are bound to no key: write  upstream_credential: pass")
        }
        return URLText.baseOfPaths(url.text)
    }

    private static func judge(
        _ value: CheckedValue, _ route: CheckedObject, _ access: RouteSettings.Access?, _ problems: ProblemList
    ) {
        let name = value.text ?? value.object?.keyPlaces.keys.min() ?? "none"
        if case .publicAccess? = access, name != "none", name != "static" {
            problems.error(
                at: value.place, expected: "a token on a route with upstream_credential: \(name)",
                found: "public: true",
                remedy: "nobody is known here: leave upstream_credential out, or say token in place of public")
        }
        guard name == "pass" else { return }
        if let word = value.object?.text("pass") { return judgeIDToken(word, access, problems) }
        if route.flag("mcp") == true {
            problems.error(
                at: value.place, expected: "no token passed through on an MCP route", found: "pass",
                remedy: "MCP forbids it: the token was made for this server; use exchange or assertion")
        }
        if let token = access?.token, token.schemes.contains(.dpop) {
            problems.error(
                at: value.place, expected: "Bearer alone in the schemes of a route that passes tokens on",
                found: "DPoP among them",
                remedy: "a token bound to the client's key is of no use to the upstream; use exchange or assertion")
        }
    }

    /// Sessions alone have ID tokens, and whoever takes one for a credential believes any that this client gets.
    private static func judgeIDToken(
        _ word: PlacedText, _ access: RouteSettings.Access?, _ problems: ProblemList
    ) {
        if access?.token != nil {
            problems.error(
                at: word.place, expected: "login alone on a route with pass: id_token", found: "token",
                remedy: "clients with an access token have no ID token here: leave token out, or use assertion")
        } else if access?.login != nil {
            problems.warning(
                at: word.place, expected: "an upstream that takes nothing but ID tokens, such as Kubernetes Dashboard",
                found: "id_token",
                remedy:
                    "whoever reads it there is the user wherever ID tokens of this client are believed, until it expires: prefer assertion"
            )
        }
    }

    private static func fixed(_ reference: CheckedObject, _ translation: Translation) -> Secret? {
        guard
            let value = SecretReference.resolve(
                reference, translation, noun: "a credential", sensitivity: .secret, limit: 16 * 1024)
        else { return nil }
        let credential = SecretReference.line(value.bytes)
        let scheme = reference.text("scheme")?.text ?? "Bearer"
        // A line break in the value would begin a field line of its own towards the upstream.
        guard !credential.isEmpty, credential.allSatisfy({ (0x20...0x7E).contains($0) }), credential.first != 0x20,
            credential.last != 0x20
        else {
            translation.problems.error(
                at: value.place, expected: "a credential of printable ASCII in one line",
                found: credential.isEmpty ? "nothing" : "other bytes, or spaces around it",
                remedy: "put the credential alone there, without the scheme; one line break at the end is fine")
            return nil
        }
        guard scheme.lowercased() == "basic" else { return Secret(Array("\(scheme) ".utf8) + credential) }
        guard credential.contains(UInt8(ascii: ":")) else {
            translation.problems.error(
                at: value.place, expected: "user:password for the scheme Basic", found: "a value without a colon",
                remedy: "write both in clear, joined by a colon: they are encoded here (RFC 7617)")
            return nil
        }
        return Secret(Array("\(scheme) ".utf8) + Base64.encode(credential.span).utf8)
    }
}
