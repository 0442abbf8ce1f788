import EventLoop

/// When a process that ends takes clients at sockets that the service manager keeps (ECO-42); on the control loop.
///
///     drain ─▶ taking ── every client that was there when it began is gone ─▶ pausing ── nobody is left ─▶ the end
///                ▲                                                             │
///                └─────────────── somebody is left after a moment ─────────────┘
///
/// The manager starts the next process when this one has ended. So somebody who comes meanwhile waits for nobody but this
/// one: never longer than a pause, but for the last quarter of the drain, when whom it took before is to be answered.
final class LateClients {
    private let loop: EventLoop
    private let tellWorkers: (@escaping @Sendable (WorkerRef) -> Void) -> Void
    private let workers: Int
    /// Workers that have a client from when this round began.
    private var workersWithEarlyClients: Int
    private var isOver = false
    private var pause: LoopTimer?
    private var end: LoopTimer?

    /// More than a client may be idle, in milliseconds: nobody else is left behind then but who is at work.
    private static let pauseTime = Listening.drainedIdleTimeout + 500

    /// For so many workers, which `tellWorkers` tells; each of them begins the first round as it begins to drain.
    init(
        workers: Int, loop: EventLoop, drain milliseconds: Int,
        tellWorkers: @escaping (@escaping @Sendable (WorkerRef) -> Void) -> Void
    ) {
        self.loop = loop
        self.tellWorkers = tellWorkers
        self.workers = workers
        workersWithEarlyClients = workers
        let end = LoopTimer(loop: loop) { [unowned self] in stop() }
        self.end = end
        end.arm(milliseconds: milliseconds / 4 * 3)
        pause = LoopTimer(loop: loop) { [unowned self] in takeAgain() }
    }

    /// No client of one more worker is left that was there when the round began.
    ///
    /// As long as one worker has some, all go on.
    func earlyClientsGone() {
        workersWithEarlyClients -= 1
        guard workersWithEarlyClients == 0, !isOver else { return }
        tellWorkers { $0.leaveLateClients() }
        pause?.arm(milliseconds: Self.pauseTime)
    }

    private func takeAgain() {
        workersWithEarlyClients = workers
        tellWorkers { $0.takeLateClients() }
    }

    /// From now on nobody is taken.
    func stop() {
        guard !isOver else { return }
        isOver = true
        pause?.cancel()
        end?.cancel()
        tellWorkers { $0.leaveLateClients() }
    }
}
