import Access
import HTTPMessage

extension WorkerRef {
    /// The head that the upstream gets, in the worker's scratch; nothing of it is sent.
    ///
    /// Whatever of a forwarded request can be refused for what its head, its token and the configuration say is refused
    /// here: a body that is announced too long, identity or a credential that cannot be sent, an upstream without room, or with
    /// none for this client.
    /// Only then is a proof spent (DPOP-17); what comes later, the body's own bytes and the network alone can tell.
    func planRequest(
        _ exchange: ExchangeRef, _ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> HeadWriter {
        try checkAnnouncedBody(route)
        exchange.pointee.offersWebSocket = pointee.scratch.head.pointee.offersWebSocket && route.pointee.webSocket
        if exchange.pointee.offersWebSocket { keepWebSocketKey(exchange, bytes) }
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        try writeUpstreamHead(exchange, bytes, into: &writer)
        let pool = pointee.upstreams.pools[route.pointee.upstream]
        guard hasRoom(pool) else { throw connectionsExhausted() }
        try judgeShare(exchange, of: pool)
        return writer
    }

    /// Refuses a body of the length announced before any of it is read (HTTP-65).
    private func checkAnnouncedBody(_ route: UnsafePointer<Route>) throws(Refused) {
        let limit = route.pointee.patience.bodyLimit
        guard case .length(let size) = pointee.scratch.head.pointee.framing, size > limit else { return }
        throw refuse(.requestBodyTooLarge, "at most \(limit) bytes", "\(size)")
    }

    /// The refusal for want of room at an upstream.
    func connectionsExhausted() -> Refused {
        refuse(
            .upstreamConnectionsExhausted, "\(pointee.policy.limits.upstreamConnections) connections at most", "more")
    }
}
