public import OAuth

extension IDTokenRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .missing: "OIDC-01"
        case .envelope(let cause): cause.check
        case .missingClaim("iss"), .claimMalformed("iss"), .issuerMismatch: "OIDC-02"
        case .missingClaim("aud"), .claimMalformed("aud"), .audienceMismatch, .audienceNotTrusted: "OIDC-03"
        case .claimMalformed("azp"), .authorizedPartyMissing, .authorizedPartyMismatch: "OIDC-04"
        case .secretShared: "OIDC-06"
        case .missingClaim("nonce"), .claimMalformed("nonce"), .nonceMismatch: "OIDC-08"
        case .missingClaim("acr"), .missingClaim("auth_time"), .claimMalformed("acr"), .claimMalformed("auth_time"),
            .authenticationContext, .authenticatedTooEarly, .authenticatedInFuture:
            "OIDC-09"
        case .claimMalformed("at_hash"), .claimMalformed("c_hash"), .hashMismatch: "OIDC-10"
        case .missingClaim, .claimMalformed, .expired, .notYetValid, .issuedInFuture, .issuedTooEarly: "OIDC-07"
        case .otherPurpose: "JOSE-20"
        case .changed: "RF-07"
        }
    }

    /// What the operator's log says was wanted.
    package func expected(by rules: IDTokenRules, demand: AuthenticationDemand? = nil) -> String {
        switch self {
        case .missing: "id_token in the token response"
        case .envelope(let cause): cause.expected(by: rules)
        case .missingClaim(let name): "claim \(name)"
        case .claimMalformed("sub"): "claim sub with 1 to 255 printable ASCII characters"
        case .claimMalformed("sid"): "claim sid as a string of 1 to \(ProviderClaims.maximumNameBytes) bytes"
        case .claimMalformed(let name): "claim \(name) of the type that its specification gives it"
        case .issuerMismatch: "iss \(Unverified.quote(rules.issuer))"
        case .audienceMismatch: "aud with \(Unverified.quote(rules.clientID))"
        case .audienceNotTrusted: "no aud but the client and its trusted audiences"
        case .authorizedPartyMissing, .authorizedPartyMismatch: "azp \(Unverified.quote(rules.clientID))"
        case .secretShared: "one aud: the others would need the client's secret"
        case .otherPurpose: "an ID token"
        case .expired: "exp not more than \(rules.clampedLeeway) s ago"
        case .notYetValid: "nbf not more than \(rules.clampedLeeway) s ahead"
        case .issuedInFuture: "iat not more than \(rules.clampedLeeway) s ahead"
        case .issuedTooEarly: "iat at most \(IDToken.maximumAgeSeconds) s ago"
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
        case .missing, .missingClaim, .authorizedPartyMissing: "absent"
        case .envelope(let cause): cause.found
        case .claimMalformed: "something else"
        case .issuerMismatch(let issuer): "iss \(Unverified.quote(issuer))"
        case .audienceMismatch: "other audiences"
        case .audienceNotTrusted(let audience): "aud \(Unverified.quote(audience))"
        case .authorizedPartyMismatch(let party): "azp \(Unverified.quote(party))"
        case .secretShared: "several"
        case .otherPurpose(let claim): "claim \(claim)"
        case .expired(let seconds): "expired \(seconds) s ago"
        case .notYetValid(let seconds): "valid in \(seconds) s"
        case .issuedInFuture(let seconds): "issued \(seconds) s ahead"
        case .issuedTooEarly(let seconds): "issued \(seconds) s ago"
        case .nonceMismatch: "another nonce"
        case .hashMismatch(let claim): "another \(claim)"
        case .authenticationContext(let acr): "acr \(Unverified.quote(acr))"
        case .authenticatedTooEarly(let seconds): "authenticated \(seconds) s before"
        case .authenticatedInFuture(let seconds): "authenticated \(seconds) s ahead"
        case .changed(let claim): "another \(claim)"
        }
    }
}
