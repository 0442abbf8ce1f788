import Issuers
import JOSE
import OAuth

/// `issuers`: the authorization servers whose tokens are believed.
enum IssuerSection {
    static let shape = ObjectShape(
        noun: "an issuer",
        keys: [
            KeyDescription(
                "url", .text(URLText.issuer), .required, example: "https://id.example.com/",
                "The issuer identifier, exactly as tokens spell it."),
            KeyDescription(
                "discovery", .word(["automatic", "openid", "oauth", "none"]), .standard("automatic"),
                "How the server's metadata is found; none is the default when jwks_uri or jwks says where the keys are."
            ),
            KeyDescription(
                "jwks_uri", .text(URLText.document), .optional, example: "https://id.example.com/jwks.json",
                "Where the signing keys are, overriding what the metadata says."),
            KeyDescription(
                "jwks", .object(SecretReference.shape(noun: "a reference to a JWK Set")), .optional,
                example: "{ file: /etc/portcullis/jwks.json }",
                "A JWK Set (at most 256 KiB) in a file or an environment variable; no keys are fetched then."),
            KeyDescription(
                "algorithms",
                .list(ListShape(noun: "signature algorithms", element: .text(AlgorithmText.shape), count: 1...16)),
                .standard("[\(AlgorithmText.names.joined(separator: ", "))]"), example: "[ES256, RS256]",
                "The algorithms that this issuer may sign access tokens with."),
            KeyDescription(
                "accept_typ",
                .list(ListShape(noun: "typ values", element: .word(["at+jwt", "JWT", "none"]), count: 1...3)),
                .standard("[at+jwt]"), example: "[at+jwt, JWT]",
                "Values of the header typ accepted beside at+jwt, for servers older than RFC 9068; none is no typ at all."
            ),
            KeyDescription(
                "profile", .word(["rfc9068", "legacy"]), .standard("rfc9068"),
                "Which claims a token must have; legacy asks only for iss, exp and aud."),
            KeyDescription(
                "leeway", .duration(DurationShape(range: 0...300_000, step: .seconds)), .standard("30s"),
                "Clock difference tolerated on exp, nbf and iat."),
            KeyDescription(
                "scope_claim", .text(ClaimPathText.name), .standard("scope"),
                "The claim with the granted scopes: words in one text, or a list of texts."),
            KeyDescription(
                "certificate_authority", .text(PlainText.file), .optional, example: "/etc/portcullis/ca.pem",
                "PEM file with the authorities that may sign the issuer's TLS certificate; the system's by default."),
            KeyDescription(
                "allow_private",
                .list(ListShape(noun: "networks", element: .text(NetworkText.shape), count: 1...64)), .optional,
                example: "[10.0.0.0/8]",
                "Private networks to which the issuer's metadata may point."),
            KeyDescription(
                "allow_ports",
                .list(ListShape(noun: "ports", element: .integer(1...65535), count: 1...16)), .optional,
                example: "[8444]",
                "Ports beside 443 to which the issuer's metadata may point; on the issuer's own host every port is fine."
            ),
            KeyDescription(
                "insecure_allow_http", .boolean, .standard("false"),
                "Accepts http:// for this issuer, which must be on loopback: for development."),
            KeyDescription(
                "keys", .object(KeyTimesSection.shape), .optional, example: "{ stale_limit: 1h }",
                "How long fetched keys are believed."),
            KeyDescription(
                "introspection", .object(IntrospectionSection.shape), .optional, example: "{ client: shop }",
                "Asks the issuer about tokens in place of verifying them here (RFC 7662)."),
        ])

    static func translate(_ entry: CheckedEntry, _ context: IssuerContext) -> IssuerSettings? {
        guard let object = entry.value?.object else { return nil }
        let translation = context.translation
        let problems = translation.problems
        let insecure = object.flag("insecure_allow_http") ?? object.says("insecure_allow_http")
        let keys = signingKeys(object, translation)
        let certificateAuthority = translation.certificateAuthority(object)
        let lifetimes = KeyTimesSection.lifetimes(object.object("keys"), problems)
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
            rules: rules(object, issuer: url.text))
        settings.certificateAuthorityFile = certificateAuthority
        settings.allowPrivate = object.texts("allow_private").map(\.text)
        settings.allowPorts = object.integers("allow_ports").compactMap { UInt16(exactly: $0) }
        settings.insecureAllowHTTP = insecure
        settings.keySetLifetimeSeconds = lifetimes
        if let limit = object.object("keys")?.seconds("stale_limit") { settings.staleLimitSeconds = limit }
        if let interval = object.object("keys")?.seconds("unknown_key_interval") {
            settings.unknownKeyRefetchSeconds = interval
        }
        settings.introspection = introspection
        return settings
    }

    private static func rules(_ object: CheckedObject, issuer: String) -> AccessTokenRules {
        var rules = AccessTokenRules(issuer: issuer)
        let algorithms = object.texts("algorithms").compactMap { AlgorithmText.algorithm($0.text) }
        if !algorithms.isEmpty { rules.algorithms = algorithms }
        let types = object.texts("accept_typ").map(\.text)
        if types.contains("JWT") { rules.acceptedTypes.append(.plainJWT) }
        if types.contains("none") { rules.acceptedTypes.append(.absent) }
        if object.text("profile")?.text == "legacy" { rules.profile = .legacy }
        if let leeway = object.seconds("leeway") { rules.leewaySeconds = leeway }
        if let claim = object.text("scope_claim") { rules.scopeClaim = claim.text }
        return rules
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
        return object.text("jwks_uri").map { .url($0.text) } ?? .discovered
    }

    private static func discovery(_ object: CheckedObject, _ problems: ProblemList) -> IssuerSettings.Discovery {
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
                remedy: "for development only: whoever can change the traffic can sign every token")
        } else if !address.isSecure {
            problems.error(
                at: url.place, expected: "an https issuer URL", found: Quoted.text(url.text),
                remedy: isLoopback
                    ? "for development on loopback add  insecure_allow_http: true"
                    : "use https; plain HTTP is possible on loopback only")
        }
    }
}
