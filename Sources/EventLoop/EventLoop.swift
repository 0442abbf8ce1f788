import CEvent
import Glibc
import Synchronization

/// One thread's loop over libevent: readiness, timers, signals, and an executor for the code that waits.
///
/// Everything registered with a loop is called on the thread that runs it, one thing at a time, so what a loop owns
/// needs no lock. Only `execute(_:)`, `enqueue(_:)` and `stop()` may be called from other threads.
///
///     other threads ── inbox (locked) + one wake-up per batch ──▶ loop thread ──▶ local queue ──▶ jobs
///
/// Wraps libevent's `event_base`.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// libevent's base; only this loop's thread may touch it.
    public let base: OpaquePointer

    private struct Inbox {
        var work: [Work] = []
        var isWakeUpPending = false
    }

    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private let inbox = Mutex(Inbox())
    private let owner: Atomic<UInt>
    private let wakeUpDescriptor: Int32
    private let wakeUp: UnsafeMutablePointer<FileEvent>
    private let drain: UnsafeMutablePointer<FileEvent>
    private var local: [Work] = []
    private var isDrainActive = false

    /// The version of libevent that runs, as `event_get_version` tells.
    public static var libraryVersion: String { String(cString: event_get_version()) }

    /// Makes a loop that belongs to no thread until `run()` is called.
    ///
    /// Not even to the calling one: what it submits while another thread begins to run the loop must go through the
    /// locked inbox.
    public init() throws(EventLoopFailure) {
        let configuration = event_config_new()
        // Only its own thread touches a base; what other threads want goes through the inbox.
        event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
        defer { event_config_free(configuration) }
        guard let base = event_base_new_with_config(configuration) else { throw .noEventBase }
        let descriptor = portcullis_eventfd()
        guard descriptor >= 0 else {
            event_base_free(base)
            throw .noDescriptor(errno)
        }
        self.base = base
        wakeUpDescriptor = descriptor
        owner = Atomic(0)
        wakeUp = .allocate(capacity: 1)
        drain = .allocate(capacity: 1)
        wakeUp.initialize(to: FileEvent())
        drain.initialize(to: FileEvent())
        let context = Unmanaged.passUnretained(self).toOpaque()
        FileEvent.assign(wakeUp, base, descriptor, [.read, .persistent], onWakeUp, context)
        FileEvent.assign(drain, base, -1, [], onDrain, context)
        FileEvent.add(wakeUp)
    }

    deinit {
        FileEvent.remove(wakeUp)
        FileEvent.remove(drain)
        wakeUp.deallocate()
        drain.deallocate()
        close(wakeUpDescriptor)
        event_base_free(base)
    }

    /// Serves events on the calling thread until `stop()`.
    public func run() {
        owner.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
        event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY)
    }

    /// Serves what is ready now and returns; for tests that drive a loop by hand.
    public func runOnce(blocking: Bool) {
        owner.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
        event_base_loop(base, EVLOOP_ONCE | (blocking ? 0 : EVLOOP_NONBLOCK))
    }

    /// Makes `run()` return after the event in progress.
    public func stop() {
        execute { [unowned self] in event_base_loopbreak(base) }
    }

    /// Whether the caller is on this loop's thread.
    public var isInLoop: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs `work` on the loop's thread, after what is queued already.
    public func execute(_ work: @escaping @Sendable () -> Void) { submit(.closure(work)) }

    // MARK: SerialExecutor, TaskExecutor

    /// Queues a job of the concurrency runtime.
    public func enqueue(_ job: consuming ExecutorJob) { submit(.job(UnownedJob(job))) }

    /// The reference under which actors name this executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Traps when the caller is not on this loop's thread.
    public func checkIsolated() {
        precondition(isInLoop, "code isolated to an event loop ran on another thread")
    }

    /// Whether the caller may touch what is isolated to this loop.
    public func isIsolatingCurrentContext() -> Bool? { isInLoop }

    // MARK: queues

    private func submit(_ work: Work) {
        if isInLoop {
            local.append(work)
            if !isDrainActive {
                isDrainActive = true
                FileEvent.activate(drain)
            }
            return
        }
        let mustWake = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.isWakeUpPending = true }
            return !inbox.isWakeUpPending
        }
        if mustWake {
            var one: UInt64 = 1
            _ = write(wakeUpDescriptor, &one, 8)
        }
    }

    fileprivate func receiveInbox() {
        var count: UInt64 = 0
        _ = read(wakeUpDescriptor, &count, 8)
        let received = inbox.withLock { inbox in
            inbox.isWakeUpPending = false
            let work = inbox.work
            inbox.work = []
            return work
        }
        for work in received { perform(work) }
    }

    fileprivate func drainLocal() {
        // A bounded turn: work that queues more work must not starve the sockets.
        isDrainActive = false
        var turn = local
        local = []
        if turn.count > 256 {
            local = Array(turn[256...])
            turn.removeSubrange(256...)
        }
        for work in turn { perform(work) }
        if !local.isEmpty, !isDrainActive {
            isDrainActive = true
            FileEvent.activate(drain)
        }
    }

    private func perform(_ work: Work) {
        switch work {
        case .job(let job):
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .closure(let closure): closure()
        }
    }
}

/// Why a loop could not be made.
public enum EventLoopFailure: Error, Sendable, CustomStringConvertible {
    /// `event_base_new_with_config` failed.
    case noEventBase
    /// `eventfd` failed with this errno.
    case noDescriptor(Int32)

    /// A sentence for the operator.
    public var description: String {
        switch self {
        case .noEventBase: "libevent made no event base"
        case .noDescriptor(let code): "eventfd: \(String(cString: strerror(code)))"
        }
    }
}

// C callbacks: called by libevent on the loop's thread; the context is the loop, which outlives its own events.
private let onWakeUp: FileEvent.Callback = { _, _, context in
    CallbackContext.object(context, of: EventLoop.self).receiveInbox()
}

private let onDrain: FileEvent.Callback = { _, _, context in
    CallbackContext.object(context, of: EventLoop.self).drainLocal()
}
