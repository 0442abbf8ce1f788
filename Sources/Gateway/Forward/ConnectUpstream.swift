import Access
import EventLoop
import Glibc
import Telemetry
import Transport

/// From a connection that is wanted to one that is open: the name, then its addresses, a little after one another.
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

    /// Goes on with those that waited for addresses.
    func serveResolved(_ pool: UnsafeMutablePointer<UpstreamPool>, failure: ResolvedName.Failure?) {
        while let upstream = pool.pointee.waiting {
            unlinkWaiting(upstream, from: pool)
            if pool.pointee.addresses.isEmpty {
                upstreamFailed(
                    upstream, .unresolved, expected: "addresses of \(name(of: pool))", found: .text(words(of: failure)))
            } else {
                open(upstream)
            }
        }
    }

    /// Opens a socket to the address whose turn it is.
    private func open(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        let now = clock.microseconds()
        var reason = "no address that was not tried"
        vacate(upstream)
        leaveServer(upstream)
        while let place = nextPlace(upstream, pool, now) {
            upstream.pointee.tried |= 1 << UInt64(place)
            if let failure = startConnecting(upstream, to: place) {
                reason = failure
                putBack(upstream, pool, reason)
                continue
            }
            if upstream.pointee.exchange != nil { occupy(upstream) }
            waitAtServer(upstream)
            setTimeout(upstream.timeout, timeToNextAttempt(upstream, pool, now))
            return
        }
        if upstream.pointee.exchange != nil, pool.pointee.addresses.areCrowded { return refuseExhausted(upstream) }
        upstreamFailed(
            upstream, .unreachable, expected: "a connection to \(name(of: pool))", found: .text(reason))
    }

    /// Begins a TCP handshake with the address at this place; why not, where there is none.
    func startConnecting(_ upstream: UpstreamRef, to place: Int) -> String? {
        let pool = upstream.pointee.pool
        var address = pool.pointee.addresses.all[place].address
        upstream.pointee.address = pool.pointee.addresses.all[place].identity
        upstream.pointee.epoch = pool.pointee.addresses.epoch
        let descriptor = Socket.connect(to: &address)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        upstream.pointee.stream = ByteStream(descriptor: descriptor)
        watchConnecting(upstream)
        return nil
    }

    /// Waits for the end of the TCP handshake of its socket.
    func watchConnecting(_ upstream: UpstreamRef) {
        let descriptor = upstream.pointee.stream.descriptor
        upstream.pointee.state = .connecting
        FileEvent.assign(
            upstream.readEvent, pointee.loop.base, descriptor, [.read, .persistent], onUpstreamReadable, upstream)
        FileEvent.assign(
            upstream.writeEvent, pointee.loop.base, descriptor, [.write, .persistent], onUpstreamWritable, upstream)
        upstream.startWriting()
    }

    /// The place of the next attempt: the one that somebody waits for, then by turns.
    func nextPlace(_ upstream: UpstreamRef, _ pool: UnsafeMutablePointer<UpstreamPool>, _ now: UInt64) -> Int? {
        if upstream.pointee.tried == 0, upstream.pointee.wanted != 0,
            let place = pool.pointee.addresses.place(of: upstream.pointee.wanted), place < UpstreamAddresses.limit
        {
            return place
        }
        let (last, tried) = (upstream.pointee.address, upstream.pointee.tried)
        if tried != 0, let place = pool.pointee.addresses.otherFamily(than: last, after: tried, now: now) {
            return place
        }
        let user = user(of: upstream.pointee.exchange, at: pool)
        let isRequest = upstream.pointee.exchange != nil
        let place = pool.pointee.addresses.next(after: tried, now: now, for: user, isRequest: isRequest)
        tellPanic(pool)
        return place
    }

    /// Half of what is left for a TLS handshake while there is another address to try, so that one that says nothing does not
    /// cost a request its answer; the last one gets all.
    private func timeForHandshake(
        _ upstream: UpstreamRef, _ pool: UnsafeMutablePointer<UpstreamPool>, _ now: UInt64
    ) -> Int {
        let left = upstream.pointee.deadline > now ? Int(upstream.pointee.deadline - now) / 1000 : 0
        return max(1, pool.pointee.addresses.untried(upstream.pointee.tried) > 0 ? left / 2 : left)
    }

    /// The address of an attempt could not be connected to: others come before it for a while.
    func putBack(_ upstream: UpstreamRef, _ pool: UnsafeMutablePointer<UpstreamPool>, _ reason: String) {
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
        let isInTime = clock.microseconds() < upstream.pointee.deadline
        if isInTime, goOnWithAttempt(upstream) { return }
        while let attempt = upstream.pointee.attempts { attemptFailed(attempt, of: upstream, reason) }
        guard pool.pointee.addresses.untried(upstream.pointee.tried) > 0, isInTime
        else { return upstreamFailed(upstream, failure, expected: expected, found: found) }
        closeSocket(upstream)
        open(upstream)
    }

    /// A TCP handshake has ended: go on, or try the next address.
    func connected(_ upstream: UpstreamRef) {
        if case .attempt(let connection) = upstream.pointee.part { return attemptEnded(upstream, of: connection) }
        let code = Socket.pendingError(of: upstream.pointee.stream.descriptor)
        let pool = upstream.pointee.pool
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            return attemptFailed(
                upstream, reason, .unreachable, expected: "a connection to \(name(of: pool))", found: .text(reason))
        }
        closeAttempts(upstream)
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
        setTimeout(upstream.timeout, timeForHandshake(upstream, pool, clock.microseconds()))
        handshake(upstream)
    }

    /// What a TLS handshake offers: nothing but HTTP/1.1, unless requests are to share the connection (H2-74), or gRPC asks.
    private func protocols(for upstream: UpstreamRef) -> ClientTLS.Protocols {
        let settings = upstream.pointee.pool.pointee.settings
        switch upstream.pointee.part {
        case .shared: return settings.version == .automatic ? .both : .http2
        case .check: return settings.pool.health?.grpc == nil ? .unsaid : .http2
        case .none, .grpcCheck, .attempt, .session, .waiting, .stream: return .unsaid
        }
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
