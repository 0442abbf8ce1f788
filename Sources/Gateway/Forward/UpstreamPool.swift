import Access
import HTTP1
import EventLoop
import Glibc
import Telemetry
import Transport

/// Taking, making and giving back upstream connections.
extension WorkerRef {
    /// An idle connection for the next request, or nil when a new one is to be made: to the address whose turn it is, of
    /// several; of those that lead there, the one used last.
    ///
    /// One on which something arrived is closed, whether or not its event was seen already: what came before the
    /// request was sent is not its response (HTTP-40).
    func takeIdle(
        _ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef, sentLater: Bool
    ) -> UpstreamRef? {
        let owner = pool.pointee.settings.sendsProxyHeader ? exchange.pointee.client.carrier : nil
        guard pool.pointee.addresses.isSeveral || pool.pointee.addresses.isBounded else {
            return takeIdle(pool, at: nil, of: owner, sentLater)
        }
        // Without turns the connection used last would get everything at low traffic, and a server that came back nothing.
        let now = pointee.loop.lastTick
        let place = pool.pointee.addresses.place(after: 0, now: now, for: user(of: exchange, at: pool))
        tellPanic(pool)
        if let place,
            let upstream = takeIdle(
                pool, at: pool.pointee.addresses.all[place].identity, of: owner, sentLater)
        {
            pool.pointee.addresses.hadTurn(place, now: now)
            return upstream
        }
        // Where no other may be made, or may be waited for.
        guard !mayConnect(pool, for: exchange) else { return nil }
        return takeIdle(pool, at: nil, of: owner, sentLater)
    }

    /// Whether an idle connection serves this exchange, wherever it leads.
    func hasIdle(_ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef) -> Bool {
        let owner = pool.pointee.settings.sendsProxyHeader ? exchange.pointee.client.carrier : nil
        var next = pool.pointee.idle
        while let upstream = next {
            next = upstream.pointee.next
            if upstream.pointee.owner == owner, !pool.pointee.addresses.isFull(upstream.pointee.address),
                isQuiet(upstream)
            {
                return true
            }
        }
        return false
    }

    /// The idle connection used last, of those to one address or of all, and of one client's where each is of one.
    private func takeIdle(
        _ pool: UnsafeMutablePointer<UpstreamPool>, at address: UInt64?, of owner: ClientRef?, _ sentLater: Bool
    ) -> UpstreamRef? {
        var next = pool.pointee.idle
        while let upstream = next {
            next = upstream.pointee.next
            if let address, upstream.pointee.address != address { continue }
            if upstream.pointee.owner != owner { continue }
            if address == nil, pool.pointee.addresses.isFull(upstream.pointee.address) { continue }
            // What is sent later is asked for again right before (`sendRequests`).
            guard sentLater ? !FileEvent.isDue(upstream.readEvent) : isQuiet(upstream) else {
                closeUpstream(upstream)
                continue
            }
            unlinkIdle(upstream, from: pool)
            upstream.pointee.state = .active
            clearTimeout(upstream.timeout)
            return upstream
        }
        return nil
    }

    /// Whether nothing has arrived behind the last response, the peer's end included.
    ///
    /// The kernel is asked each time (a third of a microsecond). Readiness shows only when the loop looks for it again: a
    /// connection that was given back in this same turn would pass for quiet, and what waits on it, such as the content
    /// behind an answer to HEAD, would be the next client's response.
    private func isQuiet(_ upstream: UpstreamRef) -> Bool {
        !FileEvent.isDue(upstream.readEvent) && upstream.pointee.stream.isQuiet
    }

    /// A connection that is not open yet, or nil when the upstream has as many as it may, or as wait for the client.
    func connect(_ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef?) -> UpstreamRef? {
        makeRoomAmongOwned(pool)
        guard mayConnect(pool, for: exchange) else { return nil }
        pool.pointee.connectionCount += 1
        countOpened(pool)
        let upstream = pointee.upstreams.connections.take(UpstreamConnection(self, of: pool))
        upstream.timeout.pointee.place = UnsafeMutableRawPointer(upstream)
        beginPending(upstream, of: exchange)
        return upstream
    }

    /// Counts a socket to the upstream, open or on its way.
    func countOpened(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        pointee.journal.metrics.adjust(.upstreamConnections, by: 1)
        pool.pointee.counters.adjustConnections(by: 1)
    }

    func becameActive(_ upstream: UpstreamRef) {
        switch upstream.pointee.part {
        case .shared: return becameShared(upstream)
        case .check: return sendCheck(upstream)
        case .none, .grpcCheck, .session, .waiting, .stream, .attempt: break
        }
        let now = clock.microseconds()
        upstream.pointee.pool.pointee.addresses.succeeded(upstream.pointee.address, now: now)
        upstream.pointee.pool.pointee.counters.countConnect(at: now)
        upstream.pointee.state = .active
        endPending(upstream)
        clearTimeout(upstream.timeout)
        upstream.startReading()
        flushUpstream(upstream)
        if upstream.pointee.state == .active, let exchange = upstream.pointee.exchange { awaitResponse(exchange) }
    }

