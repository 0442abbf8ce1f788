import Bytes
import Login
package import OAuth
import Sessions

/// What a route asks of browsers' sessions.
package struct LoginPolicy: ~Copyable, Sendable {
    /// Which login, by its place in the settings.
    package let login: Int
    /// Scopes, claims and authentication, as for tokens.
    package let rights: RightsPolicy
    package let cookieName: FixedBytes
    /// The origins of pages that may make unsafe requests, for each of the route's sites: its own, and those of the route.
    package let origins: FixedList<OriginList>
    package let requiresHeader: Bool
    package let keepsForm: Bool
    package let isOptional: Bool
    /// Whose clients need no session.
    package let networks: FixedList<AddressRange>
    /// The path that a login begins at.
    package let startPath: String
    /// What a login for this route asks for beside the client's own wishes, by its place; -1 for nothing.
    package let stepUp: Int

    /// What a route's access says, in memory of its own for the life of the configuration; nil where it names no login.
    static func make(
        _ settings: LoginAccessSettings, _ gateway: AccessSettings, _ sites: Range<Int>,
        catalogue: inout PredicateCatalogue
    ) -> FixedValue<LoginPolicy>? {
        guard gateway.logins.indices.contains(settings.login) else { return nil }
        let login = gateway.logins[settings.login]
        return FixedValue(
            LoginPolicy(
                login: settings.login,
                rights: RightsPolicy(ofSessions: settings.rights, catalogue: &catalogue),
                cookieName: FixedBytes(login.session.cookieName),
                origins: FixedList(count: sites.count) {
                    OriginList([gateway.publicURL(ofSite: sites.lowerBound + $0)] + settings.allowedOrigins)
                },
                requiresHeader: settings.requiresHeader, keepsForm: settings.keepsForm,
                isOptional: settings.optional,
                networks: FixedList(count: settings.networks.count) { settings.networks[$0] },
                startPath: "\(ReservedPath.prefix)/login/\(login.name)",
                stepUp: StepUps.place(of: settings, in: gateway)))
    }

    /// Frees what was written out; nobody may use it any longer.
    func destroy() {
        rights.destroy()
        cookieName.destroy()
        origins.destroy()
        networks.destroy()
    }
}

/// What routes ask of logins beside what their client asks for (STEP-04): a browser names one by its place, and can ask
/// for nothing that no route asks for.
package enum StepUps {
    /// Those of one login, each once.
    package static func all(of login: Int, in routes: [RouteSettings]) -> [StepUp] {
        var found: [StepUp] = []
        for route in routes {
            guard let access = route.access.login, access.login == login, let one = stepUp(access),
                !found.contains(one)
            else { continue }
            found.append(one)
        }
        return found
    }

    static func place(of access: LoginAccessSettings, in gateway: AccessSettings) -> Int {
        guard let one = stepUp(access) else { return -1 }
        return all(of: access.login, in: gateway.routes).firstIndex(of: one) ?? -1
    }

    private static func stepUp(_ access: LoginAccessSettings) -> StepUp? {
        let rights = access.rights
        guard !rights.acrValues.isEmpty || rights.maximumAge != nil else { return nil }
        return StepUp(
            acrValues: rights.acrValues, maximumAge: rights.maximumAge?.wholeSeconds, forcesPrompt: false)
    }
}
