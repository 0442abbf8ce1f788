// SPDX-License-Identifier: Apache-2.0
import Issuers
import Telemetry

/// Requests that wait for an issuer's keys: the head stays in the client's input, nothing is read meanwhile.
extension WorkerRef {
    /// Puts an exchange aside until the directory answers or the time to wait is over.
    func park(_ exchange: ExchangeRef, issuer: Int) {
        let client = exchange.pointee.client.unsafelyUnwrapped
        exchange.pointee.phase = .parked
        exchange.pointee.waitingForIssuer = Int32(issuer)
        exchange.pointee.previousParked = pointee.lastParked
        exchange.pointee.nextParked = nil
        if let last = pointee.lastParked { last.pointee.nextParked = exchange } else { pointee.firstParked = exchange }
        pointee.lastParked = exchange
        pointee.parkedCount += 1
        pointee.metrics.set(.parkedRequests, to: pointee.parkedCount)
        client.stopReading()
        setTimeout(client.timeout, pointee.timeouts.keyWait)
        pointee.requestKeys(issuer)
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
        exchange.pointee.waitingForIssuer = -1
        pointee.parkedCount -= 1
        pointee.metrics.set(.parkedRequests, to: pointee.parkedCount)
    }

    /// New keys, or none any more; called through the loop's inbox.
    func keysArrived(_ keys: IssuerKeys?, issuer: Int) { pointee.issuers[issuer].take(keys) }

    /// The directory has answered: everyone who waited for this issuer is looked at once more.
    func refreshEnded(issuer: Int) {
        while let exchange = firstWaiting(for: issuer) {
            unpark(exchange)
            resume(exchange)
        }
    }

    private func firstWaiting(for issuer: Int) -> ExchangeRef? {
        var exchange = pointee.firstParked
        while let one = exchange, one.pointee.waitingForIssuer != Int32(issuer) { exchange = one.pointee.nextParked }
        return exchange
    }

    /// The time to wait is over: 503 without keys; with keys the key is unknown (survey of peers: never a false 401).
    func keyWaitTimedOut(_ exchange: ExchangeRef) {
        unpark(exchange)
        resume(exchange)
    }

    private func resume(_ exchange: ExchangeRef) {
        exchange.pointee.hasWaited = true
        exchange.pointee.phase = .awaitingResponse
        let client = exchange.pointee.client.unsafelyUnwrapped
        clearTimeout(client.timeout)
        runKeptRequest(client, exchange)
    }
}
