/// Which tokens of the caller's an upstream is shown.
package struct ShownTokens: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The access token, or one that it was exchanged for.
    package static let access = ShownTokens(rawValue: 1)
    /// The ID token.
    package static let identity = ShownTokens(rawValue: 2)

    /// Those that a route needs.
    package init(_ route: RouteSettings) {
        switch route.credential {
        case .pass, .exchange: self = .access
        case .passIDToken: self = .identity
        case .none, .fixed, .assertion: self = []
        }
        if route.identity.contains(where: \.isAccessToken) { insert(.access) }
    }
}
