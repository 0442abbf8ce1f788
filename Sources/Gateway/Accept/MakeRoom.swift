import Access
import Telemetry

/// Places for new connections: so many in all, and so many of one client (HTTP-66, OPS-05, T-42).
extension WorkerRef {
    /// Why a connection of this client may not be taken; closes an idle one of it where that makes room.
    func refusal(of peer: PeerAddress, at listener: UnsafeMutablePointer<ListenerSocket>) -> Refusal? {
        // Its own share first: whoever has used that up closes nobody else's connection.
        if listener.pointee.tls != nil, isCounted(peer, at: listener),
            let bound = boundOfHandshakes(peer.networkWords)
        {
            sayRefused(peer, bound)
            return .clientConnectionsTooMany
        }
        let limit = pointee.policy.limits.clientConnections
        if limit < pointee.policy.limits.connections, isCounted(peer, at: listener),
            pointee.connections.networks.count(of: peer.networkWords) >= limit,
            !closeIdle(of: peer.networkWords)
        {
            sayRefused(peer, "\(limit) connections of one client at most")
            return .clientConnectionsTooMany
        }
        return nil
    }

    /// Why no connection may be taken at all, whoever's it is; closes an idle one where that makes room for it.
    func refusalForWantOfRoom(_ peer: PeerAddress) -> Refusal? {
        guard pointee.connections.openClients >= pointee.policy.limits.connections, !closeLongestIdle() else {
            return nil
        }
        sayRefused(peer, "\(pointee.policy.limits.connections) connections at most")
        return .tooManyConnections
    }

    /// Which bound another TLS handshake of this client would break, or nil when it may begin.
    ///
    /// A handshake costs about a millisecond of the worker, and whoever completes them as fast as it can has only few
    /// under way: the share of those alone would let it slow all others down.
    private func boundOfHandshakes(_ network: (UInt64, UInt64)) -> String? {
        guard pointee.connections.networks.count(of: network, .handshakes) < pointee.policy.shares.handshakes else {
            return "\(pointee.policy.shares.handshakes) handshakes of one client at most"
        }
        let wait = pointee.connections.networks.take(
            network, .handshakes, at: clock.microseconds(), pointee.policy.shares.handshakeRate)
        guard wait > 0 else { return nil }
        let rate = pointee.policy.limits.shares.handshakeRate
        return "\(rate) handshakes a second of one client (limits.handshake_rate_per_client)"
    }

    /// Whether a client's connections are counted: those of proxies in front are not one client's, nor are those
    /// of a Unix socket, which have no address.
    func isCounted(_ peer: PeerAddress, at listener: UnsafeMutablePointer<ListenerSocket>) -> Bool {
        !peer.isUnix && !listener.pointee.proxies.contains(peer) && !listener.pointee.terminators.contains(peer)
    }

    /// Whether who sent a request is one client.
    ///
    /// Whom a header of the PROXY protocol does not name has the address of the proxy, which stands for many.
    func isCounted(_ exchange: ExchangeRef) -> Bool {
        let client = exchange.pointee.client
        let listener = pointee.listening.listeners + Int(client.pointee.listener)
        let address = exchange.pointee.address
        if listener.pointee.awaitsProxyHeader, !client.carrier.pointee.isCounted,
            address.bits == client.pointee.peer.bits
        {
            return false
        }
        return isCounted(address, at: listener)
    }

    /// Closes the connection that has waited longest for its next request; false when none waits.
    ///
    /// So that many idle connections do not lock out whoever wants to ask something now.
    private func closeLongestIdle() -> Bool {
        // A look that found nothing finds nothing more before the next tick.
        guard pointee.connections.noneIdleAt != pointee.connections.wheel.now else { return false }
        var found = pointee.connections.wheel.earliest(from: pointee.connections.idleFrom, atMost: .max) {
            isIdle($0) != nil
        }
        // Whoever was busy at the last look may still be linked before the place where that ended.
        if found == nil { found = pointee.connections.wheel.earliest(from: 0, atMost: .max) { isIdle($0) != nil } }
        guard let found, let client = isIdle(found) else {
            pointee.connections.noneIdleAt = pointee.connections.wheel.now
            pointee.connections.idleFrom = 0
            return false
        }
        // Whoever became idle later is later in the wheel: the next look begins here.
        pointee.connections.idleFrom = found.pointee.scheduled
        closeClient(client)
        return true
    }

    /// The same among the connections of one client, as far as a short look finds one.
    private func closeIdle(of network: (UInt64, UInt64)) -> Bool {
        let found = pointee.connections.wheel.earliest(from: 0, atMost: 256) { timeout in
            isIdle(timeout).map { $0.pointee.peer.networkWords == network } ?? false
        }
        guard let found, let client = isIdle(found) else { return false }
        closeClient(client)
        return true
    }

    /// The client whose clock it is, if it waits for its next request with nothing under way.
    private func isIdle(_ timeout: UnsafeMutablePointer<Timeout>) -> ClientRef? {
        guard timeout.pointee.owner == .client, let place = timeout.pointee.place else { return nil }
        let client = place.assumingMemoryBound(to: ClientConnection.self)
        if let session = client.pointee.part.session { return session.pointee.streamCount == 0 ? client : nil }
        let isIdle =
            client.pointee.state == .awaitingHead && !client.pointee.isHeadTimed && client.pointee.input.isEmpty
            && !client.pointee.hasOutput
        return isIdle ? client : nil
    }

    /// Tells the operator, and not once for each connection of a flood: every ten seconds at most.
    private func sayRefused(_ peer: PeerAddress, _ expected: String) {
        let now = pointee.connections.wheel.now
        guard
            pointee.connections.refusedConnectionsSaidAt == 0
                || now &- pointee.connections.refusedConnectionsSaidAt >= 100
        else { return }
        pointee.connections.refusedConnectionsSaidAt = now
        pointee.journal.operatorLog.write(
            .warning, .connectionsRefused, LogField(.client, peer.text), LogField(.expected, expected))
    }
}
