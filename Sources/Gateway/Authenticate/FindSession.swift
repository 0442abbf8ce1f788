import Access
import Bytes
import Crypto
import HTTPMessage
import JSON
import Login
import OAuth
import Sessions
import Telemetry

/// A browser's session in place of a token (SC-01 … SC-09).
///
/// One that was seen before costs a digest and a comparison, as a token does; limits, endings and refreshes are looked at
/// on every use.
extension WorkerRef {
    /// The session that a request brings for this route, or what must be waited for; refuses a request without one.
    func findSession(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ policy: UnsafeMutablePointer<LoginPolicy>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> Identity {
        let record: TokenRecord
        switch try sessionRecord(exchange, policy, bytes) {
        case .known(let found): record = found
        case .wait(let wait): return .wait(wait)
        case .none(let found):
            if policy.pointee.isOptional { return .anonymous }
            throw needsLogin(
                exchange, policy, bytes, RefusalDetail(expected: "a session", found: "\(found)"))
        }
        record.retain()
        if let earlier = exchange.pointee.token {
            carryUpstreamToken(exchange, from: earlier, to: record)
            earlier.release()
        }
        exchange.pointee.token = record
        if isTokenShown(route), let session = record.session,
            session.session.accessToken == nil
                || session.session.accessTokenExpiresAt <= clock.wallSeconds()
        {
            throw needsLogin(
                exchange, policy, bytes,
                RefusalDetail(
                    expected: "a session whose access token has not expired", found: "none", check: "RF-06"))
        }
        try checkSameSite(exchange, policy, bytes)
        return .known(record, proof: nil)
    }

    /// Whether the upstream is shown the session's access token, or one it was exchanged for.
    private func isTokenShown(_ route: UnsafePointer<Route>) -> Bool {
        switch route.pointee.credential {
        case .pass, .exchange: true
        case .none, .fixed, .assertion: false
        }
    }

    /// What a request's cookie stands for.
    private enum SessionFinding {
        case known(TokenRecord)
        case wait(Wait)
        /// For nothing: there is no cookie, or the one that was found is worth none.
        case none(found: StaticString)
    }

    private func sessionRecord(
        _ exchange: ExchangeRef, _ policy: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> SessionFinding {
        switch exchange.pointee.lookup {
        case .none: break
        case .active(let record): return .known(record)
        case .refused(let refused):
            guard refused.cause == .loginRequired else { throw refused }
            return .none(found: "a cookie that stands for none")
        }
        switch findSessionCookie(policy, bytes) {
        case .none: return .none(found: "none")
        case .repeated:
            // Somebody else's page may have set one of them, and nobody can tell which (SC-06).
            clearSessionCookies(exchange, policy.pointee.login)
            return .none(found: "more than one cookie of its name")
        case .one(let value):
            let digest = SHA256.hash(value.span)
            if let record = freshSession(digest, policy) { return .known(record) }
            return lookUpSession(exchange, policy, Array(value), digest)
        case .chunks(let value):
            let digest = SHA256.hash(value.span)
            if let record = freshSession(digest, policy) { return .known(record) }
            return lookUpSession(exchange, policy, value, digest)
        }
    }

    /// The record of a session that was seen before, unless something about it is due.
    private func freshSession(
        _ digest: SHA256Digest, _ policy: UnsafeMutablePointer<LoginPolicy>
    ) -> TokenRecord? {
        guard let record = pointee.identities.sessions.find(digest), let state = record.session else {
            return nil
        }
        guard state.login == policy.pointee.login, clock.wallSeconds() < record.usableUntil,
            state.endings == pointee.identities.stores[policy.pointee.login].endings
        else {
            pointee.identities.sessions.remove(record)
            return nil
        }
        record.markUsed()
        pointee.journal.metrics.count(.sessionCacheHits)
        return record
    }

    /// Asks the store, and sees to what is due: a newer state, a refresh, a note that the session is in use.
    private func lookUpSession(
        _ exchange: ExchangeRef, _ policy: UnsafeMutablePointer<LoginPolicy>, _ value: [UInt8], _ digest: SHA256Digest
    ) -> SessionFinding {
        pointee.journal.metrics.count(.sessionCacheMisses)
        let now = clock.wallSeconds()
        let store = pointee.identities.stores[policy.pointee.login]
        let endings = store.endings
        switch store.lookUp(value, now: now) {
        case .none: return .none(found: "a cookie that stands for none")
        case .elsewhere: return .wait(.session(login: policy.pointee.login, digest))
        case .found(let session, let successor):
            let login = pointee.policy.logins[policy.pointee.login]
            if login.refreshes, RefreshRules.refreshAt(session) <= now, !exchange.pointee.hasWaited {
                return .wait(.session(login: policy.pointee.login, digest))
            }
            var newest = value
            if let renewed = successor ?? store.touch(value, session, now: now) {
                setSessionCookie(exchange, policy.pointee.login, renewed)
                newest = renewed
            }
            return .known(remember(session, newest, digest, login: policy.pointee.login, endings: endings))
        }
    }

    /// The record of a session for requests that bring a cookie of that digest; its first use is the cache's.
    func remember(
        _ session: Session, _ value: [UInt8], _ digest: SHA256Digest, login: Int, endings: UInt64,
        notRefreshedBefore: Int64 = 0
    ) -> TokenRecord {
        let now = clock.wallSeconds()
        let settings = pointee.policy.logins[login]
        let claims = SessionClaims.value(of: session, clientID: pointee.policy.loginClientIDs[login])
        let issuer = pointee.policy.loginIssuers[login]
        let token = VerifiedAccessToken(
            issuer: session.issuer, subject: session.subject, clientID: pointee.policy.loginClientIDs[login],
            tokenID: nil,
            audiences: [], scopes: session.scopes,
            times: TokenTimes(expiresAt: session.endsAt, notBefore: nil, issuedAt: nil), claims: claims)
        let refreshAt =
            settings.refreshes ? max(RefreshRules.refreshAt(session), now + 1, notRefreshedBefore) : Int64.max
        // Renewed once a minute: the idle limit is the store's, and is reached only without that.
        let touchAt = max(session.seenAt + 60, now + 1)
        let record = TokenRecord(
            digest, token, issuer: issuer, generation: 0, leeway: 0,
            usableUntil: min(refreshAt, touchAt, session.endsAt),
            answers: pointee.policy.tables.catalogue.answers(for: token, issuer: issuer))
        let state = SessionState(
            session, login: login, store: pointee.identities.stores[login], endings: endings,
            proofs: ProofMaker(session))
        record.attach(state, cost: session.claims.count + value.count + 1024)
        let evictions = pointee.identities.sessions.evictions
        pointee.identities.sessions.insert(record)
        if pointee.identities.sessions.evictions > evictions {
            pointee.journal.metrics.count(
                .sessionCacheEvictions, by: Int(pointee.identities.sessions.evictions - evictions))
        }
        return record
    }

    /// An unsafe request, or a WebSocket, must come from a page of an origin that is served here (SC-09, HTTP-58).
    ///
    /// The cookie alone says nothing of who made the browser send it: a form on a sibling's page does, too.
    private func checkSameSite(
        _ exchange: ExchangeRef, _ policy: UnsafeMutablePointer<LoginPolicy>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) {
        let isWebSocket = pointee.scratch.head.pointee.offersWebSocket
        if policy.pointee.requiresHeader, !isWebSocket {
            guard hasField("x-requested-by", bytes) else {
                throw refuse(.crossSiteRequest, "X-Requested-By", "none")
            }
            return
        }
        switch exchange.pointee.method {
        case .get, .head, .options: guard isWebSocket else { return }
        case .other, .post, .put, .delete, .patch, .connect, .trace, .track: break
        }
        let listener = Int(exchange.pointee.client.pointee.listener)
        // What a page may do by CORS says nothing of the WebSockets that it may open.
        let evidence = pageEvidence(
            policy.pointee.origins(at: listener).pointee, isListed: exchange.pointee.isOfListedOrigin && !isWebSocket,
            bytes)
        if evidence.hasForeignOrigin || (isWebSocket && !evidence.hasOwnOrigin) {
            throw refuse(.crossSiteRequest, "a page of ours", "a page of another origin, or none")
        }
        guard evidence.hasOwnOrigin || evidence.isSameOriginFetch || hasField("x-requested-by", bytes) else {
            throw refuse(
                .crossSiteRequest, "Sec-Fetch-Site, Origin or X-Requested-By of a page of ours", "none of them")
        }
    }

    private struct PageEvidence {
        var hasOwnOrigin = false
        /// `null`: a frame in a sandbox, or a page that lets no referrer out, our own included.
        var hasNullOrigin = false
        var hasForeignOrigin = false
        var isSameOriginFetch = false
    }

    /// What a browser says of the page that a request comes from; every line counts, so that none can hide another.
    private func pageEvidence(
        _ origins: borrowing OriginList, isListed: Bool, _ bytes: UnsafeMutablePointer<UInt8>
    ) -> PageEvidence {
        let head = pointee.scratch.head
        var evidence = PageEvidence()
        var fetchSites = 0
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            guard slot.id == .origin || slot.id == .secFetchSite else { continue }
            let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            if slot.id == .origin {
                if value.elementsEqual("null".utf8) {
                    evidence.hasNullOrigin = true
                } else if isListed || origins.contains(value.span) {
                    evidence.hasOwnOrigin = true
                } else {
                    evidence.hasForeignOrigin = true
                }
            } else {
                fetchSites += 1
                evidence.isSameOriginFetch =
                    fetchSites == 1
                    && (value.elementsEqual("same-origin".utf8) || value.elementsEqual("none".utf8))
            }
        }
        // A browser calls no page in a sandbox same-origin; where it says so, `null` is a page of ours without referrer.
        if evidence.hasNullOrigin, !evidence.isSameOriginFetch { evidence.hasForeignOrigin = true }
        return evidence
    }

    /// Whether a field of that name, in lower case, is there.
    func hasField(_ name: String, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let head = pointee.scratch.head
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .other {
            let range = head.pointee.fields[index].name
            let found = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            if ASCII.equalsIgnoringCase(found.span, name) { return true }
        }
        return false
    }
}

/// The claims that routes ask of a session, as they would be in an access token.
enum SessionClaims {
    /// The session's own, with `scope` and `client_id` where it does not have them.
    static func value(of session: Session, clientID: String) -> JSONValue {
        let own = (try? JSONValue.parse(session.claims.span, limits: .filled(to: session.claims.count)))?.members ?? []
        var writer = JSONWriter()
        writer.beginObject()
        for member in own where member.name != "scope" && member.name != "client_id" {
            writer.name(member.name)
            writer.value(member.value)
        }
        writer.name("scope")
        writer.string(session.scopes.joined(separator: " "))
        writer.name("client_id")
        writer.string(clientID)
        writer.endObject()
        var limits = JSONLimits.filled(to: writer.bytes.count)
        limits.members += 2
        do {
            return try JSONValue.parse(writer.bytes.span, limits: limits)
        } catch {
            preconditionFailure("what the writer writes is JSON")
        }
    }
}
