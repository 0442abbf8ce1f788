extension EventLoop {
    /// Suspends the calling task on this loop's clock; a cancelled task wakes at once with `CancellationError`.
    public func sleep(milliseconds: Int) async throws {
        let sleeper = Sleeper(loop: self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                execute { sleeper.start(continuation, milliseconds: milliseconds) }
            }
        } onCancel: {
            execute { sleeper.cancel() }
        }
    }
}

/// One suspended task; touched on the loop's thread only, which is why it may be passed around.
private final class Sleeper: @unchecked Sendable {
    private unowned let loop: EventLoop
    private var timer: LoopTimer?
    private var continuation: CheckedContinuation<Void, any Error>?
    private var isCancelled = false

    init(loop: EventLoop) { self.loop = loop }

    func start(_ continuation: CheckedContinuation<Void, any Error>, milliseconds: Int) {
        guard !isCancelled else {
            continuation.resume(throwing: CancellationError())
            return
        }
        self.continuation = continuation
        // The timer is owned by this object and this object by the timer, until either end comes.
        timer = LoopTimer(loop: loop) { self.finish() }
        timer?.arm(milliseconds: milliseconds)
    }

    func cancel() {
        isCancelled = true
        guard let continuation else { return }
        self.continuation = nil
        timer?.cancel()
        timer = nil
        continuation.resume(throwing: CancellationError())
    }

    private func finish() {
        guard let continuation else { return }
        self.continuation = nil
        continuation.resume()
        loop.execute { self.timer = nil }
    }
}
