import Access
import Gateway
import Issuers
import JOSE
import JSON
import OAuth
import Telemetry

/// The token by itself, and what the route says of whose and for whom it is.
extension Check {
    static let ofToken = rows(
        answered: CheckFacts.answeredByRoute, skipped: [\.sessionInstead, \.withoutToken],
        ofSignature + ofDates + ofClaims)

    private static let ofSignature = [
        Check(
            .tokenForm, "token syntax", "RFC 7519 §7.2", of: .token, seen: CheckWords(\.seenForm),
            wanted: CheckWords { "a signed JWT of at most \($0.settings.limits.accessToken) bytes" },
            skipped: [\.issuerAsked]),
        Check(
            .introspection, "introspection", "RFC 7662 §2.2", of: .token,
            seen: CheckWords { $0.token.map { "token \($0.digest), \($0.bytes) bytes" } ?? "" },
            wanted: "active, says the issuer",
            skipped: [{ $0.evidence.isIntrospected ? nil : "the token is read here" }]),
        Check(
            .tokenIssuer, "iss is configured", "RFC 9068 §4", of: .claims, seen: .claim("iss"),
            wanted: CheckWords { ShownText.oneOf($0.settings.issuers.map(\.url)) }, skipped: [\.issuerAsked]),
        Check(
            .keys, "issuer's keys", "RFC 8414 §3", of: .claims, seen: CheckWords(\.seenKeys),
            wanted: "keys to check signatures by", skipped: [\.issuerAsked]),
        Check(
            .tokenType, "typ", "RFC 9068 §4", of: .claims, seen: .header("typ"),
            wanted: CheckWords { facts in facts.rules.map { ShownText.words(facts.types($0)) } ?? "at+jwt" },
            skipped: [\.issuerAsked]),
        Check(
            .tokenAlgorithm, "alg", "RFC 8725 §3.1", of: .claims, seen: .header("alg"),
            wanted: CheckWords(\.wantedAlgorithm), skipped: [\.issuerAsked]),
        Check(
            .tokenKey, "kid", "RFC 7515 §4.1.4", of: .claims, seen: .header("kid"), wanted: CheckWords(\.wantedKey),
            skipped: [\.issuerAsked]),
        Check(
            .tokenSignature, "signature", "RFC 7515 §5.2", of: .claims, seen: .nothing, wanted: "made by that key",
            skipped: [\.issuerAsked]),
    ]

    private static let ofDates = [
        Check(
            .dates, "exp, nbf, iat readable", "RFC 7519 §4.1", of: .claims, seen: CheckWords(\.seenDates),
            wanted: "exp; all of them numbers of seconds", skipped: []),
        Check(
            .expiry, "exp", "RFC 7519 §4.1.4", of: .claims, seen: .date("exp"),
            wanted: CheckWords { "not more than \($0.leeway) s ago" }, skipped: []),
        Check(
            .notBefore, "nbf", "RFC 7519 §4.1.5", of: .claims, seen: .date("nbf"),
            wanted: CheckWords { "not more than \($0.leeway) s ahead" },
            skipped: [{ $0.token?.claims?["nbf"] == nil ? "the token has no nbf" : nil }]),
        Check(
            .issuedAt, "iat", "RFC 7519 §4.1.6", of: .claims, seen: .date("iat"),
            wanted: CheckWords { "not more than \($0.leeway) s ahead" },
            skipped: [{ $0.token?.claims?["iat"] == nil ? "the token has no iat" : nil }]),
    ]

    private static let ofClaims = [
        Check(
            .claims, "required claims", "RFC 9068 §2.2", of: .claims,
            seen: CheckWords { facts in
                CheckFacts.profileClaims.filter { facts.token?.claims?[$0] != nil }.joined(separator: " ")
            }, wanted: CheckWords { $0.requiredClaims.joined(separator: " ") }, skipped: []),
        Check(
            .purpose, "is an access token", "RFC 8725 §3.12", of: .claims,
            seen: CheckWords { facts in
                let others = facts.claimsOfOtherTokens
                return others.isEmpty ? "no claim of another kind of token" : others.joined(separator: " ")
            }, wanted: "no ID token, logout token, proof or other JWT", skipped: [\.issuerAsked]),
        Check(
            .confirmation, "cnf", "RFC 7800 §3.1", of: .claims, seen: .claim("cnf"),
            wanted: "jkt, x5t#S256 or both",
            skipped: [{ $0.token?.claims?["cnf"] == nil ? "the token has no cnf" : nil }]),
        Check(
            .issuerOfRoute, "iss fits the route", "RFC 9068 §4", of: .claims, seen: .claim("iss"),
            wanted: CheckWords { "an issuer of the route: \(ShownText.words($0.policy?.issuers ?? []))" },
            skipped: []),
        Check(
            .audience, "aud", "RFC 9068 §4", of: .claims, seen: .claim("aud"),
            wanted: CheckWords { $0.policy.map { ShownText.oneOf($0.audiences) } ?? "" }, skipped: []),
    ]
}

