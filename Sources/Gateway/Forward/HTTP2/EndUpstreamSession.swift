import Access
import HTTP2
import Telemetry
import Transport

/// The watch over connections to upstreams that speak HTTP/2, and their end.
extension WorkerRef {
    /// Sets the clock that runs now: without requests the one of idle connections, else that of silence.
    func watch(_ session: UpstreamSessionRef) {
        setTimeout(session.pointee.carrier.timeout, patience(with: session))
    }

    private func patience(with session: UpstreamSessionRef) -> Int {
        // Who has not sent its SETTINGS by then speaks something else (H2-75).
        guard session.pointee.core.hasSettings else { return pointee.policy.timeouts.upstreamConnect }
        guard session.pointee.attached > 0 else { return pointee.policy.timeouts.upstreamIdle }
        guard session.pointee.askedAt != 0 else { return UpstreamSession.silence }
        let since = Int((clock.microseconds() &- session.pointee.askedAt) / 1000)
        // Whoever begins a request meanwhile gives it no more time.
        guard !session.pointee.awaitsAnswer else { return max(1, UpstreamSession.answerTime - since) }
        // A server that is gone must not be given every request for five minutes.
        let asksEarly =
            session.pointee.hasBegun && session.pointee.earlyQuestions < UpstreamSession.mostEarlyQuestions
        return asksEarly
            ? UpstreamSession.silence : max(UpstreamSession.silence, UpstreamSession.silenceOnceAsked - since)
    }

    /// A time of the connection is over: it was idle, or says nothing.
    func sharedTimedOut(_ session: UpstreamSessionRef) {
        let carrier = session.pointee.carrier
        let pool = carrier.pointee.pool
        guard session.pointee.core.hasSettings else { return sessionBroke(session) }
        guard session.pointee.attached > 0 else { return leaveNow(session) }
        guard session.pointee.awaitsAnswer else {
            let now = clock.microseconds()
            let last = session.pointee.askedAt
            // No further than it is looked at: a call may be silent for days.
            if last != 0, now &- last < UInt64(UpstreamSession.silenceOnceAsked) * 1000,
                session.pointee.earlyQuestions < UpstreamSession.mostEarlyQuestions
            {
                session.pointee.earlyQuestions += 1
            }
            session.pointee.awaitsAnswer = true
            session.pointee.askedAt = now
            session.pointee.hasBegun = false
            session.pointee.core.ping()
            watch(session)
            return queue(session)
        }
        pool.pointee.addresses.failed(carrier.pointee.address, now: clock.microseconds())
        say(.timedOut, at: pool, [LogField(.upstream, name(of: pool)), LogField(.found, "no answer to PING")])
        sessionBroke(session)
    }

    /// Closes a connection that nobody uses, with a word to its peer.
    private func leaveNow(_ session: UpstreamSessionRef) {
        session.pointee.core.end(.noError)
        sendRequestFrames(session)
        if !session.pointee.isOver { closeUpstream(session.pointee.carrier) }
    }

    /// No more requests go here; it closes with the last of its streams (H2-79).
    func leaveSoon(_ session: UpstreamSessionRef, toldBy code: ErrorCode = .noError) {
        if code != .noError { session.pointee.isTroubled = true }
        guard !session.pointee.isLeaving else { return }
        let carrier = session.pointee.carrier
        let pool = carrier.pointee.pool
        session.pointee.isLeaving = true
        pool.pointee.sharedCount -= 1
        pool.pointee.leavingCount += 1
        if code != .noError { pool.pointee.addresses.failed(carrier.pointee.address, now: clock.microseconds()) }
        // Not from here: who looks for room goes through the pool's connections.
        if session.pointee.streams == nil { setTimeout(carrier.timeout, 1) }
    }

    /// Has every connection that the pool's requests share end, those without one at once.
    func leaveShared(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        var next = pool.pointee.shared
        while let carrier = next {
            next = carrier.pointee.next
            guard case .session(let session) = carrier.pointee.part else { continue }
            leaveSoon(session)
        }
    }

    /// Has those end whose address the upstream's name does not lead to any more.
    func leaveSharedElsewhere(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        var next = pool.pointee.shared
        while let carrier = next {
            next = carrier.pointee.next
            guard case .session(let session) = carrier.pointee.part, !pool.pointee.addresses.isKnown(carrier) else {
                continue
            }
            leaveSoon(session)
        }
    }

    /// The connection has ended, or cannot be read or written any more, or its peer does not speak HTTP/2.
    func sessionBroke(_ session: UpstreamSessionRef) {
        guard !session.pointee.isOver else { return }
        let carrier = session.pointee.carrier
        let pool = carrier.pointee.pool
        let (hasServed, isHTTP2) = (session.pointee.hasServed, session.pointee.core.hasSettings)
        if session.pointee.hasBrokenRules || !isHTTP2 {
            let found =
                isHTTP2 ? session.pointee.core.fault?.word ?? "frames that break HTTP/2" : "something else than HTTP/2"
            say(.malformed, at: pool, [LogField(.upstream, name(of: pool)), LogField(.found, found)])
            // Its peer hears why, as far as it still listens.
            let bytes = pointee.connections.http2.frames.output
            let count = session.pointee.core.send(
                into: UnsafeMutableBufferPointer(start: bytes, count: HTTP2Session.writeSize))
            if count > 0, carrier.pointee.output.isEmpty { _ = carrier.pointee.stream.write(bytes, count: count) }
        }
        closeUpstream(carrier)
        guard hasServed else {
            return refuseWaiting(
                pool,
                Refused(
                    isHTTP2 ? .upstreamClosed : .upstreamProtocol, expected: "HTTP/2 from \(name(of: pool))",
                    found: isHTTP2 ? "the end of the connection" : "something else"))
        }
        serveWaiting(pool)
    }

    /// The connection is closed: so are those that its streams stand for, but whole answers that are yet to be taken.
    func end(_ session: UpstreamSessionRef) {
        session.pointee.isOver = true
        let queued = pointee.upstreams.http2.queued
        if session.pointee.isQueued { pointee.upstreams.http2.queued = without(session, queued, \.nextQueued) }
        session.pointee.isQueued = false
        let (isHTTP2, isBroken) = (session.pointee.core.hasSettings, session.pointee.hasBrokenRules)
        while let stream = session.pointee.streams {
            unlink(stream)
            stream.pointee.isForgotten = true
            guard let upstream = stream.pointee.upstream else {
                drop(stream)
                continue
            }
            guard !stream.pointee.hasEnded else { continue }
            strand(upstream, stream)
            if !isHTTP2 {
                answerNotHTTP2(upstream)
            } else if isBroken, upstream.pointee.exchange?.pointee.phase == .awaitingResponse {
                upstreamMalformed(upstream, "frames that break HTTP/2")
            } else {
                upstreamBroke(upstream)
            }
        }
        session.pointee.core.destroy()
        pointee.upstreams.http2.sessions.retire(session)
    }

    private func answerNotHTTP2(_ upstream: UpstreamRef) {
        let (exchange, pool) = (upstream.pointee.exchange, upstream.pointee.pool)
        closeUpstream(upstream)
        guard let exchange else { return }
        exchange.pointee.upstream = nil
        answer(
            exchange,
            refused: Refused(
                .upstreamProtocol, expected: "HTTP/2 from \(name(of: pool))", found: "something else, or nothing"))
    }
}
