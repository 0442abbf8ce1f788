import Access
import Crypto
import EventLoop
import RESP
import Rates
import SharedState
import StoreClient
import StoreLink
import Telemetry

/// Limits that replicas share: what this worker may spend of them is asked for behind the requests' backs (ECO-80).
///
/// No request waits for an answer, and none is refused because there was none: until the store answers again each
/// process grants its part, and the metrics say so.
extension WorkerRef {
    /// Asks for what the judgement of a request has found to be wanted.
    func askForLeases() {
        let store = pointee.questions.store
        let names = pointee.policy.tables.limitTables.names
        var unsent: [UInt64] = []
        pointee.identities.leases.takeQuestions { question in
            let isSent = store?.ask(question, names[question.holder.limit]) ?? false
            if !isSent { unsent.append(question.number) }
        }
        for number in unsent { leaseFailed(number, isUnsent: true) }
    }

    /// The store has granted so many.
    func leaseAnswered(_ number: UInt64, _ grant: LeaseTokens.Outcome) {
        let now = clock.microseconds() &* 1000
        pointee.identities.leases.answered(
            number, granted: grant.granted, wait: grant.waitMicroseconds.multipliedReportingOverflow(by: 1000).0,
            at: now)
        noteLimits()
    }

    /// The store has not answered; `isUnsent` where it has certainly not heard the question.
    func leaseFailed(_ number: UInt64, isUnsent: Bool) {
        pointee.identities.leases.failed(number, isUnsent: isUnsent, at: clock.microseconds() &* 1000)
        noteLimits()
    }

    /// Tells the operator whether this worker counts without the store.
    func noteLimits() {
        guard let store = pointee.questions.store else { return }
        pointee.identities.leases.isDown = !store.isRelayed && store.lostAt != nil
        let areShared = pointee.policy.tables.limitTables.areShared
        store.reports.areLimitsLocal(
            areShared && pointee.identities.leases.isLocal(at: clock.microseconds() &* 1000), worker: store.index)
    }
}

extension WorkerStore {
    /// The first of the tickets of leases; those of the watch are below.
    static let firstLeaseTicket: UInt64 = 3 << 61

    /// Asks for a lease; false where the question was not sent.
    func ask(_ question: LeaseTable.Question, _ limit: [UInt8]) -> Bool {
        let terms = question.terms
        let command = LeaseTokens(
            key: plan.store.names.limit(limit, low: question.holder.low, high: question.holder.high),
            intervalNanoseconds: terms.interval, capacity: terms.capacity, spent: question.spent,
            wanted: question.wanted)
        if isRelayed { return relay(command, question.number) }
        let outcome = send(
            Command(command.arguments(plan.store.scripts)), key: command.key.bytes,
            ticket: Self.firstLeaseTicket | question.number)
        guard outcome == .accepted else {
            reports.count(worker: index, .limit, .unavailable, microseconds: nil)
            return false
        }
        return true
    }

    private func relay(_ command: LeaseTokens, _ number: UInt64) -> Bool {
        guard let worker, reports.isReachedNow else { return false }
        let (store, loop) = (plan.store, loop)
        Task {
            do throws(StoreRefusal) {
                let grant = try await store.perform(command)
                loop.execute { worker.pointer.leaseAnswered(number, grant) }
            } catch {
                let isUnsent = error.isCertainlyUnsent
                loop.execute { worker.pointer.leaseFailed(number, isUnsent: isUnsent) }
            }
        }
        return true
    }

    /// The answer to a question for a lease.
    func leaseAnswered(_ ticket: UInt64, _ answer: borrowing Answer) {
        guard let worker else { return }
        let number = ticket & ~Self.firstLeaseTicket
        let reply: StoreReply
        switch answer {
        case .reply(let told): reply = StoreReply(copying: told)
        case .refused(_, let text): reply = StoreReply(refusal: text)
        case .unknown: return worker.pointer.leaseFailed(number, isUnsent: false)
        case .notSent: return worker.pointer.leaseFailed(number, isUnsent: true)
        }
        do throws(StoreRefusal) {
            worker.pointer.leaseAnswered(number, try LeaseTokens.outcome(of: reply))
        } catch {
            worker.pointer.leaseFailed(number, isUnsent: error.isCertainlyUnsent)
        }
    }

    /// How this worker's limits are counted, each time that may have changed.
    func noteLimits() { worker?.pointer.noteLimits() }
}

extension StoreRefusal {
    /// Whether the store has not done what it was asked.
    fileprivate var isCertainlyUnsent: Bool {
        switch self {
        case .unavailable, .busy, .refused: true
        case .unknown, .unexpected: false
        }
    }
}
