import OAuth

extension ClaimRefusal {
    /// What the claims of one token are held against.
    struct Rules {
        var issuer = ""
        var clientID = ""
        var leewaySeconds: Int64 = 0
        var maximumAgeSeconds: Int64 = 0
        /// The kind of token, such as `an ID token`.
        var kind = ""
    }

    /// What the operator's log says was wanted.
    func expected(by rules: Rules) -> String {
        switch self {
        case .missing(let name): "claim \(name)"
        case .malformed(let name): "claim \(name) of the type that its specification gives it"
        case .issuerMismatch: "iss \(Unverified.quote(rules.issuer))"
        case .audienceMismatch: "aud with \(Unverified.quote(rules.clientID))"
        case .audienceNotTrusted: "no aud but the client and its trusted audiences"
        case .secretShared: "one aud: the others would need the client's secret"
        case .otherPurpose: rules.kind
        case .expired: "exp not more than \(rules.leewaySeconds) s ago"
        case .notYetValid: "nbf not more than \(rules.leewaySeconds) s ahead"
        case .issuedInFuture: "iat not more than \(rules.leewaySeconds) s ahead"
        case .issuedTooEarly: "iat at most \(rules.maximumAgeSeconds) s ago"
        }
    }

    /// What the operator's log says was there instead; never whose token it is.
    var found: String {
        switch self {
        case .missing: "absent"
        case .malformed: "something else"
        case .issuerMismatch(let issuer): "iss \(Unverified.quote(issuer))"
        case .audienceMismatch: "other audiences"
        case .audienceNotTrusted(let audience): "aud \(Unverified.quote(audience))"
        case .secretShared: "several"
        case .otherPurpose(let claim): "claim \(claim)"
        case .expired(let seconds): "expired \(seconds) s ago"
        case .notYetValid(let seconds): "valid in \(seconds) s"
        case .issuedInFuture(let seconds): "issued \(seconds) s ahead"
        case .issuedTooEarly(let seconds): "issued \(seconds) s ago"
        }
    }
}
