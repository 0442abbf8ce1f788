import Access
import EventLoop
import Glibc
import Issuers
import Sessions
import Telemetry
import Transport

/// What one worker is given to serve by from now on, prepared on another thread.
///
/// `@unchecked Sendable`: it is handed over whole through the loop's inbox, and the thread that made it never touches the
/// listeners' places again.
struct Succession: @unchecked Sendable {
    let settings: GatewaySettings
    let resources: SharedResources
    let context: WorkerContext
    /// The new listeners' places, with the descriptors of those that stay.
    let listeners: UnsafeMutablePointer<ListenerSocket>
    /// By each old listener's place, what becomes of it.
    let listenerChanges: [ListenerChange]
    /// Where the sessions of each login are; asked when it is installed.
    let stores: @Sendable () -> [any SessionStore]
    /// What signs; set when it is handed over, for keys rotate while it waits.
    var assertionKeys: AssertionKeys?
    /// An issuer's keys as they are when this is asked.
    let keys: @Sendable (_ issuer: Int) -> IssuerKeys?
    let onInstalled: @Sendable () -> Void
}

/// What becomes of a listener in the next configuration.
enum ListenerChange: Equatable {
    /// Its connections go on at this place.
    case stays(at: Int)
    /// The same, but what clients' certificates were accepted by may have changed: each connection ends with its next
    /// answer.
    case staysForNewHandshakes(at: Int)
    /// It is closed.
    case ends
}

/// A configuration that was replaced, as long as requests refer to it.
struct RetiredConfiguration {
    let generation: UInt32
    let tables: RouteTable
    let issuers: FixedList<IssuerView>
    let listeners: UnsafeMutablePointer<ListenerSocket>
    let listenerCount: Int
    let pools: UnsafeMutablePointer<UnsafeMutablePointer<UpstreamPool>>
    let onRetired: @Sendable (_ generation: UInt32) -> Void

    /// Configurations that WebSockets, which have no end of their own, may keep; those of older ones are ended.
    static let tunnelLimit = 8
    /// Configurations that requests may keep; those of older ones are cut off, for memory must have an end.
    static let limit = 64
}

/// One configuration in the place of another, between two events of a worker's loop: each request is served by one of
/// them from its head to its last byte, and no connection notices (OPS-07).
extension WorkerRef {
    /// Serves by another configuration from now on.
    func install(_ succession: Succession) {
        takeLast(succession.listenerChanges)
        let old = replace(by: succession)
        for (number, _) in succession.settings.issuers.enumerated() {
            pointee.identities.issuers[number].take(succession.keys(number))
        }
        pointee.identities.stores = succession.stores()
        pointee.identities.rechecks = pointee.questions.store
        pointee.identities.assertionKeys = succession.assertionKeys
        releasePools(of: old)
        pointee.history.retired.append(old)
        endOrphanedTunnels()
        moveClients(succession.listenerChanges)
        judgeWaitingAnew()
        releaseRetired()
        succession.onInstalled()
    }

    /// Takes who waits at listeners that go away, and what has arrived there by now: it was asked before the reload, and
    /// is answered by the configuration of then.
    private func takeLast(_ changes: [ListenerChange]) {
        func ends(_ index: Int) -> Bool { !changes.indices.contains(index) || changes[index] == .ends }
        let ending = (0..<pointee.listening.count).filter(ends)
        guard !ending.isEmpty else { return }
        for index in ending {
            turnAway(index)
            // At a socket that was handed over nobody is turned away, and it would never end.
            if !pointee.listening.listeners[index].isHandedOver { acceptLast(pointee.listening.listeners + index) }
        }
        let clients = pointee.connections.clients
        clients.forEachInUse { client in
            guard ends(Int(client.pointee.listener)) else { return }
            if client.pointee.part.session != nil { return receiveFrames(client) }
            if client.pointee.state == .awaitingProxyHeader { clientReadable(client) }
            guard client.pointee.state == .awaitingHead else { return }
            client.pointee.endsSoon = true
            clientReadable(client)
        }
    }

