import Bytes
import EventLoop
import RESP
import SharedState
import StoreClient
import StoreLink
import Telemetry
import Transport

/// The store as one worker asks it; on the worker's loop.
///
/// It outlives configurations. One that changes how the store is reached has links of its own opened beside, and these serve
/// once all of them are open:
///
///     serving ──reload──▶ changing ──all are open, or five seconds are over──▶ serving by the new ones
///                            └──the same servers let nobody in by them──▶ refused ──open, or the old ones end──▶ the same
///
/// Five seconds, and not for ever: where other servers are configured, the old ones may not be what the other replicas ask, and
/// a proof that is spent there would pass once more at them. Where users and passwords alone are others, it is the same store,
/// and a password that was mistyped costs nobody anything while what stands lasts. Nothing is asked twice, and no used proof
/// forgotten.
final class WorkerStore {
    /// How long links that are new may take before they serve whether they are open or not.
    private static let patienceMilliseconds = 5000
    /// How long links that are let go may take to have what was asked answered; longer than any command's time.
    private static let leavingMilliseconds = 6000

    let loop: EventLoop
    private let resolver: Resolver
    let reports: StoreReports
    /// By which the process asks, over this worker's links, what no request waits for on a worker.
    private let caller: StoreCaller?
    let index: Int
    /// Whom answers to its requests are told.
    private(set) var worker: WorkerReference?
    /// When the store was lost, in monotonic microseconds; nil while it is there.
    private(set) var lostAt: UInt64?
    /// The command that uses a proof up, and the name of it: their memory is used again.
    var proofCommand = Command("SET")
    var proofName: [UInt8] = []
    /// The same of questions about sessions.
    var sessionCommand = SessionCommand()
    var sessionQuestions = SessionQuestions()
    var localProofs = LocalProofs()
    private(set) var plan: StorePlan
    private var current: StoreSide
    private var next: StoreSide?
    private var leaving: [StoreSide] = []
    private var isStarted = false
    /// Whether a server of the store was reached, so that the next connection is a new one.
    private var hasConnected = false
    /// Whether it asks by the first worker's connection, and has none of its own.
    private(set) var isRelayed: Bool
    /// What one worker watches for all.
    private var watch: StoreWatch?
    private var patience: LoopTimer?
    private var departure: LoopTimer?
    /// Publishes how the links are.
    private var beat: LoopTimer?

    /// Links that are stopped.
    init(
        _ plan: StorePlan, loop: EventLoop, resolver: Resolver, reports: StoreReports, caller: StoreCaller?, worker: Int
    ) {
        index = worker
        lostAt = WorkerClock().microseconds()
        isRelayed = plan.isRelayed(worker: worker)
        self.plan = plan
        self.loop = loop
        self.resolver = resolver
        self.reports = reports
        self.caller = caller
        current = StoreSide(plan, loop, resolver)
        current.owner = self
        patience = LoopTimer(loop: loop) { [unowned self] in
            guard let next else { return }
            guard isSpared(next) else { return serve(by: next) }
            patience?.arm(milliseconds: WorkerStore.patienceMilliseconds)
        }
        departure = LoopTimer(loop: loop) { [unowned self] in
            for side in leaving { side.links.stop() }
            leaving = []
            if isRelayed { forgetLocalProofs() }
        }
        beat = LoopTimer(loop: loop) { [unowned self] in
            publish()
            noteLimits()
            watch?.beat()
            if watch != nil { reports.judgePace(plan.settings, at: WorkerClock().microseconds()) }
            beat?.arm(milliseconds: 1000)
        }
    }

    /// What a worker asks by from now on: what it asked by before, where there is a store then as now.
    static func make(
        _ loop: EventLoop, _ resources: SharedResources, _ context: WorkerContext, continuing old: WorkerStore?
    ) -> WorkerStore? {
        guard let plan = resources.store, let reports = context.storeReports else {
            // Not now: whoever waits there for an answer would go on in the middle of a reload.
            old?.stopSoon()
            return nil
        }
        if let old {
            old.go(on: plan)
            return old
        }
        return WorkerStore(
            plan, loop: loop, resolver: resources.resolver, reports: reports, caller: context.storeCaller,
            worker: context.worker)
    }

    /// Begins to connect, where it has not; on the loop's thread, or before it runs.
    func start(_ worker: WorkerRef) {
        guard !isStarted else { return }
        isStarted = true
        self.worker = WorkerReference(pointer: worker)
        noteLimits()
        guard !isRelayed else { return }
        // One watches for all.
        if index == 0 {
            let watch = StoreWatch(plan, loop, resolver, reports, self)
            self.watch = watch
            watch.start()
        }
        caller?.use(current.links)
        // Counted once, whoever else is asked then.
        if index == 0 {
            caller?.onUnsent = { [reports, index] letter in
                reports.count(worker: index, StoreMetrics.Kind(letter: letter), .unavailable, microseconds: nil)
            }
        }
        current.links.start()
        publish()
        beat?.arm(milliseconds: 1000)
    }

