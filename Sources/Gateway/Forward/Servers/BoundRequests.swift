import Access

/// How many requests there may be at one upstream, for one worker (ECO-74).
struct PoolBounds {
    let requests: Int
    let pending: Int
    let perServer: Int

    init(_ settings: UpstreamBounds) {
        requests = settings.requests ?? .max
        pending = settings.pending ?? .max
        perServer = settings.requestsPerServer ?? .max
    }

    /// What one client may have of those that wait: half of them, and one at least.
    var pendingShare: ClientShare { ClientShare(most: max(1, pending / 2)) }
}

extension UpstreamAddresses {
    /// Whether an address has as many requests as it may.
    func isFull(_ place: Int) -> Bool { all[place].turns.inFlight >= mostPerServer }

    /// The same of the address that a connection has.
    func isFull(_ identity: UInt64) -> Bool { isBounded && place(of: identity).map { isFull($0) } ?? false }

    /// Whether as many wait for a connection to an address as may.
    ///
    /// A server that accepts connections and says nothing would otherwise have all places of those that wait, and requests to
    /// the others be answered 503. Where there is one address alone, the bound of all is its own.
    func isCrowded(_ place: Int) -> Bool {
        all[place].turns.pending >= mostPendingPerServer && (isSeveral || settings.bounds.pendingPerServer != nil)
    }

    /// Whether an address has no room for one more request, or for one more that waits.
    func hasNoRoom(_ place: Int, toOpen opens: Bool) -> Bool { isFull(place) || opens && isCrowded(place) }

    /// Whether none has room for one more that waits.
    var areCrowded: Bool { !all.isEmpty && all.indices.allSatisfy { hasNoRoom($0, toOpen: true) } }

    /// A request waits for a connection to this address.
    mutating func beganToWait(_ identity: UInt64) {
        if let place = place(of: identity) { all[place].turns.pending += 1 }
    }

    /// It has one, or waits for another.
    mutating func endedToWait(_ identity: UInt64) {
        // One that has gone from its name and come back begins anew.
        guard let place = place(of: identity), all[place].turns.pending > 0 else { return }
        all[place].turns.pending -= 1
    }

    /// Whether requests at one address are bounded.
    var isBounded: Bool { mostPerServer != .max }

    /// Whether every address has as many requests as it may.
    var areFull: Bool { isBounded && !all.isEmpty && all.indices.allSatisfy { isFull($0) } }

    /// Requests under way at all addresses, where they are counted.
    var inFlight: Int { all.reduce(0) { $0 + $1.turns.inFlight } }
}

