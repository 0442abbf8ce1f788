import Access
import Issuers
import JOSE
import JSON
import OAuth

/// What there is to see and what is wanted, for each check: texts of an explanation's lines.
///
/// Works from the evidence and the settings alone and decides nothing.
struct CheckFacts {
    let evidence: RequestEvidence
    let settings: GatewaySettings
    let now: Int64

    var names: ConfigurationNames { ConfigurationNames(settings) }
    var token: TokenEvidence? { evidence.token }
    var proof: TokenEvidence? { evidence.proofs.first }

    /// The route that was found.
    var route: RouteSettings? {
        evidence.route.flatMap { settings.routes.indices.contains($0) ? settings.routes[$0] : nil }
    }

    /// What the route wants of a token, or of a session where that is what it looks at; nil for a public one.
    var policy: TokenSettings? { usesSession ? loginAccess?.requirements : route?.access.token }

    /// The claims that rights are looked for in: the token's, or the session's.
    var claims: JSONValue? { usesSession ? evidence.session?.claims : token?.claims }

    /// The configured issuer that the token names.
    var issuer: IssuerSettings? { evidence.issuer.map { settings.issuers[$0] } }

    var listener: ListenerSettings { settings.listeners[min(evidence.listener, settings.listeners.count - 1)] }

    /// `exp`, `nbf`, `iat` or `auth_time`.
    func date(_ claim: String, of token: TokenEvidence?) -> Int64? {
        token?.claims?[claim].flatMap { NumericDate($0) }?.floor
    }

    /// Scopes that the method needs here.
    var neededScopes: [String] {
        policy.map { TokenPolicy.scopes(of: $0, method: evidence.method) } ?? []
    }

    /// Scopes in the issuer's scope claim.
    var grantedScopes: [String] {
        guard let value = claims?[usesSession ? "scope" : issuer?.rules.scopeClaim ?? "scope"] else { return [] }
        if let words = value.string { return words.split(separator: " ").map(String.init) }
        return value.elements.compactMap(\.string)
    }

    /// The first claim rule that the token does not meet.
    var unmetRule: ClaimRuleSettings? {
        guard let claims else { return policy?.claims.first }
        return policy?.claims.first { !Claims.holds($0.claim, anyOf: $0.anyOf, in: claims) }
    }

    /// The member of `cnf` that names a DPoP key.
    var keyThumbprint: String? { token?.claims?["cnf"]?["jkt"]?.string }
    /// The member of `cnf` that names a certificate.
    var certificateThumbprint: String? { token?.claims?["cnf"]?["x5t#S256"]?.string }

    /// What the request carries; empty where it carries nothing to look at.
    func seen(_ check: ExplainedCheck) -> String {
        if lacksSubject(check) { return "" }
        return seenInRequest(check) ?? seenOfSession(check) ?? seenInToken(check) ?? seenOfSender(check)
            ?? seenOfRights(check) ?? ""
    }

    /// What it should carry; empty where it carries nothing of the kind.
    func wanted(_ check: ExplainedCheck) -> String {
        if lacksSubject(check) { return "" }
        return wantedOfRequest(check) ?? wantedOfSession(check) ?? wantedOfToken(check) ?? wantedOfSender(check)
            ?? wantedOfRights(check) ?? ""
    }

    /// The text that demands the check; what a preflight may ask is browsers' own rule.
    func section(_ check: ExplainedCheck) -> String {
        check == .origin && evidence.asksForMethod ? "Fetch, CORS protocol" : check.section
    }

    /// Whether the check is about a route, a token or a proof that is not there.
    private func lacksSubject(_ check: ExplainedCheck) -> Bool {
        let isAboutProof = check > .proofCount && check <= .proofBinding || check == .replay
        if check > .route, route == nil { return true }
        let isAboutToken = check > .samePage && check < .body || check == .replay
        if isAboutToken, claims == nil, usesSession || token == nil { return true }
        // Claims that only the issuer knows, and did not tell.
        if evidence.isIntrospected, check > .introspection, check <= .audience, token?.claims == nil { return true }
        return isAboutProof && proof == nil
    }

