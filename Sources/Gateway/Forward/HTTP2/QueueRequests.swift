import Access
import HTTP2

/// Requests that wait for room in a connection that is shared, in the order in which they came.
struct WaitingRequests {
    private(set) var first: UpstreamRef?
    private var last: UpstreamRef?

    /// Whether one of them is no WebSocket's handshake.
    var hasOther: Bool {
        var next = first
        while let upstream = next, upstream.pointee.exchange?.pointee.offersWebSocket == true {
            next = upstream.pointee.next
        }
        return next != nil
    }

    /// Puts one at the end.
    mutating func add(_ upstream: UpstreamRef) {
        upstream.pointee.next = nil
        upstream.pointee.previous = last
        if let last { last.pointee.next = upstream } else { first = upstream }
        last = upstream
    }

    /// Takes one of them out, wherever it is.
    mutating func remove(_ upstream: UpstreamRef) {
        let (previous, next) = (upstream.pointee.previous, upstream.pointee.next)
        if let previous { previous.pointee.next = next } else { first = next }
        if let next { next.pointee.previous = previous } else { last = previous }
        upstream.pointee.previous = nil
        upstream.pointee.next = nil
    }
}

extension UpstreamPool {
    /// The request that has waited longest, those of clients without their share first.
    var firstWaiting: UpstreamRef? { queue.first ?? queueBehind.first }

    /// The first one of either queue.
    func first(areBehind: Bool) -> UpstreamRef? { areBehind ? queueBehind.first : queue.first }
}

/// Who is next where requests wait for room at an upstream that speaks HTTP/2 (H2-83).
///
/// A client may have every stream there is as long as nobody else wants one. Where others wait, whoever has half of them gets
/// no more: its requests wait behind theirs, and one more connection is opened for those who have less than that, or downloads
/// that nobody reads would hold up everybody.
extension WorkerRef {
    func addWaiting(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        upstream.pointee.state = .queued
        // Whose they are is of no interest while so few are under way that they could be one client's share.
        if pool.pointee.users == nil, pool.pointee.inUse > share(of: pool) { beginCounting(pool) }
        upstream.pointee.waitsBehind = hasShare(upstream)
        if upstream.pointee.waitsBehind {
            pool.pointee.queueBehind.add(upstream)
        } else {
            pool.pointee.queue.add(upstream)
        }
    }

    /// Takes a request out of the queue, if it is there.
    func dequeue(_ upstream: UpstreamRef) {
        guard upstream.pointee.state == .queued else { return }
        let pool = upstream.pointee.pool
        if upstream.pointee.waitsBehind {
            pool.pointee.queueBehind.remove(upstream)
        } else {
            pool.pointee.queue.remove(upstream)
        }
        upstream.pointee.waitsBehind = false
        upstream.pointee.state = .resolving
    }

    /// Has the first ones wait behind all others whose clients have got their share since they came.
    func putBehind(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        if pool.pointee.users == nil, pool.pointee.queue.first != nil, pool.pointee.inUse > share(of: pool) {
            beginCounting(pool)
        }
        while let upstream = pool.pointee.queue.first, hasShare(upstream) {
            pool.pointee.queue.remove(upstream)
            upstream.pointee.waitsBehind = true
            pool.pointee.queueBehind.add(upstream)
        }
        endReserve(pool)
    }

    /// What was opened beyond the usual number is one of them, once another one has ended.
    private func endReserve(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        guard pool.pointee.sharedCount <= pool.pointee.usualConnections else { return }
        pool.pointee.forEachSession { $0.pointee.isReserved = false }
    }

    /// Whether there is a connection for those alone who have less than their share.
    func hasReserve(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        endReserve(pool)
        var isThere = false
        pool.pointee.forEachSession { isThere = isThere || $0.pointee.isReserved }
        return isThere
    }

    /// Whether another connection may be opened: one of the usual number, or of those that are reserved, where somebody
    /// without a share waits.
    func mayOpen(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        if pool.pointee.sharedCount < pool.pointee.usualConnections { return true }
        guard pool.pointee.sharedCount < pool.pointee.usualConnections + UpstreamSession.reservedConnections else {
            return false
        }
        putBehind(pool)
        return pool.pointee.users != nil && pool.pointee.queue.first != nil
    }

    /// Whether the client of a request has its share of the streams in use, those that wait included.
    func hasShare(_ upstream: UpstreamRef) -> Bool {
        let pool = upstream.pointee.pool
        guard upstream.pointee.countedBy != 0, upstream.pointee.countedBy == pool.pointee.counting,
            let held = pool.pointee.users?.count(of: upstream.pointee.network)
        else { return false }
        return held > share(of: pool)
    }

    /// Whether it will have its share with the request of this exchange, which is not counted yet.
    func wouldHaveShare(_ exchange: ExchangeRef, of pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        guard let network = countedNetwork(exchange), let users = pool.pointee.users else { return false }
        return users.count(of: network) + 1 > share(of: pool)
    }

    /// Half of the streams that the upstream allows in the usual number of connections.
    private func share(of pool: UnsafeMutablePointer<UpstreamPool>) -> Int {
        var most = HTTP2.ClientConnection.mostStreams
        pool.pointee.forEachSession { most = min(most, $0.pointee.core.mostStreams) }
        return max(1, most * pool.pointee.usualConnections / 2)
    }

    /// What a client is told whose requests waited behind those of others for too long.
    func shareExhausted(_ exchange: ExchangeRef) -> Refused {
        Refused(
            .upstreamShareExhausted, expected: "half of the streams to an upstream, while others wait for one",
            found: "more of \(exchange.pointee.address.text)")
    }
}

extension UpstreamPool {
    /// How many connections requests share at most, but for the reserved ones.
    var usualConnections: Int { UpstreamSession.mostConnections * (addresses.isSeveral ? addresses.all.count : 1) }

    /// Each connection that takes requests.
    func forEachSession(_ body: (UpstreamSessionRef) -> Void) {
        var next = shared
        while let carrier = next {
            next = carrier.pointee.next
            if case .session(let session) = carrier.pointee.part, !session.pointee.isLeaving { body(session) }
        }
    }
}
