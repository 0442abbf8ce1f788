import Access
import HTTP2
import HTTPMessage

extension WorkerRef {
    /// Writes the head that the upstream gets into the worker's scratch, and says how long it is; nothing of it is sent.
    ///
    /// Whatever of a forwarded request can be refused for what its head, its token and the configuration say is refused
    /// here: a body that is announced too long, identity or a credential that cannot be sent, an upstream without room, or with
    /// none for this client, and so many who wait for the store.
    /// Only then is a proof spent (DPOP-17); what comes later, the body's own bytes and the network alone can tell.
    func planRequest(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ findings: inout Findings,
        _ identities: inout Identities
    ) throws(Refused) -> Int {
        guard let route = findings.route else { preconditionFailure("a request is planned for its route") }
        try checkAnnouncedBody(route)
        if route.pointee.isGRPC, exchange.pointee.reader.call == .native {
            exchange.pointee.callTime = try callTime(bytes)
        }
        exchange.pointee.offersWebSocket = pointee.scratch.head.pointee.offersWebSocket && route.pointee.webSocket
        if exchange.pointee.offersWebSocket {
            keepWebSocketKey(exchange, bytes)
        } else if exchange.pointee.client.pointee.part.stream?.pointee.isTunnel == true {
            // Forwarded as a GET its answer would be taken for a tunnel that is open (H2-37).
            throw Refused(.methodNotAllowed, expected: "a route with websocket", found: "an extended CONNECT")
        }
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        try writeUpstreamHead(exchange, bytes, &findings, &identities, into: &writer)
        let pool = pointee.upstreams.pools[route.pointee.upstream]
        guard hasRoom(pool, for: exchange, of: user(of: findings.token, at: pool)) else {
            throw connectionsExhausted(pool, for: exchange)
        }
        try judgeShare(exchange, of: pool)
        // Bytes behind a proof that is spent would be refused too late.
        if findings.proved != nil {
            try checkBodyAtHand(exchange, bytes, count, limit: route.pointee.patience.bodyLimit)
            // So would be who may not wait for the store.
            if findings.spending == .none, pointee.policy.access.pointee.asksStore,
                let refused = judgeWaiting(exchange, .proof)
            {
                throw refused
            }
        }
        return writer.count
    }

    /// Refuses a body of the length announced before any of it is read (HTTP-65).
    private func checkAnnouncedBody(_ route: FixedValue<Route>) throws(Refused) {
        let limit = route.pointee.patience.bodyLimit
        guard case .length(let size) = pointee.scratch.head.pointee.framing, size > limit else { return }
        throw Refused(.requestBodyTooLarge, expected: "at most \(limit) bytes", found: "\(size)")
    }
}
