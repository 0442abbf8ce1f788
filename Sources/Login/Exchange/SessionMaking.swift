import Bytes
import Crypto
import OAuth
import Refusals
import Sessions

/// Makes the session of a login that succeeded, and sends the browser where it began.
struct SessionMaking: Sendable {
    let place: LoginClient
    let callback: Callback
    let revocations: RevocationQueue

    /// A session under a new identifier, whatever the browser brought (SC-05, CF-34).
    func session(
        _ tokens: IssuedTokens, _ identity: LoginIdentity, scopes: [String], claims: [UInt8]
    ) -> Session {
        let settings = place.settings
        let now = tokens.receivedAt
        let refreshToken = settings.refreshes ? tokens.response.refreshToken : nil
        let hasUse = settings.uses.keepsAccessToken || refreshToken != nil
        var session = Session(
            id: RandomBytes.fill(16), client: settings.name, issuer: identity.issuer, subject: identity.subject,
            claims: claims, scopes: scopes,
            // A logout at the server is compared with the server's own time of this login (LO-10).
            createdAt: min(now, identity.issuedAt), endsAt: now + Int64(settings.session.absolute.wholeSeconds))
        session.seenAt = now
        session.serverSession = identity.serverSession
        session.accessToken = settings.uses.keepsAccessToken ? tokens.response.accessToken : nil
        session.accessTokenIssuedAt = now
        session.accessTokenExpiresAt = hasUse ? tokens.expiresAt : .max
        session.proofKey = tokens.proofKey
        session.refreshToken = refreshToken
        session.idToken = settings.keepsIDToken ? identity.idToken : nil
        session.nonceDigest = refreshToken == nil ? nil : identity.nonce.map(IDToken.Original.nonceDigest)
        return session
    }

    /// Keeps the session, ends the one before it, and answers the callback.
    func answer(_ session: Session) async throws(LoginFailure) -> LoginAnswer {
        let value = try await keep(session)
        await endEarlier(than: session)
        place.onEvent(.loggedIn(client: place.index, LoginNote(session, callback.request)))
        place.audit(.login, of: session, in: callback.request)
        if callback.transaction.stepUp != nil { place.audit(.stepUpMet, of: session, in: callback.request) }
        return LoginAnswer(
            content, cookies: callback.endings + place.cookieLines(value, replacing: callback.request.cookies))
    }

    private func keep(_ session: Session) async throws(LoginFailure) -> [UInt8] {
        var session = session
        do throws(SessionStoreRefusal) {
            do throws(SessionStoreRefusal) {
                return try await place.store.create(session, now: place.now, onLeaving: giveUp)
            } catch {
                // The hint for a logout at the server is what a session can best do without (SC-07).
                guard case .tooLarge = error, session.idToken != nil, !place.settings.session.needsIDToken else {
                    throw error
                }
            }
            session.idToken = nil
            return try await place.store.create(session, now: place.now, onLeaving: giveUp)
        } catch {
            throw failure(error)
        }
    }

    /// A session gave way to this one: it is over as after a logout (LO-09, RV-01).
    private func giveUp(_ session: Session) {
        revocations.revoke(session, client: place.index, within: place.trace)
        place.audit(.ended(.storeFull), of: session, in: callback.request)
        place.onEvent(.sessionsEnded)
    }

    private func failure(_ refusal: SessionStoreRefusal) -> LoginFailure {
        switch refusal {
        case .tooLarge(let bytes, let limit, let parts):
            LoginFailure(
                .loginSessionTooLarge, check: "SC-07", expected: "a session of at most \(limit) bytes",
                found: "\(bytes) bytes: \(parts.joined(separator: ", "))", isAlarm: true)
        case .unavailable where place.settings.session.store == .shared:
            .storeUnavailable(check: "SH-74", expected: "a store that takes the session")
        case .unavailable:
            LoginFailure(
                .sessionStoreUnavailable, check: "SC-13", expected: "a session store", found: "none",
                retryAfterSeconds: 5
            )
        case .full:
            LoginFailure(
                .sessionStoreUnavailable, check: "SC-13", expected: "room for another session", found: "none",
                isAlarm: true, retryAfterSeconds: 60)
        }
    }

    /// A session that this browser had before is over: whoever else knows its cookie has nothing any more (CF-34).
    ///
    /// Except for one that the same user has just got in another tab: its requests are still under way, and ending it
    /// would send them all to the server again.
    private func endEarlier(than session: Session) async {
        for earlier in await place.sessions(in: callback.request.cookies).found {
            await end(earlier.session, earlierThan: session)
        }
    }

    private func end(_ earlier: Session, earlierThan session: Session) async {
        let isSameUser =
            earlier.issuer.utf8.elementsEqual(session.issuer.utf8)
            && earlier.subject.utf8.elementsEqual(session.subject.utf8)
        let isParallel =
            isSameUser && callback.transaction.stepUp == nil
            && earlier.createdAt >= callback.transaction.createdAt
        guard !isParallel else { return }
        // The store may be gone by now: the browser has its new session all the same, and the operator is told.
        let ended = (try? await place.end(.session(earlier))) ?? []
        for one in ended.isEmpty ? [earlier] : ended {
            revocations.revoke(one, client: place.index, within: place.trace)
            place.audit(.ended(.replaced), of: one, in: callback.request)
        }
        place.onEvent(.sessionsEnded)
    }

    /// Where the browser goes on, by a redirect where nothing else is to be done first.
    private var content: LoginAnswer.Content {
        let transaction = callback.transaction
        if transaction.isSilent(at: place) {
            return .document(type: "application/json", bytes: Array("{\"authenticated\":true}".utf8))
        }
        if transaction.keepsForm { return .page(.sendForm(action: transaction.returnTo)) }
        // A redirect that another site began brings no strict cookie: a page of our own goes on instead (SC-02).
        if place.settings.session.sameSite == .strict { return .page(.goOn(to: transaction.target)) }
        return .redirect(transaction.target)
    }
}
