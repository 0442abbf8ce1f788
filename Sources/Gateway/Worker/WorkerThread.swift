import Access
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
    let index: Int
    let loop: EventLoop
    let worker: WorkerRef
    private let log: UnsafeMutablePointer<LogWriter>?
    /// Its listening sockets; touched by the control loop alone.
    private var sockets: [OpenListener] = []
    private var thread = pthread_t()

    /// Opens the worker's listening sockets; the first worker decides the ports that were left to the kernel.
    init(_ index: Int, _ generation: Generation, _ gateway: Gateway) throws(GatewayFailure) {
        do throws(EventLoopFailure) {
            loop = try EventLoop()
        } catch {
            throw GatewayFailure("a worker's loop could not be made", "\(error)")
        }
        self.index = index
        log = gateway.logs.makeWriter()
        worker = .allocate(capacity: 1)
        let place = worker
        let settings = generation.settings
        let opened = try WorkerThread.open(
            settings.listeners, kept: [:], beside: gateway.workers.first?.sockets ?? [], ours: [])
        sockets = opened
        let places = try WorkerThread.places(of: opened, generation, at: place)
        let context = WorkerContext(
            gateway, generation, worker: index, metrics: gateway.registry.workers[index], log: log)
        place.initialize(
            to: Worker(
                index: index, loop: loop, listeners: places, settings: settings, parts: generation.parts,
                context: context))
        for number in 0..<settings.listeners.count {
            FileEvent.assign(
                place.event(of: number), loop.base, places[number].descriptor, [.read, .persistent],
                onListenerReadable, places + number)
        }
        FileEvent.assign(place.pointee.tick, loop.base, -1, [.persistent], onTick, place)
        FileEvent.assign(place.pointee.timeoutsLeft, loop.base, -1, [], onTimeoutsLeft, place)
        place.prepareSlabs()
    }

    /// Sockets for listeners: those that are `kept`, by their places, the others new; `first` are the first worker's,
    /// whose ports the others share; `ours` are those that this process listens with already.
    private static func open(
        _ listeners: [ListenerSettings], kept: [Int: OpenListener], beside first: [OpenListener], ours: [OpenListener]
    ) throws(GatewayFailure) -> [OpenListener] {
        var sockets: [OpenListener] = []
        for (number, listener) in listeners.enumerated() {
            if let one = kept[number] {
                sockets.append(one)
                continue
            }
            do throws(GatewayFailure) {
                let beside = first.indices.contains(number) ? first[number] : nil
                // An address of ours beside another one of the same port, such as 0.0.0.0 beside 127.0.0.1, is not taken.
                let isOurs = (ours + sockets).contains { $0.address.port == listener.address.port }
                sockets.append(
                    try OpenListener(
                        at: listener.address, beside: beside,
                        mayShare: beside != nil || isOurs || listener.sharesAddress))
            } catch {
                for socket in sockets { socket.abandon() }
                throw error
            }
        }
        return sockets
    }

    private static func places(
        of sockets: [OpenListener], _ generation: Generation, at place: WorkerRef
    ) throws(GatewayFailure) -> UnsafeMutablePointer<ListenerSocket> {
        let settings = generation.settings.listeners
        let places = UnsafeMutablePointer<ListenerSocket>.allocate(capacity: max(1, settings.count))
        for (number, listener) in settings.enumerated() {
            (places + number).initialize(
                to: try ListenerSocket(
                    listener, number, socket: sockets[number], worker: place,
                    tls: generation.parts.serverTLS[number]))
        }
        return places
    }

    func localAddress(ofListener index: Int) -> String { sockets[index].address.description }

    /// Hands over where sessions are and what signs; before `start()` only.
    func prepare(_ stores: [any SessionStore], _ keys: AssertionKeys?) {
        worker.pointee.stores = stores
        worker.pointee.assertionKeys = keys
    }

    // MARK: the next configuration, on the control loop

    /// What this worker needs to serve by another configuration: its listening sockets are open afterwards.
    ///
    /// `first` is what the first worker was prepared.
    func prepare(
        _ next: Generation, _ metrics: WorkerMetrics, from old: Generation, beside first: PreparedSuccession?,
        _ gateway: Gateway, onInstalled: @escaping @Sendable () -> Void
    ) throws(GatewayFailure) -> PreparedSuccession {
        let changes = ListenerChange.of(old.settings.listeners, in: next.settings.listeners)
        var kept: [Int: OpenListener] = [:]
        for (number, change) in changes.enumerated() {
            guard let place = change.place else { continue }
            kept[place] = sockets[number]
            kept[place]?.isNew = false
        }
        let opened = try WorkerThread.open(
            next.settings.listeners, kept: kept, beside: first?.sockets ?? [], ours: sockets)
        let places = try WorkerThread.places(of: opened, next, at: worker)
        let succession = Succession(
            settings: next.settings, parts: next.parts,
            context: WorkerContext(gateway, next, worker: index, metrics: metrics, log: log),
            listeners: places, listenerChanges: changes, stores: { next.stores }, keys: { next.keys(of: $0) },
            onInstalled: onInstalled)
        return PreparedSuccession(succession: succession, sockets: opened)
    }

    /// Serves by what was prepared, from the next turn of the worker's loop on, and signs with these keys.
    func install(_ prepared: PreparedSuccession, _ keys: AssertionKeys?) {
        sockets = prepared.sockets
        var succession = prepared.succession
        succession.assertionKeys = keys
        tell { [succession] in $0.install(succession) }
    }

    /// Gives the Unix sockets that stay the permissions of the configuration that is served; what went wrong.
    ///
    /// All workers share the files: for one of them alone.
    func permit(_ listeners: [ListenerSettings]) -> [String] {
        sockets.indices.compactMap { sockets[$0].permit(listeners[$0].address) }
    }

    /// Starts to serve.
    func start() {
        guard let started = SignalFreeThread.start({ self.serve() }) else {
            preconditionFailure("a worker's thread could not be started")
        }
        thread = started
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

    /// Has the worker do something in its own time.
    func tell(_ work: @escaping @Sendable (WorkerRef) -> Void) {
        let worker = WorkerReference(pointer: worker)
        loop.execute { work(worker.pointer) }
    }

    /// The same, unless the worker serves by another configuration by then.
    func tell(_ generation: UInt32, _ work: @escaping @Sendable (WorkerRef) -> Void) {
        tell { worker in if worker.pointee.generation == generation { work(worker) } }
    }
}

