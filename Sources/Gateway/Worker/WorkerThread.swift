// SPDX-License-Identifier: Apache-2.0
import Crypto
import EventLoop
import Glibc
import HTTP1
import HTTPMessage
import Issuers
import Login
import OAuth
import Replay
import Sessions
import Synchronization
import Telemetry
import Transport

/// One worker's thread: builds the worker's place, runs its loop, and is the way for other threads to reach it.
final class WorkerThread: @unchecked Sendable {
    let loop: EventLoop
    let worker: WorkerRef
    private let addresses: [SocketAddress]
    private var thread = pthread_t()

    /// Opens the worker's listening sockets; the first worker decides the ports that were left to the kernel.
    init(
        _ index: Int, _ settings: GatewaySettings, _ parts: SharedParts, _ gateway: Gateway
    ) throws(GatewayFailure) {
        do throws(EventLoopFailure) {
            loop = try EventLoop()
        } catch {
            throw GatewayFailure("a worker's loop could not be made", "\(error)")
        }
        worker = .allocate(capacity: 1)
        let place = worker
        var addresses: [SocketAddress] = []
        let sockets = UnsafeMutablePointer<ListenerSocket>.allocate(capacity: max(1, settings.listeners.count))
        for (number, listener) in settings.listeners.enumerated() {
            let wanted = index == 0 ? listener.address.port : gateway.workers[0].addresses[number].port
            let descriptor = try WorkerThread.listen(listener.address.host, wanted)
            addresses.append(Socket.localAddress(of: descriptor))
            (sockets + number).initialize(
                to: try ListenerSocket(
                    listener, number, descriptor: descriptor, worker: place, tls: parts.serverTLS[number]))
        }
        self.addresses = addresses
        place.initialize(
            to: Worker(
                index: index, loop: loop, listeners: sockets, settings: settings, parts: parts,
                surroundings: WorkerSurroundings(gateway, worker: index)))
        for number in 0..<settings.listeners.count {
            FileEvent.assign(
                place.event(of: number), loop.base, sockets[number].descriptor, [.read, .persistent],
                onListenerReadable, sockets + number)
        }
        FileEvent.assign(place.pointee.tick, loop.base, -1, [.persistent], onTick, place)
        place.prepareSlabs()
    }

    private static func listen(_ host: String, _ port: UInt16) throws(GatewayFailure) -> Int32 {
        guard let address = SocketAddress(literal: host, port: port) else {
            throw GatewayFailure("cannot listen at \(host):\(port)", "not an IP address")
        }
        do throws(Socket.Failure) {
            return try Socket.listen(at: address)
        } catch {
            throw GatewayFailure("cannot listen at \(host):\(port)", "\(error.call): \(error.reason)")
        }
    }

    func localAddress(ofListener index: Int) -> String { addresses[index].description }

    /// Hands over the keys of identity assertions; before `start()` only.
    func prepare(_ keys: AssertionKeys) { worker.pointee.assertionKeys = keys }

    /// Hands over where sessions are; before `start()` only.
    func prepare(_ stores: [any SessionStore]) { worker.pointee.stores = stores }

