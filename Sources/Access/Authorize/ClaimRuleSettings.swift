package import JSON
import OAuth

/// A condition on claims.
package struct ClaimRuleSettings: Sendable, Hashable {
    /// How claims meet it.
    package enum Kind: Sendable, Hashable {
        /// The value, or one member of its list, equals one of `values`.
        case oneOf
        /// Each of `values` is the value, or a member of its list.
        case allOf
        /// The user's address of mail is verified, and is in one of these domains or among `values`, which are in lower case.
        case email(domains: [String], subdomains: Bool)
        /// One of these is met.
        case oneRule([ClaimRuleSettings])
    }

    /// Member names from the outside in: `realm_access.roles` is `["realm_access", "roles"]`; empty where `kind` says more.
    package var claim: [String]
    /// The values that meet it.
    package var anyOf: [String]
    package var kind = Kind.oneOf
    /// The file that the values are in; nil where the configuration has them.
    package var file: String?

    /// A condition on the claim at this path.
    package init(claim: [String], anyOf: [String]) {
        self.claim = claim
        self.anyOf = anyOf
    }

    /// A condition on the user's address of mail, which must be verified.
    package init(emailIn domains: [String], subdomains: Bool, addresses: [String]) {
        self.init(claim: ["email"], anyOf: addresses)
        kind = .email(domains: domains, subdomains: subdomains)
    }

    /// A condition that one of several meets.
    package init(oneOf rules: [ClaimRuleSettings]) {
        self.init(claim: [], anyOf: [])
        kind = .oneRule(rules)
    }

    /// The outermost names of the claims that it looks at.
    package var names: [String] {
        switch kind {
        case .oneOf, .allOf: Array(claim.prefix(1))
        case .email: ["email", "email_verified"]
        case .oneRule(let rules): rules.flatMap(\.names)
        }
    }

    /// The words for operators; what is in a file is told by the file alone.
    package var text: String {
        let name = claim.joined(separator: ".")
        let values = file.map { "the values of \($0)" } ?? "[\(anyOf.joined(separator: ", "))]"
        switch kind {
        case .oneOf: return "\(name) in \(values)"
        case .allOf: return "\(name) with all of \(values)"
        case .email(let domains, let subdomains):
            var parts = domains.isEmpty ? [] : ["at [\(domains.joined(separator: ", "))]"]
            if subdomains, !domains.isEmpty { parts[parts.count - 1] += " or below" }
            if file != nil { parts.append("in \(values)") }
            return "a verified email \(parts.joined(separator: " or "))"
        case .oneRule(let rules): return "one of (\(rules.map(\.text).joined(separator: "; ")))"
        }
    }

    /// Whether these claims meet it (RS-20).
    package func holds(in claims: JSONValue) -> Bool {
        switch kind {
        case .oneOf: return Claims.holds(claim, anyOf: anyOf, in: claims)
        case .allOf: return anyOf.allSatisfy { Claims.holds(claim, anyOf: [$0], in: claims) }
        case .email(let domains, let subdomains):
            guard claims["email_verified"]?.bool == true, let email = claims["email"]?.utf8 else { return false }
            return VerifiedEmail(email)?.isAmong(domains, subdomains: subdomains, addresses: anyOf) ?? false
        case .oneRule(let rules): return rules.contains { $0.holds(in: claims) }
        }
    }
}
