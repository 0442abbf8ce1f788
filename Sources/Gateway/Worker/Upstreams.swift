import Access
import Telemetry
import Transport

/// The connections of one worker to upstreams.
struct Upstreams {
    /// Each at a place of its own, which connections point at: a reload keeps the pools of the upstreams that stay.
    var pools: UnsafeMutablePointer<UnsafeMutablePointer<UpstreamPool>>
    let poolCount: Int
    /// Whether servers of any of them are asked whether they are well.
    let asksServers: Bool
    /// Whether any of them has servers that are known by name.
    let hasNames: Bool
    /// Pools of upstreams that no route leads to any more.
    var leaving: [UnsafeMutablePointer<UpstreamPool>] = []
    var connections = Slab<UpstreamConnection>()
    /// Whether any of them is told by headers whose connections they are, or was before a reload.
    let sendProxyHeaders: Bool
    /// Those whose requests leave at the end of the loop's turn, in their order.
    var unsent: UpstreamRef?
    var lastUnsent: UpstreamRef?
    var unsentCount = 0
    /// Since when the first of them waits, in monotonic microseconds.
    var unsentSince: UInt64 = 0
    /// What those have that speak HTTP/2.
    var http2 = UpstreamSessions()
    let resolver: Resolver
    /// When pages about what cannot be reached come back.
    var outage = OutageBackoff()

    /// Pools without a connection; those that `old` has to the same upstreams go on.
    init(
        _ resources: SharedResources, _ metrics: UpstreamMetrics, connections most: Int,
        continuing old: Upstreams? = nil
    ) {
        poolCount = resources.upstreams.count
        asksServers = resources.upstreams.contains { $0.pool.health != nil }
        sendProxyHeaders = old?.sendProxyHeaders == true || resources.upstreams.contains { $0.sendsProxyHeader }
        pools = .allocate(capacity: max(1, poolCount))
        resolver = resources.resolver
        resolver.use(resources.nameServers)
        for (number, upstream) in resources.upstreams.enumerated() {
            let kept = old?.pool(to: upstream)
            kept?.pointee.tls = resources.clientTLS[number]
            (pools + number).initialize(
                to: kept ?? UpstreamPool.make(upstream, tls: resources.clientTLS[number], metrics))
            pools[number].pointee.addresses.bound(connections: most)
        }
        hasNames = (0..<poolCount).contains { [pools] in pools[$0].pointee.addresses.hasNames }
        guard let old else { return }
        connections = old.connections
        (unsent, lastUnsent) = (old.unsent, old.lastUnsent)
        (unsentCount, unsentSince) = (old.unsentCount, old.unsentSince)
        http2 = old.http2
        outage = old.outage
        leaving = old.leaving
        for number in 0..<old.poolCount where !uses(old.pools[number]) { leaving.append(old.pools[number]) }
    }

    /// The pool of connections to an upstream, if there is one.
    private func pool(to upstream: UpstreamSettings) -> UnsafeMutablePointer<UpstreamPool>? {
        for number in 0..<poolCount where pools[number].pointee.settings == upstream { return pools[number] }
        return nil
    }

    /// Whether routes lead to this pool.
    private func uses(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        for number in 0..<poolCount where pools[number] == pool { return true }
        return false
    }
}
