import Access
import Crypto
import EventLoop
import Glibc
import RESP
import SharedState
import StoreClient
import StoreLink
import Synchronization
import Telemetry
import Transport

/// Watches the store for the whole process: what other processes ended, whether it forgot, and how its clock goes.
///
/// On the first worker's loop: the log of endings over a connection of its own, because who waits there for a line answers
/// nothing else, and a look at the epoch each second over the worker's.
final class StoreWatch {
    /// The first of the tickets of its questions over the worker's links; those of proofs are below.
    static let firstTicket: UInt64 = 1 << 62

    private let loop: EventLoop
    private let resolver: Resolver
    private let reports: StoreReports
    private unowned let store: WorkerStore
    private var plan: StorePlan
    private var follower: EndingsFollower
    private var log: LogLinks?
    /// Opens the log's connection again.
    private var reopening: LoopTimer?
    /// The number of the round of questions about the epoch, and of the last question.
    private var round: UInt64 = 0
    private var questions: UInt64 = 0

    /// How long after a refused question the log's connection is opened again.
    private static let reopeningMilliseconds = 1000
    /// How long a question for the next line may take, in microseconds: the store holds it for half a second.
    private static let lineTime: UInt64 = 3_000_000

    init(_ plan: StorePlan, _ loop: EventLoop, _ resolver: Resolver, _ reports: StoreReports, _ store: WorkerStore) {
        self.plan = plan
        self.loop = loop
        self.resolver = resolver
        self.reports = reports
        self.store = store
        follower = EndingsFollower(plan.store.names, recheck: plan.settings.recheck)
        reopening = LoopTimer(loop: loop) { [unowned self] in openLog() }
    }

    /// Begins to watch.
    func start() {
        reports.watch(EpochWatch(plan))
        openLog()
    }

    /// Goes on with the store of another configuration: only what that changes begins anew.
    func go(on plan: StorePlan) {
        let old = self.plan
        self.plan = plan
        let isSame =
            plan.store.names.log == old.store.names.log && plan.settings.addresses == old.settings.addresses
        let isFollowed = isSame && plan.settings.recheck == old.settings.recheck
        if !isFollowed { follower = EndingsFollower(plan.store.names, recheck: plan.settings.recheck) }
        if !isSame || plan.proofWindow != old.proofWindow || plan.settings.afterFailover != old.settings.afterFailover {
            // Answers that are under way are to questions of the watch before.
            round += 1
            reports.watch(EpochWatch(plan))
        }
        let reads = plan.settings.shares.contains(.sessions) == old.settings.shares.contains(.sessions)
        if !isFollowed || !reads || !plan.isReached(as: old) { openLog() }
    }

    func stop() {
        reopening?.cancel()
        closeLog()
        reports.watch(nil)
    }

    // MARK: the log of endings

    private func openLog() {
        closeLog()
        guard plan.settings.shares.contains(.sessions) else { return }
        let log = LogLinks(plan.servers, loop, resolver, self)
        self.log = log
        log.links.start()
    }

    private func closeLog() {
        follower.lost()
        guard let log else { return }
        self.log = nil
        log.links.stop()
        // It may be in the middle of telling something.
        let kept = RetiredLog(log)
        loop.execute { withExtendedLifetime(kept) {} }
    }

    fileprivate func logConnected() { follow(follower.connected(at: Self.milliseconds)) }

    fileprivate func logLost() { follower.lost() }

    fileprivate func logAnswered(_ answer: borrowing Answer) {
        let reply: StoreReply
        switch answer {
        case .reply(let told): reply = StoreReply(copying: told)
        case .refused(let refusal, let text):
            reports.refused(refusal, text, .log, plan.place)
            return reopenLog()
        case .unknown, .notSent: return reopenLog()
        }
        do throws(StoreRefusal) {
            follow(try follower.answered(reply, at: Self.milliseconds))
        } catch {
            reopenLog()
        }
    }

    private func reopenLog() {
        closeLog()
        reopening?.arm(milliseconds: Self.reopeningMilliseconds)
    }

