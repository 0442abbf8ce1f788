import Access
import HTTP1
import HTTPMessage
import Telemetry

/// How many requests may be sent once more at a time: a part of those under way (ECO-73).
///
/// Servers that fail because they have too much to do would otherwise get twice as much.
struct RetryBudget {
    /// Of so many requests under way one may be a second attempt.
    static let share = 5
    /// So many always may, or a quiet upstream would have none.
    static let least = 3

    private(set) var underWay = 0

    /// Whether one more may be sent while so many requests are under way.
    func hasRoom(inUse: Int) -> Bool { underWay < max(Self.least, inUse / Self.share) }

    mutating func begin() { underWay += 1 }
    mutating func end() { underWay -= 1 }
}

/// A request that one server has failed, at another one (ECO-73).
extension WorkerRef {
    /// Sends a request to another server; false where it may not be sent twice, or nobody else is there.
    ///
    /// Only one of which its client has seen nothing, of which all that was sent is at hand, which does the same when it is
    /// done twice, and once.
    func sendToAnother(_ exchange: ExchangeRef, _ upstream: UpstreamRef) -> Bool {
        let pool = upstream.pointee.pool
        guard pool.pointee.settings.pool.retries, exchange.pointee.mayRetry, !exchange.pointee.replay.isEmpty,
            exchange.pointee.phase == .awaitingResponse, exchange.pointee.interim == 0,
            !exchange.pointee.offersWebSocket, pool.pointee.addresses.isSeveral,
            let place = pool.pointee.addresses.place(of: upstream.pointee.address), place < UpstreamAddresses.limit
        else { return false }
        let now = clock.microseconds()
        guard pool.pointee.retries.hasRoom(inUse: pool.pointee.inUse) else {
            pool.pointee.counters.count(.retryRefused, at: now)
            return false
        }
        pool.pointee.counters.count(.retried, at: now)
        exchange.pointee.mayRetry = false
        exchange.pointee.upstream = nil
        // Part of a body must not be taken for the whole (HTTP-31).
        if !exchange.pointee.request.isComplete { upstream.resetOnClose() }
        closeUpstream(upstream)
        guard pool.pointee.version == .http1 else {
            sendAgain(exchange, pool, avoiding: place)
            return true
        }
        guard let other = connect(pool, for: exchange) else {
            answer(exchange, refused: connectionsExhausted(pool, for: exchange))
            return true
        }
        beginRetry(other, avoiding: place)
        attach(exchange, other)
        renewProof(exchange, pool)
        other.pointee.output = takeKept(exchange, framed: true)
        begin(other)
        return true
    }

    /// What is sent on this connection is a second attempt.
    func beginRetry(_ upstream: UpstreamRef, avoiding place: Int) {
        upstream.pointee.tried |= 1 << UInt64(place)
        upstream.pointee.isRetry = true
        upstream.pointee.pool.pointee.retries.begin()
    }

    /// It is over.
    func endRetry(_ upstream: UpstreamRef) {
        guard upstream.pointee.isRetry else { return }
        upstream.pointee.isRetry = false
        upstream.pointee.pool.pointee.retries.end()
    }

    /// Whether a request does the same when it is done twice, by its method or because its client says so.
    func isRepeatable(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ route: FixedValue<Route>
    ) -> Bool {
        switch exchange.pointee.method {
        case .get, .head, .options, .put, .delete: true
        case .other, .post, .patch, .connect, .trace, .track: hasIdempotencyKey(bytes, route)
        }
    }

    /// Whether the client says that the upstream tells a repetition of this request from another one.
    ///
    /// Looked for only where it matters.
    private func hasIdempotencyKey(_ bytes: UnsafeMutablePointer<UInt8>, _ route: FixedValue<Route>) -> Bool {
        guard pointee.upstreams.pools[route.pointee.upstream].pointee.settings.pool.retries else { return false }
        let name: StaticString = "idempotency-key"
        let head = pointee.scratch.head
        for index in 0..<head.pointee.fields.count {
            let range = head.pointee.fields[index].name
            guard Int(range.count) == name.utf8CodeUnitCount else { continue }
            let start = bytes + Int(range.start)
            if (0..<Int(range.count)).allSatisfy({ start[$0] | 0x20 == name.utf8Start[$0] | 0x20 }) { return true }
        }
        return false
    }
}
