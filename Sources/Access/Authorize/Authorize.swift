import HTTPMessage
import JSON
import OAuth

extension AccessPolicy {
    /// Holds a verified token, or a session, against what the route and the method require (Requirements.md): the
    /// judgement is `RequiredRights`' alone, and here is what it is handed and what the operator reads of it.
    ///
    /// A session that lacks only a stronger or fresher login is sent for it (STEP-04).
    borrowing func authorize(
        _ head: HeadView, _ token: TokenRecord, _ route: FixedValue<Route>, _ issuers: FixedList<IssuerView>,
        _ methodRow: UInt16, now: Int64
    ) throws(Refused) {
        if token.session != nil, let login = route.pointee.login {
            let row = login.pointee.needs.row(of: head.methodID, named: head.method)
            guard
                let right = login.pointee.needs.missingRight(
                    of: token, methodRow: row, now: now,
                    leeway: Int64(issuers[token.issuer].rules.leewaySeconds), isSession: true)
            else { return }
            let settings = route.pointee.settings.access.login?.requirements
            var refused = Refused(
                right.refusalOfSession,
                expected: right == .scope
                    ? "the scopes of the route" : .text(right.expected(by: settings, method: "")),
                found: .text(right.held(by: token, scopeClaim: issuers[token.issuer].rules.scopeClaim)))
            if right == .authenticationClass || right == .recentAuthentication {
                refused.login = LoginPointer(login, head, stepsUp: true)
            }
            throw refused
        }
        guard
            let right = route.pointee.token.missingRight(
                of: token, methodRow: methodRow, now: now,
                leeway: Int64(issuers[token.issuer].rules.leewaySeconds), isSession: false)
        else { return }
        throw Refused(
            right.refusalOfToken,
            expected: .text(
                right.expected(
                    by: route.pointee.settings.access.token, method: route.pointee.token.methodName(methodRow))),
            found: .text(right.held(by: token, scopeClaim: issuers[token.issuer].rules.scopeClaim)))
    }
}

extension TokenPolicy {
    /// The first right that a token or a session lacks; the policy's numbers and the token's bits are lent to the
    /// judgement, and nothing is allocated or counted.
    ///
    /// - Parameters:
    ///   - methodRow: what `row(of:named:)` said of the request's method.
    ///   - now: Unix seconds.
    ///   - leeway: seconds that the issuer's clock may be wrong; asked for only where the policy asks for an age.
    @inline(__always)
    fileprivate func missingRight(
        of token: TokenRecord, methodRow: UInt16, now: Int64, leeway: @autoclosure () -> Int64, isSession: Bool
    ) -> MissingRight? {
        let rights = RequiredRights(
            scopes: self[row: methodRow].scopes.numbers, detailsForm: detailsForm.numbers,
            details: self[row: methodRow].details.numbers, authenticationClasses: authenticationClasses.numbers,
            maximumAge: maximumAge, user: user.numbers, claims: claims.numbers)
        let authentication: Authentication? =
            maximumAge >= 0 ? Authentication(at: token.authTime, now: now, leeway: leeway()) : nil
        let answers = AnswerBits(token.answers)
        if isSession { return rights.missing(inSession: answers, authentication) }
        return rights.missing(inToken: answers, authentication)
    }
}

extension MissingRight {
    /// What would have been let through, for the operator.
    fileprivate func expected(by settings: TokenSettings?, method: String) -> String {
        switch self {
        case .scope: settings.map { TokenPolicy.scopes(of: $0, method: method).joined(separator: " ") } ?? ""
        case .wellFormedDetails: "authorization_details: an array of objects with a type"
        case .details:
            settings.map {
                TokenPolicy.authorizationDetails(of: $0, method: method).map(\.text).joined(separator: " and ")
            } ?? ""
        case .authenticationClass: "acr: " + (settings?.acrValues ?? []).joined(separator: ", ")
        case .recentAuthentication: "auth_time at most \(settings?.maxAgeSeconds ?? 0) s ago"
        case .user: "a user's token"
        case .claim:
            (settings?.claims ?? [])
                .map { "\($0.claim.joined(separator: ".")) in [\($0.anyOf.joined(separator: ", "))]" }
                .joined(separator: " and ")
        }
    }

    /// What came in its place, for the operator.
    fileprivate func held(by token: TokenRecord, scopeClaim: @autoclosure () -> String) -> String {
        switch self {
        case .scope: token.shown(scopeClaim())
        case .details: MissingRight.grantedDetails(token)
        case .wellFormedDetails: "something else"
        case .authenticationClass: token.shown("acr")
        case .recentAuthentication: token.shown("auth_time")
        case .user: "a client's own token"
        case .claim: "claims that do not meet them"
        }
    }

    /// How many details are named: a token may have thousands, and is refused for each request it comes with.
    private static let shownDetails = 8

    /// The types alone: what else the members say may be the user's own business, such as an account's number.
    private static func grantedDetails(_ token: TokenRecord) -> String {
        guard let details = token.claims?["authorization_details"] else { return "none" }
        let types = details.elements(upTo: shownDetails).compactMap { $0["type"]?.string }
        return types.isEmpty ? "none" : "of type " + types.joined(separator: ", ")
    }
}
