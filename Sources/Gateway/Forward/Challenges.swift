// SPDX-License-Identifier: Apache-2.0
import HTTPMessage
import OAuth

/// `WWW-Authenticate`, one line a scheme, Bearer before DPoP (REQUIREMENTS 0.2); not on the hot path.
extension WorkerRef {
    /// The challenges that a refusal is answered with; none where no credentials could help.
    func challengeFields(_ exchange: ExchangeRef, _ refusal: Refusal) -> [(String, String)] {
        guard let route = exchange.pointee.route, case .token(let settings) = route.pointee.settings.access else {
            return []
        }
        let scopes = TokenPolicy.announcedScopes(
            of: settings, method: route.pointee.token.methodName(exchange.pointee.methodRow))
        let metadata = resourceMetadata(exchange)
        let pair = ChallengePair(
            settings: settings, attempted: exchange.pointee.scheme,
            bearer: BearerChallenge(realm: settings.realm, scopes: scopes, resourceMetadata: metadata),
            dpop: DPoPChallenge(
                realm: settings.realm, algorithms: settings.dpop.algorithms, scopes: scopes, resourceMetadata: metadata)
        )
        let text = refusal.clientDescription
        switch refusal.template {
        case .noCredentials: return pair.both(.none, .none)
        case .token:
            // Only the scheme that was tried is told what was wrong (RFC 9449 Figure 18).
            return exchange.pointee.scheme == .dpop
                ? pair.both(.none, .invalidToken(text)) : pair.both(.invalidToken(text), .none)
        case .request: return pair.both(.invalidRequest(text), .invalidRequest(text))
        case .scope: return pair.attempted(.insufficientScope(scopes), .insufficientScope(scopes))
        case .stepUp:
            let maximumAge = settings.maxAgeSeconds
            return pair.attempted(
                .insufficientUserAuthentication(text, acrValues: settings.acrValues, maxAge: maximumAge, scopes: []),
                .insufficientUserAuthentication(text, acrValues: settings.acrValues, maxAge: maximumAge, scopes: []))
        case .proof: return pair.both(.none, .invalidProof(text))
        case .nonce: return [pair.line(pair.dpop.value(.useNonce))]
        case .message, .denied, .authorizationDown, .tooLarge, .slow, .plain, .badGateway: return []
        }
    }
}

/// The challenges of one route, and the scheme that its client tried.
private struct ChallengePair {
    let settings: TokenSettings
    let attempted: AttemptedScheme
    let bearer: BearerChallenge
    let dpop: DPoPChallenge

    /// A line for each scheme that the route takes.
    func both(_ bearerProblem: BearerChallenge.Problem, _ dpopProblem: DPoPChallenge.Problem) -> [(String, String)] {
        var lines: [(String, String)] = []
        if settings.schemes.contains(.bearer) { lines.append(line(bearer.value(bearerProblem))) }
        if settings.schemes.contains(.dpop) { lines.append(line(dpop.value(dpopProblem))) }
        return lines
    }

    /// The line of the scheme that was tried.
    func attempted(
        _ bearerProblem: BearerChallenge.Problem, _ dpopProblem: DPoPChallenge.Problem
    ) -> [(String, String)] {
        [line(attempted == .dpop ? dpop.value(dpopProblem) : bearer.value(bearerProblem))]
    }

    func line(_ value: String) -> (String, String) { ("WWW-Authenticate", value) }
}
