import Crypto
import HTTPMessage
import OAuth
import Refusals
import Sessions

/// A refresh at a server that makes no ID tokens: its endpoint is asked again whose tokens they are (OIDC-20).
extension AskForRefresh {
    /// The session with what the endpoint says now, or its end.
    ///
    /// Whatever keeps the endpoint from naming the session's user ends the session: the refresh token is spent, and with
    /// tokens of which nobody says whose they are the session would go on by a guess.
    func confirm(
        _ refreshed: Session, with accessToken: Secret, by endpoint: UserEndpointSettings, _ proof: ProofMaker?,
        at place: LoginClient
    ) async -> RefreshService.Answer {
        var refreshed = refreshed
        do throws(LoginFailure) {
            let (identity, claims) = try await UserEndpointQuestion(
                place: place, endpoint: endpoint, accessToken: accessToken, proof: proof,
                sender: ServerUser(refreshed).name, purpose: .session
            ).user()
            guard identity.issuer.utf8.elementsEqual(refreshed.issuer.utf8),
                identity.subject.utf8.elementsEqual(refreshed.subject.utf8)
            else {
                throw LoginFailure(
                    .loginUserInfoInvalid, check: "OIDC-20", expected: "the subject of the session",
                    found: "another in \(Unverified.quote(endpoint.subject))", isAlarm: true)
            }
            refreshed.claims = claims
            return .session(refreshed)
        } catch {
            if error.isAlarm { place.alarm(error.refusal, error.detail) }
            return .ended(tokens: refreshed, because: error.detail)
        }
    }
}
