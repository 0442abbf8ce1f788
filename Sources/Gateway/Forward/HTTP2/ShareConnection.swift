import Access
import HTTP1
import HTTP2
import Telemetry
import Transport

/// Requests to an upstream that speaks HTTP/2: a stream in one of a few connections for each, or a place in the queue.
extension WorkerRef {
    /// Gives head and body to a connection that is shared, as soon as one has room.
    func sendShared(_ exchange: ExchangeRef, _ writer: HeadWriter, _ pool: UnsafeMutablePointer<UpstreamPool>) {
        let client = exchange.pointee.client
        guard let upstream = standIn(pool) else { return answer(exchange, refused: connectionsExhausted(pool)) }
        attach(exchange, upstream)
        // What an upstream has not looked at may be sent again, whatever its method (RFC 9113 §8.7, H2-78).
        if !exchange.pointee.holdsContent {
            exchange.pointee.replay.release(to: &pointee.connections.buffers)
            _ = exchange.pointee.replay.append(writer.base, writer.count, from: &pointee.connections.buffers)
            exchange.pointee.replayedContent = exchange.pointee.requestBytes
        }
        let bytes = UnsafeBufferPointer(start: UnsafePointer(writer.base), count: writer.count)
        if !exchange.pointee.offersWebSocket, let session = session(for: upstream) {
            begin(upstream, exchange, on: session, bytes)
        } else if upstream.pointee.output.append(writer.base, writer.count, from: &pointee.connections.buffers) {
            assign(upstream)
        } else {
            answer(
                exchange, refused: Refused(.identityTooLarge, expected: "a head within limits", found: "a larger one"))
        }
        if client.pointee.exchange == exchange, exchange.pointee.upstream == upstream { goOn(client, exchange) }
    }

    /// Keeps content with the head that it follows, as long as both are small: then they can be sent once more.
    func keepForRepeat(_ exchange: ExchangeRef, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        guard !exchange.pointee.replay.isEmpty else { return }
        if exchange.pointee.replay.count + count <= UpstreamSession.mostRepeated,
            exchange.pointee.replay.append(bytes, count, from: &pointee.connections.buffers)
        {
            exchange.pointee.replayedContent = exchange.pointee.requestBytes
        } else {
            exchange.pointee.replay.release(to: &pointee.connections.buffers)
        }
    }

    /// Sends a request once more that no upstream has answered: what of it was sent is kept.
    ///
    /// Not to the address at the place `avoided`, which has failed it. With `keepsCopy` it can be sent once more behind that.
    func sendAgain(
        _ exchange: ExchangeRef, _ pool: UnsafeMutablePointer<UpstreamPool>, avoiding avoided: Int? = nil,
        keepsCopy: Bool = false
    ) {
        exchange.pointee.mayRetry = false
        guard let upstream = standIn(pool) else { return answer(exchange, refused: connectionsExhausted(pool)) }
        if let avoided { beginRetry(upstream, avoiding: avoided) }
        attach(exchange, upstream)
        renewProof(exchange, pool)
        // Where it is not known yet what the upstream speaks, content is framed once it is.
        exchange.pointee.isUnframed = exchange.pointee.holdsContent
        if exchange.pointee.isUnframed { exchange.pointee.goesByHTTP2 = true }
        let content = exchange.pointee.holdsContent ? 0 : Int(exchange.pointee.replayedContent)
        let head = exchange.pointee.replay.count - content
        upstream.pointee.output = takeKept(exchange, framed: false)
        if keepsCopy { keepCopy(exchange, of: upstream.pointee.output, head: head) }
        let client = exchange.pointee.client
        assign(upstream)
        if client.pointee.exchange == exchange, exchange.pointee.upstream == upstream { goOn(client, exchange) }
    }

    /// Keeps what is sent again, to be sent again, as long as it is small: a head of so many bytes, and content.
    private func keepCopy(_ exchange: ExchangeRef, of output: Buffer, head: Int) {
        guard output.count >= head, output.count <= UpstreamSession.mostRepeated,
            exchange.pointee.replay.append(output.bytes, output.count, from: &pointee.connections.buffers)
        else { return }
        exchange.pointee.replayedContent = Int64(output.count - head)
    }

    /// A connection without a socket, for one request; nil when the upstream has as many requests as it may.
    private func standIn(_ pool: UnsafeMutablePointer<UpstreamPool>) -> UpstreamRef? {
        guard pool.pointee.connectionCount < mostConnections(pool) else { return nil }
        pool.pointee.connectionCount += 1
        let upstream = pointee.upstreams.connections.take(UpstreamConnection(self, of: pool))
        upstream.timeout.pointee.place = UnsafeMutableRawPointer(upstream)
        upstream.pointee.part = .waiting
        return upstream
    }

