public import OAuth

extension LogoutTokenRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .contentType, .formMalformed, .missing: "LO-05"
        case .envelope(.typeNotAccepted): "LO-07"
        case .envelope(.algorithmNotAllowed), .envelope(.signatureInvalid): "LO-06"
        case .envelope(let cause): cause.check
        case .claim(.secretShared): "OIDC-06"
        case .claim(.expired): "LO-07"
        case .claim, .hasNonce, .noLogoutEvent: "LO-06"
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
        case .claim(.missing("sub")): "claim sub or sid"
        case .claim(.malformed("sub")): "claim sub with 1 to 255 printable ASCII characters"
        case .claim(.malformed("sid")), .claim(.malformed("jti")):
            "a string of 1 to \(ProviderClaims.maximumNameBytes) bytes"
        case .claim(.expired): "exp not more than \(rules.idToken.clampedLeeway) s ago, iat at most five minutes"
        case .claim(let cause): cause.expected(by: ClaimRefusal.Rules(rules.idToken))
        case .hasNonce: "no nonce"
        case .noLogoutEvent: "events with an object \(LogoutToken.event)"
        }
    }

    /// What the operator's log says was there instead; never whose session it was.
    public var found: String {
        switch self {
        case .contentType(let type): "content type \(Unverified.quote(type))"
        case .formMalformed: "something else"
        case .missing: "absent"
        case .envelope(let cause): cause.found
        case .claim(.expired(let seconds)): "over for \(seconds) s"
        case .claim(let cause): cause.found
        case .hasNonce: "nonce"
        case .noLogoutEvent: "none"
        }
    }
}
