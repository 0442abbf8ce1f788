import EventLoop

/// Tells now and then that every loop of the process turns; on the control loop.
///
/// The word goes from the control loop to each worker's and back: one loop that is blocked, whichever it is, keeps the
/// sign of life away, for the clients of that worker are served by nobody.
final class Watchdog: @unchecked Sendable {
    private let control: EventLoop
    private let workers: [EventLoop]
    private let milliseconds: Int
    private let beat: () -> Void
    private var timer: LoopTimer?
    /// Workers that have not answered yet.
    private var awaited = 0

    /// Calls `beat` every so many milliseconds, on the control loop, once all `workers` have answered.
    init(control: EventLoop, workers: [EventLoop], milliseconds: Int, beat: @escaping () -> Void) {
        self.control = control
        self.workers = workers
        self.milliseconds = milliseconds
        self.beat = beat
    }

    /// Begins with the first word at once; on the control loop, or before it runs.
    func start() {
        timer = LoopTimer(loop: control) { [unowned self] in ask() }
        ask()
    }

    private func ask() {
        timer?.arm(milliseconds: milliseconds)
        // One that did not answer last time is not asked again: its inbox would only fill.
        guard awaited == 0 else { return }
        awaited = workers.count
        for worker in workers {
            worker.execute { [self] in
                control.execute { [self] in answered() }
            }
        }
    }

    private func answered() {
        awaited -= 1
        if awaited == 0 { beat() }
    }
}
