/// What a logout token must be for one client (OpenID Connect Back-Channel Logout §2.6).
public struct LogoutTokenRules: Sendable {
    /// Issuer, client, signature and clocks are those of ID tokens; encryption is not asked for.
    public var idToken: IDTokenRules
    /// `typ` must be `logout+jwt`; otherwise it may be absent or `JWT` (LO-07).
    public var requiresType: Bool
    /// A token without `exp` is good for two minutes: older servers send none.
    public var acceptsWithoutExpiry: Bool

    /// The rules for a client whose ID tokens must be `idToken`.
    public init(_ idToken: IDTokenRules, requiresType: Bool = false, acceptsWithoutExpiry: Bool = false) {
        self.idToken = idToken
        self.requiresType = requiresType
        self.acceptsWithoutExpiry = acceptsWithoutExpiry
    }
}
