import JSON

/// What one authorization request says, before it is put into a URL, a request object or a form (RFC 6749 §4.1.1).
///
/// Everything in it comes from the configuration or was made for this login: there is no way in for what a browser
/// brings (CF-10). `response_type` is `code` and the challenge's method `S256`, always (CF-01, CF-04).
public struct AuthorizationParameters: Sendable {
    /// A parameter's value: in a request object it keeps its JSON type (RFC 9101 §4; JAR-04).
    enum Value: Sendable {
        case text(String)
        case number(Int)
        case structure(JSONValue)
        /// One `resource` parameter each; in a request object one string or an array of them.
        case list([String])
    }

    /// The settings asked by; where there is a request object, how it is made is in them.
    let settings: AuthorizationRequestSettings
    /// The client's identifier.
    public let clientID: String
    /// Sent in every form of request, and again with the code (PAR-07, CF-02).
    public let redirectURI: String
    /// Names and values in order; a name occurs once.
    let values: [(name: String, value: Value)]

    /// The request of one login.
    ///
    /// `state`, `nonce` and `challenge` are that login's own (JAR-06); `proofThumbprint` binds the code to a DPoP key
    /// (RFC 9449 §10).
    public init(
        settings: AuthorizationRequestSettings, clientID: String, redirectURI: String, state: String, nonce: String,
        challenge: String, proofThumbprint: String? = nil, stepUp: StepUp? = nil
    ) {
        self.settings = settings
        self.clientID = clientID
        self.redirectURI = redirectURI
        var values: [(name: String, value: Value)] = [
            ("response_type", .text("code")), ("client_id", .text(clientID)), ("redirect_uri", .text(redirectURI)),
        ]
        // RFC 6749 §3.3: without one the server grants what it does by default.
        if !settings.scopes.isEmpty { values.append(("scope", .text(settings.scopes.joined(separator: " ")))) }
        values.append(("state", .text(state)))
        if settings.isOpenID { values.append(("nonce", .text(nonce))) }
        values += [
            // RFC 7636 §4.3: where the method is not said it is `plain`, which protects nothing.
            ("code_challenge", .text(challenge)), ("code_challenge_method", .text("S256")),
        ]
        // `query` is what a server does for codes anyway, and some know no such parameter.
        if settings.responseMode != .query { values.append(("response_mode", .text(settings.responseMode.rawValue))) }
        if let proofThumbprint { values.append(("dpop_jkt", .text(proofThumbprint))) }
        values += Self.optional(settings, stepUp)
        self.values = values
    }

    /// What only some clients ask for (CF-10).
    private static func optional(
        _ settings: AuthorizationRequestSettings, _ stepUp: StepUp?
    ) -> [(name: String, value: Value)] {
        var values: [(name: String, value: Value)] = []
        if !settings.resources.isEmpty { values.append(("resource", .list(settings.resources))) }
        if let audience = settings.audience { values.append(("audience", .text(audience))) }
        if let details = settings.authorizationDetails { values.append(("authorization_details", .structure(details))) }
        let acrValues = stepUp.flatMap { $0.acrValues.isEmpty ? nil : $0.acrValues } ?? settings.acrValues
        if !acrValues.isEmpty { values.append(("acr_values", .text(acrValues.joined(separator: " ")))) }
        let ages = [settings.maximumAge, stepUp?.maximumAge].compactMap(\.self)
        if let age = ages.min() { values.append(("max_age", .number(age))) }
        if let prompt = prompt(settings.prompt, isForced: stepUp?.forcesPrompt == true) {
            values.append(("prompt", .text(prompt)))
        }
        if let uiLocales = settings.uiLocales { values.append(("ui_locales", .text(uiLocales))) }
        if let loginHint = settings.loginHint { values.append(("login_hint", .text(loginHint))) }
        if let claims = settings.claims { values.append(("claims", .structure(claims))) }
        return values
    }

    /// `login` beside what is configured; alone where that is `none`, which goes with nothing (OpenID Connect Core
    /// §3.1.2.1).
    private static func prompt(_ configured: String?, isForced: Bool) -> String? {
        guard isForced else { return configured }
        let words = (configured ?? "").split(separator: " ").filter { $0 != "login" && $0 != "none" }
        return (["login"] + words).joined(separator: " ")
    }

    /// The parameters of a URL's query or of a form, `client_id` among them; numbers and structures as JSON text.
    public var pairs: [(String, String)] {
        values.flatMap { name, value in
            switch value {
            case .text(let text): [(name, text)]
            case .number(let number): [(name, String(number))]
            case .structure(let structure): [(name, Self.text(of: structure))]
            case .list(let texts): texts.map { (name, $0) }
            }
        }
    }

    private static func text(of structure: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(structure)
        return writer.text
    }
}

/// The state opens a login and the challenge is half of what redeems its code: neither belongs into a log.
extension AuthorizationParameters: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `[authorization request]`.
    public var description: String { "[authorization request]" }

    /// `[authorization request]`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: nil) }
}
