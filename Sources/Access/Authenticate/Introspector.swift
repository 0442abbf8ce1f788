package import Issuers

/// Which issuer a route's tokens are asked about, and which of them (RFC 7662).
package struct Introspector: Sendable {
    /// The issuer's index; -1 when no issuer of the route is asked.
    package let issuer: Int
    /// JWTs are asked about too, for they may have been revoked.
    package let isAskedAboutAll: Bool
    /// The route takes tokens of issuers beside it, which is not asked about theirs.
    package let hasOthers: Bool

    package static let none = Introspector(issuer: -1, isAskedAboutAll: false, hasOthers: false)

    /// The one issuer of the route that has introspection; the configuration allows no second.
    package init(_ settings: TokenSettings?, _ issuers: [IssuerSettings]) {
        guard let settings,
            let index = issuers.firstIndex(where: { settings.issuers.contains($0.name) && $0.introspection != nil })
        else {
            self = .none
            return
        }
        self.init(
            issuer: index, isAskedAboutAll: issuers[index].introspection?.tokens == .all,
            hasOthers: settings.issuers.count > 1)
    }

    private init(issuer: Int, isAskedAboutAll: Bool, hasOthers: Bool) {
        self.hasOthers = hasOthers
        self.issuer = issuer
        self.isAskedAboutAll = isAskedAboutAll
    }

    /// Whether a token goes to the issuer: every one, or those that have not the form of a JWT.
    package func isAsked(about token: Span<UInt8>) -> Bool {
        guard issuer >= 0 else { return false }
        if isAskedAboutAll { return true }
        var dots = 0
        for index in token.indices where token[index] == UInt8(ascii: ".") { dots += 1 }
        return dots != 2 && dots != 4
    }
}