/// A succession with the sockets it was given.
struct PreparedSuccession {
    let succession: Succession
    let sockets: [OpenListener]

    /// It comes to nothing: what was opened for it is closed.
    func abandon() {
        for socket in sockets { socket.abandon() }
        ListenerSocket.free(succession.listeners, count: succession.settings.listeners.count)
    }
}

extension ListenerChange {
    /// Where it is afterwards.
    var place: Int? {
        switch self {
        case .stays(let place), .staysForNewHandshakes(let place): place
        case .ends: nil
        }
    }

    /// Whether connections that are open must not go on as if their handshakes had been those of now.
    private static func asksForNewHandshakes(_ old: ListenerSettings, _ new: ListenerSettings) -> Bool {
        // In the clear until now, or no longer what clients take it for.
        if (old.tls == nil) != (new.tls == nil) || old.tls?.minimumVersion != new.tls?.minimumVersion { return true }
        if old.publicURL.prefix(6) != new.publicURL.prefix(6) { return true }
        if old.redirectsToHTTPS != new.redirectsToHTTPS { return true }
        // Files may have other content under the same names: certificates are to be judged by what is there now.
        return old.tls?.clientCertificates != nil || new.tls?.clientCertificates != nil
    }

    /// What becomes of each listener: one at the same place goes on, whatever else is said of it now.
    static func of(_ old: [ListenerSettings], in new: [ListenerSettings]) -> [ListenerChange] {
        var taken: Set<Int> = []
        return old.map { listener in
            let found = new.indices.first { !taken.contains($0) && new[$0].address.isSamePlace(as: listener.address) }
            guard let place = found else { return .ends }
            taken.insert(place)
            return asksForNewHandshakes(listener, new[place])
                ? .staysForNewHandshakes(at: place) : .stays(at: place)
        }
    }
}

