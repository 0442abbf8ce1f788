import Access
import Bytes
import HTTPMessage
import OAuth

/// `WWW-Authenticate`, one line a scheme, Bearer before DPoP (D-2); not on the hot path.
extension WorkerRef {
    /// The challenges that a refusal is answered with; none where no credentials could help.
    func challengeFields(_ exchange: ExchangeRef, _ refusal: Refusal) -> [(String, String)] {
        guard let route = exchange.pointee.findings.route, let settings = route.pointee.settings.access.token else {
            return []
        }
        let challenges = Challenges(
            settings, attempted: exchange.pointee.findings.scheme,
            scopes: settings.rights.announcedScopes(
                for: route.pointee.token.rights.methodName(exchange.pointee.findings.methodRow)),
            resourceMetadata: resourceMetadata(exchange))
        return challenges.fields(for: refusal)
    }
}

/// The challenges of one route, and the scheme that its client tried.
struct Challenges {
    private let settings: TokenSettings
    private let attempted: AttemptedScheme
    private let scopes: [String]
    private let bearer: TokenChallenge
    private let dpop: TokenChallenge

    init(_ settings: TokenSettings, attempted: AttemptedScheme, scopes: [String], resourceMetadata: String?) {
        self.settings = settings
        self.attempted = attempted
        self.scopes = scopes
        bearer = TokenChallenge(
            .bearer, realm: settings.realm, scopes: scopes, resourceMetadata: resourceMetadata)
        dpop = TokenChallenge(
            .dpop(algorithms: settings.dpop.algorithms), realm: settings.realm, scopes: scopes,
            resourceMetadata: resourceMetadata)
    }

    /// The field lines that a refusal is answered with.
    func fields(for refusal: Refusal) -> [(String, String)] {
        // Whatever names a problem below has its words: a test holds the templates to that.
        let text = refusal.clientDescription ?? ""
        switch refusal.template {
        case .noCredentials, .login: return both(.none, .none)
        case .token:
            // Only the scheme that was tried is told what was wrong (RFC 9449 Figure 18).
            return attempted == .dpop ? both(.none, .invalidToken(text)) : both(.invalidToken(text), .none)
        case .request: return both(.invalidRequest(text), .invalidRequest(text))
        case .scope: return one(.insufficientScope(scopes))
        case .stepUp:
            return one(
                .insufficientUserAuthentication(
                    text, acrValues: settings.rights.acrValues, maxAge: settings.rights.maximumAge?.wholeSeconds,
                    scopes: []))
        case .proof: return both(.none, .invalidProof(text))
        case .nonce: return [line(dpop.value(.useNonce))]
        case .message, .denied, .page, .authorizationDown, .tooLarge, .slow, .plain, .badGateway: return []
        }
    }

    /// A line for each scheme that the route takes.
    private func both(
        _ bearerProblem: TokenChallenge.Problem, _ dpopProblem: TokenChallenge.Problem
    ) -> [(String, String)] {
        var lines: [(String, String)] = []
        if settings.schemes.contains(.bearer) { lines.append(line(bearer.value(bearerProblem))) }
        if settings.schemes.contains(.dpop) { lines.append(line(dpop.value(dpopProblem))) }
        return lines
    }

    /// The line of the scheme that was tried.
    private func one(_ problem: TokenChallenge.Problem) -> [(String, String)] {
        [line((attempted == .dpop ? dpop : bearer).value(problem))]
    }

    private func line(_ value: String) -> (String, String) { ("WWW-Authenticate", value) }
}
