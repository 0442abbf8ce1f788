import Access
import Login
import OAuth

/// Fields of `identity` that carry the access token itself.
extension IdentitySection {
    /// Refuses a token where the upstream could not use it, and says what it costs elsewhere.
    static func judgeTokens(_ route: CheckedObject, _ access: RouteSettings.Access?, _ context: RouteContext) {
        let problems = context.translation.problems
        for entry in route.entries("identity") {
            guard let value = entry.value else { continue }
            guard value.object?.text("token") != nil else {
                judgeName(entry, value, problems)
                continue
            }
            judge(entry, route, access, context)
        }
    }

    /// Whoever names that field has apps in mind that want the token, and there is no such claim.
    private static func judgeName(_ entry: CheckedEntry, _ value: CheckedValue, _ problems: ProblemList) {
        guard FieldNameText.folded(entry.name) == FieldNameText.accessToken else { return }
        problems.error(
            at: entry.place, expected: "the access token in a field of that name", found: "a claim",
            remedy: "write it as  \(entry.name): { token: access_token }")
    }

    private static func judge(
        _ entry: CheckedEntry, _ route: CheckedObject, _ access: RouteSettings.Access?, _ context: RouteContext
    ) {
        let problems = context.translation.problems
        if route.flag("mcp") == true {
            problems.error(
                at: entry.place, expected: "no token passed through on an MCP route", found: "token: access_token",
                remedy: "MCP forbids it: the token was made for this server; use exchange or assertion")
        } else if let token = access?.token, token.schemes.contains(.dpop) {
            problems.error(
                at: entry.place, expected: "Bearer alone in the schemes of a route that shows tokens",
                found: "DPoP among them",
                remedy: "a token bound to the client's key is of no use to the upstream; use exchange or assertion")
        } else if let name = LoginAccessSection.clientName(of: route),
            let client = context.clients.find(name, ProblemList())?.object, ProofChoice.of(client) != .off
        {
            problems.error(
                at: entry.place, expected: "dpop: off in the client \(name.text) beside token: access_token",
                found: ProofChoice.of(client) == .required ? "required" : "optional",
                remedy: "a bound token is of no use without its proof: write  upstream_credential: pass")
        } else if access?.token != nil || access?.login != nil {
            problems.warning(
                at: entry.place, expected: "an app that calls other servers in the user's name",
                found: "the access token in \(Quoted.bare(entry.name))",
                remedy:
                    "whoever reads it there can do what the user can, until it expires: leave it out where the app only asks who is there"
            )
        }
    }
}
