/// What a route asks of whoever made a request, once the token or the session is accepted: the same of both.
package struct RightsSettings: Sendable {
    /// Scopes needed whatever the method.
    package var scopes: [String]
    /// Scopes needed by method, replacing `scopes` for the methods named.
    package var scopesByMethod: [String: [String]]
    /// Scopes needed by method of a gRPC service, as `/package.Service/Method` or with `*` in place of names; a call of one
    /// that has no name here is refused (H2-90).
    package var scopesByGRPCMethod: [String: [String]]
    /// All of these must hold (RS-20).
    package var claims: [ClaimRuleSettings] = []
    /// One of these must be the `acr`; in order of preference (STEP-01).
    package var acrValues: [String] = []
    /// Oldest authentication accepted, counted from `auth_time` (STEP-02).
    package var maximumAge: Duration?

    /// Asks for these scopes, and for nothing else unless it is said.
    package init(
        scopes: [String] = [], scopesByMethod: [String: [String]] = [:], scopesByGRPCMethod: [String: [String]] = [:]
    ) {
        self.scopes = scopes
        self.scopesByMethod = scopesByMethod
        self.scopesByGRPCMethod = scopesByGRPCMethod
    }

    /// The scopes that a method needs, of HTTP or by a name of `scopesByGRPCMethod`; HEAD needs what GET needs when it is not
    /// named itself.
    package func scopes(for method: String) -> [String] {
        scopesByGRPCMethod[method] ?? rule(for: method, of: scopesByMethod) ?? scopes
    }

    /// The same without what no resource asks for: refresh tokens are between client and server (MCP-05).
    package func announcedScopes(for method: String) -> [String] {
        scopes(for: method).filter { $0 != "offline_access" }
    }
}

extension TokenSettings {
    /// What `authorization_details` must grant for a method; HEAD needs what GET needs when it is not named itself, and a call
    /// of gRPC is a POST.
    package func authorizationDetails(for method: String) -> [AuthorizationDetailsRule] {
        rule(for: rights.scopesByGRPCMethod[method] == nil ? method : "POST", of: authorizationDetailsByMethod)
            ?? authorizationDetails
    }
}

private func rule<Rule>(for method: String, of rules: [String: Rule]) -> Rule? {
    rules[method] ?? (method == "HEAD" ? rules["GET"] : nil)
}