    /// Puts the new configuration where the old one was; the memory of a worker that serves never moves.
    private func replace(by succession: Succession) -> RetiredConfiguration {
        for index in 0..<pointee.listening.count {
            FileEvent.remove(event(of: index))
            if index >= succession.listenerChanges.count || succession.listenerChanges[index] == .ends {
                close(pointee.listening.listeners[index].descriptor)
            }
        }
        let retired = RetiredConfiguration(
            generation: pointee.policy.generation, tables: pointee.policy.tables, issuers: pointee.identities.issuers,
            listeners: pointee.listening.listeners, listenerCount: pointee.listening.count,
            pools: pointee.upstreams.pools,
            onRetired: succession.context.onRetired)
        pointee.policy.via.destroy()
        pointee.policy.tracing?.destroy()
        // Records in use by requests are theirs until these end.
        pointee.identities.forget()
        pointee = Worker(succeeding: pointee, by: succession)
        pointee.questions.store?.start(self)
        for index in 0..<pointee.listening.count {
            FileEvent.assign(
                event(of: index), pointee.loop.base, pointee.listening.listeners[index].descriptor,
                [.read, .persistent],
                onListenerReadable, pointee.listening.listeners + index)
            let takesClients =
                !pointee.listening.isDraining
                || pointee.listening.listeners[index].isHandedOver && pointee.listening.takesLateClients
            if !pointee.listening.isAcceptPaused, takesClients { FileEvent.add(event(of: index)) }
        }
        return retired
    }

    /// Closes idle connections to upstreams that no route leads to, and those whose handshakes other files decided; of
    /// the latter those in use are not used again.
    private func releasePools(of old: RetiredConfiguration) {
        for pool in pointee.upstreams.leaving { closeIdle(pool) }
        for number in 0..<pointee.upstreams.poolCount where pointee.upstreams.pools[number].pointee.tls != nil {
            pointee.upstreams.pools[number].pointee.reading &+= 1
            closeIdle(pointee.upstreams.pools[number])
        }
    }

    private func closeIdle(_ pool: UnsafeMutablePointer<UpstreamPool>) {
        while let idle = pool.pointee.idle { closeUpstream(idle) }
        leaveShared(pool)
    }

    /// Tells every connection where its listener is now.
    private func moveClients(_ changes: [ListenerChange]) {
        let clients = pointee.connections.clients
        clients.forEachInUse { client in
            let listener = Int(client.pointee.listener)
            switch changes.indices.contains(listener) ? changes[listener] : .ends {
            case .stays(let place):
                client.pointee.listener = UInt16(clamping: place)
                guard !pointee.listening.listeners[place].speaksHTTP2 else { return }
                // One whose handshake has chosen HTTP/2 already speaks it until its first end.
                if client.pointee.part.isUndecided { client.pointee.endsSoon = true }
                if let session = client.pointee.part.session { endSoon(session, .reload) }
            case .staysForNewHandshakes(let place):
                client.pointee.listener = UInt16(clamping: place)
                client.pointee.endsSoon = true
                if let session = client.pointee.part.session { endSoon(session, .reload) } else { sayEnd(client) }
            case .ends: leave(client)
            }
        }
    }

    /// The listener of this connection is gone: what it asked already is answered, and nothing more is taken.
    private func leave(_ client: ClientRef) {
        client.pointee.listener = 0
        client.pointee.endsSoon = true
        if let session = client.pointee.part.session {
            // What comes from now on may come for another listener's rules: its client sends it there again.
            session.pointee.takesNoStreams = true
            return endSoon(session, .reload)
        }
        // Its answer is on its way, and a close would reset that: what it still sends is read away, for a moment.
        if client.pointee.state == .lingering { return }
        if client.pointee.state == .discardingBody {
            client.pointee.lingers = true
            return closeAfterOutput(client)
        }
        if let exchange = client.pointee.exchange {
            sayEnd(client)
            if exchange.pointee.phase == .parked { endWait(exchange) }
            return
        }
        // What it was answered already it gets whole.
        if client.pointee.hasOutput { return closeAfterOutput(client) }
        closeClient(client)
    }

    /// What this request waits for is of a configuration that is served no more, and no listener is left by which it could
    /// be judged anew: it is answered 503.
    ///
    /// Not a login: its answer comes from where it was asked.
    private func endWait(_ exchange: ExchangeRef) {
        guard let cause = exchange.pointee.wait.causeOfOutage else { return }
        endWait(
            exchange, Refused(cause, expected: "an answer before a reload removed the listener", found: "none"))
    }

