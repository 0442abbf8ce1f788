import Issuers
import JOSE
import OAuth

/// `issuers`: the authorization servers whose tokens are believed.
enum IssuerSection {
    private static let table = SettingTable(
        "an issuer", defaults: IssuerSettings(name: "", url: "", rules: AccessTokenRules(issuer: "")),
        servers + tokens + ways)
    static let shape = table.shape

    /// Who it is, and where its keys are.
    private static let servers: [Setting<IssuerSettings>] = [
        .key(
            "url", .text(URLText.issuer), .required, example: "https://id.example.com/",
            "The issuer identifier, exactly as tokens spell it."),
        .key(
            "discovery", .word(["automatic", "openid", "oauth", "none"]), .standard("automatic"),
            "How the server's metadata is found; none is the default when jwks_uri or jwks says where the keys are."
        ),
        .key(
            "jwks_uri", .text(URLText.document), .optional, example: "https://id.example.com/jwks.json",
            "Where the signing keys are, overriding what the metadata says."),
        .key(
            "jwks", .object(SecretReference.shape(noun: "a reference to a JWK Set")), .optional,
            example: "{ file: /etc/portcullis/jwks.json }",
            "A JWK Set (at most 256 KiB) in a file or an environment variable; no keys are fetched then."),
        .key(
            "endpoints", .object(EndpointsSection.shape), .optional,
            example: "{ authorization: https://id.example.com/authorize, token: https://id.example.com/token }",
            "The endpoints of a server without metadata that is no OpenID provider: for logins with identity_from alone."
        ),
    ]

    /// What its tokens are.
    private static let tokens: [Setting<IssuerSettings>] = [
        .list(
            "algorithms", \.rules.algorithms,
            .list(ListShape(noun: "signature algorithms", element: .text(AlgorithmText.shape), count: 1...16)),
            example: "[ES256, RS256]", "The algorithms that this issuer may sign access tokens with.",
            written: \.name, read: AlgorithmText.algorithm),
        .words(
            "accept_typ", \.rules.acceptedTypes,
            [("at+jwt", .accessTokenJWT), ("JWT", .plainJWT), ("none", .absent)], noun: "typ values",
            example: "[at+jwt, JWT]",
            "Values of the header typ accepted beside at+jwt, for servers older than RFC 9068; none is no typ at all."),
        .word(
            "profile", \.rules.profile, [("rfc9068", .rfc9068), ("legacy", .legacy)],
            "Which claims a token must have; legacy asks only for iss, exp and aud."),
        .seconds("leeway", number: \.rules.leewaySeconds, 0...300, "Clock difference tolerated on exp, nbf and iat."),
        .text(
            "scope_claim", \.rules.scopeClaim, ClaimPathText.name,
            "The claim with the granted scopes: words in one text, or a list of texts."),
    ]

    /// How it is reached.
    private static let ways: [Setting<IssuerSettings>] = [
        .key(
            "certificate_authority", .text(PlainText.file), .optional, example: "/etc/portcullis/ca.pem",
            "PEM file with the authorities that may sign the issuer's TLS certificate; the system's by default."),
        .texts(
            "allow_private", \.allowPrivate,
            .list(ListShape(noun: "networks", element: .text(NetworkText.shape), count: 1...64)),
            example: "[10.0.0.0/8]", "Private networks to which the issuer's metadata may point."),
        .value(
            "allow_ports", \.allowPorts, .list(ListShape(noun: "ports", element: .integer(1...65535), count: 1...16)),
            .optional, example: "[8444]",
            "Ports beside 443 to which the issuer's metadata may point; on the issuer's own host every port is fine."
        ) { $0.integers.compactMap { UInt16(exactly: $0) } },
        .flag(
            "insecure_allow_http", \.insecureAllowHTTP,
            "Accepts http:// for this issuer, which must be on loopback: for development."),
        .key(
            "keys", .object(KeyTimesSection.shape), .optional, example: "{ stale_limit: 1h }",
            "How long fetched keys are believed."),
        .key(
            "introspection", .object(IntrospectionSection.shape), .optional, example: "{ client: shop }",
            "Asks the issuer about tokens in place of verifying them here (RFC 7662)."),
    ]

