import Access
import Issuers
import Login
import OAuth
import Sessions

/// What a worker keeps of a session beside its record: what changes, and what the upstream may be shown.
///
/// In a place of its own, so that the record stays plain memory; freed with it.
struct SessionState {
    let session: Session
    /// Which login it is of, by its place in the settings: a session of one client is none at another.
    let login: Int
    /// Where it is kept, whatever the settings are by now.
    let store: any SessionStore
    /// The value of its cookie, the newest that this worker knows.
    let value: [UInt8]
    /// The store's count of endings when it was last asked whether this one had ended.
    var endings: UInt64
    /// Unix seconds: from then on its tokens are to be refreshed.
    var refreshAt: Int64
    /// Unix seconds: from then on the store is told that it is in use.
    let touchAt: Int64
    /// Makes proofs for the upstream with the key that its tokens are bound to (RFC 9449 §7.1).
    let proofs: ProofMaker?
    /// What logs call it.
    let reference: UInt64

    static func make(_ state: SessionState) -> UnsafeMutablePointer<SessionState> {
        let place = UnsafeMutablePointer<SessionState>.allocate(capacity: 1)
        place.initialize(to: state)
        return place
    }

    static func free(_ place: UnsafeMutablePointer<SessionState>) {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}

/// What a route asks of browsers' sessions.
struct LoginPolicy {
    /// Which login, by its place in the settings.
    let login: Int
    /// Scopes, claims and authentication, as for tokens.
    let needs: TokenPolicy
    let cookieName: Route.Bytes
    /// The origins of pages that may make unsafe requests, for each listener: its own, and those of the route.
    let origins: UnsafeMutablePointer<OriginList>
    private let listenerCount: Int
    let requiresHeader: Bool
    let keepsForm: Bool
    let isOptional: Bool
    /// The path that a login begins at.
    let startPath: String
    /// What a login for this route asks for beside the client's own wishes, by its place; -1 for nothing.
    let stepUp: Int

    /// In memory of its own, for the life of the configuration: nothing of it is copied on a request's way.
    static func make(
        _ settings: LoginAccessSettings, _ gateway: GatewaySettings, catalogue: inout PredicateCatalogue
    ) -> UnsafeMutablePointer<LoginPolicy>? {
        guard gateway.logins.indices.contains(settings.login) else { return nil }
        let login = gateway.logins[settings.login]
        let place = UnsafeMutablePointer<LoginPolicy>.allocate(capacity: 1)
        let origins = UnsafeMutablePointer<OriginList>.allocate(capacity: max(1, gateway.listeners.count))
        for (number, listener) in gateway.listeners.enumerated() {
            (origins + number).initialize(to: OriginList([listener.publicURL] + settings.allowedOrigins))
        }
        place.initialize(
            to: LoginPolicy(
                login: settings.login,
                needs: TokenPolicy(
                    settings.requirements, gateway.proofs,
                    issuerIndex: { name in gateway.issuers.firstIndex { $0.name == name } ?? -1 },
                    catalogue: &catalogue),
                cookieName: Route.Bytes(login.session.cookieName),
                origins: origins, listenerCount: gateway.listeners.count,
                requiresHeader: settings.requiresHeader, keepsForm: settings.keepsForm,
                isOptional: settings.optional, startPath: "\(ReservedPath.prefix)/login/\(login.name)",
                stepUp: StepUps.place(of: settings, in: gateway)))
        return place
    }
}

extension LoginPolicy {
    /// Frees a policy; nobody may use it any longer.
    static func free(_ place: UnsafeMutablePointer<LoginPolicy>) {
        place.pointee.needs.destroy()
        place.pointee.cookieName.destroy()
        place.pointee.origins.deinitialize(count: place.pointee.listenerCount)
        place.pointee.origins.deallocate()
        place.deinitialize(count: 1)
        place.deallocate()
    }
}

/// What routes ask of logins beside what their client asks for (STEP-04): a browser names one by its place, and can ask
/// for nothing that no route asks for.
enum StepUps {
    /// Those of one login, each once.
    static func all(of login: Int, in routes: [RouteSettings]) -> [StepUp] {
        var found: [StepUp] = []
        for route in routes {
            guard let access = route.access.login, access.login == login, let one = stepUp(access),
                !found.contains(one)
            else { continue }
            found.append(one)
        }
        return found
    }

    static func place(of access: LoginAccessSettings, in gateway: GatewaySettings) -> Int {
        guard let one = stepUp(access) else { return -1 }
        return all(of: access.login, in: gateway.routes).firstIndex(of: one) ?? -1
    }

    private static func stepUp(_ access: LoginAccessSettings) -> StepUp? {
        let needs = access.requirements
        guard !needs.acrValues.isEmpty || needs.maxAgeSeconds != nil else { return nil }
        return StepUp(acrValues: needs.acrValues, maximumAge: needs.maxAgeSeconds, forcesPrompt: false)
    }
}
