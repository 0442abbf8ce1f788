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
///
/// `@unchecked Sendable`: what can change is the control loop's alone. What `worker` points to is, from `start()` on, the
/// thread's own: others have it do something with `tell`.
final class WorkerThread: @unchecked Sendable {
    let index: Int
    let loop: EventLoop
    let worker: WorkerRef
    private let log: UnsafeMutablePointer<LogWriter>?
    private let spans: UnsafeMutablePointer<SpanWriter>
    /// Its listening sockets; touched by the control loop alone.
    private var sockets: [OpenListener] = []
    /// Touched by the control loop alone.
    private var thread = pthread_t()
    /// Whether it is about to look for what is under way of sessions that ended.
    private let isLookingForEndings = Atomic(false)

    /// Opens the worker's listening sockets; the first worker decides the ports that were left to the kernel.
    init(_ index: Int, _ generation: Generation, _ gateway: Gateway) throws(GatewayFailure) {
        do throws(EventLoopFailure) {
            loop = try EventLoop()
        } catch {
            throw GatewayFailure("a worker's loop could not be made", "\(error)")
        }
        self.index = index
        log = gateway.logs.makeWriter()
        spans = .allocate(capacity: 1)
        spans.initialize(to: SpanWriter(gateway.traces.queue))
        worker = .allocate(capacity: 1)
        let place = worker
        let settings = generation.settings
        let opened = try WorkerThread.open(
            settings.listeners, kept: [:], beside: gateway.workers.first?.sockets ?? [], ours: [])
        sockets = opened
        let places = try WorkerThread.places(of: opened, generation, at: place)
        let context = WorkerContext(
            gateway, generation, worker: index, metrics: gateway.registry.workers[index], log: log, spans: spans)
        place.initialize(
            to: Worker(
                index: index, loop: loop, listeners: places, settings: settings, resources: generation.resources,
                context: context))
        for number in 0..<settings.listeners.count {
            FileEvent.assign(
                place.event(of: number), loop.base, places[number].descriptor, [.read, .persistent],
                onListenerReadable, places + number)
        }
        FileEvent.assign(place.pointee.loop.tick, loop.base, -1, [.persistent], onTick, place)
        FileEvent.assign(place.pointee.loop.timeoutsLeft, loop.base, -1, [], onTimeoutsLeft, place)
        FileEvent.assign(place.pointee.loop.turnEnd, loop.base, -1, [], onTurnEnd, place)
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
                    tls: generation.resources.serverTLS[number]))
        }
        return places
    }

    func localAddress(ofListener index: Int) -> String { sockets[index].address.description }

    /// Hands over where sessions are and what signs; before `start()` only.
    func prepare(_ stores: [any SessionStore], _ keys: AssertionKeys?) {
        worker.pointee.identities.stores = stores
        worker.pointee.identities.rechecks = worker.pointee.questions.store
        worker.pointee.identities.assertionKeys = keys
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
            settings: next.settings, resources: next.resources,
            context: WorkerContext(gateway, next, worker: index, metrics: metrics, log: log, spans: spans),
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
        worker.pointee.questions.store?.start(worker)
        for index in 0..<worker.pointee.listening.count { FileEvent.add(worker.event(of: index)) }
        FileEvent.add(worker.pointee.loop.tick, milliseconds: TimeoutWheel.tickMilliseconds)
        loop.run()
        worker.pointee.journal.log?.pointee.flush()
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
        tell { worker in if worker.pointee.policy.generation == generation { work(worker) } }
    }

    /// Has it end what is under way of sessions that ended: one look through its clients, however many have ended until
    /// then.
    ///
    /// Each of a thousand users whose sessions are over at once must not cost every client of every worker a look.
    func endStreams() {
        guard !isLookingForEndings.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let worker = WorkerReference(pointer: worker)
        loop.execute { [self] in
            // Before the look: what ends during it has another one.
            isLookingForEndings.store(false, ordering: .sequentiallyConsistent)
            worker.pointer.endStreams()
        }
    }

    /// Has it ask about the sessions of what is open here and has been for longer than the store's word is good: no request
    /// of theirs does, and the line that tells of an ending may be missing (SH-37).
    func recheckStreams() {
        let worker = WorkerReference(pointer: worker)
        loop.execute { worker.pointer.endStreams(onlyDue: true) }
    }
}

/// A succession with the sockets it was given.
struct PreparedSuccession {
    let succession: Succession
    let sockets: [OpenListener]

    /// Gives the succession up: what was opened for it is closed.
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
        // Whose they are was said by a header until now, or will be.
        if old.proxyProtocolFrom.isEmpty != new.proxyProtocolFrom.isEmpty { return true }
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
