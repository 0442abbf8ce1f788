import Access
import EventLoop
import Telemetry
import Transport

/// What an answer about the name of a server has changed.
enum NameChange: Equatable {
    case nothing
    /// It leads to other addresses than before; some that it led to may have gone.
    case addresses(hasLost: Bool)
    /// Nobody can say where it leads: it is used as before, for so many seconds at most.
    case stale(seconds: Int)
    /// The same for too long: its addresses are used no more.
    case forgotten
}

/// When the names of servers are looked up, and what becomes of their addresses (ECO-75).
///
///     never asked ──a request──▶ asked ──▶ good, until its time is over ──▶ asked again …
///                                  └─no answer─▶ asked again, less and less often
///                                               (its last addresses are used for `stale`)
extension UpstreamAddresses {
    /// Seconds between two questions about a name that nobody answers, at most.
    private static let longestWait: UInt64 = 30

    /// Servers whose names are to be looked up now; where somebody needs an address, those that have none too.
    mutating func due(now: UInt64, isNeeded: Bool = true) -> [Int] {
        var due: [Int] = []
        for place in servers.indices where !servers[place].isLiteral && !servers[place].isResolving {
            guard servers[place].dueAt <= now || isNeeded && !hasAddresses(place) else { continue }
            servers[place].isResolving = true
            due.append(place)
        }
        return due
    }

    /// Whether any of the names has been looked up.
    var wereAsked: Bool { servers.contains { $0.isResolving || $0.dueAt != .max } }

    private func hasAddresses(_ server: Int) -> Bool { all.contains { $0.server == server } }

    /// The next connection asks the name server again.
    mutating func forgetAnswers() {
        for place in servers.indices where servers[place].dueAt != .max {
            servers[place].dueAt = 0
            servers[place].wantsNew = true
        }
    }

    /// What a name leads to now.
    mutating func answered(_ answer: ResolvedName, server: Int, now: UInt64) -> NameChange {
        guard servers.indices.contains(server) else { return .nothing }
        servers[server].isResolving = false
        servers[server].wantsNew = false
        guard !answer.addresses.isEmpty else { return unanswered(server, now) }
        servers[server].failures = 0
        servers[server].dueAt = max(answer.holdsUntil, now &+ NameLifetime.least)
        servers[server].goodUntil = servers[server].dueAt &+ stale
        return replace(server, by: Self.interleaved(answer.addresses))
    }

    /// Nobody can say where a name leads.
    private mutating func unanswered(_ server: Int, _ now: UInt64) -> NameChange {
        servers[server].failures += 1
        let wait = min(Self.longestWait, 1 << UInt64(min(servers[server].failures - 1, 5))) * NameLifetime.least
        servers[server].dueAt = now &+ wait
        guard hasAddresses(server) else { return .nothing }
        let goodUntil = servers[server].goodUntil
        guard goodUntil > now else {
            _ = replace(server, by: [])
            return .forgotten
        }
        servers[server].dueAt = min(servers[server].dueAt, goodUntil)
        return servers[server].failures == 1 ? .stale(seconds: Int((goodUntil - now) / 1_000_000)) : .nothing
    }

    /// Has a server these addresses; those that it had stay in their order, and what is known of them is kept.
    private mutating func replace(_ server: Int, by found: [SocketAddress]) -> NameChange {
        var fresh: [UpstreamAddress] = []
        for address in found {
            let one = UpstreamAddress(address, server: server, weight: settings.weight(of: server))
            guard !fresh.contains(where: { $0.identity == one.identity }) else { continue }
            fresh.append(one)
        }
        let old = all.filter { $0.server == server }
        let kept = old.filter { one in fresh.contains { $0.identity == one.identity } }
        fresh.removeAll { one in kept.contains { $0.identity == one.identity } }
        let hasLost = kept.count < old.count
        guard hasLost || !fresh.isEmpty else { return .nothing }
        all = all.filter { $0.server < server } + kept + fresh + all.filter { $0.server > server }
        isSeveral = all.count > 1
        if hasLost { epoch &+= 1 }
        return .addresses(hasLost: hasLost)
    }

    /// Addresses of both families in turn, each in its order (RFC 8305 §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first?.family else { return [] }
        let (preferred, others) = (
            addresses.filter { $0.family == first }, addresses.filter { $0.family != first }
        )
        var mixed: [SocketAddress] = []
        for place in 0..<max(preferred.count, others.count) {
            if place < preferred.count { mixed.append(preferred[place]) }
            if place < others.count { mixed.append(others[place]) }
        }
        return mixed
    }

    /// The place of an address of the same server and of the other family that a connection has not tried: what is not
    /// reached by one of them may be by the other.
    func otherFamily(than identity: UInt64, after tried: UInt64, now: UInt64) -> Int? {
        guard hasNames, let last = place(of: identity) else { return nil }
        return all.indices.prefix(UpstreamAddresses.limit).first { place in
            all[place].server == all[last].server && all[place].address.family != all[last].address.family
                && tried & (1 << UInt64(place)) == 0 && isWell(place, at: now)
        }
    }
}

