import SharedState
import StoreClient
import StoreLink
import Synchronization
import Telemetry

/// Tells the operator how the servers of the store are, in lines and numbers; one for the process, from any worker's loop.
///
/// All workers lose a server at the same moment, and it may come and go: a line a minute for one server and word (SH-87).
final class StoreReports: Sendable {
    private struct Said: Hashable {
        let place: LinkServer.Place
        let event: LogEvent
    }

    /// How one worker's links are.
    struct Links: Sendable {
        var states: [(place: LinkServer.Place, isUp: Bool)] = []
        var counters = LinkCounters()
        var redirects = 0
        var inFlight = 0
    }

    private let log: OperatorLog
    private let metrics: StoreMetrics
    private let said = Mutex<[Said: UInt64]>([:])
    private let links: Mutex<[Links?]>
    private let localWorkers = Mutex<Set<Int>>([])
    /// Those that count requests without the store, and those that have counted with it.
    private let counting = Mutex<(local: Set<Int>, shared: Set<Int>)>(([], []))
    /// What the store may have forgotten.
    let forgotten = ForgottenProofs()
    private let watching = Mutex<EpochWatch?>(nil)
    private let forgettingSaid = OncePerMinute()
    private let limitsSaid = OncePerMinute()
    private let gaps = Atomic<UInt64>(0)
    private let tamperings = Atomic<UInt64>(0)
    private let forgettings = Atomic<UInt64>(0)
    private let logLag = Atomic<Int64>(0)
    /// When the store was reached for the first time, or not at all; monotonic microseconds.
    private let startedAt = WorkerClock().microseconds()
    private let hasConnected = Atomic<Bool>(false)
    private let isReached = Atomic<Bool>(false)
    private let losses = Mutex<[(word: String, count: UInt64)]>(LinkLoss.words.map { ("\($0)", 0) })
    /// Servers that are remembered; those of a cluster, and more that somebody announces.
    private static let limit = 1024

    init(_ log: OperatorLog, _ metrics: StoreMetrics, workers: Int) {
        self.log = log
        self.metrics = metrics
        links = Mutex(Array(repeating: nil, count: workers))
    }

    // MARK: the watch

    /// Watches the store of now.
    func watch(_ watch: EpochWatch?) { watching.withLock { $0 = watch } }

    /// Does something with the watch, whose judgement every worker's proofs obey at once.
    @discardableResult
    func epoch<Result: Sendable>(_ body: (inout EpochWatch) -> Result) -> Result? {
        let (result, until) = watching.withLock { watch -> (Result?, Int64?) in
            guard var held = watch else { return (nil, nil) }
            let result = body(&held)
            watch = held
            return (result, held.forgottenUntil)
        }
        if let until { forgotten.note(until: until) }
        return result
    }

    /// The store forgot what it knew.
    func forgot(_ how: EpochWatch.Forgetting?) {
        forgettings.wrappingAdd(1, ordering: .relaxed)
        guard forgettingSaid.takesTurn(at: WorkerClock().microseconds()) else { return }
        log.write(.error, .storeForgot, [LogField(.reason, how.map { "\($0)" } ?? "")])
    }

    /// A value was not what a gateway had written.
    func countTampering() { tamperings.wrappingAdd(1, ordering: .relaxed) }

    func countGap() { gaps.wrappingAdd(1, ordering: .relaxed) }

    func noteLog(lag: Int64?) { logLag.store(lag ?? 0, ordering: .relaxed) }

    /// Tells what a server says of itself that does not fit.
    func noteInformation(topology: StoreSettings.Topology, place: LinkServer.Place) {
        let found = watching.withLock { $0?.information?.unsuitabilities(as: topology) } ?? []
        for one in found {
            let (setting, text) = one.words
            say(.warning, .storeUnsuitable, place, [LogField(.setting, setting), LogField(.found, text)])
        }
    }

    /// Whether this gateway may say that it is ready, as far as the store goes (SH-36).
    func isReady(_ settings: StoreSettings?) -> Bool {
        guard let settings else { return true }
        if watching.withLock({ $0?.skew.isUnready(at: WatchTime.now) }) == true { return false }
        if settings.readiness == .strict { return isUp ?? false }
        return hasConnected.load(ordering: .relaxed) || WorkerClock().microseconds() >= startedAt &+ 10_000_000
    }

    // MARK: numbers

    /// Counts what came of a command; on the worker's loop.
    func count(worker: Int, _ kind: StoreMetrics.Kind, _ outcome: StoreMetrics.Outcome, microseconds: UInt64?) {
        metrics.count(worker: worker, kind, outcome, microseconds: microseconds)
    }

    /// How a worker's links are now; nil when it has none any more.
    func publish(_ state: Links?, worker: Int) {
        let isUp = links.withLock { links in
            links[worker] = state
            return links.contains { $0?.states.contains(where: \.isUp) ?? false }
        }
        isReached.store(isUp, ordering: .relaxed)
    }