extension ListenerSocket {
    init(
        _ settings: ListenerSettings, _ index: Int, socket: OpenListener, worker: WorkerRef, tls: ServerTLS?
    ) throws(GatewayFailure) {
        guard let terminators = NetworkList(settings.clientCertFieldFrom) else {
            throw GatewayFailure(
                "the listener \(settings.publicURL) cannot be served", "client_cert_from is no network")
        }
        guard let proxies = NetworkList(settings.trustedProxies) else {
            throw GatewayFailure(
                "the listener \(settings.publicURL) cannot be served", "trusted_proxies is no network")
        }
        descriptor = socket.descriptor
        unixFile = socket.unixFile
        self.worker = worker
        self.index = UInt16(clamping: index)
        self.tls = tls
        self.terminators = terminators
        self.proxies = proxies
        hasProxies = !settings.trustedProxies.isEmpty
        isSecure = settings.publicURL.hasPrefix("https:")
        saysForwarded = settings.saysForwarded
        redirects = settings.redirectsToHTTPS
        authorities = TextList(settings.authorities)
        ownAuthority = Route.Bytes(settings.authorities.first ?? "")
    }
}

extension ListenerSocket {
    /// Frees the places of listeners that nobody uses any longer; their descriptors are somebody else's.
    static func free(_ places: UnsafeMutablePointer<ListenerSocket>, count: Int) {
        for number in 0..<count { places[number].ownAuthority.destroy() }
        places.deinitialize(count: count)
        places.deallocate()
    }
}

/// What a worker is given by whoever runs it: the gateway, or a dry run that has no gateway.
struct WorkerContext {
    var generation: UInt32 = 1
    let metrics: WorkerMetrics
    let log: UnsafeMutablePointer<LogWriter>?
    let requestKeys: @Sendable (_ issuer: Int) -> Void
    let ask: AskServer
    let onDrained: @Sendable () -> Void
    var onRetired: @Sendable (_ generation: UInt32) -> Void = { _ in }
    var onBurstOver: @Sendable () -> Void = {}
    var askLogin: @Sendable (_ request: LoginRequest, _ ticket: UInt64) -> Void = { _, _ in }
    var askSession: @Sendable (_ login: Int, _ value: [UInt8], _ digest: SHA256Digest) -> Void = { _, _, _ in }
}

extension Worker {
    /// A worker for a configuration; `old` is the one whose connections, memory and counts it goes on with.
    ///
    /// What depends on the configuration is made anew: a token that was accepted by other rules is verified once more.
    init(
        index: Int, loop: EventLoop, listeners: UnsafeMutablePointer<ListenerSocket>, settings: GatewaySettings,
        parts: SharedResources, context: WorkerContext, succeeding old: Worker? = nil
    ) {
        self.index = index
        self.loop = loop
        base = loop.base
        generation = context.generation
        tables = parts.tables
        routes = parts.tables.index
        limits = settings.limits
        shares = ClientShares(settings.limits, workers: settings.workers)
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
        metrics = context.metrics
        requestKeys = context.requestKeys
        onDrained = context.onDrained
        onRetired = context.onRetired
        onBurstOver = context.onBurstOver
        ask = context.ask
        askLogin = context.askLogin
        askSession = context.askSession
        logins = settings.logins
        loginClientIDs = settings.logins.map { settings.clients[$0.client].credentials.clientID }
        loginIssuers = settings.logins.map { settings.clients[$0.client].issuer }
        loginPaths = LoginPaths(settings.logins)
        clientKeys = PublishedKeys.keys(of: settings.logins, clients: settings.clients)
        pages = parts.pages
        publicURLs = settings.listeners.map(\.publicURL)
        via = Via(settings.via)
        ownCookieNames = settings.logins.map(\.session.cookieName)
        sessions = TokenCache(settings.tokenCache)
        replay = parts.replay
        decisions = parts.decisions
        nonces = parts.nonces
        self.listeners = listeners
        listenerCount = settings.listeners.count
        pools = .allocate(capacity: max(1, poolCount))
        for (number, upstream) in parts.upstreams.enumerated() {
            let kept = old?.pool(to: upstream)
            kept?.pointee.tls = parts.clientTLS[number]
            (pools + number).initialize(to: kept ?? UpstreamPool.make(upstream, tls: parts.clientTLS[number]))
        }
        issuers = .allocate(capacity: max(1, issuerCount))
        for (number, issuer) in settings.issuers.enumerated() { (issuers + number).initialize(to: IssuerView(issuer)) }
        tokens = TokenCache(settings.tokenCache)
        clients = old?.clients ?? Slab { preconditionFailure("slabs are prepared once the worker has its place") }
        upstreams = old?.upstreams ?? Slab { preconditionFailure("slabs are prepared once the worker has its place") }
        exchanges = old?.exchanges ?? Slab { Exchange() }
        failures = parts.failures
        proofKeys = old?.proofKeys ?? ProofKeys(limit: Worker.proofKeyLimit)
        log = context.log
        head = old?.head ?? Worker.place(RequestHead())
        responseHead = old?.responseHead ?? Worker.place(ResponseHead())
        readScratch = old?.readScratch ?? .allocate(capacity: Worker.readCapacity)
        writeScratch = old?.writeScratch ?? .allocate(capacity: Worker.writeCapacity)
        tick = old?.tick ?? Worker.place(FileEvent())
        timeoutsLeft = old?.timeoutsLeft ?? Worker.place(FileEvent())
        if let old { goOn(from: old) }
    }

