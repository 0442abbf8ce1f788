import RESP
import SharedState
import StoreClient
import StoreLink
import Synchronization
import Telemetry

/// Tells the operator how the servers of the store are, in lines and numbers; one for the process, from any worker's loop.
///
/// All workers lose a server at the same moment, and it may come and go: a line a minute for one server and reason (SH-87).
final class StoreReports: Sendable {
    private struct Said: Hashable {
        let place: LinkServer.Place
        let event: LogEvent
        /// What tells several lines of one event apart.
        var code: ServerRefusal.Code?
        var kind: StoreMetrics.Kind?
        var setting = ""
        /// Why a server was lost: what is found out afterwards, by a connection that is refused, says which key to change.
        var reason = ""
        /// Who was not let in: another one is told of too.
        var user = ""
        /// It is told again when the connections of before are gone.
        var isSpared = false
    }

    /// How one worker's links are.
    struct Links: Sendable {
        var states: [(place: LinkServer.Place, isUp: Bool)] = []
        var counters = LinkCounters()
        var redirects = 0
        var inFlight = 0
        var paces: [(place: LinkServer.Place, pace: ServerPace)] = []
    }

    /// How the servers had kept their time a minute ago.
    private struct Minute {
        var begunAt: UInt64
        var paces: [LinkServer.Place: ServerPace] = [:]
    }

    private let log: OperatorLog
    private let metrics: StoreMetrics
    private let said = Mutex<[Said: UInt64]>([:])
    private let configured = Mutex<Set<LinkServer.Place>>([])
    private let links: Mutex<(workers: [Links?], reach: StoreReach)>
    private let localWorkers = Mutex<Set<Int>>([])
    /// What came of asking about sessions, by whichever configuration.
    let figures = StoreFigures()
    /// Those that count requests without the store, and those that have counted with it.
    private let counting = Mutex<(local: Set<Int>, shared: Set<Int>)>(([], []))
    /// What the store may have forgotten.
    let forgotten = ForgottenProofs()
    private let watching = Mutex<EpochWatch?>(nil)
    private let minute: Mutex<Minute>
    private let forgettingSaid = OncePerMinute()
    private let newnessSaid = OncePerMinute()
    private let limitsSaid = OncePerMinute()
    private let blindnessSaid = Atomic<Bool>(false)
    private let gaps = Atomic<UInt64>(0)
    private let tamperings = Atomic<UInt64>(0)
    private let forgettings = Atomic<UInt64>(0)
    private let logLag = Atomic<Int64>(0)
    /// Monotonic microseconds.
    private let startedAt = WorkerClock().microseconds()
    /// Whether the store was reached at any time.
    private let hasConnected = Atomic<Bool>(false)
    private let isReached = Atomic<Bool>(false)
    private let losses = Mutex<[(word: String, count: UInt64)]>(LinkLoss.words.map { ("\($0)", 0) })
    /// Servers that others name of which a line of one kind is written in a minute; a server that lies names thousands.
    private static let announcedLimit = 32

    init(_ log: OperatorLog, _ metrics: StoreMetrics, workers: Int) {
        self.log = log
        self.metrics = metrics
        links = Mutex((Array(repeating: nil, count: workers), StoreReach()))
        minute = Mutex(Minute(begunAt: startedAt))
    }

    /// The servers that the settings name: of each of them a line is written, whoever else is named.
    func name(_ places: [LinkServer.Place]) { configured.withLock { $0.formUnion(places) } }

    /// The log of endings cannot be read or written, as long as its key lies there: why.
    func noteLog(_ key: String, at place: LinkServer.Place, unusable found: String) {
        sayUnsuitable(.error, place, key, found)
    }

    // MARK: the watch

    /// Watches the store of now, from the word on that the one before had.
    func watch(_ watch: EpochWatch?) {
        watching.withLock { watching in
            var next = watch
            if let before = watching { next?.goOn(from: before) }
            watching = next
        }
    }

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
    ///
    /// A store that is new has lost nothing; proofs wait all the same.
    func forgot(_ how: EpochWatch.Forgetting?) {
        if how == .new || how == .young {
            guard newnessSaid.takesTurn(at: WorkerClock().microseconds()) else { return }
            let seconds = watching.withLock { $0?.secondsToWait(at: WatchTime.now) ?? 0 }
            return log.write(
                .info, .storeNew, [LogField(.reason, how == .new ? "new" : "young"), LogField(.seconds, seconds)])
        }
        forgettings.wrappingAdd(1, ordering: .relaxed)
        guard forgettingSaid.takesTurn(at: WorkerClock().microseconds()) else { return }
        log.write(.error, .storeForgot, [LogField(.reason, how.map { "\($0)" } ?? "")])
    }

    /// A value was not what a gateway had written.
    func countTampering() { tamperings.wrappingAdd(1, ordering: .relaxed) }

    func countGap() { gaps.wrappingAdd(1, ordering: .relaxed) }

