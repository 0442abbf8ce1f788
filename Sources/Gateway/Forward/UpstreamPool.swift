// SPDX-License-Identifier: Apache-2.0
import HTTP1
import EventLoop
import Glibc
import Telemetry
import Transport

/// Taking, making and giving back upstream connections.
extension WorkerRef {
    /// The idle connection used last, or nil.
    ///
    /// One on which something arrived is closed, whether or not its event was seen already: what came before the
    /// request was sent is not its response (HTTP-40).
    func takeIdle(_ pool: UnsafeMutablePointer<UpstreamPool>) -> UpstreamRef? {
        while let upstream = pool.pointee.idle, !isQuiet(upstream) { closeUpstream(upstream) }
        guard let upstream = pool.pointee.idle else { return nil }
        unlinkIdle(upstream, from: pool)
        upstream.pointee.state = .active
        clearTimeout(upstream.timeout)
        return upstream
    }

    /// Whether nothing has arrived behind the last response, the peer's end included.
    ///
    /// The kernel is asked each time (a third of a microsecond). Readiness shows only when the loop looks for it again: a
    /// connection that was given back in this same turn would pass for quiet, and what waits on it, such as the content
    /// behind an answer to HEAD, would be the next client's response.
    private func isQuiet(_ upstream: UpstreamRef) -> Bool {
        !FileEvent.isDue(upstream.readEvent) && upstream.pointee.stream.isQuiet
    }

    /// A connection that is not open yet, or nil when the upstream has as many as it may.
    func connect(_ pool: UnsafeMutablePointer<UpstreamPool>) -> UpstreamRef? {
        guard pool.pointee.connectionCount < pointee.limits.upstreamConnections else { return nil }
        pool.pointee.connectionCount += 1
        pointee.metrics.adjust(.upstreamConnections, by: 1)
        let upstream = pointee.upstreams.take()
        upstream.pointee.pool = pool
        upstream.pointee.exchange = nil
        upstream.pointee.wasUsed = false
        upstream.pointee.attempt = 0
        upstream.pointee.keepsAlive = false
        upstream.pointee.parser.reset()
        upstream.pointee.state = .resolving
        upstream.timeout.pointee.owner = .upstream
        upstream.timeout.pointee.place = UnsafeMutableRawPointer(upstream)
        return upstream
    }

    /// Starts to open a connection: the name first, when no address of it is known.
    func begin(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool.unsafelyUnwrapped
        setTimeout(upstream.timeout, pointee.timeouts.upstreamConnect)
        if let exchange = upstream.pointee.exchange { awaitResponse(exchange) }
        refreshAddresses(pool)
        if pool.pointee.addresses.isEmpty {
            upstream.pointee.next = pool.pointee.waiting
            upstream.pointee.previous = nil
            pool.pointee.waiting?.pointee.previous = upstream
            pool.pointee.waiting = upstream
            return
        }
        open(upstream)
    }

    /// Asks for the name's addresses unless that was done a moment ago; the loop goes on meanwhile (OPS-04).
    func refreshAddresses(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        let now = clock.microseconds()
        guard !pool.pointee.isLiteral, !pool.pointee.isResolving,
            pool.pointee.addresses.isEmpty || now &- pool.pointee.resolvedAt > 30_000_000
        else { return }
        pool.pointee.isResolving = true
        let worker = WorkerReference(pointer: self)
        let place = PoolReference(pointer: pool)
        pointee.resolver.resolve(pool.pointee.settings.host, port: pool.pointee.settings.port, on: pointee.loop) {
            worker.pointer.addressesArrived($0, place.pointer)
        }
    }

    /// A pool that waits for addresses is never given back before they came.
    private func addressesArrived(_ addresses: [SocketAddress], _ pool: UnsafeMutablePointer<UpstreamPool>) {
        pool.pointee.isResolving = false
        pool.pointee.resolvedAt = clock.microseconds()
        // A name server that fails for a while does not take away addresses that worked.
        if !addresses.isEmpty { pool.pointee.addresses = addresses }
        while let upstream = pool.pointee.waiting {
            unlinkWaiting(upstream, from: pool)
            if pool.pointee.addresses.isEmpty {
                upstreamFailed(
                    upstream, refuse(.upstreamUnresolved, "addresses of \(pool.pointee.settings.host)", "none"))
            } else {
                open(upstream)
            }
        }
    }

    /// Opens a socket to the address whose turn it is.
    private func open(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool.unsafelyUnwrapped
        while Int(upstream.pointee.attempt) < pool.pointee.addresses.count {
            var address = pool.pointee.addresses[Int(upstream.pointee.attempt)]
            let descriptor = Socket.connect(to: &address)
            guard descriptor >= 0 else {
                upstream.pointee.attempt += 1
                continue
            }
            upstream.pointee.stream = ByteStream(descriptor: descriptor)
            upstream.pointee.state = .connecting
            FileEvent.assign(
                upstream.readEvent, pointee.base, descriptor, [.read, .persistent], onUpstreamReadable, upstream)
            FileEvent.assign(
                upstream.writeEvent, pointee.base, descriptor, [.write, .persistent], onUpstreamWritable, upstream)
            upstream.startWriting()
            return
        }
        let reason = String(cString: strerror(errno))
        upstreamFailed(
            upstream, refuse(.upstreamUnreachable, "a connection to \(name(of: pool))", reason))
    }

