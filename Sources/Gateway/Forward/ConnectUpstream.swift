import Access
import EventLoop
import Glibc
import Telemetry
import Transport

/// From a connection that is wanted to one that is open: the name, then one address after the other.
extension WorkerRef {
    /// Starts to open a connection: the name first, when no address of it is known.
    func begin(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        let now = clock.microseconds()
        setTimeout(upstream.timeout, pointee.policy.timeouts.upstreamConnect)
        upstream.pointee.deadline = now &+ UInt64(pointee.policy.timeouts.upstreamConnect) * 1000
        if let exchange = upstream.pointee.exchange { awaitResponse(exchange) }
        refreshAddresses(pool, now: now)
        if pool.pointee.addresses.isEmpty {
            upstream.pointee.next = pool.pointee.waiting
            upstream.pointee.previous = nil
            pool.pointee.waiting?.pointee.previous = upstream
            pool.pointee.waiting = upstream
            return
        }
        open(upstream)
    }

    /// Asks for the addresses of names unless that was done a moment ago; the loop goes on meanwhile (OPS-04).
    func refreshAddresses(_ pool: UnsafeMutablePointer<UpstreamPool>, now: UInt64) {
        guard pool.pointee.addresses.hasNames else { return }
        let worker = WorkerReference(pointer: self)
        let place = PoolReference(pointer: pool)
        for number in pool.pointee.addresses.due(now: now) {
            let server = pool.pointee.addresses.servers[number]
            pointee.upstreams.resolver.resolve(server.host, port: server.port, on: pointee.loop.events) {
                worker.pointer.addressesArrived($0, number, place.pointer)
            }
        }
    }

    /// A pool that waits for addresses is never given back before they came.
    private func addressesArrived(
        _ addresses: [SocketAddress], _ server: Int, _ pool: UnsafeMutablePointer<UpstreamPool>
    ) {
        if pool.pointee.addresses.answered(addresses, server: server, now: clock.microseconds()) {
            closeIdleElsewhere(pool)
        }
        // One of several names that leads nowhere is no reason to give up before the others have been heard.
        if pool.pointee.addresses.isEmpty, pool.pointee.isResolving { return }
        while let upstream = pool.pointee.waiting {
            unlinkWaiting(upstream, from: pool)
            if pool.pointee.addresses.isEmpty {
                upstreamFailed(
                    upstream, .unresolved, expected: "addresses of \(name(of: pool))", found: "none")
            } else {
                open(upstream)
            }
        }
    }

    /// Closes idle connections to addresses that the upstream's name does not lead to any more.
    private func closeIdleElsewhere(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        var next = pool.pointee.idle
        while let upstream = next {
            next = upstream.pointee.next
            if !pool.pointee.addresses.isKnown(upstream) { closeUpstream(upstream) }
        }
        leaveSharedElsewhere(pool)
    }

    /// Opens a socket to the address whose turn it is.
    private func open(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        let now = clock.microseconds()
        var reason = "no address that was not tried"
        vacate(upstream)
        while let place = nextPlace(upstream, pool, now) {
            var address = pool.pointee.addresses.all[place].address
            upstream.pointee.tried |= 1 << UInt64(place)
            upstream.pointee.address = pool.pointee.addresses.all[place].identity
            upstream.pointee.epoch = pool.pointee.addresses.epoch
            if upstream.pointee.exchange != nil { occupy(upstream) }
            let descriptor = Socket.connect(to: &address)
            guard descriptor >= 0 else {
                reason = String(cString: strerror(errno))
                putBack(upstream, pool, reason)
                continue
            }
            upstream.pointee.stream = ByteStream(descriptor: descriptor)
            upstream.pointee.state = .connecting
            FileEvent.assign(
                upstream.readEvent, pointee.loop.base, descriptor, [.read, .persistent], onUpstreamReadable, upstream)
            FileEvent.assign(
                upstream.writeEvent, pointee.loop.base, descriptor, [.write, .persistent], onUpstreamWritable, upstream)
            upstream.startWriting()
            setTimeout(upstream.timeout, timeForAttempt(upstream, pool, now))
            return
        }
        upstreamFailed(
            upstream, .unreachable, expected: "a connection to \(name(of: pool))", found: .text(reason))
    }

    /// The place of the next attempt: the one that somebody waits for, then by turns.
    private func nextPlace(_ upstream: UpstreamRef, _ pool: UnsafeMutablePointer<UpstreamPool>, _ now: UInt64) -> Int? {
        if upstream.pointee.tried == 0, upstream.pointee.wanted != 0,
            let place = pool.pointee.addresses.place(of: upstream.pointee.wanted), place < UpstreamAddresses.limit
        {
            return place
        }
        let user = user(of: upstream.pointee.exchange, at: pool)
        let place = pool.pointee.addresses.next(after: upstream.pointee.tried, now: now, for: user)
        tellPanic(pool)
        return place
    }