    func noteLog(lag: Int64?) { logLag.store(lag ?? 0, ordering: .relaxed) }

    /// Tells what a server says of itself that does not fit.
    func noteInformation(_ settings: StoreSettings, place: LinkServer.Place) {
        let (found, isBlind, seesNothing) = watching.withLock { watch in
            figures.notePrimary(isCutOff: watch?.isCutOff ?? false)
            return (
                watch?.information?.unsuitabilities(as: settings.topology, settings.durability) ?? [],
                watch?.cannotSeeFailovers ?? false, watch?.cannotSeeInformation ?? false
            )
        }
        // Once: it is the operator's choice.
        if seesNothing, !blindnessSaid.exchange(true, ordering: .relaxed) {
            let text = "a user without +info: used proofs that the server throws away for want of memory are not missed"
            sayUnsuitable(.warning, place, "store.user", text)
        }
        if isBlind {
            let text =
                "a user without +info: each new connection counts as a failover, and proofs are refused for a while"
            sayUnsuitable(.warning, place, "store.after_failover", text)
        }
        for one in found {
            let (setting, text) = one.words
            sayUnsuitable(.warning, place, setting, text)
        }
    }

    /// Says that this machine's clock keeps the gateway from being ready; asked once a second (SH-36).
    func noteClock(place: LinkServer.Place) {
        guard let words = clockFault else { return }
        say(
            .error, Said(place: place, event: .storeClockDiffers),
            [LogField(.expected, "5s at most"), LogField(.found, words)])
    }

    /// By how much this clock is wrong, in words, where the gateway is not ready for that.
    var clockFault: String? {
        watching.withLock { watch in
            guard let skew = watch?.skew, skew.isUnready(at: WatchTime.now) else { return nil }
            let seconds = Int(abs(skew.milliseconds) / 1000)
            return "\(seconds)s \(skew.milliseconds > 0 ? "ahead of" : "behind") the store"
        }
    }

    /// A command that a server refused, and who had it asked.
    struct RefusedCommand {
        let name: String
        let user: StoreUser
    }

    /// Tells what a server said instead of an answer, and whose setting that is.
    func refused(
        _ refusal: ServerRefusal, _ text: Span<UInt8>, _ kind: StoreMetrics.Kind, _ place: LinkServer.Place,
        _ command: RefusedCommand
    ) {
        let words = Self.words(text)
        // Whether a gateway may read this is the operator's choice.
        if refusal.code == .noPermission, words.contains("'info") { return }
        // Which command it was, the server does not say.
        let found = refusal.isOfScript(words) ? "\(words); scripts call \(StoreScripts.commands)" : words
        var fields = [LogField(.detail, kind.rawValue), LogField(.found, found)]
        if let setting = refusal.setting(words) { fields.insert(LogField(.setting, setting), at: 0) }
        var line = Said(place: place, event: .storeRefused, code: refusal.code, kind: kind)
        if refusal.isOfRights(words) {
            // The server names the one or the other, or neither.
            fields += [LogField(.user, command.user.name), LogField(.command, command.name)]
            line.user = command.user.name
        }
        say(.error, line, fields)
    }

