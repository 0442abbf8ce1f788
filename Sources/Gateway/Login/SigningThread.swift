import EventLoop
import Glibc
import HTTPMessage
import Issuers
import Synchronization

/// A thread beside the workers for what takes a key for a millisecond or more: signatures, decryptions (OPS-04).
///
/// Anybody can begin a login, and with an RSA key each costs milliseconds: on a worker's loop four hundred a second would
/// be all that this worker does. Here they wait for each other alone. Purposes take turns, so that strangers' logins put
/// off a refresh or a token's check by one signature, however many of them wait; and within a purpose clients do, so that
/// a login waits for one signature of each of the others, and not for the hundreds of one. How many wait is bounded for
/// each purpose and for each client; and the thread gives way to the workers where there is no processor to spare.
/// Starts with the first signature.
final class SigningThread: Sendable {
    /// What one client has of a purpose.
    private struct ClientRow {
        var works: [Work] = []
        /// Those that wait, and the one that is being done.
        var count = 0
        /// When its last one was done, or when it came: whoever waits longer is next.
        var turn: Int
    }

    /// What there is of one purpose.
    private struct Row {
        var clients: [String?: ClientRow] = [:]
        /// Those that wait, and the one that is being done.
        var count = 0
        /// When it was last its turn.
        var turn = 0

        var isWaiting: Bool { clients.values.contains { !$0.works.isEmpty } }

        /// The first of the client that has waited longest for its turn.
        mutating func next(turn: Int) -> (client: String?, work: Work)? {
            var longest: (client: String?, turn: Int)?
            for (client, row) in clients where !row.works.isEmpty && row.turn < longest?.turn ?? .max {
                longest = (client, row.turn)
            }
            // Moving up what waits, a thousand at most, is nothing beside a signature.
            guard let next = longest, let work = clients[next.client]?.works.removeFirst() else { return nil }
            self.turn = turn
            return (next.client, work)
        }

        /// One of a client's is done; nothing is kept of whoever has none left.
        mutating func end(_ client: String?, turn: Int) {
            count -= 1
            clients[client]?.count -= 1
            clients[client]?.turn = turn
            if clients[client]?.count == 0 { clients[client] = nil }
        }
    }

    private struct Work {
        let work: @Sendable () -> Void
        let continuation: CheckedContinuation<SlowWork.Refusal?, Never>
    }

    private struct State {
        var loop: EventLoop?
        var rows: [FetchRequest.Purpose: Row] = [:]
        var turns = 0
    }

    /// Works of one purpose that wait or are being done.
    ///
    /// More than the shares of several clients come to, each of which has `limits.logins_per_client` (64) requests under
    /// way and one signature of each at a time; at three milliseconds each, three seconds of a login's time.
    static let limit = 1024

    /// Of these one client has half, and no more than it leaves.
    private static let share = ClientShare(most: limit / 2)

    /// Added to the process's own niceness: where all processors are busy the workers get three times as much.
    private static let niceness: Int32 = 5

    private let state = Mutex(State())

    /// Does `work` on the thread, and waits for it; says why nothing was done when too much of its kind waits.
    ///
    /// `client` is the network on whose behalf, as in `FetchRequest`; nil where nobody says who it is, or where it is no
    /// stranger: those are not bounded together, and take one turn.
    func run(
        _ purpose: FetchRequest.Purpose, client: String? = nil, _ work: @escaping @Sendable () -> Void
    ) async -> SlowWork.Refusal? {
        await withCheckedContinuation { continuation in
            switch admit(Work(work: work, continuation: continuation), purpose, client) {
            // One turn for each that was admitted, whichever it is that has it.
            case .success(let loop): loop.execute { self.takeTurn() }
            case .failure(let refusal): continuation.resume(returning: refusal)
            }
        }
    }

    /// What waits, and what is being done.
    var waiting: Int { state.withLock { $0.rows.values.reduce(0) { $0 + $1.count } } }

    /// Puts it in its row, for the loop of the thread; refuses it when there is no room, or no thread.
    private func admit(
        _ work: Work, _ purpose: FetchRequest.Purpose, _ client: String?
    ) -> Result<EventLoop, SlowWork.Refusal> {
        state.withLock { state in
            let held = state.rows[purpose]?.clients[client]?.count ?? 0
            let free = Self.limit - (state.rows[purpose]?.count ?? 0)
            guard client == nil ? free > 0 : Self.share.hasRoom(held: held, free: free) else {
                let isOwnDoing = client != nil && Self.share.isOwnDoing(held: held, free: free)
                return .failure(isOwnDoing ? .tooManyOfClient : .crowded)
            }
            if state.loop == nil { state.loop = Self.start() }
            guard let loop = state.loop else { return .failure(.crowded) }
            state.turns += 1
            let turn = state.turns
            state.rows[purpose, default: Row()].clients[client, default: ClientRow(turn: turn)].works.append(work)
            state.rows[purpose]?.clients[client]?.count += 1
            state.rows[purpose]?.count += 1
            return .success(loop)
        }
    }

    /// Does the next one of the purpose that has waited longest for its turn.
    private func takeTurn() {
        let next = state.withLock { state -> (purpose: FetchRequest.Purpose, client: String?, work: Work)? in
            let purposes = state.rows.filter { $0.value.isWaiting }.mapValues(\.turn)
            guard let purpose = purposes.min(by: { $0.value < $1.value })?.key else { return nil }
            state.turns += 1
            guard let taken = state.rows[purpose]?.next(turn: state.turns) else { return nil }
            return (purpose, taken.client, taken.work)
        }
        guard let next else { return }
        next.work.work()
        state.withLock { state in
            state.turns += 1
            let turn = state.turns
            state.rows[next.purpose]?.end(next.client, turn: turn)
        }
        next.work.continuation.resume(returning: nil)
    }

    /// Nil when the system gives no thread: then the next one who asks tries again.
    private static func start() -> EventLoop? {
        guard let loop = try? EventLoop() else { return nil }
        return SignalFreeThread.start(niceness: niceness) { loop.run() } ? loop : nil
    }
}
