import Bytes
import Login
import OAuth
import Sessions

/// The descriptions of a client's login keys.
enum LoginKeys {
    /// What the server is asked.
    static let request = SettingTable(
        "a login", defaults: AuthorizationRequestSettings(), forms + questions + wishes)

    private static let forms: [Setting<AuthorizationRequestSettings>] = [
        .key(
            "profile", .word(["fapi2"]), .optional, example: "fapi2",
            "FAPI 2.0, Security Profile and Message Signing: what it asks for is the default, what it forbids is refused."
        ),
        .word(
            "authorization_request", \.form, AuthorizationRequestSettings.Form.allCases.map { ($0.rawValue, $0) },
            never: [
                "jar": "JAR is signed (in the URL), signed_by_reference, or pushed_signed",
                "par": "PAR is pushed, or pushed_signed together with JAR",
                "request": "that is signed", "request_uri": "that is signed_by_reference, or pushed for PAR",
            ],
            example: "pushed_signed",
            "How the request gets to the server: in the URL, in a signed object (JAR), by its URL, or pushed (PAR)."),
        .key(
            "request_object", .object(RequestObjectSection.shape), .optional,
            example: "{ key: { file: /run/secrets/request.key } }",
            "The signed object of the forms that have one."),
        .key(
            "published_keys",
            .list(
                ListShape(
                    noun: "references to keys", element: .object(PublishedKeySection.published), count: 1...8)),
            .optional, example: "[{ file: /run/secrets/next.key }]",
            "Private keys whose public halves are published and that sign nothing: the next one, the last one."),
        .key(
            "decryption_keys",
            .list(
                ListShape(
                    noun: "keys that decrypt", element: .object(PublishedKeySection.decryption), count: 1...8)),
            .optional, example: "[{ key: { file: /run/secrets/decryption.key } }]",
            "Private keys for what the server encrypts; their public halves are published."),
    ]

    private static let questions: [Setting<AuthorizationRequestSettings>] = [
        .texts(
            "scopes", \.scopes, .list(ListShape(noun: "scopes", element: .text(PlainText.scope), count: 1...64)),
            example: "[openid, profile]", "The scopes asked for, openid among them."),
        .texts(
            "resource", \.resources,
            .either([
                .text(URLText.target), .list(ListShape(noun: "URLs", element: .text(URLText.target), count: 1...16)),
            ]), example: "https://api.example.com", "Whom the access token is for, by URL (RFC 8707)."),
        .text(
            "audience", orNone: \.audience, PlainText.audience, example: "https://api.example.com",
            "Whom the access token is for, for servers that had this parameter before RFC 8707."),
        .json(
            "authorization_details", \.authorizationDetails,
            JSONShape(expected: "a list of mappings with type (RFC 9396)", form: .listOfMappings, member: "type"),
            example: "[{ type: orders, actions: [read] }]", "Rights asked for (RFC 9396), as they are."),
        .texts(
            "acr_values", \.acrValues,
            .list(ListShape(noun: "acr values", element: .text(PlainText.authenticationContext), count: 1...16)),
            example: "[urn:example:mfa]", "How the user is to sign in, the best first."),
        .seconds(
            "max_age", numberOrNone: \.maximumAge, 0...31_536_000, example: "8h",
            "How long ago the user may have signed in at the server; checked in the ID token too."),
    ]

    private static let wishes: [Setting<AuthorizationRequestSettings>] = [
        .text(
            "prompt", orNone: \.prompt, LoginText.prompt, example: "select_account",
            "What the server asks the user, whatever it remembers: login, consent, select_account."),
        .text(
            "ui_locales", orNone: \.uiLocales, LoginText.locales, example: "de en",
            "Languages of the server's pages, the best first."),
        .text(
            "login_hint", orNone: \.loginHint, PlainText.detail, example: "example.com",
            "What the server may fill in as the user's name."),
        .json(
            "claims", \.claims,
            JSONShape(expected: "a mapping with userinfo or id_token (OpenID Connect)", form: .mapping),
            example: "{ id_token: { email: { essential: true } } }",
            "Claims asked for one by one (OpenID Connect Core section 5.5), as they are."),
        .word(
            "response_mode", \.responseMode,
            AuthorizationRequestSettings.ResponseMode.allCases.map { ($0.rawValue, $0) },
            never: ["fragment": "a fragment never reaches a server: choose query or form_post"], example: "form_post",
            "How the answer gets back: in the query or a form, and signed (JARM) with those that end in jwt."),
    ]

