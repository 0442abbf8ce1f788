import Access
import Bytes
import EventLoop
import HTTP1
import HTTPMessage
import Telemetry
import Transport

/// Asks servers whether they are well, each worker for itself and on connections of their own (ECO-72).
extension WorkerRef {
    /// Asks those whose time has come; at each tick.
    func checkServers() {
        guard !pointee.listening.isDraining else { return }
        let now = clock.microseconds()
        for number in 0..<pointee.upstreams.poolCount {
            let pool = pointee.upstreams.pools[number]
            guard let health = pool.pointee.settings.pool.health else { continue }
            // Names that were looked up before are again at each tick.
            if !pool.pointee.addresses.wereAsked { refreshAddresses(pool, now: now) }
            for place in pool.pointee.addresses.all.indices
            where pool.pointee.addresses.all[place].health.checkDueAt <= now
                && !pool.pointee.addresses.all[place].health.isChecking
            {
                check(place, of: pool, health, now)
            }
        }
    }

    private func check(
        _ place: Int, of pool: UnsafeMutablePointer<UpstreamPool>, _ health: ServerHealthSettings, _ now: UInt64
    ) {
        var address = pool.pointee.addresses.all[place].address
        let identity = pool.pointee.addresses.all[place].identity
        pool.pointee.addresses.all[place].health.isChecking = true
        pool.pointee.addresses.all[place].health.checkDueAt =
            now &+ UInt64(max(1, health.interval.wholeMilliseconds)) * 1000
        pool.pointee.connectionCount += 1
        countOpened(pool)
        let upstream = pointee.upstreams.connections.take(UpstreamConnection(self, of: pool))
        upstream.timeout.pointee.place = UnsafeMutableRawPointer(upstream)
        upstream.pointee.part = .check(isWell: false)
        upstream.pointee.address = identity
        let descriptor = Socket.connect(to: &address)
        guard descriptor >= 0 else { return closeUpstream(upstream) }
        upstream.pointee.stream = ByteStream(descriptor: descriptor)
        upstream.pointee.state = .connecting
        FileEvent.assign(
            upstream.readEvent, pointee.loop.base, descriptor, [.read, .persistent], onUpstreamReadable, upstream)
        FileEvent.assign(
            upstream.writeEvent, pointee.loop.base, descriptor, [.write, .persistent], onUpstreamWritable, upstream)
        upstream.startWriting()
        setTimeout(upstream.timeout, health.timeout.wholeMilliseconds)
    }

    /// The connection is open: the question.
    func sendCheck(_ upstream: UpstreamRef) {
        let pool = upstream.pointee.pool
        guard let health = pool.pointee.settings.pool.health,
            let place = pool.pointee.addresses.place(of: upstream.pointee.address)
        else { return closeUpstream(upstream) }
        upstream.pointee.state = .active
        upstream.startReading()
        let host = health.host ?? pool.pointee.addresses.hostField(of: pool.pointee.addresses.all[place].server)
        if let service = health.grpc {
            return sendGRPCCheck(upstream, about: service, host: host, health.timeout.wholeMilliseconds)
        }
        let head = "GET \(health.path) HTTP/1.1\r\nHost: \(host)\r\nUser-Agent: portcullis\r\nConnection: close\r\n\r\n"
        let bytes = Array(head.utf8)
        guard upstream.pointee.output.append(bytes, bytes.count, from: &pointee.connections.buffers) else {
            return closeUpstream(upstream)
        }
        flushUpstream(upstream)
    }

    /// Something of the answer has come; its status is all that counts.
    func readCheck(_ upstream: UpstreamRef) {
        guard upstream.pointee.input.reserve(4096, from: &pointee.connections.buffers) else {
            return closeUpstream(upstream)
        }
        let space = upstream.pointee.input
        let count = upstream.read(into: space.space, capacity: min(space.room, Scratch.readCapacity))
        if count == ByteStream.wantsRead { return }
        if count == ByteStream.wantsWrite { return upstream.startWriting() }
        guard count > 0 else { return closeUpstream(upstream) }
        upstream.pointee.input.end += count
        let input = upstream.pointee.input
        let progress = upstream.pointee.parser.parse(
            UnsafeBufferPointer(start: UnsafePointer(input.bytes), count: input.count).span,
            limits: pointee.policy.httpLimits, answering: .get, into: &pointee.scratch.responseHead.pointee)
        switch progress {
        case .incomplete: return
        case .refused: closeUpstream(upstream)
        case .complete:
            let wanted = upstream.pointee.pool.pointee.settings.pool.health?.status
            let isWell = wanted == Int(pointee.scratch.responseHead.pointee.status)
            upstream.pointee.part = .check(isWell: isWell)
            closeUpstream(upstream)
        }
    }

    /// A check is over, however it ended.
    func checkEnded(_ upstream: UpstreamRef, isWell: Bool) {
        let (pool, identity) = (upstream.pointee.pool, upstream.pointee.address)
        guard let health = pool.pointee.settings.pool.health,
            let place = pool.pointee.addresses.place(of: identity)
        else { return }
        pool.pointee.addresses.all[place].health.isChecking = false
        if isWell { pool.pointee.addresses.succeeded(identity, now: clock.microseconds()) }
        let change = pool.pointee.addresses.all[place].health.checked(isWell: isWell, health, at: clock.microseconds())
        switch change {
        case nil: return
        case false?:
            say(
                .serverDown, at: pool,
                serverFields(identity, pool) + [
                    LogField(.expected, health.expected),
                    LogField(.found, "\(health.unhealthy) times in a row something else, or nothing"),
                ])
        case true?:
            guard pointee.journal.operatorLog.writes(.info) else { return }
            pointee.journal.operatorLog.write(.info, .upstreamServerUp, serverFields(identity, pool))
        }
    }
}

extension ServerHealthSettings {
    /// What a server that is well answers, for the operator.
    fileprivate var expected: String {
        guard let grpc else { return "\(status) to GET \(path)" }
        return grpc.isEmpty ? "SERVING by gRPC" : "SERVING by gRPC, of \(grpc)"
    }
}

extension UpstreamAddresses {
    /// What a check's `Host` says of a server that is asked by its own name.
    func hostField(of server: Int) -> String {
        let (host, port) = (servers[server].host, servers[server].port)
        guard port != 0 else { return "localhost" }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
