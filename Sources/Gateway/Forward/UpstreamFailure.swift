import Access
import Telemetry
import Transport

/// What happens when an upstream cannot be reached, breaks off, or answers with something that is no response.
extension WorkerRef {
    /// No connection came about.
    func upstreamFailed(
        _ upstream: UpstreamRef, _ failure: ConnectFailure, expected: Refused.Words, found: Refused.Words
    ) {
        if case .check = upstream.pointee.part { return closeUpstream(upstream) }
        let refused = Refused(failure.cause, expected: expected, found: found)
        let pool = upstream.pointee.pool
        say(
            UpstreamLineRateLimits.Kind(failure), at: pool,
            [
                LogField(.upstream, name(of: pool)), LogField(.cause, "\(refused.cause.word)"),
                LogField(.expected, refused.detail.expected), LogField(.found, refused.detail.found),
            ])
        // The next request asks the name server again, as it does anyway where that was what failed.
        if failure != .unresolved { pool.pointee.addresses.forgetAnswers() }
        let exchange = upstream.pointee.exchange
        closeUpstream(upstream)
        guard let exchange else { return refuseWaiting(pool, refused) }
        exchange.pointee.upstream = nil
        answer(exchange, refused: refused)
    }

    /// The connection ended, or cannot be read or written any more; a call whose answer has begun ends with that cause.
    func upstreamBroke(
        _ upstream: UpstreamRef, found: Refused.Words = "the end of the connection",
        callCause: Refusal = .upstreamClosed
    ) {
        guard let exchange = upstream.pointee.exchange else { return closeUpstream(upstream) }
        let client = exchange.pointee.client
        if client.pointee.state == .tunnelling { return breakTunnel(client) }
        if exchange.pointee.phase == .responding {
            serverFailed(upstream, "the end within an answer")
            sayBrokenOff(exchange, upstream)
            // Behind part of a message its client would take the rest for lost anyway, and a reset says so (H2-80).
            let refused = Refused(
                callCause, expected: "a whole response from \(name(of: upstream.pointee.pool))", found: found)
            if exchange.pointee.responseBytes == 0, endsAsCall(exchange, refused) { return }
            return abortClient(client)
        }
        let mayRetry =
            exchange.pointee.mayRetry && upstream.pointee.wasUsed && upstream.pointee.input.isEmpty
            && exchange.pointee.interim == 0
        let pool = upstream.pointee.pool
        // One that was kept open may have been closed for want of requests.
        if !mayRetry {
            serverFailed(upstream, "the end of the connection")
            if sendToAnother(exchange, upstream) {
                return pool.pointee.counters.count(.closed, at: clock.microseconds())
            }
        }
        exchange.pointee.upstream = nil
        closeUpstream(upstream)
        if mayRetry, !exchange.pointee.replay.isEmpty { return retry(exchange, pool) }
        pool.pointee.counters.count(.closed, at: clock.microseconds())
        answer(
            exchange,
            refused: Refused(
                .upstreamClosed, expected: "a response from \(name(of: pool))", found: found))
    }

    /// The pooled connection had been closed: once more on a fresh one (RFC 9110 §9.2.2, HTTP-64).
    ///
    /// Only a request that is idempotent and has no body that is not held, of which no byte was answered, and only once.
    private func retry(_ exchange: ExchangeRef, _ pool: UnsafeMutablePointer<UpstreamPool>) {
        guard pool.pointee.version == .http1 else { return sendAgain(exchange, pool) }
        exchange.pointee.mayRetry = false
        guard let upstream = connect(pool, for: exchange) else {
            return answer(exchange, refused: connectionsExhausted(pool, for: exchange))
        }
        attach(exchange, upstream)
        renewProof(exchange, pool)
        upstream.pointee.output = takeKept(exchange, framed: true)
        begin(upstream)
    }

    /// The upstream's answer is not a response that every reader reads alike (HTTP-39, HTTP-67).
    func upstreamMalformed(_ upstream: UpstreamRef, _ found: String) {
        let pool = upstream.pointee.pool
        say(.malformed, at: pool, [LogField(.upstream, name(of: pool)), LogField(.found, found)])
        serverFailed(upstream, "no HTTP")
        let exchange = upstream.pointee.exchange
        if let exchange, sendToAnother(exchange, upstream) { return }
        closeUpstream(upstream)
        guard let exchange else { return }
        exchange.pointee.upstream = nil
        answer(exchange, refused: Refused(.upstreamMalformed, expected: "an HTTP/1.1 response", found: .text(found)))
    }

    /// The response's chunks broke off: the client must see that something is missing (HTTP-41).
    func upstreamBrokeFraming(_ upstream: UpstreamRef, _ exchange: ExchangeRef, _ writer: HeadWriter) {
        let pool = upstream.pointee.pool
        say(.malformed, at: pool, [LogField(.upstream, name(of: pool)), LogField(.found, "broken chunks")])
        let client = exchange.pointee.client
        sayBrokenOff(exchange, upstream)
        sendToClient(client, writer.base, writer.count)
        if client.pointee.exchange == exchange { abortClient(client) }
    }