    /// Half of what is left while there is another address to try, so that one that swallows packets does not cost a
    /// request its answer; the last one gets all.
    private func timeForAttempt(
        _ upstream: UpstreamRef, _ pool: UnsafeMutablePointer<UpstreamPool>, _ now: UInt64
    ) -> Int {
        let left = upstream.pointee.deadline > now ? Int(upstream.pointee.deadline - now) / 1000 : 0
        return max(1, pool.pointee.addresses.untried(upstream.pointee.tried) > 0 ? left / 2 : left)
    }

    /// The address of an attempt could not be connected to: others come before it for a while.
    private func putBack(_ upstream: UpstreamRef, _ pool: UnsafeMutablePointer<UpstreamPool>, _ reason: String) {
        let found = pool.pointee.addresses.server(of: upstream.pointee.address)
        vacate(upstream)
        pool.pointee.addresses.failed(upstream.pointee.address, now: clock.microseconds())
        serverFailed(upstream, "no connection")
        guard let found, pool.pointee.addresses.all.count > 1 else { return }
        say(
            .addressPutBack, at: pool,
            [
                LogField(.upstream, name(of: pool)), LogField(.address, found.address.address.description),
                LogField(.found, reason),
            ])
    }

    /// An attempt has failed: the next address, or the refusal when there is none or no time.
    func attemptFailed(
        _ upstream: UpstreamRef, _ reason: String, _ failure: ConnectFailure, expected: Refused.Words,
        found: Refused.Words
    ) {
        if case .check = upstream.pointee.part { return closeUpstream(upstream) }
        let pool = upstream.pointee.pool
        putBack(upstream, pool, reason)
        guard pool.pointee.addresses.untried(upstream.pointee.tried) > 0,
            clock.microseconds() < upstream.pointee.deadline
        else { return upstreamFailed(upstream, failure, expected: expected, found: found) }
        closeSocket(upstream)
        open(upstream)
    }

    /// A TCP handshake has ended: go on, or try the next address.
    func connected(_ upstream: UpstreamRef) {
        let code = Socket.pendingError(of: upstream.pointee.stream.descriptor)
        let pool = upstream.pointee.pool
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            return attemptFailed(
                upstream, reason, .unreachable, expected: "a connection to \(name(of: pool))", found: .text(reason))
        }
        guard writeProxyHeader(upstream) else {
            return attemptFailed(
                upstream, "it takes no bytes", .unreachable, expected: "a connection to \(name(of: pool))",
                found: "one that takes no header of the PROXY protocol")
        }
        guard let tls = pool.pointee.tls else { return becameActive(upstream) }
        let stream = tls.open(
            upstream.pointee.stream.descriptor, serverName: certificateName(upstream),
            offering: protocols(for: upstream))
        guard let stream else {
            return upstreamFailed(
                upstream, .tlsFailed, expected: "TLS to \(name(of: pool))", found: "no TLS state")
        }
        upstream.pointee.stream = stream
        upstream.pointee.state = .handshaking
        handshake(upstream)
    }

    /// What a TLS handshake offers: nothing but HTTP/1.1, unless requests are to share the connection (H2-74).
    private func protocols(for upstream: UpstreamRef) -> ClientTLS.Protocols {
        guard case .shared = upstream.pointee.part else { return .unsaid }
        return upstream.pointee.pool.pointee.settings.version == .automatic ? .both : .http2
    }

    private func certificateName(_ upstream: UpstreamRef) -> String {
        let addresses = upstream.pointee.pool.pointee.addresses
        // An address that has gone from its name meanwhile: any server's name will do to refuse what it shows.
        return addresses.server(of: upstream.pointee.address)?.certificateName ?? addresses.servers[0].certificateName
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
            let name = certificateName(upstream)
            let failure = HandshakeFailure.take()
            let problem = upstream.pointee.stream.certificateProblem
            let expected: Refused.Words = problem == nil ? "TLS from \(name)" : "a certificate for \(name)"
            let found = problem ?? failure.wordsOfServer
            attemptFailed(upstream, found, .tlsFailed, expected: expected, found: .text(found))
        }
    }
}

extension HandshakeFailure {
    /// Why the handshake with a server came to nothing, for whoever looks after both.
    fileprivate var wordsOfServer: String {
        switch self {
        case .notTLS: "something that is no TLS, such as plain HTTP"
        case .closed: "the end of the connection"
        case .version: "no version of TLS that both speak"
        case .cipher: "no cipher that both have"
        case .certificate: "a certificate that was not accepted"
        case .applicationProtocol: "no version of HTTP that both speak"
        case .alert: "an alert: it does not accept what it was shown, or wants a client certificate"
        case .other: "a failed handshake"
        }
    }
}
