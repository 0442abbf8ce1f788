import Crypto
import HTTPMessage
import OAuth

/// What is known of who makes a request.
enum Identity {
    /// A token was verified, is right for the route, and is its sender's; with the proof that says so, to be remembered
    /// against replay when everything else is right.
    case known(TokenRecord, proof: UnspentProof?)
    /// The route lets requests without a token through, without identity (RS-09).
    case anonymous
    /// The authorization server must be asked something first.
    case wait(Wait)
}

extension AccessPolicy {
    /// Turns the credentials of a request into a verified token that is right for its route, or refuses.
    ///
    /// A token seen before costs a digest and a comparison; time, key generation, issuer, audience and the sender's
    /// proof are checked on every use (JOSE-34, DPOP-25).
    borrowing func authenticate(
        _ head: HeadView, _ arrival: borrowing Arrival, _ route: FixedValue<Route>, _ identities: inout Identities,
        _ findings: inout Findings
    ) throws(Refused) -> Identity {
        if route.pointee.isPublic { return .anonymous }
        // Where tokens are no credentials, an Authorization field is none either (SC-11).
        if route.pointee.takesSessionsAlone, let login = route.pointee.login {
            return try findSession(head, arrival, route, login, &identities, &findings)
        }
        let range: ByteRange
        switch try head.credentials(
            route.pointee.token.schemes, rejectsQueryToken: route.pointee.token.rejectsQueryToken)
        {
        case .none: return try identifyWithoutToken(head, arrival, route, &identities, &findings)
        case .bearer(let found):
            findings.scheme = .bearer
            range = found
        case .dpop(let found):
            findings.scheme = .dpop
            range = found
        }
        let token = head.text(range)
        let digest = identities.recentTokens.digest(of: token)
        let record: TokenRecord
        switch try findRecord(route, token, digest, &identities, &findings, arrival) {
        case .known(let found): record = found
        case .wait(let wait): return .wait(wait)
        }
        identities.recentTokens.keep(token, digest)
        findings.take(record, into: &identities)
        try checkForRoute(record, route, identities.issuers)
        return .known(
            record, proof: try proveSender(head, arrival, route, record, digest, &identities, &findings))
    }

    /// Who makes a request that brings no token.
    ///
    /// A route that takes a browser's session beside tokens looks for it here and nowhere else: a request with an
    /// `Authorization` field is judged by that alone, so that a bad token never falls back on a cookie (RS-09).
    private borrowing func identifyWithoutToken(
        _ head: HeadView, _ arrival: borrowing Arrival, _ route: FixedValue<Route>, _ identities: inout Identities,
        _ findings: inout Findings
    ) throws(Refused) -> Identity {
        if let login = route.pointee.login {
            return try findSession(head, arrival, route, login, &identities, &findings)
        }
        if route.pointee.isOptional { return .anonymous }
        throw Refused(
            .credentialsMissing, expected: "Authorization: \(route.pointee.token.schemes.names)", found: "none")
    }

    /// Holds a token against the issuers and the audiences of the route.
    private borrowing func checkForRoute(
        _ record: TokenRecord, _ route: FixedValue<Route>, _ issuers: FixedList<IssuerView>
    ) throws(Refused) {
        let answers = AnswerBits(record.answers)
        guard answers.oneHolds(route.pointee.token.issuers.numbers) else {
            throw Refused(
                .tokenIssuerNotAccepted,
                expected: .list(before: "", route.pointee.settings.access.token?.issuers ?? [], between: ", "),
                found: .text(issuers[record.issuer].identifier))
        }
        guard answers.oneHolds(route.pointee.token.audiences.numbers) else {
            throw Refused(
                .tokenAudienceMissing,
                expected: .list(before: "", route.pointee.settings.access.token?.audiences ?? [], between: ", "),
                found: .text(record.shown("aud")))
        }
    }
}
