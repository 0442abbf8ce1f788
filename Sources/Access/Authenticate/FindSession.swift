import Bytes
package import Crypto
import HTTPMessage
package import JSON
import Login
import OAuth
package import Sessions
import Telemetry

/// A browser's session in place of a token (SC-01 … SC-09).
///
/// One that was seen before costs a digest and a comparison, as a token does; limits, endings and refreshes are looked at
/// on every use.
extension AccessPolicy {
    /// The session that a request brings for this route, or what must be waited for; refuses a request without one.
    borrowing func findSession(
        _ head: HeadView, _ arrival: borrowing Arrival, _ route: FixedValue<Route>, _ login: FixedValue<LoginPolicy>,
        _ identities: inout Identities, _ findings: inout Findings
    ) throws(Refused) -> Identity {
        let now = arrival.now
        let site = Int(findings.site) &- route.pointee.firstSite
        let record: TokenRecord
        switch try sessionRecord(head, login, &identities, &findings, now: now) {
        case .known(let found): record = found
        case .wait(let wait): return .wait(wait)
        case .none(let found):
            if login.pointee.isOptional { return .anonymous }
            if try head.needsNoLogin(arrival, login, site: site, &findings) { return .anonymous }
            throw Refused(
                .loginRequired, RefusalDetail(expected: "a session", found: "\(found)"),
                login: LoginPointer(login, head, stepsUp: false))
        }
        findings.take(record, into: &identities)
        if !route.pointee.shownTokens.isEmpty, let session = record.session,
            let missing = session.missing(of: route.pointee.shownTokens, now: now)
        {
            if try head.needsNoLogin(arrival, login, site: site, &findings) {
                findings.forgetToken()
                return .anonymous
            }
            throw Refused(
                .loginRequired, RefusalDetail(expected: missing, found: "none", check: "RF-06"),
                login: LoginPointer(login, head, stepsUp: false))
        }
        try head.checkSamePage(login, site: site, isListed: findings.isOfListedOrigin)
        return .known(record, proof: nil)
    }

    /// What a request's cookie stands for.
    private enum SessionFinding {
        case known(TokenRecord)
        case wait(Wait)
        /// For nothing: there is no cookie, or the one that was found is worth none.
        case none(found: StaticString)
    }

    private borrowing func sessionRecord(
        _ head: HeadView, _ login: FixedValue<LoginPolicy>, _ identities: inout Identities, _ findings: inout Findings,
        now: Int64
    ) throws(Refused) -> SessionFinding {
        switch findings.lookup {
        case .none: break
        case .active(let record): return .known(record)
        case .refused(let refused):
            guard refused.cause == .loginRequired else { throw refused }
            return .none(found: "a cookie that stands for none")
        }
        switch head.sessionCookie(named: login.pointee.cookieName.span) {
        case .none: return .none(found: "none")
        case .repeated:
            // Somebody else's page may have set one of them, and nobody can tell which (SC-06).
            findings.sessionCookie = .cleared(login: login.pointee.login)
            return .none(found: "more than one cookie of its name")
        case .one(let range):
            let value = head.text(range)
            let digest = identities.recentCookies.digest(of: value)
            if let record = identities.freshSession(digest, of: login.pointee.login, now: now) {
                identities.recentCookies.keep(value, digest)
                return .known(record)
            }
            return lookUpSession(
                [UInt8](copying: value), digest, of: login.pointee.login, &identities, &findings, now: now)
        case .chunks(let value):
            let digest = identities.recentCookies.digest(of: value.span)
            if let record = identities.freshSession(digest, of: login.pointee.login, now: now) {
                identities.recentCookies.keep(value.span, digest)
                return .known(record)
            }
            return lookUpSession(value, digest, of: login.pointee.login, &identities, &findings, now: now)
        }
    }

    /// Asks the store, and sees to what is due: a newer state, a refresh, a note that the session is in use.
    private borrowing func lookUpSession(
        _ value: [UInt8], _ digest: SHA256Digest, of login: Int, _ identities: inout Identities,
        _ findings: inout Findings, now: Int64
    ) -> SessionFinding {
        identities.metrics.count(.sessionCacheMisses)
        let store = identities.stores[login]
        let endings = store.endings
        switch store.lookUp(value, now: now) {
        case .none: return .none(found: "a cookie that stands for none")
        case .elsewhere: return .wait(.session(login: login, digest))
        case .found(let session, let successor):
            if store.isElsewhere { identities.metrics.count(.storeSessionsKnown) }
            if isRefreshDue(session, login: login, now: now), !findings.hasWaited || !session.isConfirmed {
                return .wait(.session(login: login, digest))
            }
            var newest = value
            if let renewed = successor ?? store.touch(value, session, now: now) {
                findings.sessionCookie = .set(login: login, renewed)
                newest = renewed
            }
            let found = FoundSession(session, value: newest, digest: digest, login: login, endings: endings)
            return .known(remember(found, &identities, now: now).record)
        }
    }