/// A request that would be one too many is refused before anything is sent of it: an upstream that stalls holds up no more than
/// these, and no other route.
extension WorkerRef {
    /// Connections of one worker to the upstream, which are its requests too: those that share a connection have one each.
    func mostConnections(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Int {
        min(pool.pointee.bounds.requests, pointee.policy.limits.upstreamConnections)
    }

    /// Whether one more may be made for this exchange, and wait for its socket.
    func mayConnect(_ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef?) -> Bool {
        pool.pointee.connectionCount < mostConnections(pool) && mayWait(pool, for: exchange)
            && (exchange == nil || pool.pointee.version != .http1 || !pool.pointee.addresses.areCrowded)
    }

    /// Whether this exchange may wait for a connection, or for room in one.
    ///
    /// One client that asks for more than the upstream takes would otherwise have every place, and all others be answered 503
    /// for as long as it goes on (OPS-05).
    func mayWait(_ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef?) -> Bool {
        let free = pool.pointee.bounds.pending - pool.pointee.pendingCount
        guard free > 0 else { return false }
        guard let exchange, let clients = pool.pointee.pendingClients, let network = countedNetwork(exchange) else {
            return true
        }
        let held = clients.count(of: network)
        return pool.pointee.bounds.pendingShare.hasRoom(held: held, free: free)
    }

    /// Whether the next request of this exchange's client gets a connection: an idle one, a new one, or room in one that is
    /// shared.
    ///
    /// Judged before a proof is spent (DPOP-17), so that it is what `takeIdle`, `connect` and `assign` come to.
    func hasRoom(
        _ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef, of user: @autoclosure () -> UInt64
    ) -> Bool {
        guard !serversAreFull(pool) else { return false }
        let mayWait = mayWait(pool, for: exchange)
        let mayBegin = pool.pointee.connectionCount < mostConnections(pool)
        guard pool.pointee.version == .http1 else {
            return mayBegin && (mayWait || hasStream(pool, for: exchange, of: user()))
        }
        let mayOpen = mayWait && !pool.pointee.addresses.areCrowded
        if mayBegin && mayOpen { return true }
        // Even one that is only found to be closed gives its place to another, which waits.
        return mayOpen ? pool.pointee.idleCount > 0 : hasIdle(pool, for: exchange)
    }

    /// Whether every server has as many requests as it may.
    ///
    /// One that waits for a place in a connection that is shared is at none yet, and will be at one of them. One that waits for
    /// a connection of its own, as a WebSocket does that HTTP/2 cannot carry, is at the server that it connects to already.
    private func serversAreFull(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        guard pool.pointee.addresses.isBounded, !pool.pointee.addresses.all.isEmpty else { return false }
        if pool.pointee.addresses.areFull { return true }
        guard pool.pointee.version != .http1 else { return false }
        let (most, isFar) = pool.pointee.bounds.perServer.multipliedReportingOverflow(
            by: pool.pointee.addresses.all.count)
        let waiting = pool.pointee.pendingCount - pool.pointee.pendingAtServer
        return !isFar && pool.pointee.addresses.inFlight + waiting >= most
    }

    /// The request of this exchange waits for its connection.
    func beginPending(_ upstream: UpstreamRef, of exchange: ExchangeRef?) {
        guard !upstream.pointee.isPending else { return }
        let pool = upstream.pointee.pool
        upstream.pointee.isPending = true
        pool.pointee.pendingCount += 1
        if upstream.pointee.isAtServer { pool.pointee.pendingAtServer += 1 }
        // Whose they are is of no interest where as many may wait as there may be.
        guard pool.pointee.bounds.pending != .max, let exchange, let network = countedNetwork(exchange) else { return }
        if pool.pointee.pendingClients == nil { pool.pointee.pendingClients = ClientNetworks() }
        pool.pointee.pendingClients?.add(network)
        upstream.pointee.pendingNetwork = network
    }

    /// The request of this connection waits for the address that is tried.
    func waitAtServer(_ upstream: UpstreamRef) {
        guard upstream.pointee.isPending, upstream.pointee.exchange != nil, upstream.pointee.pendingAddress == 0
        else { return }
        upstream.pointee.pendingAddress = upstream.pointee.address
        upstream.pointee.pool.pointee.addresses.beganToWait(upstream.pointee.address)
    }

    /// It waits there no more.
    func leaveServer(_ upstream: UpstreamRef) {
        guard upstream.pointee.pendingAddress != 0 else { return }
        upstream.pointee.pool.pointee.addresses.endedToWait(upstream.pointee.pendingAddress)
        upstream.pointee.pendingAddress = 0
    }

    /// It has one, or does not want one any more.
    func endPending(_ upstream: UpstreamRef) {
        leaveServer(upstream)
        guard upstream.pointee.isPending else { return }
        upstream.pointee.isPending = false
        upstream.pointee.pool.pointee.pendingCount -= 1
        if upstream.pointee.isAtServer { upstream.pointee.pool.pointee.pendingAtServer -= 1 }
        guard let network = upstream.pointee.pendingNetwork else { return }
        upstream.pointee.pendingNetwork = nil
        upstream.pointee.pool.pointee.pendingClients?.remove(network)
    }

    /// The refusal for want of room at an upstream, or in what the client of this exchange may have of it.
    func connectionsExhausted(
        _ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef? = nil
    ) -> Refused {
        let (most, bounds) = (mostConnections(pool), pool.pointee.bounds)
        if pool.pointee.connectionCount < most, pool.pointee.pendingCount < bounds.pending, !serversAreFull(pool),
            let exchange, !mayWait(pool, for: exchange)
        {
            return pendingShareExhausted(pool, exchange)
        }
        let expected: Refused.Words =
            if pool.pointee.connectionCount >= most {
                "\(most) connections at most"
            } else if pool.pointee.pendingCount >= bounds.pending {
                "\(bounds.pending) requests at most that wait for a connection (upstream.limits.pending)"
            } else if serversAreFull(pool) {
                "\(bounds.perServer) requests at most at one server (upstream.limits.requests_per_server)"
            } else if pool.pointee.addresses.areCrowded {
                "\(pool.pointee.addresses.mostPendingPerServer) requests at most that wait for a connection to one server (upstream.limits.pending_per_server)"
            } else {
                "\(most) connections at most"
            }
        return Refused(.upstreamConnectionsExhausted, expected: expected, found: "more")
    }

    /// What a client is told that has its share of those that may wait, where others may.
    private func pendingShareExhausted(
        _ pool: UnsafeMutablePointer<UpstreamPool>, _ exchange: ExchangeRef
    ) -> Refused {
        let bounds = pool.pointee.bounds
        let most = min(bounds.pendingShare.most, bounds.pending - pool.pointee.pendingCount)
        return Refused(
            .upstreamShareExhausted,
            expected: "\(most) requests of one client that wait for a connection (half of upstream.limits.pending)",
            found: "more of \(exchange.pointee.address.text)")
    }

    /// Nobody has room for the request of a connection.
    func refuseExhausted(_ upstream: UpstreamRef) {
        let exchange = upstream.pointee.exchange
        let refused = connectionsExhausted(upstream.pointee.pool, for: exchange)
        closeUpstream(upstream)
        guard let exchange else { return }
        exchange.pointee.upstream = nil
        answer(exchange, refused: refused)
    }
}