    private func follow(_ step: EndingsFollower.Step) {
        if step.gap == .lost, let step = reports.epoch({ $0.lostLine(at: WatchTime.now) }) {
            reports.forgot(step.forgetting)
        }
        if !step.lines.isEmpty || step.gap != nil {
            if step.gap != nil, step.gap != .beginning { reports.countGap() }
            let now = WorkerClock().wallSeconds()
            for learner in learners {
                if !step.lines.isEmpty { learner.learn(step.lines, now: now) }
                if step.gap != nil { learner.missedLines() }
            }
        }
        guard let question = step.question, let log else { return }
        let slot = HashSlot.of(question.key.bytes.span)
        let outcome = log.links.send(
            Command(question.arguments), slot: slot, ticket: 1, within: Self.lineTime, changesNothing: false)
        if outcome != .accepted { reopenLog() }
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
        reports.noteLog(lag: follower.lag(at: Self.milliseconds))
        ask(reports.epoch { $0.secondPassed(at: WatchTime.now, word: RandomBytes.fill(16)) } ?? [])
    }

    /// The worker's connection stands.
    func connected() {
        round += 1
        ask(reports.epoch { $0.connected(at: WatchTime.now, word: RandomBytes.fill(16)) } ?? [])
    }

    /// The worker's connection is gone.
    func lost() {
        round += 1
        reports.epoch { $0.lost() }
    }

    private func ask(_ asked: [StoreQuestion]) {
        for question in asked {
            questions += 1
            let outcome = store.send(
                Command(question.arguments), slot: HashSlot.of(question.key.bytes.span),
                ticket: Self.firstTicket | (round & 0xFFFF_FFFF) << 16 | questions & 0xFFFF)
            // The next ones would be taken for its answer.
            guard outcome == .accepted else { return lost() }
        }
    }

    /// The answer to a question of this watch.
    func answered(_ ticket: UInt64, _ answer: borrowing Answer) {
        guard (ticket >> 16) & 0xFFFF_FFFF == round & 0xFFFF_FFFF else { return }
        let reply: StoreReply
        switch answer {
        case .reply(let told): reply = StoreReply(copying: told)
        case .refused(_, let text): reply = StoreReply(refusal: text)
        case .unknown, .notSent: return lost()
        }
        guard let step = reports.epoch({ $0.answered(reply, at: WatchTime.now) }) else { return }
        if step.forgetting != nil { reports.forgot(step.forgetting) }
        // Another primary may lack lines that nobody had read, though it has the last one that was.
        if step.forgetting != nil || step.isFailover {
            follower.storeForgot()
            for learner in learners { learner.missedLines() }
        }
        reports.noteInformation(plan.settings, place: plan.place)
        ask(step.questions)
    }

    private static var milliseconds: Int64 { Int64(clamping: WorkerClock().microseconds() / 1000) }
}

/// The connection on which the log is read, and whom it tells.
private final class LogLinks: StoreReceiving {
    private unowned let owner: StoreWatch
    private var made: StoreLinks?

    init(_ servers: StoreServers, _ loop: EventLoop, _ resolver: Resolver, _ owner: StoreWatch) {
        self.owner = owner
        made = StoreLinks(
            servers, loop: loop, resolver: resolver, clock: { WorkerClock().microseconds() }, receiver: self)
    }

    var links: StoreLinks {
        guard let made else { preconditionFailure("links are made with whom they tell") }
        return made
    }

    private var isHeard: Bool { !links.isStopped }

    func storeAnswered(_ ticket: UInt64, _ answer: borrowing Answer) { if isHeard { owner.logAnswered(answer) } }

    func storeTold(_ event: StoreEvent) {
        guard isHeard else { return }
        switch event {
        case .connected: owner.logConnected()
        case .lost: owner.logLost()
        case .epoch, .information, .unsuitable: break
        }
    }
}

/// Kept until the call is over which it may be in; on the loop's thread alone.
private final class RetiredLog: @unchecked Sendable {
    private let log: LogLinks

    init(_ log: LogLinks) { self.log = log }
}

extension EpochWatch {
    /// A watch over the store of this plan.
    init(_ plan: StorePlan) {
        self.init(
            plan.store.names, past: plan.proofWindow.past, future: plan.proofWindow.future,
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
        var bytes: [UInt8] = []
        for index in text.indices.prefix(128) { bytes.append(text[index]) }
        self = .error(bytes)
    }
}