    /// What the server answers with, and how the login is kept.
    static let settings = SettingTable(
        "a login",
        defaults: LoginSettings(
            name: "", client: 0, authorization: AuthorizationRequestSettings(),
            idToken: IDTokenRules(issuer: "", clientID: ""), session: SessionSettings(cookieName: "")),
        response + session)

    private static let response: [Setting<LoginSettings>] = [
        .key(
            "response", .object(ResponseSection.shape), .optional, example: "{ algorithm: PS256, encrypted: true }",
            "What a signed response (JARM) must be."),
        .key(
            "dpop", .word(["off", "optional", "required"]), .standard("off"), example: "required",
            "Whether tokens are bound to a key of the session (RFC 9449); optional where the server says that it can."),
        .flag(
            "assume_pkce", \.assumesPKCE,
            "Logs in at a server whose metadata does not say that it knows PKCE with S256: make sure that it does."),
        .key(
            "id_token", .object(IDTokenSection.shape), .optional, example: "{ algorithm: ES256 }",
            "What an ID token must be."),
        .key(
            IdentityFromSection.key, .object(IdentityFromSection.shape), .optional,
            example: "{ url: https://api.github.com/user, subject: id }",
            "Who it is, by an endpoint in the place of an ID token: for issuers with endpoints."),
        .word(
            "userinfo", \.userInfo, [("off", .off), ("optional", .optional), ("required", .required)],
            example: "optional",
            "Whether more claims are asked for after a login; required ends a login without them."),
        .flag(
            "require_verified_email", \.requiresVerifiedEmail,
            "Believes email only where email_verified is true."),
        .flag(
            "lenient_expires_in", \.lenientExpiresIn,
            "Accepts expires_in as digits in a text, which some servers send."),
    ]

    private static let session: [Setting<LoginSettings>] = [
        .flag(
            "third_party_start", \.start.allowsThirdParty,
            "Lets pages elsewhere start a login here (OpenID Connect Core section 4)."),
        .flag(
            "silent_first", \.start.isSilentFirst,
            "Asks the server to show nothing first, and only where it knows nobody for its page: one sign-in for several hosts."
        ),
        .flag(
            "keep_fragment", \.start.keepsFragment,
            "Brings the browser back to the # part of the address too, by a small page before the login."),
        .flag(
            "refresh", \.refreshes, "Renews the access token before it expires."),
        .key(
            "session", .object(SessionSection.shape), .optional, example: "{ idle: 30m, absolute: 8h }",
            "How a login is kept."),
        .key(
            "logout", .object(LogoutSection.shape), .optional, example: "{ backchannel: true }",
            "What a logout is beside the end of the session here."),
    ]
}