    /// A connection with room for one more stream: of several servers, one to that whose turn it is.
    private func session(for upstream: UpstreamRef) -> UpstreamSessionRef? {
        let pool = upstream.pointee.pool
        let isEntitled = pool.pointee.users != nil && !hasShare(upstream)
        guard pool.pointee.addresses.isSeveral else {
            return pool.pointee.addresses.areFull ? nil : room(in: pool, at: nil, isEntitled: isEntitled)
        }
        let (user, now) = (user(of: upstream.pointee.exchange, at: pool), pointee.loop.lastTick)
        let place = pool.pointee.addresses.place(after: upstream.pointee.tried, now: now, for: user)
        tellPanic(pool)
        guard let place else {
            return pool.pointee.addresses.isBounded ? nil : room(in: pool, at: nil, isEntitled: isEntitled)
        }
        let identity = pool.pointee.addresses.all[place].identity
        if let session = room(in: pool, at: identity, isEntitled: isEntitled) {
            pool.pointee.addresses.hadTurn(place, now: now)
            return session
        }
        openShared(pool, to: identity)
        // Whoever is nobody's in particular need not wait for that: another one will do that is as well, and has not failed it.
        guard user == UpstreamAddresses.nobody else { return nil }
        let mustBeWell = pool.pointee.addresses.isWell(place, at: now)
        for other in 0..<min(pool.pointee.addresses.all.count, UpstreamAddresses.limit)
        where other != place && upstream.pointee.tried & (1 << UInt64(other)) == 0 {
            guard !mustBeWell || pool.pointee.addresses.isWell(other, at: now),
                !pool.pointee.addresses.isFull(other)
            else { continue }
            let identity = pool.pointee.addresses.all[other].identity
            if let session = room(in: pool, at: identity, isEntitled: isEntitled) { return session }
        }
        return nil
    }

    /// Whether a request finds a connection with room for its stream, as `session` would choose it, and does not wait.
    func hasStream(
        _ pool: UnsafeMutablePointer<UpstreamPool>, for exchange: ExchangeRef, of user: UInt64
    ) -> Bool {
        let isEntitled = pool.pointee.users != nil && !wouldHaveShare(exchange, of: pool)
        func accepts(_ address: UInt64?) -> Bool {
            guard let session = room(in: pool, at: address, isEntitled: isEntitled) else { return false }
            guard exchange.pointee.offersWebSocket else { return true }
            return session.pointee.core.hasSettings && session.pointee.core.takesTunnels
        }
        guard pool.pointee.addresses.isSeveral else { return accepts(nil) }
        let now = pointee.loop.lastTick
        let places = 0..<min(pool.pointee.addresses.all.count, UpstreamAddresses.limit)
        guard user == UpstreamAddresses.nobody else {
            guard let place = pool.pointee.addresses.place(after: 0, now: now, for: user) else { return false }
            return accepts(pool.pointee.addresses.all[place].identity)
        }
        // Whose turn it is does not matter: another one will do that is as well.
        let free = places.filter { !pool.pointee.addresses.isFull($0) }
        let well = free.filter { pool.pointee.addresses.isWell($0, at: now) }
        return (well.isEmpty ? free : well).contains { accepts(pool.pointee.addresses.all[$0].identity) }
    }

    /// A connection of the pool's with room for one more stream, the latest first; to one address, or to any, and of those that
    /// are reserved only where the request is entitled to them.
    private func room(
        in pool: UnsafeMutablePointer<UpstreamPool>, at address: UInt64?, isEntitled: Bool = false
    ) -> UpstreamSessionRef? {
        var next = pool.pointee.shared
        while let carrier = next {
            next = carrier.pointee.next
            guard case .session(let session) = carrier.pointee.part, !session.pointee.isLeaving else { continue }
            // A handshake by what files said before is nobody's next.
            guard carrier.pointee.reading == pool.pointee.reading else {
                leaveSoon(session)
                continue
            }
            if let address, carrier.pointee.address != address { continue }
            if session.pointee.core.room > 0, isEntitled || !session.pointee.isReserved { return session }
        }
        return nil
    }

    /// Gives a request whose bytes wait in `output` its place, or has it wait for one.
    private func assign(_ upstream: UpstreamRef) {
        guard !findPlace(upstream) else { return }
        let pool = upstream.pointee.pool
        guard !pool.pointee.addresses.areFull else { return refuseExhausted(upstream) }
        guard mayWait(pool, for: upstream.pointee.exchange) else { return refuseExhausted(upstream) }
        beginPending(upstream, of: upstream.pointee.exchange)
        addWaiting(upstream)
        setTimeout(upstream.timeout, pointee.policy.timeouts.upstreamConnect)
        openWhereNeeded(pool)
    }