extension CheckFacts {
    var sessionInstead: String? { usesSession ? "a session stands in for a token" : nil }

    /// The route, or the request, leaves nobody to be checked.
    var withoutToken: String? {
        if usesSession { return withoutSession }
        guard let policy else { return "the route is public" }
        return policy.optional && evidence.authorization == .none ? "no credentials, and the token is optional" : nil
    }

    fileprivate var issuerAsked: String? { evidence.isIntrospected ? "the issuer is asked instead" : nil }

    fileprivate var seenForm: String {
        guard let token else { return "" }
        return switch token.segments {
        case 3 where token.isReadable: "a JWT of \(token.bytes) bytes"
        case 3 where token.header == nil: "\(token.bytes) bytes, three parts, the header unreadable"
        case 3: "\(token.bytes) bytes, three parts, the claims unreadable"
        case 5: "five parts, as of an encrypted JWT, \(token.bytes) bytes"
        case 1: "\(token.bytes) bytes without a dot: no JWT"
        default: "\(token.segments) parts, \(token.bytes) bytes"
        }
    }

    fileprivate var seenKeys: String {
        guard let issuer else { return "" }
        guard let keys = evidence.keys else { return "none of \(issuer.name) at hand" }
        return "\(keys.count) \(keys.count == 1 ? "key" : "keys") of \(issuer.name)"
    }

    /// What the issuer's tokens are held to.
    var rules: AccessTokenRules? { issuer?.rules }

    var leeway: Int { rules?.leewaySeconds ?? 30 }

    /// Values of `typ` accepted, as the configuration spells them.
    func types(_ rules: AccessTokenRules) -> [String] {
        ["at+jwt"] + (rules.acceptedTypes.contains(.plainJWT) ? ["JWT"] : [])
            + (rules.acceptedTypes.contains(.absent) ? ["none at all"] : [])
    }

    var wantedAlgorithm: String { rules.map { ShownText.words($0.algorithms.map(\.name)) } ?? "" }

    fileprivate var wantedKey: String {
        guard let keys = evidence.keys else { return "a key of the issuer" }
        return ShownText.oneOf(keys.map { $0.keyID ?? "(a key without kid)" })
    }

    /// Each date as `seenTime` shows it, without how far away it is.
    fileprivate var seenDates: String {
        ["exp", "nbf", "iat"].map { claim in
            let date = date(claim, of: token).map { UnixTime.text($0) }
            return "\(claim) \(date ?? ShownText.json(token?.claims?[claim], limit: 40))"
        }.joined(separator: ", ")
    }

    /// A date and how far it is from the time that the request is judged by.
    func seenTime(_ claim: String, in claims: JSONValue?) -> String {
        guard let date = claims?[claim].flatMap({ NumericDate($0) })?.floor else {
            return ShownText.json(claims?[claim], limit: 40)
        }
        let (distance, overflow) = date.subtractingReportingOverflow(now)
        guard !overflow else { return "\(date)" }
        let words =
            distance == 0
            ? "now" : distance > 0 ? "\(ShownText.duration(distance)) ahead" : "\(ShownText.duration(-distance)) ago"
        return "\(UnixTime.text(date)), \(words)"
    }

    /// What RFC 9068 has every access token say.
    static let profileClaims = ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]

    /// What the issuer's profile has every access token say.
    var requiredClaims: [String] { rules?.profile == .legacy ? ["iss", "exp", "aud"] : Self.profileClaims }

    /// The token's claims that tokens of other kinds have.
    var claimsOfOtherTokens: [String] {
        [
            "nonce", "at_hash", "c_hash", "events", "token_introspection", "htm", "response_type", "code", "state",
        ].filter { token?.claims?[$0] != nil }
    }
}