    /// Starts to serve.
    func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        // Signals are the control loop's: libevent's handler must not run here.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let code = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<WorkerThread>.fromOpaque(context.unsafelyUnwrapped).takeRetainedValue().serve()
                return nil
            }, context)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        precondition(code == 0, "a worker's thread could not be started")
    }

    private func serve() {
        for index in 0..<worker.pointee.listenerCount { FileEvent.add(worker.event(of: index)) }
        FileEvent.add(worker.pointee.tick, milliseconds: TimeoutWheel.tickMilliseconds)
        loop.run()
        worker.pointee.log?.pointee.flush()
    }

    /// Ends the loop and waits for its thread.
    func stop() {
        loop.stop()
        pthread_join(thread, nil)
    }

    // MARK: from other threads, through the loop's inbox

    func drain() {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.drain() }
    }

    func keysArrived(_ keys: IssuerKeys?, issuer: Int) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.keysArrived(keys, issuer: issuer) }
    }

    func assertionKeysChanged(_ keys: AssertionKeys) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.pointee.assertionKeys = keys }
    }

    func introspectionAnswered(_ answer: IntrospectionAnswer) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.introspectionAnswered(answer) }
    }

    func exchangeAnswered(_ answer: ExchangeAnswer) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.exchangeAnswered(answer) }
    }

    func loginAnswered(_ answer: LoginAnswer, ticket: UInt64) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.loginAnswered(answer, ticket: ticket) }
    }

    func sessionAnswered(_ answer: SessionAnswer) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.sessionAnswered(answer) }
    }

    func sessionsEnded() {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.endStreams() }
    }

    func metadataRead(issuer: Int) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.metadataRead(issuer: issuer) }
    }

    func refreshEnded(issuer: Int) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.refreshEnded(issuer: issuer) }
    }
}

extension ListenerSocket {
    init(
        _ settings: ListenerSettings, _ index: Int, descriptor: Int32, worker: WorkerRef, tls: ServerTLS?
    ) throws(GatewayFailure) {
        self.descriptor = descriptor
        self.worker = worker
        self.index = UInt16(clamping: index)
        self.tls = tls
        guard let terminators = NetworkList(settings.clientCertFieldFrom) else {
            throw GatewayFailure(
                "the listener \(settings.publicURL) cannot be served", "client_cert_from is no network")
        }
        self.terminators = terminators
        scheme = Route.Bytes(settings.publicURL.hasPrefix("https:") ? "https" : "http")
        authorityCount = settings.authorities.count
        authorities = .allocate(capacity: max(1, authorityCount))
        for (number, authority) in settings.authorities.enumerated() {
            (authorities + number).initialize(to: Route.Bytes(authority))
        }
    }
}

/// What a worker is given by whoever runs it: the gateway, or a dry run that has no gateway.
struct WorkerSurroundings {
    let metrics: WorkerMetrics
    let log: UnsafeMutablePointer<LogWriter>?
    let requestKeys: @Sendable (_ issuer: Int) -> Void
    let ask: @Sendable (_ question: Question, _ token: [UInt8], _ digest: SHA256Digest) -> Void
    let onDrained: @Sendable () -> Void
    var askLogin: @Sendable (_ request: LoginRequest, _ ticket: UInt64) -> Void = { _, _ in }
    var askSession: @Sendable (_ login: Int, _ value: [UInt8], _ digest: SHA256Digest) -> Void = { _, _, _ in }
}

extension WorkerSurroundings {
    init(_ gateway: Gateway, worker index: Int) {
        metrics = gateway.registry.workers[index]
        log = gateway.makeAccessLog()
        requestKeys = { [unowned gateway] issuer in gateway.requestKeys(issuer: issuer) }
        ask = { [unowned gateway] question, token, digest in
            gateway.ask(question, token: token, digest: digest, worker: index)
        }
        onDrained = { [unowned gateway] in gateway.workerDrained() }
        askLogin = { [unowned gateway] request, ticket in gateway.askLogin(request, ticket: ticket, worker: index) }
        askSession = { [unowned gateway] login, value, digest in
            gateway.askSession(login: login, value: value, digest: digest, worker: index)
        }
    }
}

