import Issuers
import JOSE
import JSON
import OAuth

/// What the token says, and what the issuer's rules and the route want of it.
extension CheckFacts {
    func seenInToken(_ check: ExplainedCheck) -> String? {
        switch check {
        case .tokenForm: return token.map(form(of:)) ?? ""
        case .tokenIssuer, .issuerOfRoute: return ShownText.json(token?.claims?["iss"])
        case .keys:
            guard let issuer else { return "" }
            guard let keys = evidence.keys else { return "none of \(issuer.name) at hand" }
            return "\(keys.count) \(keys.count == 1 ? "key" : "keys") of \(issuer.name)"
        case .tokenType: return ShownText.json(token?.header?["typ"])
        case .tokenAlgorithm: return ShownText.json(token?.header?["alg"])
        case .tokenKey: return ShownText.json(token?.header?["kid"])
        case .tokenSignature: return ""
        case .dates: return ["exp", "nbf", "iat"].map { "\($0) \(seenDate($0))" }.joined(separator: ", ")
        case .expiry: return seenTime("exp")
        case .notBefore: return seenTime("nbf")
        case .issuedAt: return seenTime("iat")
        case .claims:
            let present = ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"].filter { token?.claims?[$0] != nil }
            return present.joined(separator: " ")
        case .purpose:
            let other = Self.telltales.filter { token?.claims?[$0] != nil }
            return other.isEmpty ? "no claim of another kind of token" : other.joined(separator: " ")
        case .introspection: return token.map { "token \($0.digest), \($0.bytes) bytes" } ?? ""
        case .confirmation: return ShownText.json(token?.claims?["cnf"])
        case .audience: return ShownText.json(token?.claims?["aud"])
        default: return nil
        }
    }

    /// Claims that tokens of other kinds have.
    static let telltales = [
        "nonce", "at_hash", "c_hash", "events", "token_introspection", "htm", "response_type", "code", "state",
    ]

    private func form(of token: TokenEvidence) -> String {
        switch token.segments {
        case 3 where token.isReadable: "a JWT of \(token.bytes) bytes"
        case 3 where token.header == nil: "\(token.bytes) bytes, three parts, the header unreadable"
        case 3: "\(token.bytes) bytes, three parts, the claims unreadable"
        case 5: "five parts, as of an encrypted JWT, \(token.bytes) bytes"
        case 1: "\(token.bytes) bytes without a dot: no JWT"
        default: "\(token.segments) parts, \(token.bytes) bytes"
        }
    }

    /// A date as `seenTime` shows it, without how far away it is.
    private func seenDate(_ claim: String) -> String {
        date(claim, of: token).map { UnixTime.text($0) } ?? ShownText.json(token?.claims?[claim], limit: 40)
    }

    /// A date and how far it is from the time that the request is judged by.
    func seenTime(_ claim: String, of other: TokenEvidence? = nil) -> String {
        seenTime(claim, in: (other ?? token)?.claims)
    }

    /// The same, of claims.
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

    func wantedOfToken(_ check: ExplainedCheck) -> String? {
        let rules = issuer?.rules
        let leeway = rules?.leewaySeconds ?? 30
        switch check {
        case .tokenForm: return "a signed JWT of at most \(settings.limits.accessToken) bytes"
        case .tokenIssuer: return ShownText.oneOf(settings.issuers.map(\.url))
        case .keys: return "keys to check signatures by"
        case .tokenType: return rules.map { ShownText.words(types($0)) } ?? "at+jwt"
        case .tokenAlgorithm: return rules.map { ShownText.words($0.algorithms.map(\.name)) } ?? ""
        case .tokenKey: return wantedKey
        case .tokenSignature: return "made by that key"
        case .dates: return "exp; all of them numbers of seconds"
        case .expiry: return "not more than \(leeway) s ago"
        case .notBefore, .issuedAt: return "not more than \(leeway) s ahead"
        case .claims:
            return rules?.profile == .legacy ? "iss exp aud" : "iss exp aud sub client_id iat jti"
        case .purpose: return "no ID token, logout token, proof or other JWT"
        case .introspection: return "active, says the issuer"
        case .confirmation: return "jkt, x5t#S256 or both"
        case .issuerOfRoute: return "an issuer of the route: \(ShownText.words(policy?.issuers ?? []))"
        case .audience: return policy.map { ShownText.oneOf($0.audiences) } ?? ""
        default: return nil
        }
    }

    private var wantedKey: String {
        guard let keys = evidence.keys else { return "a key of the issuer" }
        return ShownText.oneOf(keys.map { $0.keyID ?? "(a key without kid)" })
    }

    /// Values of `typ` accepted, as the configuration spells them.
    func types(_ rules: AccessTokenRules) -> [String] {
        ["at+jwt"] + (rules.acceptedTypes.contains(.plainJWT) ? ["JWT"] : [])
            + (rules.acceptedTypes.contains(.absent) ? ["none at all"] : [])
    }
}