    private func publish() {
        guard !isRelayed else { return }
        writeLocalProofs()
        let links = current.links
        reports.publish(
            StoreReports.Links(
                // Nobody was found yet who serves: then it is the server, or the guide, that is configured.
                states: links.states.isEmpty ? [(place: plan.place, isUp: false)] : links.states,
                counters: links.counters, redirects: links.redirects, inFlight: links.inFlight, paces: links.paces),
            worker: index)
    }

    /// Reaches the store as another configuration says.
    func go(on plan: StorePlan) {
        defer { self.plan = plan }
        watch?.go(on: plan)
        if plan.isRelayed(worker: index) { return goRelayed() }
        guard isRelayed || !plan.isReached(as: self.plan) else { return }
        next?.links.stop()
        let side = StoreSide(plan, loop, resolver)
        side.owner = self
        next = side
        side.links.start()
        patience?.arm(milliseconds: WorkerStore.patienceMilliseconds)
    }

    /// Asks by the first worker's connection from now on.
    private func goRelayed() {
        guard !isRelayed else { return }
        isRelayed = true
        patience?.cancel()
        next?.links.stop()
        next = nil
        // By its own connection, while that is left.
        writeLocalProofs()
        caller?.use(nil)
        leave(current)
        beat?.cancel()
        reports.publish(nil, worker: index)
    }

    /// Lets go of the store when the loop's turn is over: no configuration names one any more.
    private func stopSoon() {
        let leaving = LeavingStore(self)
        loop.execute { leaving.stop() }
    }

    /// Closes all links; whoever waits for an answer is told that there is none.
    fileprivate func stop() {
        caller?.use(nil)
        watch?.stop()
        watch = nil
        for side in [current, next].compactMap(\.self) + leaving { side.links.stop() }
        (next, leaving) = (nil, [])
        forgetLocalProofs()
        beat?.cancel()
        reports.publish(nil, worker: index)
        reports.areLimitsLocal(false, worker: index)
    }

    /// Takes a command about a key.
    func send(
        _ command: borrowing Command, key: [UInt8], ticket: UInt64, changesNothing: Bool = false
    ) -> SendOutcome {
        let links = current.links
        return links.send(command, slot: links.slot(of: key.span), ticket: ticket, changesNothing: changesNothing)
    }

    /// Takes a command that changes nothing: it may be sent again within its time, whatever became of it.
    ///
    /// What anybody can have asked `leavesRoom` for all else.
    func sendReading(
        _ command: borrowing Command, key: [UInt8], ticket: UInt64, leavesRoom: Bool
    ) -> SendOutcome {
        let links = current.links
        return links.send(
            command, slot: links.slot(of: key.span), ticket: ticket, changesNothing: true, leavesRoom: leavesRoom)
    }

    fileprivate func answered(
        _ ticket: UInt64, _ answer: borrowing Answer, after microseconds: UInt64, by side: StoreSide
    ) {
        let kind =
            ticket >= StoreCaller.firstTicket
            ? StoreMetrics.Kind(letter: StoreCaller.kind(of: ticket))
            : ticket >= WorkerStore.firstLeaseTicket
                ? .limit
                : ticket >= StoreWatch.firstTicket
                    ? .other
                    : ticket < WorkerStore.firstSessionTicket
                        ? .proof : SessionQuestions.part(of: ticket) == 0 ? .session : .ending
        let outcome = StoreMetrics.Outcome(answer)
        if kind == .log { noteRefusal(ofLog: answer) }
        reports.count(
            worker: index, kind, outcome,
            microseconds: outcome == .answered || outcome == .refused ? microseconds : nil)
        switch answer {
        case .refused(let refusal, let text):
            let command = StoreReports.RefusedCommand(name: side.links.refusedCommand, user: side.links.user)
            reports.refused(refusal, text, kind, plan.place, command)
        case .reply, .unknown, .notSent: break
        }
        if ticket >= StoreCaller.firstTicket { return caller?.answered(ticket, answer) ?? () }
        if ticket >= WorkerStore.firstLeaseTicket { return leaseAnswered(ticket, answer) }
        if ticket >= StoreWatch.firstTicket { return watch?.answered(ticket, answer) ?? () }
        if ticket >= WorkerStore.firstSessionTicket { return sessionAnswered(ticket, answer) }
        // Numbers of requests' proofs begin with a turn, which is never 0.
        if let number = UInt32(exactly: ticket) { return localProofAnswered(number, ProofAnswer(answer)) }
        worker?.pointer.proofAnswered(ticket, ProofAnswer(answer))
    }

    /// A line of the log that the store does not take is a line that no replica reads.
    private func noteRefusal(ofLog answer: borrowing Answer) {
        switch answer {
        case .refused(let refusal, let text):
            // Of another type, or full to its last place: any other refusal is not this key's.
            guard refusal.code == .wrongType || refusal.code == .other,
                !refusal.isOfScript(String(copying: text))
            else { return }
            reports.noteLog(
                plan.logName, at: plan.place,
                unusable: "what takes no line of the log of endings (\(refusal.code.rawValue)): remove this key")
        case .reply, .unknown, .notSent: break
        }
    }

