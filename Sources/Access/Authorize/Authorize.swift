import Bytes
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
            let row = login.pointee.rights.row(of: head.methodID, named: head.method)
            guard
                let right = login.pointee.rights.missingRight(
                    ofSession: token, methodRow: row, now: now,
                    leeway: Int64(issuers[token.issuer].rules.leewaySeconds))
            else { return }
            let settings = route.pointee.settings.access.login?.rights
            var refused = Refused(
                right.refusalOfSession,
                expected: right == .scope
                    ? "the scopes of the route" : right.expected(by: settings, [], method: ""),
                found: right.held(by: token, scopeClaim: issuers[token.issuer].rules.scopeClaim))
            if right == .authenticationClass || right == .recentAuthentication {
                refused.login = LoginPointer(login, head, stepsUp: true)
            }
            throw refused
        }
        guard
            let right = route.pointee.token.missingRight(
                of: token, methodRow: methodRow, now: now,
                leeway: Int64(issuers[token.issuer].rules.leewaySeconds))
        else { return }
        let settings = route.pointee.settings.access.token
        let method = route.pointee.token.rights.methodName(methodRow)
        throw Refused(
            right.refusalOfToken,
            expected: right.expected(
                by: settings?.rights, settings?.authorizationDetails(for: method) ?? [], method: method),
            found: right.held(by: token, scopeClaim: issuers[token.issuer].rules.scopeClaim))
    }
}

extension TokenPolicy {
    /// The first right that a token lacks; the policy's numbers and the token's bits are lent to the judgement, and
    /// nothing is allocated or counted.
    ///
    /// - Parameters:
    ///   - methodRow: what `row(of:named:)` said of the request's method.
    ///   - now: Unix seconds.
    ///   - leeway: seconds that the issuer's clock may be wrong; asked for only where the policy asks for an age.
    @inline(__always)
    fileprivate func missingRight(
        of token: TokenRecord, methodRow: UInt16, now: Int64, leeway: @autoclosure () -> Int64
    ) -> MissingRight? {
        let required = RequiredRights(
            scopes: rights[row: methodRow].scopes.numbers, detailsForm: rights.detailsForm.numbers,
            details: rights[row: methodRow].details.numbers,
            authenticationClasses: rights.authenticationClasses.numbers, maximumAge: rights.maximumAge,
            user: user.numbers, claims: rights.claims.numbers)
        return required.missing(
            inToken: AnswerBits(token.answers), rights.authentication(of: token, now: now, leeway: leeway()))
    }
}

extension RightsPolicy {
    /// The first right that a session lacks; likewise.
    fileprivate func missingRight(
        ofSession token: TokenRecord, methodRow: UInt16, now: Int64, leeway: @autoclosure () -> Int64
    ) -> MissingRight? {
        let required = RequiredRights(
            scopes: self[row: methodRow].scopes.numbers, detailsForm: Span(), details: Span(),
            authenticationClasses: authenticationClasses.numbers, maximumAge: maximumAge, user: Span(),
            claims: claims.numbers)
        return required.missing(
            inSession: AnswerBits(token.answers), authentication(of: token, now: now, leeway: leeway()))
    }

    /// When the user was authenticated; nil where the policy asks for no age.
    @inline(__always)
    fileprivate func authentication(
        of token: TokenRecord, now: Int64, leeway: @autoclosure () -> Int64
    ) -> Authentication? {
        maximumAge >= 0 ? Authentication(at: token.authTime, now: now, leeway: leeway()) : nil
    }
}

extension MissingRight {
    /// What would have been let through, for the operator.
    fileprivate func expected(
        by settings: RightsSettings?, _ details: [AuthorizationDetailsRule], method: String
    ) -> Refused.Words {
        switch self {
        case .scope: .list(before: "", settings?.scopes(for: method) ?? [], between: " ")
        case .wellFormedDetails: "authorization_details: an array of objects with a type"
        case .details: .details(details)
        case .authenticationClass: .list(before: "acr: ", settings?.acrValues ?? [], between: ", ")
        case .recentAuthentication: "auth_time at most \(settings?.maximumAge?.wholeSeconds ?? 0) s ago"
        case .user: "a user's token"
        case .claim: .claims(settings?.claims ?? [])
        }
    }

    /// What came in its place, for the operator.
    fileprivate func held(by token: TokenRecord, scopeClaim: @autoclosure () -> String) -> Refused.Words {
        switch self {
        case .scope: .text(token.shown(scopeClaim()))
        case .details: MissingRight.grantedDetails(token)
        case .wellFormedDetails: "something else"
        case .authenticationClass: .text(token.shown("acr"))
        case .recentAuthentication: .text(token.shown("auth_time"))
        case .user: "a client's own token"
        case .claim: "claims that do not meet them"
        }
    }

    /// How many details are named: a token may have thousands, and is refused for each request it comes with.
    private static let shownDetails = 8

    /// The types alone: what else the members say may be the user's own business, such as an account's number.
    private static func grantedDetails(_ token: TokenRecord) -> Refused.Words {
        guard let details = token.claims?["authorization_details"] else { return "none" }
        let types = details.elements(upTo: shownDetails).compactMap { $0["type"]?.string }
        return types.isEmpty ? "none" : .list(before: "of type ", types, between: ", ")
    }
}
