import Issuers
import JSON
import OAuth
import Refusals
import Sessions

/// The user's own logout, and what follows it in the same browser (LO-01 … LO-04).
extension LogoutService {
    func logout(_ request: LoginRequest, _ place: LoginClient) async -> LoginAnswer {
        switch request.method {
        // SC-10: an image of another site, or a link in a message, logs nobody out. Whether there is a session plays
        // no part: a strict cookie is not sent with a link from elsewhere.
        case .get, .head: return LoginAnswer(.page(.confirmLogout(action: place.path(.logout))))
        case .other: return .methodNotAllowed("GET, HEAD, POST", check: "LO-01")
        case .post: break
        }
        guard request.isFromThisOrigin else {
            return LoginAnswer(
                .refused(
                    .crossSiteRequest,
                    detail: RefusalDetail(
                        expected: "a form or script of \(request.publicURL)", found: "another site's, or nobody's",
                        check: "SC-10")), retry: place.path(.logout))
        }
        // Usually there is one.
        var sessions = await place.sessions(in: request.cookies)
        var ended: [Session] = []
        for (found, value) in sessions.found {
            do throws(SessionStoreRefusal) {
                ended.append(try await end(found, value, request, place))
            } catch {
                sessions.areAll = false
            }
        }
        for value in sessions.over {
            do throws(SessionStoreRefusal) {
                try await place.store.confirmEnding(of: value, now: place.now)
            } catch {
                sessions.areAll = false
            }
        }
        // The cookies stay: without them the next attempt could end nothing.
        guard sessions.areAll else { return notDone(place) }
        let answer = ended.isEmpty ? nil : atServer(ended.count == 1 ? ended[0] : nil, request, place)
        return answer ?? landed(request, place, cookies: place.cookieDeletion(at: request))
    }

    /// Ends a session as its user wishes and revokes its tokens; the session as it was.
    private func end(
        _ found: Session, _ value: [UInt8], _ request: LoginRequest, _ place: LoginClient
    ) async throws(SessionStoreRefusal) -> Session {
        // Another process may have refreshed it a moment ago: the newest tokens are the ones to revoke.
        let session = try await place.store.load(value, now: place.now) ?? found
        try await endElsewhere(.session(session), by: .user, in: request, at: place)
        let known = try await place.end(.session(session))
        // The store's own state may be newer than what the browser brought.
        let ended = known.first ?? session
        revocations.revoke(ended, client: place.index, within: place.trace)
        place.onEvent(.loggedOut(client: place.index, request.names, session: ended.reference))
        place.auditLogout(by: .user, .session(ended), [ended], in: request)
        place.onEvent(.sessionsEnded)
        return ended
    }

    /// The user is still signed in, and reads so; the button leads to the question again (SH-37).
    private func notDone(_ place: LoginClient) -> LoginAnswer {
        var answer = LoginAnswer.storeUnavailable(at: place)
        answer.retry = place.path(.logout)
        return answer
    }

    /// The browser on its way to the server's own logout; nil where there is none, and this one is all (LO-02).
    ///
    /// Without a session the server goes by its own cookie, and asks: of two sessions one may be somebody else's, whose ID token
    /// is not for this browser, and whose logout is not this user's.
    private func atServer(_ session: Session?, _ request: LoginRequest, _ place: LoginClient) -> LoginAnswer? {
        guard place.settings.logout.atServer, let endpoint = place.metadata?.login.endSession else { return nil }
        let (state, line) = PostLogoutState.start(client: place.settings.name)
        let parameters = EndSession.Parameters(
            idTokenHint: session?.idToken.flatMap { IDToken.hint($0, decryption: place.settings.keys.decryption) },
            clientID: place.clientID,
            postLogoutRedirectURI: request.publicURL + place.path(.loggedOut), state: state)
        let way = EndSession.request(
            endpoint: endpoint, parameters, postsHint: place.settings.logout.postsHint,
            allowsHTTP: place.issuer.insecureAllowHTTP)
        let cookies = place.cookieDeletion(at: request) + [line]
        switch way {
        case nil: return nil
        case .redirect(let url):
            guard request.isNavigation else { return told(goOn: url, cookies: cookies) }
            return LoginAnswer(.redirect(url), cookies: cookies)
        case .post(let action, let parameters):
            // A script would have to put the hint into a URL: it is told to go on without.
            guard request.isNavigation else {
                return told(goOn: landing(place), cookies: place.cookieDeletion(at: request))
            }
            return LoginAnswer(.page(.postLogout(action: action, parameters: parameters)), cookies: cookies)
        }
    }

    /// Where the server sends the browser after its own logout.
    ///
    /// Only who brings back what this browser was given is sent on; everybody else sees a page that says what is true,
    /// and no address in the request leads anywhere (LO-04).
    func loggedOut(_ request: LoginRequest, _ place: LoginClient) async -> LoginAnswer {
        guard request.method == .get || request.method == .head else {
            return .methodNotAllowed("GET, HEAD", check: "LO-04")
        }
        guard let state = Self.state(in: request.query),
            PostLogoutState.matches(state, client: place.settings.name, in: request.cookies.span)
        else {
            // A link from elsewhere makes nobody who is signed in believe that they are not, and leave.
            guard case .found = await place.session(in: request.cookies) else { return LoginAnswer(.page(.loggedOut)) }
            return LoginAnswer(.page(.confirmLogout(action: place.path(.logout))))
        }
        return landed(request, place, cookies: PostLogoutState.deletion())
    }

    private func landed(_ request: LoginRequest, _ place: LoginClient, cookies: [String]) -> LoginAnswer {
        guard request.isNavigation || request.method != .post else {
            return told(goOn: landing(place), cookies: cookies)
        }
        guard let landing = landing(place) else { return LoginAnswer(.page(.loggedOut), cookies: cookies) }
        return LoginAnswer(.redirect(landing), cookies: cookies)
    }

    private func landing(_ place: LoginClient) -> String? {
        place.settings.logout.landing
    }

    /// A script cannot follow a redirect to another site: it is told where its page should go.
    private func told(goOn url: String?, cookies: [String]) -> LoginAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("authenticated")
        writer.bool(false)
        if let url {
            writer.name("continue")
            writer.string(url)
        }
        writer.endObject()
        return LoginAnswer(.document(type: "application/json", bytes: writer.finish()), cookies: cookies)
    }

    /// The one `state`; ours needs no decoding.
    private static func state(in query: [UInt8]) -> String? {
        let name = Array("state=".utf8)
        let values = query.split(separator: UInt8(ascii: "&")).filter { $0.starts(with: name) }
        guard values.count == 1 else { return nil }
        return String(decoding: values[0].dropFirst(name.count), as: UTF8.self)
    }
}