extension Worker {
    init(
        index: Int, loop: EventLoop, listeners: UnsafeMutablePointer<ListenerSocket>, settings: GatewaySettings,
        parts: SharedParts, surroundings: WorkerSurroundings
    ) {
        self.index = index
        self.loop = loop
        base = loop.base
        tables = parts.tables
        routes = parts.tables.index
        limits = settings.limits
        timeouts = settings.timeouts
        var httpLimits = HTTP1Limits()
        httpLimits.requestLine = settings.limits.requestLine
        httpLimits.headerSection = settings.limits.headerSection
        httpLimits.fieldLine = settings.limits.fieldLine
        httpLimits.fieldCount = settings.limits.fieldCount
        self.httpLimits = httpLimits
        issuerCount = settings.issuers.count
        exchangeIssuers = parts.tables.exchanges.map { rule in
            settings.clients.indices.contains(rule.client) ? settings.clients[rule.client].issuer : -1
        }
        poolCount = parts.upstreams.count
        resolver = parts.resolver
        operatorLog = parts.operatorLog
        metrics = surroundings.metrics
        requestKeys = surroundings.requestKeys
        onDrained = surroundings.onDrained
        ask = surroundings.ask
        askLogin = surroundings.askLogin
        askSession = surroundings.askSession
        logins = settings.logins
        loginClientIDs = settings.logins.map { settings.clients[$0.client].credentials.clientID }
        loginIssuers = settings.logins.map { settings.clients[$0.client].issuer }
        loginPaths = LoginPaths(settings.logins)
        clientKeys = PublishedKeys.keys(of: settings.logins, clients: settings.clients)
        publicURLs = settings.listeners.map(\.publicURL)
        ownCookieNames = settings.logins.map(\.session.cookieName)
        sessions = TokenCache(settings.tokenCache)
        failures = FailureBudget()
        replay = parts.replay
        decisions = parts.decisions
        nonces = parts.nonces
        proofKeys = ProofKeys(limit: Worker.proofKeyLimit)
        self.listeners = listeners
        listenerCount = settings.listeners.count
        pools = .allocate(capacity: max(1, poolCount))
        for (number, upstream) in parts.upstreams.enumerated() {
            (pools + number).initialize(to: UpstreamPool(upstream, tls: parts.clientTLS[number]))
        }
        issuers = .allocate(capacity: max(1, issuerCount))
        for (number, issuer) in settings.issuers.enumerated() { (issuers + number).initialize(to: IssuerView(issuer)) }
        clients = Slab { preconditionFailure("slabs are prepared once the worker has its place") }
        upstreams = Slab { preconditionFailure("slabs are prepared once the worker has its place") }
        exchanges = Slab { Exchange() }
        tokens = TokenCache(settings.tokenCache)
        log = surroundings.log
        head = .allocate(capacity: 1)
        head.initialize(to: RequestHead())
        responseHead = .allocate(capacity: 1)
        responseHead.initialize(to: ResponseHead())
        readScratch = .allocate(capacity: Worker.readCapacity)
        writeScratch = .allocate(capacity: Worker.writeCapacity)
        tick = .allocate(capacity: 1)
        tick.initialize(to: FileEvent())
    }
}

extension WorkerRef {
    /// Connections know their worker by its place, so their slabs are made when it has one.
    func prepareSlabs() {
        let worker = self
        pointee.clients = Slab { ClientConnection(worker) }
        pointee.upstreams = Slab { UpstreamConnection(worker) }
    }

    /// Accepts nothing more, closes idle clients, and lets exchanges in progress end (SIGTERM).
    func drain() {
        pointee.isDraining = true
        for index in 0..<pointee.listenerCount {
            FileEvent.remove(event(of: index))
            close(pointee.listeners[index].descriptor)
        }
        // Closing changes the slab's free list, not its places.
        let clients = pointee.clients
        clients.forEachPlace { client in
            if client.pointee.state == .awaitingHead, client.pointee.input.isEmpty, !client.pointee.hasOutput {
                closeClient(client)
            }
        }
        for index in 0..<pointee.poolCount {
            while let idle = pointee.pools[index].idle { closeUpstream(idle) }
        }
        if pointee.openClients == 0 { sayDrained() }
    }

    /// Said once.
    func sayDrained() {
        guard !pointee.hasSaidDrained else { return }
        pointee.hasSaidDrained = true
        pointee.onDrained()
    }
}
