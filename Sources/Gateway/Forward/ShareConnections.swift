import Access

/// Of the connections to one upstream a client has no more than its share (OPS-05, T-42).
///
/// Whoever sends requests that the upstream answers slowly, bodies that come slowly, or opens WebSockets, would otherwise
/// hold every connection to it, and everybody else be answered 503.
///
/// Whose they are is counted only while so many are in use that they could be one client's share: until then a request
/// costs nothing here. Counting begins by a look at every connection and goes on with each that is taken or given back.
extension WorkerRef {
    /// Refuses a request whose client has its share of the pool in use.
    func judgeShare(_ exchange: ExchangeRef, of pool: UnsafeMutablePointer<UpstreamPool>) throws(Refused) {
        let most = mostConnections(pool)
        // Half of what there may be, here too.
        let share = ClientShare(most: min(pointee.policy.shares.upstream.most, max(1, most / 2)))
        guard pool.pointee.inUse >= share.most, let network = countedNetwork(exchange) else { return }
        if pool.pointee.users == nil { beginCounting(pool) }
        // More than there may be are in use after a reload that lowers the bound: whoever has none gets an idle one still.
        let free = max(1, most - pool.pointee.inUse)
        let held = pool.pointee.users?.count(of: network) ?? 0
        guard !share.hasRoom(held: held, free: free) else { return }
        throw Refused(
            .upstreamShareExhausted,
            expected:
                "\(min(share.most, free)) connections of one client to an upstream (limits.upstream_connections_per_client)",
            found: "more of \(exchange.pointee.address.text)")
    }

    func beginCounting(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        pool.pointee.users = ClientNetworks()
        pool.pointee.counting = pool.pointee.counting == .max ? 1 : pool.pointee.counting + 1
        let upstreams = pointee.upstreams.connections
        upstreams.forEachInUse { upstream in if upstream.pointee.pool == pool { count(upstream, of: pool) } }
    }

    /// One more that carries a request of its client, where that is anybody's.
    func count(_ upstream: UpstreamRef, of pool: UnsafeMutablePointer<UpstreamPool>) {
        guard let exchange = upstream.pointee.exchange, let network = countedNetwork(exchange) else { return }
        upstream.pointee.network = network
        upstream.pointee.countedBy = pool.pointee.counting
        pool.pointee.users?.add(network)
    }

    /// It carries that request no more.
    func uncount(_ upstream: UpstreamRef, from pool: UnsafeMutablePointer<UpstreamPool>) {
        if upstream.pointee.countedBy == pool.pointee.counting { pool.pointee.users?.remove(upstream.pointee.network) }
        upstream.pointee.countedBy = 0
    }

    /// Ends the counting where so few are in use again, at each tick.
    ///
    /// So it begins ten times a second at most, whatever comes and goes. As long as there is a reserve of streams it has to be
    /// known who may have them.
    func endCounting() {
        for number in 0..<pointee.upstreams.poolCount {
            let pool = pointee.upstreams.pools[number]
            guard pool.pointee.users != nil, pool.pointee.firstWaiting == nil,
                pool.pointee.inUse <= pointee.policy.shares.upstream.most / 2, !hasReserve(pool)
            else { continue }
            pool.pointee.users?.destroy()
            pool.pointee.users = nil
        }
    }
}