    /// Eighty characters at most, nothing of them an argument of a command (SH-52).
    private static func words(_ text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in text.indices where bytes.count < 80 { bytes.append(text[index]) }
        let shown = String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
        return shown.hasPrefix("ERR unknown command") ? "ERR unknown command" : shown
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

    /// How a worker's links are now, at a second of the wall clock; nil when it has none any more.
    func publish(_ state: Links?, worker: Int, at seconds: Int64 = WorkerClock().wallSeconds()) {
        let isUp = links.withLock { links in
            links.workers[worker] = state
            links.reach.note(links.workers.compactMap(\.self), at: seconds)
            return links.workers.contains { $0?.states.contains(where: \.isUp) ?? false }
        }
        isReached.store(isUp, ordering: .relaxed)
    }

    /// Tells of the servers that were slow in the minute that is over (SH-87); asked once a second.
    func judgePace(_ settings: StoreSettings, at now: UInt64) {
        let paces = links.withLock { links in
            links.workers.lazy.compactMap { $0?.paces }.joined()
                .reduce(into: [LinkServer.Place: ServerPace]()) { paces, one in
                    paces[one.place, default: ServerPace()].add(one.pace)
                }
        }
        let slow = minute.withLock { minute -> [LinkServer.Place] in
            guard now >= minute.begunAt &+ 60_000_000 else { return [] }
            defer { minute = Minute(begunAt: now, paces: paces) }
            return paces.filter { $1.isSlow(since: minute.paces[$0] ?? ServerPace()) }.map(\.key)
        }
        for place in slow {
            say(
                .warning, Said(place: place, event: .storeSlow),
                [
                    LogField(
                        .expected,
                        "99 of 100 answers within half of \(settings.timeouts.command) (store.timeouts.command)"),
                    LogField(.found, "fewer in the last minute"),
                ])
        }
    }

    /// Whether any worker reaches any server; one read, for each proof of a worker that asks through another.
    var isReachedNow: Bool { isReached.load(ordering: .relaxed) }

    /// All of it as the metrics page shows it; nil where no worker has a store.
    var readings: StoreReadings? {
        let links = links.withLock { $0.workers.compactMap(\.self) }
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
        readings.sessions = StoreFigures.SessionAnswer.allCases.map { ($0.rawValue, figures.count(of: $0)) }
        readings.refreshes = StoreFigures.RefreshAnswer.allCases.map { ($0.rawValue, figures.count(of: $0)) }
        readings.skippedRevocations = figures.skippedRevocations
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

    /// How much of the store this process reaches; nil where there is no store.
    var reach: StoreReach? {
        links.withLock { links in links.workers.contains { $0 != nil } ? links.reach : nil }
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
    ///
    /// By any worker: one that opens its connection anew is no outage.
    var isUp: Bool? {
        links.withLock { links in
            guard links.workers.contains(where: { $0 != nil }) else { return nil }
            return links.reach.state != .down
        }
    }

    private func countLoss(_ word: String) {
        losses.withLock { losses in
            if let known = losses.firstIndex(where: { $0.word == word }) {
                losses[known].count += 1
            } else {
                losses.append((word, 1))
            }
        }
    }

    /// A server has said what it is, before anything is asked on that connection; `isAgain` where this worker has had another.
    ///
    /// One worker looks each second, and any of them may be the first to reach another primary (SH-62).
    func greeted(information text: [UInt8]?, isAgain: Bool) {
        heard(epoch { $0.greeted(information: text, isAgain: isAgain, at: WatchTime.now) })
    }

    /// The same of a server of a cluster, by a worker's connection.
    func greeted(information text: [UInt8]?, by place: LinkServer.Place, worker: Int) {
        heard(epoch { $0.greeted(information: text, by: place.text, worker: worker, at: WatchTime.now) })
    }

    /// A worker reaches all servers that a cluster names.
    func metAllServers() { epoch { $0.metAllServers() } }

    private func heard(_ step: EpochWatch.Step?) {
        if let step, step.forgetting != nil { forgot(step.forgetting) }
    }

    /// Something has changed with a server; `isSpared` where connections by the user and password of before serve on.
    func told(_ event: StoreEvent, isSpared: Bool = false) {
        switch event {
        case .connected(let place):
            hasConnected.store(true, ordering: .relaxed)
            say(.info, Said(place: place, event: .storeConnected), [])
        case .lost(let place, let loss, let user):
            countLoss("\(loss.word)")
            let setting = loss.setting(of: user)
            var line = Said(place: place, event: .storeLost, setting: setting ?? "", reason: "\(loss.word)")
            var fields = [LogField(.reason, "\(loss.word)"), LogField(.found, loss.found)]
            if let setting { fields.insert(LogField(.setting, setting), at: 1) }
            if loss.isOfRights {
                fields.append(LogField(.user, user.name))
                line.user = user.name
            }
            if isSpared, loss.isOfRights {
                line.isSpared = true
                fields.append(
                    LogField(.detail, "connections by the user and password of before serve on until they end"))
            }
            if case .greetingRefused(let command, .noPermission, _) = loss {
                fields.append(LogField(.command, command))
            }
            say(.warning, line, fields)
        case .unsuitable(let place, let setting, let found):
            sayUnsuitable(.error, place, setting, found)
        case .epoch(let part, let word):
            // Before anything is asked on that connection.
            if let step = epoch({ $0.greeted(word, part: part, at: WatchTime.now) }), step.forgetting != nil {
                forgot(step.forgetting)
            }
        case .information: break
        }
    }

    private func sayUnsuitable(_ level: LogLevel, _ place: LinkServer.Place, _ setting: String, _ found: String) {
        say(
            level, Said(place: place, event: .storeUnsuitable, setting: setting),
            [LogField(.setting, setting), LogField(.found, found)])
    }

    private func say(_ level: LogLevel, _ line: Said, _ fields: [LogField]) {
        let now = WorkerClock().microseconds()
        let isConfigured = configured.withLock { $0.contains(line.place) }
        let isDue = said.withLock { said in
            if let last = said[line], now < last &+ 60_000_000 { return false }
            if !isConfigured {
                said = said.filter { now < $0.value &+ 60_000_000 }
                guard said.keys.count(where: { $0.event == line.event }) < Self.announcedLimit else { return false }
            }
            said[line] = now
            return true
        }
        if isDue { log.write(level, line.event, [LogField(.address, line.place.text)] + fields) }
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
        case .cutOff:
            (
                "min-replicas-to-write",
                "a primary that has lost its replicas: it takes no writes, and what it says of sessions does not count"
            )
        case .noReplica: ("store.durability", "a primary without a replica: each write is answered 503")
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
