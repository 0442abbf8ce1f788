import Access
import ProxyProtocol
import Transport

/// Headers of the PROXY protocol towards upstreams (ECO-77).
///
/// A header is about a whole connection. So a connection with one carries the requests of the client's connection that it
/// names and no others, and ends with that.
extension WorkerRef {
    /// Writes the header in front of everything else, TLS included; whether the connection has taken all of it.
    ///
    /// It is the first that is written there, and shorter than what any socket takes at once.
    func writeProxyHeader(_ upstream: UpstreamRef) -> Bool {
        guard upstream.pointee.pool.pointee.settings.sendsProxyHeader else { return true }
        let header = upstream.pointee.owner.map(proxyHeader) ?? SentHeader.own
        return header.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            return upstream.pointee.stream.write(start, count: bytes.count) == bytes.count
        }
    }

    /// From whom the client's connection is, as logs and fields have it, to the address that its socket is at.
    private func proxyHeader(of client: ClientRef) -> [UInt8] {
        let reached = PeerAddress(Socket.localAddress(of: client.pointee.stream.descriptor))
        return SentHeader.block(from: client.pointee.peer.endpoint, to: reached.endpoint)
    }

    /// Closes the connections that were for this client's alone, also to upstreams that a reload took away meanwhile.
    func closeOwned(by client: ClientRef) {
        guard pointee.upstreams.sendProxyHeaders else { return }
        for number in 0..<pointee.upstreams.poolCount { closeOwned(by: client, in: pointee.upstreams.pools[number]) }
        for pool in pointee.upstreams.leaving { closeOwned(by: client, in: pool) }
    }

    private func closeOwned(by client: ClientRef, in pool: UnsafeMutablePointer<UpstreamPool>) {
        guard pool.pointee.settings.sendsProxyHeader else { return }
        var next = pool.pointee.idle
        while let upstream = next {
            next = upstream.pointee.next
            if upstream.pointee.owner == client { closeUpstream(upstream) }
        }
    }

    /// Where there may be no more connections, closes the idle one that was used first: it is of another client, to whom
    /// the one that wants one now must not lose its answer.
    func makeRoomAmongOwned(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        guard pool.pointee.settings.sendsProxyHeader,
            pool.pointee.connectionCount >= mostConnections(pool), var last = pool.pointee.idle
        else { return }
        while let next = last.pointee.next { last = next }
        closeUpstream(last)
    }
}

extension PeerAddress {
    fileprivate var endpoint: SentHeader.Endpoint {
        if isUnix { return SentHeader.Endpoint(.unsaid, port: 0) }
        return SentHeader.Endpoint(isIPv6 ? .ipv6(bits) : .ipv4(UInt32(truncatingIfNeeded: bits)), port: port)
    }
}
