/// A condition on one claim: its value, or one member of its list, equals one of `anyOf`.
package struct ClaimRuleSettings: Sendable, Hashable {
    /// Member names from the outside in: `realm_access.roles` is `["realm_access", "roles"]`.
    package var claim: [String]
    /// The values that meet it.
    package var anyOf: [String]

    /// A condition on the claim at this path.
    package init(claim: [String], anyOf: [String]) {
        self.claim = claim
        self.anyOf = anyOf
    }
}