    /// Whether any worker reaches any server; one read, for each proof of a worker that asks through another.
    var isReachedNow: Bool { isReached.load(ordering: .relaxed) }

    /// All of it as the metrics page shows it; nil where no worker has a store.
    var readings: StoreReadings? {
        let links = links.withLock { $0.compactMap(\.self) }
        guard !links.isEmpty else { return nil }
        var readings = StoreReadings()
        for worker in links {
            readings.inFlight += worker.inFlight
            readings.writes &+= UInt64(worker.counters.writes)
            readings.redirects &+= UInt64(worker.redirects)
            for state in worker.states {
                let node = state.place.text
                if let known = readings.servers.firstIndex(where: { $0.node == node }) {
                    readings.servers[known].isUp = readings.servers[known].isUp && state.isUp
                } else {
                    readings.servers.append(StoreReadings.Server(node: node, isUp: state.isUp))
                }
            }
        }
        readings.gaps = gaps.load(ordering: .relaxed)
        readings.tampered = tamperings.load(ordering: .relaxed)
        readings.forgot = forgettings.load(ordering: .relaxed)
        readings.endingsLag = UInt64(clamping: logLag.load(ordering: .relaxed)) &* 1000
        watching.withLock { watch in
            readings.clockSkew = (watch?.skew.milliseconds ?? 0) &* 1000
            readings.isEvicting = watch?.information?.isEvicting ?? false
        }
        readings.areLimitsLocal = counting.withLock { !$0.local.isEmpty }
        readings.areProofsLocal = localWorkers.withLock { !$0.isEmpty }
        readings.reconnects = losses.withLock { $0.map { (reason: $0.word, count: $0.count) } }
        return readings
    }

    /// Whether this worker judges proofs without the store.
    func areProofsLocal(_ areLocal: Bool, worker: Int) {
        let isNew = localWorkers.withLock { workers in
            if areLocal { return workers.insert(worker).inserted && workers.count == 1 }
            workers.remove(worker)
            return false
        }
        if isNew { log.write(.error, .storeProofsLocal, []) }
    }

    /// Whether this worker counts requests without the store.
    func areLimitsLocal(_ areLocal: Bool, worker: Int) {
        let isNew = counting.withLock { workers in
            guard areLocal else {
                workers.local.remove(worker)
                workers.shared.insert(worker)
                return false
            }
            // At the start nobody has reached the store yet, and nothing is lost.
            return workers.local.insert(worker).inserted && workers.local.count == 1 && workers.shared.contains(worker)
        }
        guard isNew, limitsSaid.takesTurn(at: WorkerClock().microseconds()) else { return }
        log.write(.warning, .storeLimitsLocal, [])
    }

    /// Whether a server of the store takes commands; nil where there is no store.
    var isUp: Bool? { readings.map { readings in readings.servers.contains { $0.isUp } } }

    private func countLoss(_ word: String) {
        losses.withLock { losses in
            if let known = losses.firstIndex(where: { $0.word == word }) {
                losses[known].count += 1
            } else {
                losses.append((word, 1))
            }
        }
    }

    func told(_ event: StoreEvent) {
        switch event {
        case .connected(let place):
            hasConnected.store(true, ordering: .relaxed)
            say(.info, .storeConnected, place, [])
        case .lost(let place, let loss):
            countLoss("\(loss.word)")
            say(
                .warning, .storeLost, place,
                [LogField(.reason, "\(loss.word)"), LogField(.found, loss.found)])
        case .unsuitable(let place, let setting, let found):
            say(.error, .storeUnsuitable, place, [LogField(.setting, setting), LogField(.found, found)])
        case .epoch(let word):
            // Before anything is asked on that connection.
            if let step = epoch({ $0.greeted(word, at: WatchTime.now) }), step.forgetting != nil {
                forgot(step.forgetting)
            }
        case .information: break
        }
    }

    private func say(_ level: LogLevel, _ event: LogEvent, _ place: LinkServer.Place, _ fields: [LogField]) {
        let now = WorkerClock().microseconds()
        let isDue = said.withLock { said in
            let key = Said(place: place, event: event)
            if let last = said[key], now < last &+ 60_000_000 { return false }
            if said.count >= Self.limit { said.removeAll() }
            said[key] = now
            return true
        }
        if isDue { log.write(level, event, [LogField(.address, place.text)] + fields) }
    }
}

extension StoreInformation.Unsuitability {
    /// The key to change, and what was found; where the key is the server's own it says so.
    fileprivate var words: (setting: String, found: String) {
        switch self {
        case .tooOld(let version):
            ("store.url", "version \(version), which lacks commands that are needed: 7.0 has them")
        case .evicting(let policy):
            ("maxmemory-policy", "\(policy), which drops used proofs and sessions: noeviction does not")
        case .cluster: ("store.topology", "a server of a cluster")
        case .noCluster: ("store.topology", "a server that is in no cluster")
        }
    }
}

extension LinkServer.Place {
    /// The place as a URL has it.
    var text: String {
        switch self {
        case .address(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): path
        }
    }
}
