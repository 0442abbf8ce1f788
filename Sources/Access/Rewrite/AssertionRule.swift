import Bytes
package import OAuth

/// How the assertions of one rule are made and sent.
package struct AssertionRule: Sendable {
    package let assertion: IdentityAssertion
    /// What stands before the JWT in its field line.
    package let linePrefix: [UInt8]

    package init(_ settings: AssertionSettings, issuer: String) {
        assertion = IdentityAssertion(
            issuer: issuer, audience: settings.audience, lifetimeSeconds: settings.lifetime.wholeSeconds,
            repeatedClaims: settings.claims)
        let isAuthorization = settings.field.lowercased() == "authorization"
        linePrefix = Array((isAuthorization ? "Authorization: Bearer " : "\(settings.field): ").utf8)
    }

    /// The field names that only the gateway may set because of these settings.
    package static func reservedNames(_ routes: [RouteSettings]) -> [String] {
        routes.compactMap { route in
            guard case .assertion(let settings) = route.credential, settings.field.lowercased() != "authorization"
            else { return nil }
            return settings.field
        }
    }
}