/// What workers do about names.
extension WorkerRef {
    /// Looks up names whose time is over, whether or not somebody asks for them; at each tick.
    func refreshNames() {
        guard !pointee.listening.isDraining else { return }
        let now = clock.microseconds()
        for number in 0..<pointee.upstreams.poolCount {
            refreshAddresses(pointee.upstreams.pools[number], now: now, isNeeded: false)
        }
    }

    /// Asks for the addresses of names whose time is over, and where they are needed of those that have none; the loop goes on
    /// meanwhile (OPS-04).
    func refreshAddresses(_ pool: UnsafeMutablePointer<UpstreamPool>, now: UInt64, isNeeded: Bool = true) {
        guard pool.pointee.addresses.hasNames else { return }
        let worker = WorkerReference(pointer: self)
        let place = PoolReference(pointer: pool)
        for number in pool.pointee.addresses.due(now: now, isNeeded: isNeeded) {
            let server = pool.pointee.addresses.servers[number]
            pointee.upstreams.resolver.resolve(
                server.host, port: server.port, at: now, isNew: server.wantsNew, on: pointee.loop.events
            ) {
                worker.pointer.addressesArrived($0, number, place.pointer)
            }
        }
    }

    /// A pool that waits for addresses is never given back before they came.
    private func addressesArrived(
        _ answer: ResolvedName, _ server: Int, _ pool: UnsafeMutablePointer<UpstreamPool>
    ) {
        let change = pool.pointee.addresses.answered(answer, server: server, now: clock.microseconds())
        noteChange(change, answer, server, pool)
        // One of several names that leads nowhere is no reason to give up before the others have been heard.
        if pool.pointee.addresses.isEmpty, pool.pointee.isResolving { return }
        serveResolved(pool, failure: answer.failure)
    }

    /// Does what a change asks for, and tells the operator.
    private func noteChange(
        _ change: NameChange, _ answer: ResolvedName, _ server: Int, _ pool: UnsafeMutablePointer<UpstreamPool>
    ) {
        let host = pool.pointee.addresses.servers[server].host
        switch change {
        case .nothing: return
        case .addresses(let hasLost):
            rememberTried(pool)
            if hasLost { closeIdleElsewhere(pool) }
            guard pointee.journal.operatorLog.writes(.debug) else { return }
            let now = pool.pointee.addresses.all.filter { $0.server == server }.map(\.address.description)
            pointee.journal.operatorLog.write(
                .debug, .upstreamAddressesChanged,
                [LogField(.upstream, name(of: pool)), LogField(.found, now.joined(separator: ", "))])
        case .stale(let seconds):
            say(
                .nameStale, at: pool,
                [
                    LogField(.upstream, name(of: pool)), LogField(.expected, "addresses of \(host)"),
                    LogField(.found, words(of: answer.failure)), LogField(.seconds, seconds),
                ])
        case .forgotten:
            rememberTried(pool)
            closeIdleElsewhere(pool)
            say(
                .nameStale, at: pool,
                [
                    LogField(.upstream, name(of: pool)), LogField(.expected, "addresses of \(host)"),
                    LogField(.found, words(of: answer.failure)), LogField(.seconds, 0),
                ])
        }
    }

    /// Why nobody can say where a name leads.
    func words(of failure: ResolvedName.Failure?) -> String {
        failure == .unanswered ? "no answer of a name server" : "no such name"
    }

    /// Connections that are being made have tried places, which are other addresses' now.
    private func rememberTried(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        let connections = pointee.upstreams.connections
        connections.forEachInUse { upstream in
            guard upstream.pointee.pool == pool, upstream.pointee.tried != 0 else { return }
            upstream.pointee.tried = bit(of: upstream)
            var attempt = upstream.pointee.attempts
            while let one = attempt {
                upstream.pointee.tried |= bit(of: one)
                attempt = one.pointee.next
            }
        }
    }

    private func bit(of upstream: UpstreamRef) -> UInt64 {
        let place = upstream.pointee.pool.pointee.addresses.place(of: upstream.pointee.address)
        return place.map { $0 < UpstreamAddresses.limit ? 1 << UInt64($0) : 0 } ?? 0
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
}
