import Access
import Bytes
import Crypto
import EventLoop
import RESP
import SharedState
import StoreClient
import StoreLink
import Telemetry
import Transport

/// Watches the store for the whole process: what other processes ended, whether it forgot, and how its clock goes.
///
/// On the first worker's loop: the log of endings over a connection of its own, and a look at the epoch each second over the
/// worker's.
final class StoreWatch {
    /// The first of the tickets of its questions over the worker's links; those of proofs are below.
    static let firstTicket: UInt64 = 1 << 62

    private let reports: StoreReports
    private unowned let store: WorkerStore
    private var plan: StorePlan
    private var log: LogReader?
    /// By which settings the log is read: those of before, until a change of users and passwords has come about.
    private var logPlan: StorePlan
    /// The number of the round of questions about the epoch: answers of one before are to a watch, or over a connection, that
    /// is no more.
    private var round: UInt64 = 0

    init(_ plan: StorePlan, _ loop: EventLoop, _ resolver: Resolver, _ reports: StoreReports, _ store: WorkerStore) {
        self.plan = plan
        logPlan = plan
        self.reports = reports
        self.store = store
        log = LogReader(
            EndingsFollower(plan), loop: loop, resolver: resolver, clock: { WorkerClock().microseconds() },
            onStep: { [unowned self] in tell($0) },
            onRefused: { [unowned self] in
                let command = StoreReports.RefusedCommand(name: "XREAD", user: $2)
                self.reports.refused($0, $1, .log, self.plan.place, command)
            })
    }

    /// Begins to watch.
    func start() {
        reports.name(plan.servers.places)
        reports.watch(EpochWatch(plan))
        openLog()
    }

    /// Goes on with the store of another configuration: only what that changes begins anew.
    func go(on plan: StorePlan) {
        let old = self.plan
        self.plan = plan
        reports.name(plan.servers.places)
        let isSame =
            plan.store.names.log == old.store.names.log && plan.settings.addresses == old.settings.addresses
        let isFollowed = isSame && plan.settings.recheck == old.settings.recheck
        if !isFollowed { log?.follow(EndingsFollower(plan)) }
        if !isSame || plan.proofWindow != old.proofWindow || plan.settings.afterFailover != old.settings.afterFailover {
            // Answers that are under way are to questions of the watch before.
            round += 1
            reports.watch(EpochWatch(plan))
        }
        // Whoever cannot sign in by the new password reads nothing: the log goes over with the worker.
        let waits = !plan.isReached(as: store.planInUse) && plan.maySpareChange(of: store.planInUse)
        let isReadAnew = !waits && !plan.isReached(as: logPlan)
        if !waits { logPlan = plan }
        let reads = plan.settings.shares.contains(.sessions) == old.settings.shares.contains(.sessions)
        if !isFollowed || !reads || isReadAnew { openLog() }
    }

    /// The worker asks by the links of this plan from now on.
    func serves(by plan: StorePlan) {
        guard logPlan.store !== plan.store else { return }
        logPlan = plan
        openLog()
    }

    func stop() {
        log?.close()
        reports.watch(nil)
    }

    // MARK: the log of endings

    private func openLog() {
        if plan.settings.shares.contains(.sessions) { log?.open(logPlan.servers) } else { log?.close() }
    }

    private func tell(_ step: EndingsFollower.Step) {
        if step.gap == .lost, let step = reports.epoch({ $0.lostLine(at: WatchTime.now) }) {
            reports.forgot(step.forgetting)
        }
        guard !step.lines.isEmpty || step.gap != nil else { return }
        if step.gap != nil, step.gap != .beginning { reports.countGap() }
        let now = WorkerClock().wallSeconds()
        for learner in learners {
            if !step.lines.isEmpty { learner.learn(step.lines, now: now) }
            if step.gap != nil { learner.missedLines() }
        }
    }

    /// Those whose sessions end by what other processes do.
    private var learners: [any EndingsLearning] {
        guard let worker = store.worker else { return [] }
        return worker.pointer.pointee.identities.stores.compactMap { $0 as? any EndingsLearning }
    }

    // MARK: the epoch

    /// A second has passed.
    func beat() {
        reports.noteClock(place: plan.place)
        log?.look()
        reports.noteLog(lag: log?.lag)
        if log?.isUnreadable == true {
            reports.noteLog(
                plan.logName, at: plan.place, unusable: "what cannot be read as the log of endings: remove this key")
        }
        ask(reports.epoch { $0.secondPassed(at: WatchTime.now, word: RandomBytes.fill(16)) } ?? [])
    }

    /// The worker's connection stands.
    func connected() {
        round += 1
        ask(reports.epoch { $0.connected(at: WatchTime.now, word: RandomBytes.fill(16)) } ?? [])
        // What came back from older data shows in the log alone: that does not wait for the pace of a link of its own.
        if log?.isReading == false { openLog() }
    }

    /// The worker's connection is gone.
    func lost() {
        round += 1
        reports.epoch { $0.lost() }
    }

    private func ask(_ asked: [EpochWatch.Question]) {
        for asked in asked {
            let question = asked.question
            let outcome = store.send(
                Command(question.arguments), key: question.key.bytes,
                ticket: Self.firstTicket | (round & 0x3FFF_FFFF) << 32 | UInt64(asked.number),
                changesNothing: question.changesNothing)
            // Of a cluster another server may be there.
            if outcome != .accepted { reports.epoch { $0.unanswered(asked.number) } }
        }
    }

    /// The answer to a question of this watch.
    func answered(_ ticket: UInt64, _ answer: borrowing Answer) {
        guard (ticket >> 32) & 0x3FFF_FFFF == round & 0x3FFF_FFFF else { return }
        let number = UInt32(truncatingIfNeeded: ticket)
        let reply: StoreReply
        switch answer {
        case .reply(let told): reply = StoreReply(copying: told)
        case .refused(_, let text): reply = StoreReply(refusal: text)
        case .unknown, .notSent:
            reports.epoch { $0.unanswered(number) }
            return
        }
        guard let step = reports.epoch({ $0.answered(number, reply, at: WatchTime.now) }) else { return }
        if step.forgetting != nil { reports.forgot(step.forgetting) }
        // Another primary may lack lines that nobody had read, though it has the last one that was.
        if step.forgetting != nil || step.isFailover {
            if step.forgetting != nil { log?.storeForgot() } else { log?.serverChanged() }
            for learner in learners { learner.missedLines() }
        }
        reports.noteInformation(plan.settings, place: plan.place)
        ask(step.questions)
    }
}

extension EndingsFollower {
    /// A follower of the log of this plan.
    fileprivate init(_ plan: StorePlan) { self.init(plan.store.names, recheck: plan.settings.recheck) }
}

extension EpochWatch {
    /// A watch over the store of this plan.
    init(_ plan: StorePlan) {
        self.init(
            plan.store.names, tags: plan.servers.epochTags, past: plan.proofWindow.past,
            future: plan.proofWindow.future,
            failover: plan.settings.afterFailover)
    }
}

extension WatchTime {
    /// Both clocks as they are.
    static var now: WatchTime {
        let clock = WorkerClock()
        return WatchTime(
            wall: Int64(clamping: clock.wallMicroseconds() / 1000),
            monotonic: Int64(clamping: clock.microseconds() / 1000))
    }
}

extension StoreReply {
    /// The error that a server's words are.
    init(refusal text: Span<UInt8>) {
        self = .error([UInt8](copying: text.extracting(first: 128)))
    }
}