    /// Whether the connections of before serve on while a change does not come about, since it is the user or the password
    /// that the same servers refuse.
    private func isSpared(_ side: StoreSide) -> Bool {
        guard side.wasRefused else { return false }
        // Whoever asks by the first worker goes by what that one decides.
        if isRelayed { return reports.isReachedNow }
        return side.plan.maySpareChange(of: current.plan) && current.links.states.contains(where: \.isUp)
    }

    /// By whose settings the servers are asked now.
    var planInUse: StorePlan { current.plan }

    fileprivate func told(_ event: StoreEvent, by side: StoreSide) {
        side.note(event)
        reports.told(event, isSpared: side === next && isSpared(side))
        if case .information(let place, let text) = event {
            if plan.settings.topology == .cluster {
                reports.greeted(information: text, by: place, worker: index)
            } else {
                reports.greeted(information: text, isAgain: hasConnected)
            }
        }
        // Of a cluster each server has keys of its own: one of them alone would be an outage of the others' (SH-12).
        if case .connected = event, side === next, side.links.states.allSatisfy(\.isUp) { serve(by: side) }
        guard side === current else { return }
        switch event {
        case .connected:
            hasConnected = true
            lostAt = nil
            publish()
            noteLimits()
            if plan.settings.topology == .cluster, side.links.states.allSatisfy(\.isUp) { reports.metAllServers() }
            watch?.connected()
        case .lost:
            watch?.lost()
            if lostAt == nil, !side.links.states.contains(where: \.isUp) { lostAt = WorkerClock().microseconds() }
            publish()
            noteLimits()
            // Nothing is left of before: the store is as down as it would be after a start.
            if lostAt != nil, let next, next.wasRefused { serve(by: next) }
        case .epoch, .information, .unsuitable: break
        }
    }

    private func serve(by side: StoreSide) {
        patience?.cancel()
        next = nil
        leave(current)
        current = side
        isRelayed = false
        beat?.arm(milliseconds: 1000)
        lostAt = side.links.states.contains(where: \.isUp) ? nil : WorkerClock().microseconds()
        caller?.use(side.links)
        watch?.serves(by: side.plan)
        publish()
        noteLimits()
    }

    /// Keeps a side until what it was asked is answered.
    ///
    /// It connects to nobody any more: where a password was changed, the one of before would be refused, and the log would blame
    /// the new one.
    private func leave(_ side: StoreSide) {
        side.leave()
        leaving.append(side)
        departure?.arm(milliseconds: WorkerStore.leavingMilliseconds)
    }
}

extension StoreMetrics.Kind {
    /// What the keys of this letter are about.
    fileprivate init(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "s"): self = .session
        case UInt8(ascii: "u"), UInt8(ascii: "i"), UInt8(ascii: "m"): self = .ending
        case UInt8(ascii: "p"): self = .proof
        case UInt8(ascii: "t"), UInt8(ascii: "l"), UInt8(ascii: "r"): self = .login
        case UInt8(ascii: "e"): self = .log
        case UInt8(ascii: "q"): self = .limit
        default: self = .other
        }
    }
}

extension StoreMetrics.Outcome {
    /// What came of a command.
    fileprivate init(_ answer: borrowing Answer) {
        switch answer {
        case .reply: self = .answered
        case .refused: self = .refused
        case .unknown: self = .unanswered
        case .notSent: self = .unavailable
        }
    }
}

/// A store that is let go of, on its loop alone.
private final class LeavingStore: @unchecked Sendable {
    private let store: WorkerStore

    init(_ store: WorkerStore) { self.store = store }

    func stop() { store.stop() }
}

/// One set of links, and whom it tells.
private final class StoreSide: StoreReceiving {
    unowned var owner: WorkerStore!
    /// What they were made by.
    let plan: StorePlan
    /// A server has let nobody in by these, for the user or the password.
    private(set) var wasRefused = false
    private var isLeft = false
    private var made: StoreLinks?

    init(_ plan: StorePlan, _ loop: EventLoop, _ resolver: Resolver) {
        self.plan = plan
        made = StoreLinks(
            plan.servers, loop: loop, resolver: resolver, clock: { WorkerClock().microseconds() }, receiver: self)
    }

    var links: StoreLinks {
        guard let made else { preconditionFailure("links are made with whom they tell") }
        return made
    }

    /// Others serve from now on: of what becomes of these links nobody is told.
    func leave() {
        isLeft = true
        links.stopConnecting()
    }

    func note(_ event: StoreEvent) {
        switch event {
        case .lost(_, let loss, _):
            if loss.isOfRights { wasRefused = true }
        case .connected, .epoch, .information, .unsuitable: break
        }
    }

    func storeAnswered(_ ticket: UInt64, _ answer: borrowing Answer, after microseconds: UInt64) {
        owner.answered(ticket, answer, after: microseconds, by: self)
    }
    func storeTold(_ event: StoreEvent) { if !isLeft { owner.told(event, by: self) } }
}
