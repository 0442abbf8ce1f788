// SPDX-License-Identifier: Apache-2.0
import Issuers
import Telemetry

/// Requests that wait for an authorization server: for its keys, its word on a token, or a token for the upstream.
///
/// The head stays in the client's input, nothing is read meanwhile, and the stages are run once more from the first:
/// what was true of the request a moment ago is not taken for granted.
extension WorkerRef {
    /// Puts an exchange aside until the answer comes or the time to wait is over.
    func park(_ exchange: ExchangeRef, _ wait: Wait, _ bytes: UnsafeMutablePointer<UInt8>) {
        let client = exchange.pointee.client.unsafelyUnwrapped
        exchange.pointee.phase = .parked
        exchange.pointee.wait = wait
        // Its place beside the record may be another's when the wait is over: looked for again then.
        exchange.pointee.upstreamToken = nil
        exchange.pointee.previousParked = pointee.lastParked
        exchange.pointee.nextParked = nil
        if let last = pointee.lastParked { last.pointee.nextParked = exchange } else { pointee.firstParked = exchange }
        pointee.lastParked = exchange
        pointee.parkedCount += 1
        pointee.metrics.set(.parkedRequests, to: pointee.parkedCount)
        client.stopReading()
        switch wait {
        case .nothing: break
        case .keys(let issuer):
            setTimeout(client.timeout, pointee.timeouts.keyWait)
            pointee.requestKeys(issuer)
        case .introspection(let issuer, let digest):
            setTimeout(client.timeout, pointee.issuers[issuer].lookupTimeout)
            pointee.metrics.count(.introspections)
            pointee.ask(.introspection(issuer: issuer), Array(accessToken(bytes)), digest)
        case .exchange(let rule, let digest):
            setTimeout(client.timeout, Worker.exchangeTimeout)
            let expiry = exchange.pointee.token?.pointee.usableUntil ?? 0
            pointee.ask(.exchange(rule: rule, tokenExpiresAt: expiry), Array(accessToken(bytes)), digest)
        }
    }

    /// Takes an exchange out of the waiting list.
    func unpark(_ exchange: ExchangeRef) {
        if let previous = exchange.pointee.previousParked {
            previous.pointee.nextParked = exchange.pointee.nextParked
        } else {
            pointee.firstParked = exchange.pointee.nextParked
        }
        if let next = exchange.pointee.nextParked {
            next.pointee.previousParked = exchange.pointee.previousParked
        } else {
            pointee.lastParked = exchange.pointee.previousParked
        }
        exchange.pointee.previousParked = nil
        exchange.pointee.nextParked = nil
        exchange.pointee.wait = .nothing
        pointee.parkedCount -= 1
        pointee.metrics.set(.parkedRequests, to: pointee.parkedCount)
    }

    /// New keys, or none any more; called through the loop's inbox.
    func keysArrived(_ keys: IssuerKeys?, issuer: Int) { pointee.issuers[issuer].take(keys) }

    /// The directory has answered: everyone who waited for this issuer is looked at once more.
    func refreshEnded(issuer: Int) {
        while let exchange = firstWaiting(for: .keys(issuer: issuer)) {
            unpark(exchange)
            exchange.pointee.hasWaited = true
            resume(exchange)
        }
    }

    private func firstWaiting(for wait: Wait) -> ExchangeRef? {
        var exchange = pointee.firstParked
        while let one = exchange, one.pointee.wait != wait { exchange = one.pointee.nextParked }
        return exchange
    }

    /// Takes everyone who waits for one answer out of the list, gives them what it was, and looks at them once more.
    func end(_ wait: Wait, _ give: (ExchangeRef) -> Void) {
        while let exchange = firstWaiting(for: wait) {
            unpark(exchange)
            give(exchange)
            resume(exchange)
        }
    }

    /// The time to wait is over: 503 where nobody has answered; with keys the key is unknown (never a false 401).
    func waitTimedOut(_ exchange: ExchangeRef) {
        switch exchange.pointee.wait {
        case .nothing, .keys: exchange.pointee.hasWaited = true
        case .introspection:
            pointee.lookupDetail = RefusalDetail(expected: "an answer in time", found: "none")
            exchange.pointee.lookup = .refused(.introspectionUnavailable)
        case .exchange:
            pointee.lookupDetail = RefusalDetail(expected: "an answer in time", found: "none")
            exchange.pointee.lookup = .refused(.exchangeUnavailable)
        }
        unpark(exchange)
        resume(exchange)
    }

    private func resume(_ exchange: ExchangeRef) {
        exchange.pointee.phase = .awaitingResponse
        let client = exchange.pointee.client.unsafelyUnwrapped
        clearTimeout(client.timeout)
        runKeptRequest(client, exchange)
    }
}