    /// The record of a session for requests that bring a cookie of that digest, and the claims that it was made from; its first
    /// use is the cache's.
    package borrowing func remember(
        _ found: FoundSession, _ identities: inout Identities, now: Int64, notRefreshedBefore: Int64 = 0
    ) -> (record: TokenRecord, claims: JSONValue) {
        let session = found.session
        let login = logins[found.login]
        let (claims, text) = SessionClaims.read(of: session, clientID: login.client.clientID)
        let token = VerifiedAccessToken.ofSession(
            issuer: session.issuer, subject: session.subject, clientID: login.client.clientID,
            scopes: session.scopes, endsAt: session.endsAt, claims: claims)
        let refreshAt =
            login.refreshes
            ? max(RefreshRules.refreshAt(session, showsIDToken: login.showsIDToken), now + 1, notRefreshedBefore)
            : Int64.max
        // Renewed once a minute: the idle limit is the store's, and is reached only without that.
        let touchAt = max(session.seenAt + 60, now + 1)
        // Where others may have ended it, it is looked at again before that.
        let recheckAt = identities.stores[found.login].usableUntil(session, now: now)
        let usableUntil = min(refreshAt, touchAt, session.endsAt)
        let record = TokenRecord(
            found.digest, token, text, issuer: login.client.issuer, verified: (generation: 0, leeway: 0),
            usableUntil: min(usableUntil, recheckAt),
            answers: catalogue.answers(for: token, issuer: login.client.issuer),
            limitKeys: LimitKeys.words(catalogue.limitKeys, of: token))
        let state = SessionState(
            session, login: found.login, store: identities.stores[found.login], endings: found.endings,
            proofs: ProofMaker(session), idTokenExpiresAt: login.showsIDToken ? IDTokenLife.end(of: session) : 0,
            usableUntil: usableUntil)
        record.attach(state, cost: session.claims.count + found.value.count + 1024)
        identities.keep(session: record)
        return (record, claims)
    }
}

extension AccessPolicy {
    /// Whether a session's tokens are to be refreshed before it is used.
    package borrowing func isRefreshDue(_ session: Session, login: Int, now: Int64) -> Bool {
        (logins[login].refreshes || !session.isConfirmed)
            && RefreshRules.refreshAt(session, showsIDToken: logins[login].showsIDToken) <= now
    }
}

/// A session, as it stood in its store when that was asked.
package struct FoundSession {
    let session: Session
    /// The value of its cookie, from now on.
    let value: [UInt8]
    /// SHA-256 of the value that the request brought.
    let digest: SHA256Digest
    /// The login's place in the configuration.
    let login: Int
    /// How many endings the store had seen before it was asked.
    let endings: UInt64

    package init(_ session: Session, value: [UInt8], digest: SHA256Digest, login: Int, endings: UInt64) {
        self.session = session
        self.value = value
        self.digest = digest
        self.login = login
        self.endings = endings
    }
}

extension Identities {
    /// The record of a session that was seen before, unless something about it is due.
    fileprivate mutating func freshSession(_ digest: SHA256Digest, of login: Int, now: Int64) -> TokenRecord? {
        guard let record = sessions.find(digest), let state = record.session else { return nil }
        guard state.login == login, state.endings == stores[login].endings,
            now < record.usableUntil || goesOn(record, state, now: now)
        else {
            sessions.remove(record)
            return nil
        }
        record.markUsed()
        metrics.count(.sessionCacheHits)
        if state.isElsewhere { metrics.count(.storeSessionsKnown) }
        return record
    }

    /// Whether a record is good for longer, because its store says that the session is the same (SH-71).
    ///
    /// To make it anew would cost more than all else that is done for the request.
    private func goesOn(_ record: TokenRecord, _ state: SessionState, now: Int64) -> Bool {
        guard let rechecks, now < state.usableUntil else { return false }
        let store = stores[state.login]
        switch store.standing(of: state.session, id: state.id, now: now) {
        case .unknown: return false
        case .same(let time):
            record.prolong(until: min(time, state.usableUntil))
        case .due(let time):
            // What nobody could be asked about is good for this request.
            guard rechecks.recheck(state.session, id: state.id, in: store, now: now) else { return true }
            record.prolong(until: min(time, state.usableUntil))
        }
        return true
    }

    fileprivate mutating func keep(session record: TokenRecord) {
        let evictions = sessions.evictions
        sessions.insert(record)
        if sessions.evictions > evictions {
            metrics.count(.sessionCacheEvictions, by: Int(sessions.evictions - evictions))
        }
    }
}

extension SessionState {
    /// What a session would need that an upstream is shown these tokens of; nil when it has them, and none is over.
    fileprivate func missing(of tokens: ShownTokens, now: Int64) -> String? {
        if tokens.contains(.access), session.accessToken == nil || session.accessTokenExpiresAt <= now {
            return "a session whose access token has not expired"
        }
        return tokens.contains(.identity) && idTokenExpiresAt <= now
            ? "a session whose ID token has not expired" : nil
    }
}

extension ProofMaker {
    /// Makes proofs with the key of a session's tokens; nil when they are Bearer tokens.
    init?(_ session: Session) {
        guard let scalar = session.proofKey, let key = try? PrivateKey.p256(scalar: scalar),
            let maker = try? ProofMaker(key: key)
        else { return nil }
        self = maker
    }
}
