public import OAuth

extension IDTokenRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .missing: "OIDC-01"
        case .envelope(let cause): cause.check
        case .claim(.missing("iss")), .claim(.malformed("iss")), .claim(.issuerMismatch): "OIDC-02"
        case .claim(.missing("aud")), .claim(.malformed("aud")), .claim(.audienceMismatch), .claim(.audienceNotTrusted):
            "OIDC-03"
        case .claim(.malformed("azp")), .authorizedPartyMissing, .authorizedPartyMismatch: "OIDC-04"
        case .claim(.secretShared): "OIDC-06"
        case .claim(.missing("nonce")), .claim(.malformed("nonce")), .nonceMismatch: "OIDC-08"
        case .claim(.missing("acr")), .claim(.missing("auth_time")), .claim(.malformed("acr")),
            .claim(.malformed("auth_time")),
            .authenticationContext, .authenticatedTooEarly, .authenticatedInFuture:
            "OIDC-09"
        case .claim(.malformed("at_hash")), .claim(.malformed("c_hash")), .hashMismatch: "OIDC-10"
        case .claim(.otherPurpose): "JOSE-20"
        case .claim: "OIDC-07"
        case .changed: "RF-07"
        }
    }

    /// What the operator's log says was wanted.
    package func expected(by rules: IDTokenRules, demand: AuthenticationDemand? = nil) -> String {
        switch self {
        case .missing: "id_token in the token response"
        case .envelope(let cause): cause.expected(by: rules)
        case .claim(.malformed("sub")): "claim sub with 1 to 255 printable ASCII characters"
        case .claim(.malformed("sid")): "claim sid as a string of 1 to \(ProviderClaims.maximumNameBytes) bytes"
        case .claim(let cause): cause.expected(by: ClaimRefusal.Rules(rules))
        case .authorizedPartyMissing, .authorizedPartyMismatch: "azp \(Unverified.quote(rules.clientID))"
        case .nonceMismatch: "the nonce of this login"
        case .hashMismatch(let claim):
            "\(claim) of the \(claim == "c_hash" ? "code" : "access token") that came with it"
        case .authenticationContext:
            "acr one of \((demand?.acrValues ?? []).map { Unverified.quote($0) }.joined(separator: " "))"
        case .authenticatedTooEarly: "auth_time at most \(demand?.maximumAge ?? 0) s before the login began"
        case .authenticatedInFuture: "auth_time not more than \(rules.clampedLeeway) s ahead"
        case .changed(let claim): "the \(claim) of the login"
        }
    }

    /// What the operator's log says was there instead; never whose token it is, never a nonce or a hash.
    public var found: String {
        switch self {
        case .missing, .authorizedPartyMissing: "absent"
        case .envelope(let cause): cause.found
        case .claim(let cause): cause.found
        case .authorizedPartyMismatch(let party): "azp \(Unverified.quote(party))"
        case .nonceMismatch: "another nonce"
        case .hashMismatch(let claim): "another \(claim)"
        case .authenticationContext(let acr): "acr \(Unverified.quote(acr))"
        case .authenticatedTooEarly(let seconds): "authenticated \(seconds) s before"
        case .authenticatedInFuture(let seconds): "authenticated \(seconds) s ahead"
        case .changed(let claim): "another \(claim)"
        }
    }
}

extension ClaimRefusal.Rules {
    /// Those of ID tokens.
    init(_ rules: IDTokenRules) {
        self.init(
            issuer: rules.issuer, clientID: rules.clientID, leewaySeconds: rules.clampedLeeway,
            maximumAgeSeconds: IDToken.maximumAgeSeconds, kind: "an ID token")
    }
}