    /// Gives a connection back to its pool after a response that allows it, or closes it.
    func release(_ upstream: UpstreamRef, isReusable: Bool) {
        upstream.pointee.exchange = nil
        vacate(upstream)
        endRetry(upstream)
        let pool = upstream.pointee.pool
        if upstream.pointee.isShared {
            upstream.stream?.pointee.isAnswered = isReusable
            return closeUpstream(upstream)
        }
        guard isReusable, !upstream.pointee.isUnsent, !pointee.listening.isDraining,
            upstream.pointee.reading == pool.pointee.reading,
            pool.pointee.idleCount < pointee.policy.limits.upstreamIdleConnections,
            upstream.pointee.epoch == pool.pointee.addresses.epoch || pool.pointee.addresses.isKnown(upstream)
        else { return closeUpstream(upstream) }
        if upstream.pointee.countedBy != 0 { uncount(upstream, from: pool) }
        upstream.pointee.state = .idle
        upstream.pointee.wasUsed = true
        upstream.pointee.keepsAlive = false
        upstream.pointee.parser.reset()
        upstream.pointee.previous = nil
        upstream.pointee.next = pool.pointee.idle
        pool.pointee.idle?.pointee.previous = upstream
        pool.pointee.idle = upstream
        pool.pointee.idleCount += 1
        setTimeout(upstream.timeout, pointee.policy.timeouts.upstreamIdle)
        upstream.startReading()
    }

    /// Closes a connection, wherever it is in its life.
    func closeUpstream(_ upstream: UpstreamRef) {
        guard upstream.pointee.state != .closed else { return }
        let pool = upstream.pointee.pool
        takeBack(upstream)
        if upstream.pointee.state == .idle { unlinkIdle(upstream, from: pool) }
        if upstream.pointee.state == .resolving { unlinkWaiting(upstream, from: pool) }
        dequeue(upstream)
        endPending(upstream)
        closeAttempts(upstream)
        vacate(upstream)
        endRetry(upstream)
        if upstream.pointee.countedBy != 0 { uncount(upstream, from: pool) }
        closeSocket(upstream)
        pointee.connections.wheel.remove(upstream.timeout)
        upstream.pointee.input.release(to: &pointee.connections.buffers)
        upstream.pointee.output.release(to: &pointee.connections.buffers)
        dropPipe(&upstream.pointee.pipe)
        upstream.pointee.exchange = nil
        upstream.pointee.state = .closed
        leave(pool, upstream)
        pointee.upstreams.connections.retire(upstream)
    }

    /// Takes back what a connection counted for.
    private func leave(_ pool: UnsafeMutablePointer<UpstreamPool>, _ upstream: UpstreamRef) {
        switch upstream.pointee.part {
        case .waiting: pool.pointee.connectionCount -= 1
        case .check(let isWell):
            pool.pointee.connectionCount -= 1
            countClosed(pool)
            checkEnded(upstream, isWell: isWell)
        case .grpcCheck(let check):
            check.end()
            pool.pointee.connectionCount -= 1
            countClosed(pool)
            checkEnded(upstream, isWell: false)
        case .stream(let stream):
            pool.pointee.connectionCount -= 1
            leave(stream, upstream)
        case .attempt(let connection):
            upstream.unlink(from: &connection.pointee.attempts)
            pool.pointee.connectionCount -= 1
            countClosed(pool)
        case .none:
            pool.pointee.connectionCount -= 1
            countClosed(pool)
        case .shared:
            pool.pointee.sharedCount -= 1
            pool.pointee.sharedConnecting -= 1
            pool.pointee.addresses.setOpening(upstream.pointee.wanted, false)
            countClosed(pool)
        case .session(let session):
            if session.pointee.isLeaving { pool.pointee.leavingCount -= 1 } else { pool.pointee.sharedCount -= 1 }
            countClosed(pool)
            pool.pointee.unshare(upstream)
            end(session)
        }
        // What the upstream agrees on next may be something else.
        if pool.pointee.hasNoConnection { pool.pointee.version = pool.pointee.settings.version }
    }

    private func countClosed(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        pointee.journal.metrics.adjust(.upstreamConnections, by: -1)
        pool.pointee.counters.adjustConnections(by: -1)
    }

    func closeSocket(_ upstream: UpstreamRef) {
        upstream.stopReading()
        upstream.stopWriting()
        upstream.pointee.stream.close()
    }

    func name(of pool: UnsafeMutablePointer<UpstreamPool>) -> String {
        pool.pointee.settings.name
    }

    private func unlinkIdle(_ upstream: UpstreamRef, from pool: UnsafeMutablePointer<UpstreamPool>) {
        upstream.unlink(from: &pool.pointee.idle)
        pool.pointee.idleCount -= 1
    }

    func unlinkWaiting(_ upstream: UpstreamRef, from pool: UnsafeMutablePointer<UpstreamPool>) {
        guard upstream.pointee.previous != nil || upstream.pointee.next != nil || pool.pointee.waiting == upstream
        else { return }
        upstream.unlink(from: &pool.pointee.waiting)
    }
}

extension UpstreamRef {
    /// Takes it out of the one list that it is in, whose first is `first`.
    @inline(__always)
    func unlink(from first: inout UpstreamRef?) {
        if let previous = pointee.previous {
            previous.pointee.next = pointee.next
        } else {
            first = pointee.next
        }
        pointee.next?.pointee.previous = pointee.previous
        pointee.previous = nil
        pointee.next = nil
    }
}

/// A pool's place, for closures that come back to the loop of its worker.
struct PoolReference: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<UpstreamPool>
}

/// A worker's place, for closures that come back to the worker's own loop.
struct WorkerReference: @unchecked Sendable {
    let pointer: WorkerRef
}