    /// Whether a request that waited has its place, or is over.
    private func findPlace(_ upstream: UpstreamRef) -> Bool {
        guard let exchange = upstream.pointee.exchange else {
            closeUpstream(upstream)
            return true
        }
        guard let session = session(for: upstream) else { return false }
        if exchange.pointee.offersWebSocket {
            // Whether it takes extended CONNECT is known once its SETTINGS have come (RFC 8441 §3).
            guard session.pointee.core.hasSettings else { return false }
            guard session.pointee.core.takesTunnels else {
                useHTTP1(upstream)
                return true
            }
        }
        dequeue(upstream)
        var output = upstream.pointee.output
        upstream.pointee.output = Buffer()
        begin(upstream, exchange, on: session, UnsafeBufferPointer(start: output.bytes, count: output.count))
        output.release(to: &pointee.connections.buffers)
        return true
    }

    /// Opens a stream for a request, of which these bytes are at hand.
    private func begin(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, on session: UpstreamSessionRef,
        _ bytes: UnsafeBufferPointer<UInt8>
    ) {
        let isTunnel = exchange.pointee.offersWebSocket
        let stream = pointee.upstreams.http2.streams.take(UpstreamStream(session, upstream, isTunnel: isTunnel))
        let length = OwnHead.length(of: bytes) ?? 0
        let trailers = exchange.pointee.trailers
        let ends = exchange.pointee.request.isComplete && length == bytes.count && !isTunnel && trailers.isEmpty
        let number = session.pointee.core.submitHead(
            UnsafeBufferPointer(rebasing: bytes[..<length]), ends: ends, opensTunnel: isTunnel,
            place: UnsafeMutableRawPointer(stream))
        guard let number, let start = bytes.baseAddress else {
            pointee.upstreams.http2.streams.giveBack(stream)
            return answer(
                exchange,
                refused: Refused(
                    .headerSectionTooLarge, expected: "a head that the upstream reads", found: "a larger one"))
        }
        stream.pointee.number = number
        if !trailers.isEmpty {
            let lines = UnsafeBufferPointer(start: UnsafePointer(trailers.bytes), count: trailers.count)
            _ = session.pointee.core.submitTrailers(number, lines)
            send(stream)
        }
        stream.pointee.isEndSent = ends
        link(stream)
        if session.pointee.core.isNearlySpent { leaveSoon(session) }
        upstream.pointee.part = .stream(stream)
        upstream.pointee.address = session.pointee.carrier.pointee.address
        occupy(upstream)
        endPending(upstream)
        upstream.pointee.state = .active
        upstream.pointee.wasUsed = session.pointee.hasServed
        exchange.pointee.goesByHTTP2 = true
        clearTimeout(upstream.timeout)
        session.pointee.attached += 1
        let isFirst = session.pointee.attached == 1 || !session.pointee.hasBegun && session.pointee.askedAt != 0
        session.pointee.hasBegun = true
        if isFirst { watch(session) }
        upstream.startReading()
        if bytes.count > length {
            guard
                upstream.pointee.output.append(
                    start + length, bytes.count - length, from: &pointee.connections.buffers)
            else { return upstreamBroke(upstream) }
            send(stream)
        }
        queue(session)
        // What waited for this knows its clock now.
        if exchange.pointee.upstream == upstream { awaitResponse(exchange) }
    }

    /// Asks the upstream by HTTP/1.1 for what its HTTP/2 cannot carry, or because it speaks no other.
    private func useHTTP1(_ upstream: UpstreamRef) {
        dequeue(upstream)
        let pool = upstream.pointee.pool
        guard upstream.pointee.isPending || mayWait(pool, for: upstream.pointee.exchange) else {
            return refuseExhausted(upstream)
        }
        beginPending(upstream, of: upstream.pointee.exchange)
        upstream.pointee.part = .none
        countOpened(pool)
        begin(upstream)
    }

    /// Opens another connection where requests wait and there may be one more.
    private func openWhereNeeded(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        guard pool.pointee.sharedConnecting == 0, mayOpen(pool), lacksRoom(pool) else { return }
        openShared(pool)
    }

