/// The first right that a route asks for and a verified token or session does not have.
package enum MissingRight: Sendable, Equatable, CaseIterable {
    /// A scope of the method (RS-19).
    case scope
    /// `authorization_details` that are what RFC 9396 §2 calls so (RAR-01).
    case wellFormedDetails
    /// What `authorization_details` must grant for the method (RAR-01).
    case details
    /// An `acr` that the route accepts (STEP-01).
    case authenticationClass
    /// An authentication that is not too long ago (STEP-02).
    case recentAuthentication
    /// A user behind the token, in place of a client that acts for itself (RS-21).
    case user
    /// A claim with one of the values that a rule of the route names (RS-20).
    case claim

    /// The refusal of a token that lacks it.
    package var refusalOfToken: Refusal {
        switch self {
        case .scope: .scopeInsufficient
        case .wellFormedDetails: .authorizationDetailsMalformed
        case .details: .authorizationDetailsInsufficient
        case .authenticationClass: .authenticationInsufficient
        case .recentAuthentication: .authenticationTooOld
        case .user: .userRequired
        case .claim: .claimRuleUnmet
        }
    }

    /// The refusal of a browser's session that lacks it.
    ///
    /// A scope is not asked for in a challenge: no token that the browser could send would help (CF-32).
    package var refusalOfSession: Refusal {
        self == .scope ? .sessionScopeInsufficient : refusalOfToken
    }
}