    /// The response that has begun is not whole: the operator is told, and the access log's line will say so.
    private func sayBrokenOff(_ exchange: ExchangeRef, _ upstream: UpstreamRef) {
        exchange.pointee.truncation = .upstreamClosed
        let pool = upstream.pointee.pool
        say(.brokeOff, at: pool, fields(of: exchange, name(of: pool)))
    }

    /// Counts it, and tells the operator, so often of one kind at one upstream and no more.
    func say(
        _ kind: UpstreamLineRateLimits.Kind, at pool: UnsafeMutablePointer<UpstreamPool>, _ fields: [LogField]
    ) {
        let now = clock.microseconds()
        pool.pointee.counters.count(kind.failure, at: now)
        guard pointee.journal.operatorLog.writes(.warning), let suppressed = pool.pointee.lines.admit(kind, at: now)
        else { return }
        pointee.journal.operatorLog.write(.warning, kind.event, fields.with(suppressed: suppressed))
    }

    /// Which request it was, of which route, at which upstream.
    private func fields(of exchange: ExchangeRef, _ upstream: String) -> [LogField] {
        let route = exchange.pointee.findings.route.map { [LogField(.route, $0.pointee.settings.name)] } ?? []
        return names(of: exchange) + route + [LogField(.upstream, upstream)]
    }

    var connectionInTime: Refused.Words { "a connection within \(pointee.policy.timeouts.upstreamConnect) ms" }

    /// The upstream was too slow; which of its clocks ran out depends on its state.
    func upstreamTimedOut(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        switch upstream.pointee.state {
        case .closed: return
        case .draining, .idle: return closeUpstream(upstream)
        case .queued: return waitingTimedOut(upstream)
        case .resolving: return upstreamFailed(upstream, .timedOut, expected: connectionInTime, found: "none")
        case .connecting where clock.microseconds() < upstream.pointee.deadline: return attemptBeside(upstream)
        case .connecting, .handshaking:
            return attemptFailed(upstream, "no answer in time", .timedOut, expected: connectionInTime, found: "none")
        case .active:
            if case .session(let session) = upstream.pointee.part { return sharedTimedOut(session) }
        }
        guard let exchange = upstream.pointee.exchange else { return closeUpstream(upstream) }
        let client = exchange.pointee.client
        if client.pointee.state == .tunnelling { return endTunnel(client) }
        // How long a call lasts is its client's to say, and its connection is watched.
        guard !isCall(exchange) else { return }
        // A client that does not take what is there is the slow one, and has its own clock.
        if client.pointee.hasOutput { return setTimeout(upstream.timeout, patience(of: exchange).responseBody) }
        serverFailed(upstream, "no answer in time")
        say(.timedOut, at: pool, fields(of: exchange, name(of: pool)))
        if exchange.pointee.phase == .responding {
            exchange.pointee.truncation = .upstreamTimedOut
            return abortClient(client)
        }
        exchange.pointee.upstream = nil
        // Part of a body must not be taken for the whole (HTTP-31).
        if !exchange.pointee.request.isComplete { upstream.resetOnClose() }
        closeUpstream(upstream)
        let time = patience(of: exchange).upstreamFirstByte
        answer(exchange, refused: Refused(.upstreamTimedOut, expected: "a response within \(time) ms", found: "none"))
    }

    /// Whether a 401 of this exchange's upstream is kept from the client (HTTP-68).
    ///
    /// Not where the client's own token was passed on: then it is the client that has to get another one.
    func hidesUnauthorized(_ exchange: ExchangeRef) -> Bool {
        guard let route = exchange.pointee.findings.route, route.pointee.hidesUnauthorized else { return false }
        guard case .pass = route.pointee.credential, let token = exchange.pointee.findings.token else { return true }
        return token.session != nil
    }

    /// The upstream wants credentials that the client cannot give it: what it sent was taken away here.
    func upstreamUnauthorized(_ upstream: UpstreamRef, _ exchange: ExchangeRef) {
        let pool = upstream.pointee.pool
        // Part of a body must not be taken for the whole (HTTP-31).
        if !exchange.pointee.request.isComplete { upstream.resetOnClose() }
        answer(
            exchange,
            refused: Refused(
                .upstreamUnauthorized, expected: "a response from \(name(of: pool)) other than 401", found: "401"))
    }
}

/// Why no connection to an upstream came about.
enum ConnectFailure {
    case unresolved, unreachable, timedOut, tlsFailed, otherProtocol

    /// What the request is refused with that waited for it.
    var cause: Refusal {
        switch self {
        case .unresolved: .upstreamUnresolved
        case .unreachable: .upstreamUnreachable
        case .timedOut: .upstreamConnectTimedOut
        case .tlsFailed: .upstreamTLSFailed
        case .otherProtocol: .upstreamProtocol
        }
    }
}