    /// Opens a connection to one of several servers, unless one is on its way or there are enough.
    private func openShared(_ pool: UnsafeMutablePointer<UpstreamPool>, to address: UInt64) {
        guard !pool.pointee.addresses.isOpening(address) else { return }
        var (count, next) = (0, pool.pointee.shared)
        while let carrier = next {
            next = carrier.pointee.next
            guard carrier.pointee.address == address, case .session(let session) = carrier.pointee.part else {
                continue
            }
            if !session.pointee.isLeaving { count += 1 }
        }
        guard count < UpstreamSession.mostConnections else { return }
        pool.pointee.addresses.setOpening(address, true)
        openShared(pool, wanted: address)
    }

    private func openShared(_ pool: UnsafeMutablePointer<UpstreamPool>, wanted: UInt64 = 0) {
        pool.pointee.sharedCount += 1
        pool.pointee.sharedConnecting += 1
        countOpened(pool)
        let upstream = pointee.upstreams.connections.take(UpstreamConnection(self, of: pool))
        upstream.timeout.pointee.place = UnsafeMutableRawPointer(upstream)
        upstream.pointee.part = .shared
        upstream.pointee.wanted = wanted
        begin(upstream)
    }

    /// Whether somebody waits for room; a WebSocket where SETTINGS are on their way waits for these alone.
    private func lacksRoom(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        guard awaitsSettings(pool) else { return pool.pointee.firstWaiting != nil }
        return pool.pointee.queue.hasOther || pool.pointee.queueBehind.hasOther
    }

    private func awaitsSettings(_ pool: UnsafeMutablePointer<UpstreamPool>) -> Bool {
        var next = pool.pointee.shared
        while let carrier = next {
            next = carrier.pointee.next
            if case .session(let session) = carrier.pointee.part, !session.pointee.isLeaving,
                !session.pointee.core.hasSettings
            {
                return true
            }
        }
        return false
    }

    /// A connection that is to be shared is open: by what it speaks.
    func becameShared(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        let version = pool.pointee.settings.version
        let speaksHTTP2 = upstream.pointee.stream.tls == nil ? version == .http2 : upstream.pointee.stream.speaksHTTP2
        guard speaksHTTP2 else {
            if version == .automatic { return becameHTTP1(upstream) }
            return upstreamFailed(
                upstream, .otherProtocol, expected: "h2 by ALPN from \(name(of: pool))", found: "HTTP/1.1, or no ALPN")
        }
        var limits = ConnectionLimits()
        limits.headerList = min(limits.headerList, pointee.policy.httpLimits.headerSection)
        limits.fieldCount = pointee.policy.httpLimits.fieldCount
        limits.streamWindow = UpstreamSession.streamWindow
        limits.connectionWindow = UpstreamSession.connectionWindow
        limits.scheme = upstream.pointee.stream.tls == nil ? .http : .https
        guard let memory = pointee.connections.http2.frames.memory,
            let core = HTTP2.ClientConnection(limits, memory: memory, source: UpstreamStream.source)
        else {
            return upstreamFailed(upstream, .otherProtocol, expected: "memory for frames", found: "none")
        }
        let session = pointee.upstreams.http2.sessions.take(UpstreamSession(upstream, core))
        session.pointee.isReserved = pool.pointee.sharedCount > pool.pointee.usualConnections
        upstream.pointee.part = .session(session)
        upstream.pointee.state = .active
        pool.pointee.sharedConnecting -= 1
        pool.pointee.addresses.setOpening(upstream.pointee.wanted, false)
        pool.pointee.version = .http2
        pool.pointee.share(upstream)
        let now = clock.microseconds()
        pool.pointee.addresses.succeeded(upstream.pointee.address, now: now)
        pool.pointee.counters.countConnect(at: now)
        upstream.startReading()
        watch(session)
        serveWaiting(pool)
        queue(session)
    }

    /// It has agreed on HTTP/1.1: the first of those that wait gets it, the others connections of their own.
    private func becameHTTP1(_ carrier: UpstreamRef) {
        let pool = carrier.pointee.pool
        pool.pointee.sharedCount -= 1
        pool.pointee.sharedConnecting -= 1
        pool.pointee.addresses.setOpening(carrier.pointee.wanted, false)
        pool.pointee.version = .http1
        pool.pointee.connectionCount += 1
        carrier.pointee.part = .none
        while let waiting = pool.pointee.firstWaiting {
            guard let exchange = waiting.pointee.exchange else {
                closeUpstream(waiting)
                continue
            }
            guard isForHTTP1(waiting, exchange) else { continue }
            guard carrier.pointee.exchange == nil else {
                useHTTP1(waiting)
                continue
            }
            dequeue(waiting)
            carrier.pointee.output = waiting.pointee.output
            waiting.pointee.output = Buffer()
            waiting.pointee.exchange = nil
            closeUpstream(waiting)
            attach(exchange, carrier)
            occupy(carrier)
        }
        guard carrier.pointee.exchange == nil else { return becameActive(carrier) }
        // Those who waited have left.
        carrier.pointee.state = .active
        carrier.pointee.keepsAlive = true
        release(carrier, isReusable: true)
    }