    /// Lets the answer under way say that it is the last, unless it has begun: a client that was promised another may
    /// have sent it.
    private func sayEnd(_ client: ClientRef) {
        guard let exchange = client.pointee.exchange, exchange.pointee.phase != .responding else { return }
        exchange.pointee.keepsAlive = false
    }

    /// Requests that wait for an answer to a question of the old configuration begin anew by the new one.
    ///
    /// Not logins: what they wait for comes from where it was asked, and a code cannot be sent twice. Nor those that wait for
    /// the store, which are not in the list: their proofs cannot be used twice, and the answer has them judged anew.
    private func judgeWaitingAnew() {
        var waiting: [ExchangeRef] = []
        var exchange = pointee.waiting.first
        while let one = exchange {
            switch one.pointee.wait {
            case .proof, .loginPlace, .login: break
            case .nothing, .keys, .metadata, .introspection, .exchange, .session:
                // Whoever is judged before it counts who waits for what: its numbers are those of the old configuration.
                one.pointee.wait = .nothing
                waiting.append(one)
            }
            exchange = one.pointee.nextParked
        }
        // Those before may have ended one: it is another request by now, or none.
        for exchange in waiting
        where pointee.connections.exchanges.isInUse(exchange) && exchange.pointee.phase == .parked {
            unpark(exchange)
            forgetJudgement(exchange)
            resume(exchange)
        }
    }

    /// Has a request be judged anew by the configuration of now.
    func forgetJudgement(_ exchange: ExchangeRef) {
        exchange.pointee.findings.forget()
        dropCookies(exchange)
        exchange.pointee.hasAskedAgain = false
        exchange.pointee.generation = pointee.policy.generation
    }

    /// Gives configurations back that no request refers to any more; at each tick while there are some.
    func releaseRetired() {
        guard !pointee.history.retired.isEmpty else { return releaseLeavingPools() }
        let current = pointee.policy.generation
        var used: Set<UInt32> = []
        let exchanges = pointee.connections.exchanges
        exchanges.forEachInUse { exchange in
            if exchange.pointee.generation != current { used.insert(exchange.pointee.generation) }
        }
        let unused = pointee.history.retired.filter { !used.contains($0.generation) }
        pointee.history.retired.removeAll { !used.contains($0.generation) }
        for configuration in unused { release(configuration) }
        let newest = pointee.history.retired.suffix(RetiredConfiguration.tunnelLimit).first?.generation ?? current
        let bearable = pointee.history.retired.suffix(RetiredConfiguration.limit).first?.generation ?? current
        if used.contains(where: { $0 < newest }) { endExchanges(tunnelsBefore: newest, allBefore: bearable) }
        releaseLeavingPools()
    }

    private func release(_ configuration: RetiredConfiguration) {
        configuration.issuers.destroy()
        configuration.pools.deallocate()
        ListenerSocket.free(configuration.listeners, count: configuration.listenerCount)
        configuration.onRetired(configuration.generation)
    }

    /// Too many configurations wait for their last requests.
    private func endExchanges(tunnelsBefore newest: UInt32, allBefore bearable: UInt32) {
        let clients = pointee.connections.clients
        clients.forEachInUse { client in
            guard let generation = client.pointee.exchange?.pointee.generation, generation < newest else { return }
            if client.pointee.state == .tunnelling {
                endSoon(client)
            } else if generation < bearable {
                abortClient(client)
            }
        }
    }

    private func releaseLeavingPools() {
        guard !pointee.upstreams.leaving.isEmpty else { return }
        pointee.upstreams.leaving.removeAll { pool in
            guard pool.pointee.hasNoConnection else { return false }
            pool.pointee.users?.destroy()
            pool.pointee.pendingClients?.destroy()
            pool.deinitialize(count: 1)
            pool.deallocate()
            return true
        }
    }

    /// The identifier of the issuer of a request's token, by the configuration that the request began by.
    func issuerIdentifier(_ exchange: ExchangeRef, _ issuer: Int) -> String {
        if exchange.pointee.generation == pointee.policy.generation {
            return pointee.identities.issuers[issuer].identifier
        }
        let old = pointee.history.retired.first { $0.generation == exchange.pointee.generation }
        return old.map { $0.issuers[issuer].identifier } ?? ""
    }
}
