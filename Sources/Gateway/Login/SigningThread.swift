// SPDX-License-Identifier: Apache-2.0
import EventLoop
import Glibc
import HTTPMessage
import Synchronization

/// A thread beside the workers for what takes a key for a millisecond or more: signatures, decryptions (OPS-04).
///
/// Anybody can begin a login, and with an RSA key each costs milliseconds: on a worker's loop four hundred a second would
/// be all that this worker does. Here they wait for each other alone. Purposes take turns, so that strangers' logins put
/// off a refresh or a token's check by one signature, however many of them wait; how many do is bounded for each; and the
/// thread gives way to the workers where there is no processor to spare. Starts with the first signature.
final class SigningThread: Sendable {
    /// What waits of one purpose.
    private struct Row {
        var works: [Work] = []
        /// Those that wait, and the one that is being done.
        var count = 0
        /// When it was last its turn.
        var turn = 0
    }

    private struct Work {
        let work: @Sendable () -> Void
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var loop: EventLoop?
        var rows: [FetchRequest.Purpose: Row] = [:]
        var turns = 0
    }

    /// Signatures of one purpose that wait or are being made: at three milliseconds each, a fifth of a second.
    static let limit = 64

    /// The same for each purpose: whoever asks about tokens, or needs what a session needs, has bounds of their own.
    static func limit(of purpose: FetchRequest.Purpose) -> Int {
        switch purpose {
        case .loginStart, .code: limit
        case .description, .tokenCheck, .exchange, .session, .revocation: 1024
        }
    }
    /// Added to the process's own niceness: where all processors are busy the workers get three times as much.
    private static let niceness: Int32 = 5

    private let state = Mutex(State())

    /// Does `work` on the thread, and waits for it; false, with nothing done, when too much of its kind waits.
    func run(_ purpose: FetchRequest.Purpose, _ work: @escaping @Sendable () -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            guard let loop = admit(Work(work: work, continuation: continuation), purpose) else {
                return continuation.resume(returning: false)
            }
            // One turn for each that was admitted, whichever it is that has it.
            loop.execute { self.takeTurn() }
        }
    }

    /// What waits, and what is being done.
    var waiting: Int { state.withLock { $0.rows.values.reduce(0) { $0 + $1.count } } }

    /// Puts it in its row, for the loop of the thread; nil when there is no room, or no thread.
    private func admit(_ work: Work, _ purpose: FetchRequest.Purpose) -> EventLoop? {
        state.withLock { state in
            guard state.rows[purpose, default: Row()].count < Self.limit(of: purpose) else { return nil }
            if state.loop == nil { state.loop = Self.start() }
            guard let loop = state.loop else { return nil }
            state.rows[purpose, default: Row()].works.append(work)
            state.rows[purpose]?.count += 1
            return loop
        }
    }

    /// Does the first of the purpose that has waited longest for its turn.
    private func takeTurn() {
        let next = state.withLock { state -> (purpose: FetchRequest.Purpose, work: Work)? in
            let purposes = state.rows.filter { !$0.value.works.isEmpty }.mapValues(\.turn)
            // Moving up what waits, a thousand at most, is nothing beside a signature.
            guard let purpose = purposes.min(by: { $0.value < $1.value })?.key,
                let work = state.rows[purpose]?.works.removeFirst()
            else { return nil }
            state.turns += 1
            state.rows[purpose]?.turn = state.turns
            return (purpose, work)
        }
        guard let next else { return }
        next.work.work()
        state.withLock { $0.rows[next.purpose]?.count -= 1 }
        next.work.continuation.resume(returning: true)
    }

    /// Nil when the system gives no thread: then the next one who asks tries again.
    private static func start() -> EventLoop? {
        guard let loop = try? EventLoop() else { return nil }
        let thread = SignalFreeThread.start {
            // On Linux a thread has a niceness of its own; 0 is the one that calls.
            let process = Int32(PRIO_PROCESS.rawValue)
            _ = setpriority(process, 0, getpriority(process, 0) + SigningThread.niceness)
            loop.run()
        }
        guard let thread else { return nil }
        pthread_detach(thread)
        return loop
    }
}
