package import OAuth

/// One yes-or-no question that some route asks about a verified token.
package enum Predicate: Hashable, Sendable {
    /// The token's issuer is the one with this index.
    case issuer(Int)
    /// `aud` contains this value, exactly (RS-13).
    case audience(String)
    /// The granted scopes contain this one, exactly (RS-19).
    case scope(String)
    /// A configured condition on a claim holds (RS-20).
    case claim(ClaimRuleSettings)
    /// The token is a user's, not a client's own (RS-21).
    case user
    /// `acr` is this one, exactly (STEP-01).
    case authenticationClass(String)
    /// `authorization_details` are missing, or an array of objects with a type (RAR-01).
    case authorizationDetailsForm
    /// `authorization_details` grant all of this (RAR-01).
    case authorizationDetails(AuthorizationDetailsRule)

    /// Whether the answer is yes for this token, which the issuer with this index vouches for.
    func holds(for token: VerifiedAccessToken, issuer: Int) -> Bool {
        switch self {
        case .issuer(let index): return index == issuer
        case .audience(let audience): return token.hasAudience(audience)
        case .scope(let scope): return token.grants([scope])
        case .user: return token.isForUser
        case .claim(let rule): return rule.holds(in: token.claims)
        case .authenticationClass(let value): return token.acr?.utf8.elementsEqual(value.utf8) ?? false
        case .authorizationDetailsForm: return AuthorizationDetails.areWellFormed(in: token.claims)
        case .authorizationDetails(let rule): return AuthorizationDetails.grant(rule, in: token.claims)
        }
    }
}

/// Every predicate of the configuration, numbered.
///
/// A verified token is asked all of them once, when it enters the cache; from then on each request compares bits
/// (decision 0006). What a route requires is thereby checked anew on every use, without reading a claim.
package struct PredicateCatalogue: Sendable {
    private(set) var predicates: [Predicate] = []
    private var numbers: [Predicate: Int32] = [:]
    /// What limits of requests tell tokens and sessions apart by.
    var limitKeys: [RequestLimitSettings.Key] = []

    /// Nothing is asked yet.
    package init() {}

    /// The number of a predicate: its own from the first time it is named.
    package mutating func number(of predicate: Predicate) -> Int32 {
        if let number = numbers[predicate] { return number }
        let number = Int32(predicates.count)
        predicates.append(predicate)
        numbers[predicate] = number
        return number
    }

    /// The answers for `token`, one bit for each predicate: that with number 0 is the lowest of the first word.
    package func answers(for token: VerifiedAccessToken, issuer: Int) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: (predicates.count + 63) / 64)
        for (index, predicate) in predicates.enumerated() where predicate.holds(for: token, issuer: issuer) {
            words[index >> 6] |= 1 << UInt64(index & 63)
        }
        return words
    }
}
