import Access
import HTTPMessage
import JSON
import OAuth

extension WorkerRef {
    /// Holds a verified token against what the route and the method require (Requirements.md): scopes and
    /// authorization details, then how and when the user was authenticated, then policy.
    ///
    /// Compares bits that were worked out when the token was verified, and one time; nothing is allocated.
    func authorize(
        _ exchange: ExchangeRef, _ token: UnsafeMutablePointer<TokenRecord>, _ route: UnsafePointer<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        if token.pointee.session != nil, let login = route.pointee.login {
            return try authorizeSession(exchange, token, route, login, bytes)
        }
        let answers = UnsafePointer(token.pointee.answers)
        let needs = route.pointee.token.row(exchange.pointee.methodRow)
        guard needs.pointee.scopes.allHold(in: answers) else {
            throw refuse(.scopeInsufficient, requiredScopes(exchange, route), grantedScopes(token))
        }
        if needs.pointee.details.count > 0 { try checkDetails(exchange, token, route, needs) }
        if let refusal = authenticationRefusal(token, route.pointee.token) {
            throw refuse(refusal, token, route.pointee.settings.access.token)
        }
        guard route.pointee.token.user.allHold(in: answers) else {
            throw refuse(.userRequired, "a user's token", "a client's own token")
        }
        guard route.pointee.token.claims.allHold(in: answers) else {
            throw refuse(
                .claimRuleUnmet, claimRules(route.pointee.settings.access.token), "claims that do not meet them")
        }
    }

    private func checkDetails(
        _ exchange: ExchangeRef, _ token: UnsafeMutablePointer<TokenRecord>, _ route: UnsafePointer<Route>,
        _ needs: UnsafePointer<TokenPolicy.Row>
    ) throws(Refused) {
        let answers = UnsafePointer(token.pointee.answers)
        guard route.pointee.token.detailsForm.allHold(in: answers) else {
            throw refuse(
                .authorizationDetailsMalformed, "authorization_details: an array of objects with a type",
                "something else")
        }
        guard needs.pointee.details.allHold(in: answers) else {
            throw refuse(.authorizationDetailsInsufficient, requiredDetails(exchange, route), grantedDetails(token))
        }
    }

    /// Holds a session against what the route requires; one that lacks only a stronger or fresher login is sent for it
    /// (STEP-04).
    private func authorizeSession(
        _ exchange: ExchangeRef, _ token: UnsafeMutablePointer<TokenRecord>, _ route: UnsafePointer<Route>,
        _ login: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        let answers = UnsafePointer(token.pointee.answers)
        let method = pointee.head.pointee.method
        let name = UnsafeBufferPointer(start: bytes + Int(method.start), count: Int(method.count))
        let needs = login.pointee.needs.row(login.pointee.needs.row(of: exchange.pointee.method, named: name))
        guard needs.pointee.scopes.allHold(in: answers) else {
            // No challenge: no token that the browser could send would help (CF-32).
            throw refuse(.sessionScopeInsufficient, "the scopes of the route", grantedScopes(token))
        }
        if let refusal = authenticationRefusal(token, login.pointee.needs) {
            var refused = refuse(refusal, token, route.pointee.settings.access.login?.requirements)
            refused.login = loginPointer(login, exchange, bytes, stepsUp: true)
            throw refused
        }
        guard login.pointee.needs.claims.allHold(in: answers) else {
            throw refuse(
                .claimRuleUnmet, claimRules(route.pointee.settings.access.login?.requirements),
                "claims that do not meet them")
        }
    }

    /// The right kind of authentication, and not too long ago (RFC 9470 §3); a token that does not say has neither.
    ///
    /// Where both are missing the first is told; the challenge names everything that the route asks for (STEP-03).
    private func authenticationRefusal(
        _ token: UnsafeMutablePointer<TokenRecord>, _ policy: borrowing TokenPolicy
    ) -> Refusal? {
        if policy.authenticationClasses.count > 0, !policy.authenticationClasses.oneHolds(in: token.pointee.answers) {
            return .authenticationInsufficient
        }
        guard policy.maximumAge >= 0 else { return nil }
        let leeway = Int64(pointee.issuers[token.pointee.issuer].rules.leewaySeconds)
        let isRecent = Authentication.isRecent(
            at: token.pointee.authTime, now: clock.wallSeconds(), maximumAge: policy.maximumAge, leeway: leeway)
        return isRecent ? nil : .authenticationTooOld
    }

    private func refuse(
        _ refusal: Refusal, _ token: UnsafeMutablePointer<TokenRecord>, _ settings: TokenSettings?
    ) -> Refused {
        if refusal == .authenticationInsufficient {
            let accepted = "acr: " + (settings?.acrValues ?? []).joined(separator: ", ")
            return refuse(refusal, accepted, token.pointee.shown("acr"))
        }
        let age = settings?.maxAgeSeconds ?? 0
        return refuse(refusal, "auth_time at most \(age) s ago", token.pointee.shown("auth_time"))
    }

    private func requiredScopes(_ exchange: ExchangeRef, _ route: UnsafePointer<Route>) -> String {
        guard let settings = route.pointee.settings.access.token else { return "" }
        let method = route.pointee.token.methodName(exchange.pointee.methodRow)
        return TokenPolicy.scopes(of: settings, method: method).joined(separator: " ")
    }

    private func grantedScopes(_ token: UnsafeMutablePointer<TokenRecord>) -> String {
        token.pointee.shown(pointee.issuers[token.pointee.issuer].rules.scopeClaim)
    }

    private func requiredDetails(_ exchange: ExchangeRef, _ route: UnsafePointer<Route>) -> String {
        guard let settings = route.pointee.settings.access.token else { return "" }
        let method = route.pointee.token.methodName(exchange.pointee.methodRow)
        return TokenPolicy.authorizationDetails(of: settings, method: method).map(\.text).joined(separator: " and ")
    }

    /// The types alone: what else the members say may be the user's own business, such as an account's number.
    private var shownDetails: Int { 8 }

    private func grantedDetails(_ token: UnsafeMutablePointer<TokenRecord>) -> String {
        guard let details = token.pointee.claims?["authorization_details"] else { return "none" }
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

/// How fresh a user's authentication is.
enum Authentication {
    /// Whether it was at most `maximumAge` seconds ago (RFC 9470 §3, STEP-02); clocks may differ by `leeway`.
    ///
    /// A time in the future is nobody's authentication: it would stay fresh until then and after.
    static func isRecent(at time: Int64, now: Int64, maximumAge: Int64, leeway: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(time)
        guard !overflow, age >= -leeway else { return false }
        return age <= maximumAge.addingReportingOverflow(leeway).partialValue
    }
}

extension AuthorizationDetailsRule {
    /// As the operator's log shows it.
    var text: String {
        var parts = ["type \(type)"]
        for (name, values) in [
            ("actions", actions), ("locations", locations), ("datatypes", dataTypes), ("privileges", privileges),
        ] where !values.isEmpty { parts.append("\(name) [\(values.joined(separator: ", "))]") }
        if let identifier { parts.append("identifier \(identifier)") }
        return parts.joined(separator: " ")
    }
}

extension MethodSet {
    static func name(of method: MethodID) -> String {
        all.first { $0.id == method }?.name ?? ""
    }
}
