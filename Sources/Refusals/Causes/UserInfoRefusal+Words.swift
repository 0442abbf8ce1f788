import JSON
package import OAuth

extension UserInfoRefusal {
    /// The requirement row of the check that failed.
    package var check: String {
        switch self {
        case .envelope(let cause): cause.check
        default: "OIDC-12"
        }
    }

    /// What the operator's log says was wanted.
    package func expected(by rules: IDTokenRules) -> String {
        switch self {
        case .status: "status 200"
        case .tooLarge: "at most \(UserInfo.maximumBytes) bytes"
        case .contentType: "content type application/json or application/jwt"
        case .notJSON, .notAnObject: "a strict JSON object"
        case .envelope(let cause): cause.expected(by: rules)
        case .missingClaim(let name): "claim \(name)"
        case .claimMalformed(let name): "claim \(name) of the type that its specification gives it"
        case .issuerMismatch: "iss \(Unverified.quote(rules.issuer))"
        case .audienceMismatch: "aud \(Unverified.quote(rules.clientID)) and no untrusted other"
        case .expired: "exp not more than \(rules.clampedLeeway) s ago"
        case .subjectMismatch: "sub of the ID token"
        }
    }

    /// What the operator's log says was there instead; never a claim about the user.
    package var found: String {
        switch self {
        case .status(let status): "status \(status)"
        case .tooLarge: "more"
        case .contentType(let type): "content type \(Unverified.quote(type))"
        case .notJSON(let cause): cause.found
        case .notAnObject: "another JSON value"
        case .envelope(let cause): cause.found
        case .missingClaim: "absent"
        case .claimMalformed: "something else"
        case .issuerMismatch(let issuer): "iss \(Unverified.quote(issuer))"
        case .audienceMismatch: "other audiences"
        case .expired(let seconds): "expired \(seconds) s ago"
        case .subjectMismatch: "another sub"
        }
    }
}