    /// A TCP handshake has ended: go on, or try the next address.
    func connected(_ upstream: UpstreamRef) {
        let code = Socket.pendingError(of: upstream.pointee.stream.descriptor)
        guard code == 0 else {
            closeSocket(upstream)
            upstream.pointee.attempt += 1
            errno = code
            return open(upstream)
        }
        let pool = upstream.pointee.pool.unsafelyUnwrapped
        guard let tls = pool.pointee.tls else { return becameActive(upstream) }
        guard
            let stream = tls.open(upstream.pointee.stream.descriptor, serverName: pool.pointee.serverName)
        else {
            return upstreamFailed(upstream, refuse(.upstreamTLSFailed, "TLS to \(name(of: pool))", "no TLS state"))
        }
        upstream.pointee.stream = stream
        upstream.pointee.state = .handshaking
        handshake(upstream)
    }

    /// Advances a TLS handshake with an upstream.
    func handshake(_ upstream: UpstreamRef) {
        switch upstream.pointee.stream.handshake() {
        case 0: becameActive(upstream)
        case ByteStream.wantsRead:
            upstream.stopWriting()
            upstream.startReading()
        case ByteStream.wantsWrite: upstream.startWriting()
        default:
            let pool = upstream.pointee.pool.unsafelyUnwrapped
            let found = upstream.pointee.stream.certificateProblem ?? "a failed handshake"
            upstreamFailed(
                upstream, refuse(.upstreamTLSFailed, "a certificate for \(pool.pointee.serverName)", found))
        }
    }

    private func becameActive(_ upstream: UpstreamRef) {
        upstream.pointee.state = .active
        clearTimeout(upstream.timeout)
        upstream.startReading()
        flushUpstream(upstream)
        if upstream.pointee.state == .active, let exchange = upstream.pointee.exchange { awaitResponse(exchange) }
    }

    /// Gives a connection back to its pool after a response that allows it, or closes it.
    func release(_ upstream: UpstreamRef, isReusable: Bool) {
        upstream.pointee.exchange = nil
        let pool = upstream.pointee.pool.unsafelyUnwrapped
        guard isReusable, !pointee.isDraining, pool.pointee.idleCount < pointee.limits.upstreamIdleConnections else {
            return closeUpstream(upstream)
        }
        upstream.pointee.state = .idle
        upstream.pointee.wasUsed = true
        upstream.pointee.keepsAlive = false
        upstream.pointee.parser.reset()
        upstream.pointee.previous = nil
        upstream.pointee.next = pool.pointee.idle
        pool.pointee.idle?.pointee.previous = upstream
        pool.pointee.idle = upstream
        pool.pointee.idleCount += 1
        setTimeout(upstream.timeout, pointee.timeouts.upstreamIdle)
        upstream.startReading()
    }

    /// Closes a connection, wherever it is in its life.
    func closeUpstream(_ upstream: UpstreamRef) {
        guard upstream.pointee.state != .closed else { return }
        let pool = upstream.pointee.pool.unsafelyUnwrapped
        if upstream.pointee.state == .idle { unlinkIdle(upstream, from: pool) }
        if upstream.pointee.state == .resolving { unlinkWaiting(upstream, from: pool) }
        closeSocket(upstream)
        pointee.wheel.remove(upstream.timeout)
        upstream.pointee.input.release(to: &pointee.buffers)
        upstream.pointee.output.release(to: &pointee.buffers)
        dropPipe(&upstream.pointee.pipe)
        upstream.pointee.exchange = nil
        upstream.pointee.state = .closed
        pool.pointee.connectionCount -= 1
        pointee.metrics.adjust(.upstreamConnections, by: -1)
        pointee.upstreams.giveBack(upstream)
    }

    private func closeSocket(_ upstream: UpstreamRef) {
        upstream.stopReading()
        upstream.stopWriting()
        upstream.pointee.stream.close()
    }

    func name(of pool: UnsafeMutablePointer<UpstreamPool>) -> String {
        "\(pool.pointee.settings.host):\(pool.pointee.settings.port)"
    }

    private func unlinkIdle(_ upstream: UpstreamRef, from pool: UnsafeMutablePointer<UpstreamPool>) {
        if let previous = upstream.pointee.previous {
            previous.pointee.next = upstream.pointee.next
        } else {
            pool.pointee.idle = upstream.pointee.next
        }
        upstream.pointee.next?.pointee.previous = upstream.pointee.previous
        upstream.pointee.previous = nil
        upstream.pointee.next = nil
        pool.pointee.idleCount -= 1
    }

    private func unlinkWaiting(_ upstream: UpstreamRef, from pool: UnsafeMutablePointer<UpstreamPool>) {
        guard upstream.pointee.previous != nil || upstream.pointee.next != nil || pool.pointee.waiting == upstream
        else { return }
        if let previous = upstream.pointee.previous {
            previous.pointee.next = upstream.pointee.next
        } else {
            pool.pointee.waiting = upstream.pointee.next
        }
        upstream.pointee.next?.pointee.previous = upstream.pointee.previous
        upstream.pointee.previous = nil
        upstream.pointee.next = nil
    }
}

/// A pool's place, for closures that come back to the loop of its worker.
struct PoolReference: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<UpstreamPool>
}

/// A worker's place, for closures that come back to the worker's own loop.
struct WorkerReference: @unchecked Sendable {
    let pointer: WorkerRef
}
