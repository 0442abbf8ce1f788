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
        case .claim(.audienceMismatch), .claim(.audienceNotTrusted), .claim(.secretShared):
            "aud \(Unverified.quote(rules.clientID)) and no untrusted other"
        case .claim(let cause): cause.expected(by: ClaimRefusal.Rules(rules))
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
        case .claim(.audienceNotTrusted), .claim(.secretShared): ClaimRefusal.audienceMismatch.found
        case .claim(let cause): cause.found
        case .subjectMismatch: "another sub"
        }
    }
}