    /// Why there is nothing to check, or nil when there is.
    func reasonNotNeeded(_ check: ExplainedCheck) -> String? {
        if check > .message, evidence.ownAnswer == .redirect { return "plain HTTP is sent to https, and nothing else" }
        if check <= .connect { return nil }
        if check == .loginPath { return evidence.ownAnswer == .login ? nil : reasonOfSession(check) }
        if evidence.method == "OPTIONS", evidence.target == "*" { return "OPTIONS * is for the gateway itself" }
        if check > .loginPath, evidence.ownAnswer == .login || evidence.ownAnswer == .document {
            return "the path is the gateway's own"
        }
        if check <= .method { return nil }
        if evidence.ownAnswer == .preflight, check != .origin {
            return "a preflight brings no credentials, and is answered here"
        }
        guard let route else { return nil }
        switch check {
        case .origin:
            if evidence.asksForMethod { return nil }
            if route.allowedOrigins == nil { return "the route names no allowed_origins" }
            return evidence.origins.isEmpty ? "the request has no Origin" : nil
        case .webSocket:
            return route.webSocket ? nil : "the route has no websocket: true, so \(Explanation.goesOnAsGET)"
        case .body: return bodyLimit == nil ? "limits.request_body is not set" : nil
        case .upstream: return "no upstream is asked here"
        case .identity: return route.identity.isEmpty ? "the route injects nothing" : reasonWithoutToken
        default: break
        }
        if check.isOfLogins || usesSession, let reason = reasonOfSession(check) { return reason }
        if check.isOfLogins { return nil }
        if let reason = reasonWithoutToken, check > .queryToken || evidence.authorization != .none || policy == nil {
            return reason
        }
        return reasonInToken(check) ?? reasonOfSender(check) ?? reasonOfRights(check)
    }

    private var reasonWithoutToken: String? {
        guard let policy else { return "the route is public" }
        if usesSession {
            guard loginAccess?.optional == true, evidence.session?.lives != true else { return nil }
            return "no session, and the login is optional"
        }
        return policy.optional && evidence.authorization == .none ? "no credentials, and the token is optional" : nil
    }

    private func reasonInToken(_ check: ExplainedCheck) -> String? {
        switch check {
        case .queryToken: policy?.queryToken == .ignore ? "token.query_token is ignore" : nil
        case .tokenForm, .tokenIssuer, .keys, .tokenType, .tokenAlgorithm, .tokenKey, .tokenSignature, .purpose:
            evidence.isIntrospected ? "the issuer is asked instead" : nil
        case .notBefore: token?.claims?["nbf"] == nil ? "the token has no nbf" : nil
        case .issuedAt: token?.claims?["iat"] == nil ? "the token has no iat" : nil
        case .introspection: evidence.isIntrospected ? nil : "the token is read here"
        case .confirmation: token?.claims?["cnf"] == nil ? "the token has no cnf" : nil
        default: nil
        }
    }

    private func reasonOfSender(_ check: ExplainedCheck) -> String? {
        if check == .clientCertField { return evidence.hasClientCertField ? nil : "the request has no Client-Cert" }
        let isOfSender = check >= .binding && check <= .certificate || check == .replay
        guard isOfSender else { return nil }
        if evidence.authorization == .bearer, token?.claims?["cnf"] == nil { return "the token has no cnf" }
        switch check {
        case .certificate: return certificateThumbprint == nil ? "cnf has no x5t#S256" : nil
        case .binding: return nil
        case .replay where evidence.isDryRun && proof != nil: return "proofs that clients used are not looked at here"
        case .proofNonce where policy?.dpop.nonce == .off: return "token.dpop.nonce is off"
        default: return evidence.authorization == .bearer && keyThumbprint == nil ? "cnf has no jkt" : nil
        }
    }

    private func reasonOfRights(_ check: ExplainedCheck) -> String? {
        guard let policy else { return nil }
        let isAskedFor: Bool
        switch check {
        case .scope: isAskedFor = !neededScopes.isEmpty
        case .authorizationDetails: isAskedFor = !authorizationDetails.isEmpty
        case .acr: isAskedFor = !policy.acrValues.isEmpty
        case .maxAge: isAskedFor = policy.maxAgeSeconds != nil
        case .user: isAskedFor = policy.userOnly
        case .claimRules: isAskedFor = !policy.claims.isEmpty
        case .exchange:
            guard case .exchange = route?.credential else { return "the route exchanges no token" }
            return evidence.isDryRun ? "no token is asked for without need" : nil
        case .upstreamCredential:
            if case .pass = route?.credential {
                return usesSession ? "a session's token is passed on with its proof" : nil
            }
            return "the client's token is not passed on"
        default: return nil
        }
        return isAskedFor ? nil : "the route does not ask for it"
    }

    /// The rights that the method needs here.
    var authorizationDetails: [AuthorizationDetailsRule] {
        guard let policy else { return [] }
        return policy.authorizationDetailsByMethod[evidence.method] ?? policy.authorizationDetails
    }
}
