import Crypto
import HTTPMessage
import OAuth
import Refusals
import Sessions

/// A refresh at a server that makes no ID tokens: its endpoint is asked again whose tokens they are (OIDC-20).
extension AskForRefresh {
    /// The session with what the endpoint says now, or its end.
    ///
    /// An endpoint that says somebody else, or nobody, ends the session: with tokens of which nobody says whose they are it
    /// would go on by a guess. One that does not answer says nothing: the refresh token of before is spent, so that the new
    /// tokens are kept, and serve nobody until it has answered.
    func confirm(
        _ refreshed: Session, with accessToken: Secret, by endpoint: UserEndpointSettings, _ proof: ProofMaker?,
        at place: LoginClient
    ) async -> RefreshService.Answer {
        var refreshed = refreshed
        do throws(LoginFailure) {
            let (_, claims) = try await UserEndpointQuestion(
                place: place, endpoint: endpoint, accessToken: accessToken, proof: proof,
                sender: ServerUser(refreshed).name, purpose: .session
            ).user(of: refreshed)
            refreshed.claims = claims
            refreshed.isConfirmed = true
            return .session(refreshed)
        } catch {
            guard !error.isOutage else {
                var kept = refreshed
                kept.accessToken = accessToken
                kept.isConfirmed = false
                return .unconfirmed(kept, retryAfterSeconds: error.retryAfterSeconds, because: error.detail)
            }
            if error.isAlarm { place.alarm(error.refusal, error.detail) }
            return .ended(tokens: refreshed, because: error.detail)
        }
    }

    /// The end of a session that nobody has confirmed, and that nobody can confirm: its client has no such endpoint any more.
    ///
    /// New tokens are none the less somebody's, and without the endpoint nobody says whose: a configuration that is loaded
    /// must not serve the session of one user with the tokens of another.
    func unconfirmable(_ session: Session, at place: LoginClient) -> RefreshService.Answer? {
        guard !session.isConfirmed, place.settings.identityFrom == nil else { return nil }
        return .ended(
            tokens: session,
            because: RefusalDetail(
                expected: "an endpoint that says whose the session's tokens are (identity_from)",
                found: "a client without one", check: "OIDC-20"))
    }

    /// The same for a session whose tokens of now nobody has confirmed; nil where it is to be refreshed first.
    ///
    /// The endpoint alone is asked, for servers count how many tokens they issue to one user.
    func confirmAgain(
        _ session: Session, _ proof: ProofMaker?, at place: LoginClient
    ) async -> RefreshService.Answer? {
        guard !session.isConfirmed, let endpoint = place.settings.identityFrom, let token = session.accessToken,
            session.accessTokenExpiresAt > place.now
        else { return nil }
        var next = session
        if !place.settings.uses.keepsAccessToken { next.accessToken = nil }
        next.seenAt = max(session.seenAt, place.now)
        next.generation = session.generation &+ 1
        let answer = await confirm(next, with: token, by: endpoint, proof, at: place)
        // As it is kept already.
        guard case .unconfirmed(_, let seconds, let detail) = answer else { return answer }
        return .unavailable(retryAfterSeconds: seconds, because: detail)
    }
}
