import Crypto
import Issuers
import OAuth
import Refusals
import Sessions

/// Ends sessions: by the user's own logout, and by what the authorization server says.
///
///     logout/               GET asks, POST ends ─▶ 303 to the server's own logout ─▶ logged-out/
///     backchannel-logout/   the server itself, by a signed token
///     frontchannel-logout/  a frame of the server's page, in the user's browser
///
/// The session always ends first: whatever else does not work then, it is over.
final class LogoutService: Sendable {
    let places: [LoginClient]
    let revocations: RevocationQueue
    private let memory: LoginMemory

    init(places: [LoginClient], revocations: RevocationQueue, memory: LoginMemory) {
        self.places = places
        self.revocations = revocations
        self.memory = memory
    }

    var used: SingleUse { memory.logoutTokens }
    var budget: LogoutTokenBudget { memory.logoutBudget }

    /// Answers a request to one of its four endpoints; for any other one, 404.
    func answer(_ request: LoginRequest) async -> LoginAnswer {
        func place(_ client: Int) -> LoginClient { places[client].within(request.trace, for: request.client) }
        switch request.endpoint {
        case .logout(let client) where places.indices.contains(client): return await logout(request, place(client))
        case .loggedOut(let client) where places.indices.contains(client):
            return await loggedOut(request, place(client))
        case .backchannelLogout(let client) where places.indices.contains(client):
            return await backchannelLogout(request, place(client))
        case .frontchannelLogout(let client) where places.indices.contains(client):
            return await frontchannelLogout(request, place(client))
        default: return .notOffered("a path of logouts", check: "LO-01")
        }
    }

    /// Ends sessions on the server's word, and gives their tokens back.
    ///
    /// A refresh token that was granted for when the user is away outlives the server's session (Back-Channel Logout
    /// §2.7); what we have for a session that is over is of no use to us, but is not ours to revoke either.
    func end(
        _ which: SessionEnd, known: Session? = nil, by party: LogoutParty, in request: LoginRequest,
        at place: LoginClient
    ) async throws(SessionStoreRefusal) {
        try await endElsewhere(which, by: party, in: request, at: place)
        let held = try await place.end(which)
        let ended = held.isEmpty ? [known].compactMap(\.self) : held
        for session in ended {
            // Of one that nobody brought the cookie of, another process may have been quicker (SH-46).
            if known == nil, await !place.store.claimRevocation(of: session) { continue }
            revocations.revoke(
                session, client: place.index, keepsRefreshToken: session.scopes.contains("offline_access"),
                within: place.trace)
        }
        place.onEvent(.loggedOut(client: place.index, request.names, session: known?.reference))
        place.auditLogout(by: party, which, ended, in: request)
        place.onEvent(.sessionsEnded)
    }

    /// Ends what came of the same session of the server at the other clients that are one client to it, such as those of
    /// several hosts with one sign-in: the server tells each of its clients once (ECO-98).
    func endElsewhere(
        _ which: SessionEnd, by party: LogoutParty, in request: LoginRequest, at place: LoginClient
    ) async throws(SessionStoreRefusal) {
        let others = places.filter { $0.index != place.index && $0.isRegistered(as: place) }
        guard !others.isEmpty, let which = which.ofServer else { return }
        for other in others.map({ $0.within(request.trace) }) {
            let ended = try await other.end(which)
            for session in ended where await other.store.claimRevocation(of: session) {
                revocations.revoke(
                    session, client: other.index,
                    keepsRefreshToken: party != .user && session.scopes.contains("offline_access"),
                    within: other.trace)
            }
            guard !ended.isEmpty else { continue }
            other.onEvent(.loggedOut(client: other.index, request.names, session: ended.first?.reference))
            other.auditLogout(by: party, which, ended, in: request)
        }
        place.onEvent(.sessionsEnded)
    }
}

extension LoginClient {
    /// Whether the server takes both for one client.
    fileprivate func isRegistered(as other: LoginClient) -> Bool {
        issuer.url.utf8.elementsEqual(other.issuer.url.utf8) && clientID.utf8.elementsEqual(other.clientID.utf8)
    }
}

extension SessionEnd {
    /// The same in the server's own words; nil for a session of which the server's is not known.
    fileprivate var ofServer: SessionEnd? {
        guard case .session(let session) = self else { return self }
        return session.serverSession.map { .serverSession(issuer: session.issuer, sid: $0, subject: session.subject) }
    }
}

extension LoginAnswer {
    /// The configuration does not have that endpoint.
    static func notOffered(_ expected: String, check: String) -> LoginAnswer {
        LoginAnswer(
            .refused(
                .requestObjectUnknown, detail: RefusalDetail(expected: expected, found: "nothing there", check: check)))
    }
}
