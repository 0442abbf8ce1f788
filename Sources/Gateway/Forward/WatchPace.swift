import Access
import Telemetry
import Transport

/// Clients that send a body, or take an answer, so slowly that they would hold a place for ever (HTTP-66, T-42).
///
/// Upstreams have no least rate: an event stream says nothing for most of its life, and that is what it is for. Theirs
/// is `response_body` alone, the longest silence.
extension WorkerRef {
    /// What is to be expected of an exchange: what its route says, or the configuration where it has none.
    func patience(of exchange: ExchangeRef) -> RoutePatience {
        exchange.pointee.findings.route?.pointee.patience ?? pointee.policy.patience
    }

    /// The clock of a client whose body is under way; it stands still while the upstream does not take what is there.
    func awaitBody(_ client: ClientRef, _ exchange: ExchangeRef) {
        let patience = patience(of: exchange).requestBody
        guard let upstream = exchange.pointee.upstream, !upstream.pointee.hasOutput else {
            client.pointee.pace.stop()
            return setTimeout(client.timeout, patience)
        }
        keepPace(client, exchange.pointee.requestBytes, patience)
    }

    /// The clock of a client that does not take what is there, from now on.
    func beginTaking(_ client: ClientRef) {
        client.pointee.pace.stop()
        awaitTaking(client, taken: 0)
    }

    /// The same, for a client to which the kernel has just taken so many bytes on.
    func awaitTaking(_ client: ClientRef, taken count: Int) {
        client.pointee.handed = client.pointee.pace.isMeasured ? client.pointee.handed + Int64(count) : 0
        keepPace(client, taken(by: client), Int(client.pointee.patience))
    }

    /// What the client itself has taken, but for a constant: the kernel may hold megabytes, which a slow client takes
    /// bit by bit while nothing more can be handed over.
    private func taken(by client: ClientRef) -> Int64 {
        client.pointee.handed - Int64(client.untakenBytes)
    }

    private func keepPace(_ client: ClientRef, _ total: Int64, _ milliseconds: Int) {
        let ticks = client.pointee.pace.keep(
            total, now: pointee.connections.wheel.now, ticks: TimeoutWheel.ticks(milliseconds: milliseconds))
        pointee.connections.wheel.set(client.timeout, ticks: ticks)
    }

    /// Whether a client may go on; its clock then runs on too.
    private func judgePace(_ client: ClientRef, _ milliseconds: Int, bytesPerSecond rate: Int) -> Pace.Judgement {
        let ticks = TimeoutWheel.ticks(milliseconds: milliseconds)
        let judgement = client.pointee.pace.judge(
            now: pointee.connections.wheel.now, ticks: ticks, bytesPerSecond: rate)
        if judgement == .good {
            pointee.connections.wheel.set(
                client.timeout, ticks: client.pointee.pace.wait(now: pointee.connections.wheel.now, ticks: ticks))
        }
        return judgement
    }

    /// The time for part of a body is over: 408, unless enough of it came (HTTP-66).
    func bodyTimedOut(_ client: ClientRef, _ exchange: ExchangeRef) {
        let patience = patience(of: exchange)
        guard client.pointee.pace.isMeasured else {
            return refuseSlowBody(exchange, "the body within \(patience.requestBody) ms", "part of it")
        }
        switch judgePace(client, patience.requestBody, bytesPerSecond: patience.bodyRate) {
        case .good: return
        case .silent: refuseSlowBody(exchange, "a byte of the body within \(patience.requestBody) ms", "none")
        case .slow(let rate):
            refuseSlowBody(exchange, "\(patience.bodyRate) bytes of the body a second", "\(rate)")
        }
    }

    /// The time for taking part of an answer is over: cut off, unless enough was taken.
    func takingTimedOut(_ client: ClientRef) {
        let rate = pointee.policy.limits.responseRate
        let milliseconds = Int(client.pointee.patience)
        _ = client.pointee.pace.keep(
            taken(by: client), now: pointee.connections.wheel.now, ticks: TimeoutWheel.ticks(milliseconds: milliseconds)
        )
        let found: String
        switch judgePace(client, milliseconds, bytesPerSecond: rate) {
        case .good: return
        case .silent: found = "none within \(milliseconds) ms"
        case .slow(let rate): found = "\(rate)"
        }
        if pointee.journal.operatorLog.writes(.debug),
            let suppressed = admitLine(of: LineRateLimits.Event.clientTooSlow)
        {
            let fields = [
                LogField(.client, client.pointee.peer.text), LogField(.expected, "\(rate) bytes taken a second"),
                LogField(.found, found),
            ]
            pointee.journal.operatorLog.write(.debug, .clientTooSlow, fields.with(suppressed: suppressed))
        }
        if let stream = client.pointee.part.stream { return stopStalled(stream, client) }
        // The client must see that something is missing.
        client.resetOnClose()
        closeClient(client)
    }

    /// A body of which nothing more comes, or too little: the upstream must not take it for complete (HTTP-31).
    private func refuseSlowBody(_ exchange: ExchangeRef, _ expected: Refused.Words, _ found: Refused.Words) {
        exchange.pointee.keepsAlive = false
        if let upstream = exchange.pointee.upstream {
            upstream.resetOnClose()
        }
        answer(exchange, refused: Refused(.requestBodyTooSlow, expected: expected, found: found))
    }
}
