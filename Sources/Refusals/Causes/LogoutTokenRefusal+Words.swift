public import OAuth

extension LogoutTokenRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .contentType, .formMalformed, .missing: "LO-05"
        case .envelope(.typeNotAccepted): "LO-07"
        case .envelope(.algorithmNotAllowed), .envelope(.signatureInvalid): "LO-06"
        case .envelope(let cause): cause.check
        case .secretShared: "OIDC-06"
        case .expired: "LO-07"
        case .missingClaim, .claimMalformed, .issuerMismatch, .audienceMismatch, .audienceNotTrusted, .issuedInFuture,
            .hasNonce, .noLogoutEvent:
            "LO-06"
        }
    }

    /// What the operator's log says was wanted.
    package func expected(by rules: LogoutTokenRules) -> String {
        switch self {
        case .contentType: "content type application/x-www-form-urlencoded"
        case .formMalformed: "a form with one logout_token"
        case .missing: "parameter logout_token"
        case .envelope(.typeNotAccepted): rules.requiresType ? "typ logout+jwt" : "typ logout+jwt or JWT or (absent)"
        case .envelope(let cause): cause.expected(by: rules.idToken)
        case .missingClaim("sub"): "claim sub or sid"
        case .missingClaim(let name): "claim \(name)"
        case .claimMalformed("sub"): "claim sub with 1 to 255 printable ASCII characters"
        case .claimMalformed("sid"), .claimMalformed("jti"):
            "a string of 1 to \(ProviderClaims.maximumNameBytes) bytes"
        case .claimMalformed(let name): "claim \(name) of the type that its specification gives it"
        case .issuerMismatch: "iss \(Unverified.quote(rules.idToken.issuer))"
        case .audienceMismatch: "aud with \(Unverified.quote(rules.idToken.clientID))"
        case .audienceNotTrusted: "no aud but the client and its trusted audiences"
        case .secretShared: "one aud: the others would need the client's secret"
        case .expired: "exp not more than \(rules.idToken.clampedLeeway) s ago, iat at most five minutes"
        case .issuedInFuture: "iat not more than \(rules.idToken.clampedLeeway) s ahead"
        case .hasNonce: "no nonce"
        case .noLogoutEvent: "events with an object \(LogoutToken.event)"
        }
    }

    /// What the operator's log says was there instead; never whose session it was.
    public var found: String {
        switch self {
        case .contentType(let type): "content type \(Unverified.quote(type))"
        case .formMalformed: "something else"
        case .missing, .missingClaim: "absent"
        case .envelope(let cause): cause.found
        case .claimMalformed: "something else"
        case .issuerMismatch(let issuer): "iss \(Unverified.quote(issuer))"
        case .audienceMismatch: "other audiences"
        case .audienceNotTrusted(let audience): "aud \(Unverified.quote(audience))"
        case .secretShared: "several"
        case .expired(let seconds): "over for \(seconds) s"
        case .issuedInFuture(let seconds): "issued \(seconds) s ahead"
        case .hasNonce: "nonce"
        case .noLogoutEvent: "none"
        }
    }
}
