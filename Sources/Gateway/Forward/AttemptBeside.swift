import Access
import EventLoop
import Glibc
import Telemetry
import Transport

/// Attempts to connect to further addresses while the first has not answered (RFC 8305 §5, ECO-75).
///
///     connecting ──nothing for a while, or refused──▶ another address beside it ──▶ the first that answers is kept,
///                                                                                   the others are closed
///
/// An attempt is a connection of the pool's that carries nothing (`UpstreamPart.attempt`): the one that it was made for takes
/// its socket. It counts among the upstream's connections, and there are never more of these than there may be.
extension WorkerRef {
    /// Milliseconds until another address is tried too; the wheel makes 200 to 300 of them.
    ///
    /// RFC 8305 recommends 250, and no fewer than 100.
    static var attemptDelay: Int { 200 }

    /// How long the attempts that there are have for themselves.
    func timeToNextAttempt(
        _ upstream: UpstreamRef, _ pool: UnsafeMutablePointer<UpstreamPool>, _ now: UInt64
    ) -> Int {
        let left = upstream.pointee.deadline > now ? Int(upstream.pointee.deadline - now) / 1000 : 0
        guard pool.pointee.addresses.untried(upstream.pointee.tried) > 0, hasRoomToAttempt(pool) else {
            return max(1, left)
        }
        return max(1, min(Self.attemptDelay, left))
    }

    private func hasRoomToAttempt(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        pool.pointee.connectionCount < mostConnections(pool)
    }

    /// Tries one more address beside those that have not answered, where there is one.
    func attemptBeside(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        let now = clock.microseconds()
        while pool.pointee.addresses.untried(upstream.pointee.tried) > 0, hasRoomToAttempt(pool),
            let place = nextPlace(upstream, pool, now)
        {
            upstream.pointee.tried |= 1 << UInt64(place)
            let attempt = makeAttempt(for: upstream)
            guard let reason = startConnecting(attempt, to: place) else { break }
            attemptFailed(attempt, of: upstream, reason)
        }
        setTimeout(upstream.timeout, timeToNextAttempt(upstream, pool, now))
    }

    private func makeAttempt(for upstream: UpstreamRef) -> UpstreamRef {
        let pool = upstream.pointee.pool
        pool.pointee.connectionCount += 1
        countOpened(pool)
        let attempt = pointee.upstreams.connections.take(UpstreamConnection(self, of: pool))
        attempt.timeout.pointee.place = UnsafeMutableRawPointer(attempt)
        attempt.pointee.part = .attempt(for: upstream)
        attempt.pointee.state = .connecting
        attempt.pointee.next = upstream.pointee.attempts
        upstream.pointee.attempts?.pointee.previous = attempt
        upstream.pointee.attempts = attempt
        return attempt
    }

    /// No connection there either.
    func attemptFailed(_ attempt: UpstreamRef, of upstream: UpstreamRef, _ reason: String) {
        putBack(attempt, upstream.pointee.pool, reason)
        closeUpstream(attempt)
    }

    /// An attempt has a connection, or none.
    func attemptEnded(_ attempt: UpstreamRef, of upstream: UpstreamRef) {
        let code = Socket.pendingError(of: attempt.pointee.stream.descriptor)
        guard code == 0 else {
            attemptFailed(attempt, of: upstream, String(cString: strerror(code)))
            return attemptBeside(upstream)
        }
        comeBehind(upstream)
        var older = attempt.pointee.next
        while let one = older {
            older = one.pointee.next
            comeBehind(one)
        }
        take(attempt, for: upstream)
        connected(upstream)
    }

    /// What had more time and has not answered is tried after the others for a while; it has failed nobody.
    private func comeBehind(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        pool.pointee.addresses.failed(upstream.pointee.address, now: clock.microseconds())
        guard let found = pool.pointee.addresses.server(of: upstream.pointee.address) else { return }
        say(
            .addressPutBack, at: pool,
            [
                LogField(.upstream, name(of: pool)), LogField(.address, found.address.address.description),
                LogField(.found, "no connection yet when there was one to another address"),
            ])
    }

    /// Goes on with an attempt that is under way, and another one beside it; false where there is none.
    func goOnWithAttempt(_ upstream: UpstreamRef) -> Bool {
        guard let attempt = upstream.pointee.attempts else { return false }
        take(attempt, for: upstream)
        attemptBeside(upstream)
        return true
    }

    /// Has a connection the socket of an attempt in place of its own.
    private func take(_ attempt: UpstreamRef, for upstream: UpstreamRef) {
        vacate(upstream)
        leaveServer(upstream)
        closeSocket(upstream)
        attempt.stopWriting()
        upstream.pointee.stream = attempt.pointee.stream
        attempt.pointee.stream = ByteStream()
        upstream.pointee.address = attempt.pointee.address
        upstream.pointee.epoch = attempt.pointee.epoch
        closeUpstream(attempt)
        if upstream.pointee.exchange != nil { occupy(upstream) }
        waitAtServer(upstream)
        watchConnecting(upstream)
    }

    /// Gives up the attempts that are under way: there is a connection, or nobody wants one.
    func closeAttempts(_ upstream: UpstreamRef) {
        while let attempt = upstream.pointee.attempts { closeUpstream(attempt) }
    }
}
