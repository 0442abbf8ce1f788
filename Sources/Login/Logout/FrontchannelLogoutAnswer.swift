import Issuers
import OAuth
import Sessions

/// A frame on the server's logout page (OpenID Connect Front-Channel Logout; LO-11).
///
/// Browsers that keep cookies from frames of other sites, which is most of them by now, send none: nothing ends then,
/// and nobody is told. Where it matters, the back channel is the way.
extension LogoutService {
    func frontchannelLogout(_ request: LoginRequest, _ place: LoginClient) async -> LoginAnswer {
        guard place.settings.logout.frontchannel else {
            return .notOffered("logout.frontchannel in the client's configuration", check: "LO-11")
        }
        guard request.method == .get || request.method == .head else {
            return .methodNotAllowed("GET, HEAD", check: "LO-11")
        }
        let framers = [place.issuer.url, place.metadata?.login.endSession].compactMap(\.self)
        let page = LoginAnswer.Content.page(
            .frontchannelDone(frameAncestors: FrontchannelLogout.frameAncestors(of: framers)))
        guard request.method == .get, let named = FrontchannelLogout(query: request.query) else {
            return LoginAnswer(page)
        }
        let sessions = await place.sessions(in: request.cookies)
        let ended = sessions.found.map(\.session).filter { named.ends(issuer: $0.issuer, sid: $0.serverSession) }
        for session in ended {
            do throws(SessionStoreRefusal) {
                try await end(.session(session), known: session, by: .frontChannel, in: request, at: place)
            } catch {
                return .storeUnavailable(at: place)
            }
        }
        guard sessions.areAll else { return .storeUnavailable(at: place) }
        return ended.isEmpty ? LoginAnswer(page) : LoginAnswer(page, cookies: place.cookieDeletion(at: request))
    }
}