/// Texts of login keys.
enum LoginText {
    static let prompt = TextShape(
        expected: "what the server asks the user, such as login or select_account",
        pattern: "^[a-z][a-z_]*( [a-z][a-z_]*)*$"
    ) { text in
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let fits = words.allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
        }
        guard fits, text.utf8.count <= 128 else {
            return TextFault(remedy: "write words in lower case with a space between them, such as  login consent")
        }
        return words.contains("none")
            ? TextFault(remedy: "with none nobody could ever sign in: the server would show no page") : nil
    }

    static let locales = TextShape(
        expected: "languages such as de en", pattern: "^[A-Za-z0-9-]{1,35}( [A-Za-z0-9-]{1,35}){0,15}$"
    ) { text in
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let fits = words.allSatisfy { word in
            (1...35).contains(word.utf8.count)
                && word.utf8.allSatisfy {
                    switch $0 {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
                    default: false
                    }
                }
        }
        return fits && words.count <= 16
            ? nil : TextFault(remedy: "write language tags with a space between them (RFC 5646), the best first")
    }

    /// A path of this origin, where a browser is sent: anything else would be an open redirect (CF-09).
    static let landing = TextShape(
        expected: "a path of this origin such as /", pattern: "^/([^/\\\\].*)?$"
    ) { text in
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            return TextFault(remedy: "begin it with one / : the browser stays on this origin")
        }
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C }) else {
            return TextFault(remedy: "use printable ASCII without spaces and \\")
        }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return path == RoutePathText.reservedPrefix || path.hasPrefix(RoutePathText.reservedPrefix + "/")
            ? TextFault(remedy: "paths below \(RoutePathText.reservedPrefix)/ belong to the gateway itself") : nil
    }

    /// The name of a session cookie, with a prefix that browsers hold it to (RFC 6265bis §4.1.3).
    ///
    /// They keep such a cookie from plain HTTP, and one of the first prefix from other hosts. Which of the two it is to have
    /// is judged beside the domain.
    static let cookie = TextShape(
        expected: "a name that begins with __Host-, or __Secure- beside domain",
        pattern: "^__(Host|Secure)-[A-Za-z0-9_-]{1,80}$"
    ) { text in
        let prefixes = [SessionSettings.hostPrefix, SessionSettings.domainPrefix]
        guard let prefix = prefixes.first(where: text.hasPrefix) else {
            let meant = prefixes.first { text.lowercased().hasPrefix($0.lowercased()) }
            return TextFault(
                remedy: meant.map { "spell the prefix  \($0)  , with one capital" }
                    ?? "without the prefix a neighbouring host could set it: write it as  __Host-\(bare(text))")
        }
        let rest = text.dropFirst(prefix.count).utf8
        let fits = rest.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard fits, (1...80).contains(rest.count) else {
            return TextFault(remedy: "use letters, digits, - and _ after the prefix, at most 80")
        }
        return isReserved(text)
            ? TextFault(
                expected: "a name that no other cookie of the gateway has",
                remedy: "choose another, such as \(prefix)shop")
            : nil
    }

    /// A domain whose hosts all get a cookie (RFC 6265bis §4.1.2.3); browsers keep none of an address or of one label.
    static let domain = TextShape(
        expected: "a domain such as example.com", pattern: "^[0-9A-Za-z_-]{1,63}(\\.[0-9A-Za-z_-]{1,63})+$"
    ) { text in
        if text.hasPrefix(".") || text.hasPrefix("*.") {
            return TextFault(
                remedy: "leave out what stands before the name: every host under it gets the cookie anyway")
        }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let fits = labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_".utf8.contains($0) }
        }
        guard fits, text.utf8.count <= 253 else {
            return TextFault(remedy: "write the name alone: no scheme, no port, no path, no dot at its end")
        }
        // WHATWG URL §3.5: a host whose last label is a number, also as 0x7, is an address or none at all.
        if labels.last?.first.map(ASCII.isDigit) == true {
            return TextFault(remedy: "an address has no hosts under it: leave it out")
        }
        return labels.count > 1
            ? nil
            : TextFault(
                remedy: "browsers keep no cookie of a domain with one label: write the one that your hosts are under")
    }

    /// Whether a cookie of a login itself has that name, but perhaps with the prefix of one host; compared as servers that
    /// fold case would.
    static func isReserved(_ cookie: String) -> Bool {
        let folded = cookie.lowercased()
        let bare = folded.drop { $0 == "_" }.drop { $0 != "-" }.dropFirst()
        return bare.hasPrefix("portcullis-login-") || ["portcullis-ended", "portcullis-logout"].contains(bare)
    }

    private static func bare(_ text: String) -> String {
        let kept = text.utf8.filter {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        return kept.isEmpty ? "shop" : String(decoding: kept.prefix(80), as: UTF8.self)
    }
}