    /// Whether what waits can be sent by HTTP/1.1; content that was framed for HTTP/2 cannot.
    private func isForHTTP1(_ upstream: UpstreamRef, _ exchange: ExchangeRef) -> Bool {
        let isFramed =
            exchange.pointee.isUnframed
            ? frameHeld(upstream, exchange) : exchange.pointee.requestBytes == 0 && endContent(upstream, exchange)
        if isFramed {
            exchange.pointee.goesByHTTP2 = false
            return true
        }
        dequeue(upstream)
        upstreamBroke(upstream, found: "HTTP/1.1, where it spoke HTTP/2 before")
        return false
    }

    /// Ends the content of a request that has none and announces chunks: by HTTP/2 its stream's end would have said so.
    ///
    /// The upstream would wait for them, and take the next request on the connection for one of them.
    private func endContent(_ upstream: UpstreamRef, _ exchange: ExchangeRef) -> Bool {
        let kind = exchange.pointee.request.kind
        guard exchange.pointee.goesByHTTP2, exchange.pointee.request.isComplete, kind == .chunked || kind == .untilClose
        else { return true }
        let last: StaticString = "0\r\n\r\n"
        return upstream.pointee.output.append(
            last.utf8Start, last.utf8CodeUnitCount, from: &pointee.connections.buffers)
    }

    /// Gives those that wait their places, as far as there are any.
    func serveWaiting(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        putBehind(pool)
        if serve(pool, areBehind: false) { _ = serve(pool, areBehind: true) }
        openWhereNeeded(pool)
    }

    /// Gives those of one queue their places; whether there may be more room.
    private func serve(_ pool: UnsafeMutablePointer<UpstreamPool>, areBehind: Bool) -> Bool {
        var next = pool.pointee.first(areBehind: areBehind)
        while let upstream = next {
            next = upstream.pointee.next
            guard findPlace(upstream) else {
                // No server has room for it: one that waited for its connection is told so, as one that comes now.
                if pool.pointee.addresses.areFull {
                    refuseExhausted(upstream)
                    next = pool.pointee.first(areBehind: areBehind)
                    continue
                }
                // One that waits for SETTINGS is passed by; the others wait for room.
                if upstream.pointee.exchange?.pointee.offersWebSocket == true { continue }
                return false
            }
            // Whoever was next may have left meanwhile.
            next = pool.pointee.first(areBehind: areBehind)
        }
        return true
    }

    /// No connection came about, or it is not what it should be: those that wait for one hear of it.
    func refuseWaiting(_ pool: UnsafeMutablePointer<UpstreamPool>, _ refused: Refused) {
        guard pool.pointee.sharedCount == 0 else { return }
        while let upstream = pool.pointee.firstWaiting {
            let exchange = upstream.pointee.exchange
            closeUpstream(upstream)
            guard let exchange else { continue }
            exchange.pointee.upstream = nil
            answer(exchange, refused: refused)
        }
    }

    /// The time for finding a place is over.
    func waitingTimedOut(_ upstream: UpstreamRef) {
        let exchange = upstream.pointee.exchange
        let (hasShare, pool) = (upstream.pointee.waitsBehind, upstream.pointee.pool)
        closeUpstream(upstream)
        guard let exchange else { return }
        exchange.pointee.upstream = nil
        if hasShare { return answer(exchange, refused: shareExhausted(exchange)) }
        // Where none has come about yet, it is no want of room.
        guard pool.pointee.sharedConnecting > 0, pool.pointee.sharedConnecting == pool.pointee.sharedCount else {
            return answer(exchange, refused: connectionsExhausted(pool))
        }
        answer(exchange, refused: Refused(.upstreamConnectTimedOut, expected: connectionInTime, found: "none"))
    }
}

extension UpstreamPool {
    /// Puts a connection in front of those that requests share.
    mutating func share(_ upstream: UpstreamRef) {
        upstream.pointee.previous = nil
        upstream.pointee.next = shared
        shared?.pointee.previous = upstream
        shared = upstream
    }

    /// Takes it out of them.
    mutating func unshare(_ upstream: UpstreamRef) {
        if let previous = upstream.pointee.previous {
            previous.pointee.next = upstream.pointee.next
        } else {
            shared = upstream.pointee.next
        }
        upstream.pointee.next?.pointee.previous = upstream.pointee.previous
        upstream.pointee.previous = nil
        upstream.pointee.next = nil
    }
}