    private static func place<Value: ~Copyable>(_ value: consuming Value) -> UnsafeMutablePointer<Value> {
        let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        place.initialize(to: value)
        return place
    }

    /// Takes over what lives longer than a configuration.
    private mutating func goOn(from old: Worker) {
        buffers = old.buffers
        pipes = old.pipes
        writeEvents = old.writeEvents
        discards = old.discards
        wheel.destroy()
        wheel = old.wheel
        loginsUnderWay = old.loginsUnderWay
        beginningsUnderWay = old.beginningsUnderWay
        loginsQueued = old.loginsQueued
        loginBodyBytes = old.loginBodyBytes
        beginningBodyBytes = old.beginningBodyBytes
        loginTickets = old.loginTickets
        identifiers = old.identifiers
        lines = old.lines
        firstParked = old.firstParked
        lastParked = old.lastParked
        parkedCount = old.parkedCount
        waitingCount = old.waitingCount
        parkings = old.parkings
        openClients = old.openClients
        bursts = old.bursts
        networks.destroy()
        networks = old.networks
        idleFrom = old.idleFrom
        noneIdleAt = old.noneIdleAt
        refusedConnectionsSaidAt = old.refusedConnectionsSaidAt
        lastTick = old.lastTick
        outage = old.outage
        clockStandsAt = old.clockStandsAt
        isDraining = old.isDraining
        ticksToClosing = old.ticksToClosing
        hasSaidDrained = old.hasSaidDrained
        isAcceptPaused = old.isAcceptPaused
        retired = old.retired
        leavingPools = old.leavingPools
    }

    /// The pool of connections to an upstream, if there is one.
    private func pool(to upstream: UpstreamSettings) -> UnsafeMutablePointer<UpstreamPool>? {
        for number in 0..<poolCount where pools[number].pointee.settings == upstream { return pools[number] }
        return nil
    }
}

extension WorkerRef {
    /// Connections know their worker by its place, so their slabs are made when it has one.
    func prepareSlabs() {
        let worker = self
        pointee.clients = Slab { ClientConnection(worker) }
        pointee.upstreams = Slab { UpstreamConnection(worker) }
    }

    /// Lets exchanges in progress end and takes no new connection (SIGTERM).
    ///
    /// Losing none takes a moment: new connections are turned away while those on their way here are taken, and each
    /// client hears with its next answer that the connection ends. One that has nothing to ask is closed in a while.
    func drain() {
        guard !pointee.isDraining else { return }
        pointee.isDraining = true
        pointee.ticksToClosing = Worker.closingTicks
        for index in 0..<pointee.listenerCount { turnAway(pointee.listeners + index) }
        let clients = pointee.clients
        clients.forEachPlace { client in
            if client.pointee.state == .awaitingHead, client.pointee.input.isEmpty, !client.pointee.hasOutput {
                setTimeout(client.timeout, Worker.drainedIdleTimeout)
            }
        }
        for index in 0..<pointee.poolCount {
            while let idle = pointee.pools[index].pointee.idle { closeUpstream(idle) }
        }
    }

    /// Lets no client begin a connection any more that is not on its way already.
    func turnAway(_ listener: UnsafeMutablePointer<ListenerSocket>) {
        if let file = listener.pointee.unixFile {
            file.removeFile()
        } else {
            Socket.refuseConnections(at: listener.pointee.descriptor)
        }
    }

    /// Closes the listening sockets of a draining worker once what was on its way to them has arrived; at each tick.
    func goOnDraining() {
        guard pointee.ticksToClosing > 0 else { return }
        pointee.ticksToClosing -= 1
        guard pointee.ticksToClosing == 0 else { return }
        for index in 0..<pointee.listenerCount {
            acceptLast(pointee.listeners + index)
            FileEvent.remove(event(of: index))
            close(pointee.listeners[index].descriptor)
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
