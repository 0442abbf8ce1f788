import Access
import HTTPMessage
import JSON
import OAuth

extension WorkerRef {
    /// Holds a verified token against what the route and the method require (Requirements.md): the judgement is
    /// `RequiredRights`' alone, and here is what it is handed and what the operator reads of it.
    func authorize(
        _ head: HeadView, _ exchange: ExchangeRef, _ token: TokenRecord,
        _ route: UnsafePointer<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        if token.session != nil, let login = route.pointee.login {
            return try authorizeSession(head, exchange, token, route, login, bytes)
        }
        let method = exchange.pointee.methodRow
        guard let right = missingRight(token, route.pointee.token, method, isSession: false) else { return }
        throw refuse(right.refusalOfToken, expected(right, exchange, route, isSession: false), held(right, token))
    }

    /// Holds a session against what the route requires; one that lacks only a stronger or fresher login is sent for it
    /// (STEP-04).
    private func authorizeSession(
        _ head: HeadView, _ exchange: ExchangeRef, _ token: TokenRecord,
        _ route: UnsafePointer<Route>,
        _ login: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        let method = login.pointee.needs.row(of: head.methodID, named: head.method)
        guard let right = missingRight(token, login.pointee.needs, method, isSession: true) else { return }
        var refused = refuse(
            right.refusalOfSession, expected(right, exchange, route, isSession: true), held(right, token))
        if right == .authenticationClass || right == .recentAuthentication {
            refused.login = loginPointer(login, exchange, bytes, stepsUp: true)
        }
        throw refused
    }

    /// Lends the route's numbers and the token's bits to the judgement; nothing is allocated or counted.
    private func missingRight(
        _ token: TokenRecord, _ policy: borrowing TokenPolicy, _ method: UInt16, isSession: Bool
    ) -> MissingRight? {
        let rights = RequiredRights(
            scopes: policy[row: method].scopes.numbers, detailsForm: policy.detailsForm.numbers,
            details: policy[row: method].details.numbers,
            authenticationClasses: policy.authenticationClasses.numbers, maximumAge: policy.maximumAge,
            user: policy.user.numbers, claims: policy.claims.numbers)
        // The clock is read only where somebody asks for an age.
        let authentication: Authentication? = policy.maximumAge >= 0 ? lastAuthentication(of: token) : nil
        let answers = AnswerBits(token.answers)
        if isSession { return rights.missing(inSession: answers, authentication) }
        return rights.missing(inToken: answers, authentication)
    }

    private func lastAuthentication(of token: TokenRecord) -> Authentication {
        Authentication(
            at: token.authTime, now: clock.wallSeconds(),
            leeway: Int64(pointee.identities.issuers[token.issuer].rules.leewaySeconds))
    }

    /// What would have been let through, for the operator.
    private func expected(
        _ right: MissingRight, _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, isSession: Bool
    ) -> String {
        let access = route.pointee.settings.access
        let settings = isSession ? access.login?.requirements : access.token
        return switch right {
        case .scope: isSession ? "the scopes of the route" : requiredScopes(exchange, route)
        case .wellFormedDetails: "authorization_details: an array of objects with a type"
        case .details: requiredDetails(exchange, route)
        case .authenticationClass: "acr: " + (settings?.acrValues ?? []).joined(separator: ", ")
        case .recentAuthentication: "auth_time at most \(settings?.maxAgeSeconds ?? 0) s ago"
        case .user: "a user's token"
        case .claim: claimRules(settings)
        }
    }

    /// What came in its place, for the operator.
    private func held(_ right: MissingRight, _ token: TokenRecord) -> String {
        switch right {
        case .scope: grantedScopes(token)
        case .details: grantedDetails(token)
        case .wellFormedDetails: "something else"
        case .authenticationClass: token.shown("acr")
        case .recentAuthentication: token.shown("auth_time")
        case .user: "a client's own token"
        case .claim: "claims that do not meet them"
        }
    }

    private func requiredScopes(_ exchange: ExchangeRef, _ route: UnsafePointer<Route>) -> String {
        guard let settings = route.pointee.settings.access.token else { return "" }
        let method = route.pointee.token.methodName(exchange.pointee.methodRow)
        return TokenPolicy.scopes(of: settings, method: method).joined(separator: " ")
    }

    private func grantedScopes(_ token: TokenRecord) -> String {
        token.shown(pointee.identities.issuers[token.issuer].rules.scopeClaim)
    }

    private func requiredDetails(_ exchange: ExchangeRef, _ route: UnsafePointer<Route>) -> String {
        guard let settings = route.pointee.settings.access.token else { return "" }
        let method = route.pointee.token.methodName(exchange.pointee.methodRow)
        return TokenPolicy.authorizationDetails(of: settings, method: method).map(\.text).joined(separator: " and ")
    }

    /// The types alone: what else the members say may be the user's own business, such as an account's number.
    private var shownDetails: Int { 8 }

    private func grantedDetails(_ token: TokenRecord) -> String {
        guard let details = token.claims?["authorization_details"] else { return "none" }
        // A token may have thousands, and is refused for each request it comes with.
        let types = details.elements(upTo: shownDetails).compactMap { $0["type"]?.string }
        return types.isEmpty ? "none" : "of type " + types.joined(separator: ", ")
    }

    private func claimRules(_ settings: TokenSettings?) -> String {
        guard let settings else { return "" }
        return settings.claims.map { "\($0.claim.joined(separator: ".")) in [\($0.anyOf.joined(separator: ", "))]" }
            .joined(separator: " and ")
    }
}
