import Access
import Crypto
import HTTP2
import HTTPMessage
import Login
import Sessions
import Telemetry

/// Has a session loaded or refreshed, on behalf of a span that the server is told of, where it is.
typealias AskSession =
    @Sendable (_ login: Int, _ value: [UInt8], _ digest: SHA256Digest, _ trace: TraceParent?) -> Void

/// What came of loading or refreshing a session for the requests that wait for it.
struct SessionAnswer: Sendable {
    let login: Int
    let digest: SHA256Digest
    /// The value that the cookie had when it was asked about.
    let value: [UInt8]
    let result: LoginService.Refreshed
}

extension WorkerRef {
    /// A session was refreshed or loaded, or is over, or nobody can say; through the loop's inbox.
    ///
    /// Where it is known how many have asked, no others are looked for.
    func sessionAnswered(_ answer: SessionAnswer, for waiting: Int = .max) {
        let wait = Wait.session(login: answer.login, answer.digest)
        let store = pointee.identities.stores[answer.login]
        let now = clock.wallSeconds()
        let endings = store.endings
        switch answer.result {
        case .session(let session, let given):
            // A store that had to be asked was not told yet that the session is in use.
            let renewed = given ?? store.touch(answer.value, session, now: now)
            let found = FoundSession(
                session, value: renewed ?? answer.value, digest: answer.digest, login: answer.login, endings: endings)
            let (record, claims) = pointee.policy.access.pointee.remember(found, &pointee.identities, now: now)
            record.retain()
            // Those who waited go on in this very call, and the first of them needs its claims as they were just read.
            pointee.waiting.claimsAtHand = ClaimsAtHand(record: record, claims: claims)
            end(wait, of: waiting) { exchange in
                record.retain()
                exchange.pointee.findings.hasWaited = true
                exchange.pointee.findings.lookup = .active(record)
                if let renewed { setSessionCookie(exchange, answer.login, renewed) }
                return .nothing
            }
            pointee.waiting.claimsAtHand = nil
            record.release()
        case .ended:
            end(wait, of: waiting) { exchange in
                exchange.pointee.findings.hasWaited = true
                exchange.pointee.findings.lookup = .refused(Refused(.loginRequired))
                // Over for good: the browser need not bring it again (RF-05).
                clearSessionCookies(exchange, answer.login)
                return .nothing
            }
        case .unavailable, .tooMany:
            // A token that has not expired is used until it does, and asked about again in a while (RF-06).
            var kept: TokenRecord?
            var renewed: [UInt8]?
            let standing = store.lookUp(answer.value, now: now)
            if case .found(let session, let successor) = standing {
                if RefreshRules.isUsable(session, now: now) {
                    let found = FoundSession(
                        session, value: successor ?? answer.value, digest: answer.digest, login: answer.login,
                        endings: endings)
                    let record = pointee.policy.access.pointee.remember(
                        found, &pointee.identities, now: now,
                        notRefreshedBefore: min(now + 5, session.accessTokenExpiresAt)
                    ).record
                    record.retain()
                    kept = record
                } else if !session.isConfirmed {
                    renewed = successor
                }
            }
            var refused = Refused(
                .sessionRefreshUnavailable, expected: "refreshed tokens", found: "no answer of the authorization server"
            )
            if kept == nil, case .elsewhere = standing {
                // Whether there is a session nobody knows: it is not for the authorization server to say.
                refused = Refused(
                    .storeUnavailable, expected: "the store's word on a session", found: "no answer that counts")
            }
            if case .tooMany = answer.result {
                refused = Refused(
                    .clientWaitersTooMany, expected: "fewer refreshes of one user under way", found: "more")
            }
            end(wait, of: waiting) { exchange in
                exchange.pointee.findings.hasWaited = true
                if let kept {
                    kept.retain()
                    exchange.pointee.findings.lookup = .active(kept)
                } else {
                    exchange.pointee.findings.lookup = .refused(refused)
                    // What the browser has is spent, and this process may be gone when it comes again.
                    if let renewed { setSessionCookie(exchange, answer.login, renewed) }
                }
                return .nothing
            }
            if let kept { kept.release() }
        }
    }

    /// Ends WebSockets of sessions whose logins are no more: nobody hears of a logout of theirs, and they last for hours.
    ///
    /// A response under way ends by the configuration that it began by, as any other.
    func endOrphanedTunnels() {
        let clients = pointee.connections.clients
        let stores = pointee.identities.stores
        clients.forEachInUse { client in
            guard client.pointee.state == .tunnelling,
                let state = client.pointee.exchange?.pointee.findings.token?.session
            else { return }
            let store = state.store
            if !stores.contains(where: { $0.goesOn(from: store) }) { endSoon(client) }
        }
    }

    /// Sessions ended: whatever of theirs is still under way ends too (LO-09).
    ///
    /// What has no answer yet gets the one that the next request of its browser would; an answer that has begun is cut. With
    /// `onlyDue` those are looked at whose store is to be asked again; its answer has them looked at once more.
    func endStreams(onlyDue: Bool = false) {
        let now = clock.wallSeconds()
        let clients = pointee.connections.clients
        clients.forEachInUse { client in
            guard client.pointee.state == .exchanging || client.pointee.state == .tunnelling,
                let exchange = client.pointee.exchange, exchange.pointee.phase != .parked,
                let token = exchange.pointee.findings.token, let state = token.session,
                !onlyDue || (token.usableUntil <= now && isOfStore(state)),
                state.store.isEnded(state.session, now: now)
            else { return }
            if client.pointee.state == .tunnelling { return endSoon(client) }
            let refused = sessionOver(exchange)
            switch exchange.pointee.phase {
            // It is refused already, and hears of it in a moment.
            case .parked, .held: return
            case .awaitingResponse:
                dropCookies(exchange)
                answer(exchange, refused: refused)
            case .responding: if !endsAsCall(exchange, refused) { abortClient(client) }
            }
        }
    }

    /// Whether a session's store is one that is asked now.
    ///
    /// One that a reload has replaced would ask the servers of now, which know nothing of it: what began by it ends by it.
    private func isOfStore(_ session: SessionState) -> Bool {
        session.isElsewhere && pointee.identities.stores.contains { $0.goesOn(from: session.store) }
    }

    /// The refusal of a request whose session ended while its upstream was at work.
    ///
    /// A person is sent to sign in, a script is told. Where to come back to is not known any more: the head is the upstream's. No
    /// cookie is cleared, for the browser may have that of another login by now.
    private func sessionOver(_ exchange: ExchangeRef) -> Refused {
        var refused = Refused(.loginRequired, expected: "a session that lives", found: "its end")
        if let login = exchange.pointee.findings.route?.pointee.login {
            var pointer = LoginPointer()
            pointer.location = login.pointee.startPath
            pointer.isNavigation = exchange.pointee.reader.isNavigation
            refused.login = pointer
        }
        return refused
    }
}