    static func translate(_ entry: CheckedEntry, _ context: IssuerContext) -> IssuerSettings? {
        guard let object = entry.value?.object else { return nil }
        let translation = context.translation
        let problems = translation.problems
        let insecure = object.flag("insecure_allow_http") ?? object.says("insecure_allow_http")
        let keys = signingKeys(object, translation)
        let certificateAuthority = translation.certificateAuthority(object)
        let endpoints = EndpointsSection.translate(object, insecure: insecure, problems)
        let keyTimes = KeyTimesSection.translate(object.object("keys"), problems)
        let introspection = IntrospectionSection.translate(entry, insecure: insecure, context)
        guard let url = object.text("url"), let address = WebAddress(url.text) else { return nil }
        judgeTransport(address, url, insecure, object, problems)
        if let uri = object.text("jwks_uri"), let keyAddress = WebAddress(uri.text), !keyAddress.isSecure,
            !(insecure && IPAddress.isLoopback(keyAddress.host))
        {
            problems.error(
                at: uri.place, expected: "an https URL", found: Quoted.text(uri.text),
                remedy: "whoever can change the keys on their way can sign every token")
        }
        var settings = IssuerSettings(
            name: entry.name, url: url.text, discovery: discovery(object, problems), keys: keys,
            rules: AccessTokenRules(issuer: url.text))
        table.read(object, into: &settings)
        // at+jwt is always accepted: the others are beside it.
        settings.rules.acceptedTypes = AccessTokenRules.AcceptedType.allCases.filter {
            $0 == .accessTokenJWT || settings.rules.acceptedTypes.contains($0)
        }
        settings.certificateAuthorityFile = certificateAuthority
        settings.endpoints = endpoints
        settings.keyTimes = keyTimes
        settings.introspection = introspection
        return settings
    }

    private static func signingKeys(_ object: CheckedObject, _ translation: Translation) -> IssuerSettings.Keys {
        if object.says("jwks"), object.says("jwks_uri") {
            translation.problems.error(
                at: object.place(of: "jwks_uri"), expected: "at most one of jwks and jwks_uri", found: "both",
                remedy: "keep jwks for keys that never change, jwks_uri for keys that rotate")
        }
        if let reference = object.object("jwks") {
            let limit = 256 * 1024
            guard
                let document = SecretReference.resolve(
                    reference, translation, noun: "a JWK Set", sensitivity: .published, limit: limit)
            else { return .document([]) }
            if let fault = translation.sources.documents.keySet(document.bytes) {
                translation.problems.error(
                    at: document.place, expected: "a JWK Set with at least one usable key", found: fault,
                    remedy: "give the document that the issuer publishes as its jwks_uri (RFC 7517)")
            }
            return .document(document.bytes)
        }
        if object.says("endpoints") { return .absent }
        return object.text("jwks_uri").map { .url($0.text) } ?? .discovered
    }

    private static func discovery(_ object: CheckedObject, _ problems: ProblemList) -> IssuerSettings.Discovery {
        if object.says("endpoints") { return .none }
        let hasKeys = object.says("jwks") || object.says("jwks_uri")
        switch object.text("discovery")?.text {
        case "automatic": return .automatic
        case "openid": return .openIDConnect
        case "oauth": return .oauth
        case "none":
            if !hasKeys {
                problems.error(
                    at: object.place(of: "discovery"), expected: "jwks_uri or jwks when nothing is discovered",
                    found: "neither", remedy: "add  jwks_uri: https://id.example.com/jwks.json")
            }
            return .none
        default: return hasKeys ? .none : .automatic
        }
    }

    /// MD-01: plain HTTP would let the network choose the keys; loopback is for development.
    private static func judgeTransport(
        _ address: WebAddress, _ url: PlacedText, _ insecure: Bool, _ object: CheckedObject, _ problems: ProblemList
    ) {
        let isLoopback = IPAddress.isLoopback(address.host)
        if insecure, !isLoopback {
            problems.error(
                at: object.place(of: "insecure_allow_http"), expected: "an issuer on loopback",
                found: Quoted.text(url.text),
                remedy: "leave insecure_allow_http out: it is for development on one machine")
        } else if insecure {
            problems.warning(
                at: object.place(of: "insecure_allow_http"), expected: "https",
                found: "an issuer reached by plain HTTP",
                remedy: object.says("endpoints")
                    ? "for development only: whoever is on the way can read and change tokens, and who somebody is"
                    : "for development only: whoever can change the traffic can sign every token")
        } else if !address.isSecure {
            problems.error(
                at: url.place, expected: "an https issuer URL", found: Quoted.text(url.text),
                remedy: isLoopback
                    ? "for development on loopback add  insecure_allow_http: true"
                    : "use https; plain HTTP is possible on loopback only")
        }
    }
}
