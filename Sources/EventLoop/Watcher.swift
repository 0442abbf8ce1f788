/// Calls a closure whenever a descriptor is ready, until it is cancelled; for paths where an allocation is no matter.
public final class Watcher {
    private let slot: UnsafeMutablePointer<FileEvent>
    private let loop: EventLoop
    private let descriptor: Int32
    fileprivate let ready: (FileEvent.Interest) -> Void
    private var isAdded = false

    /// Watches `descriptor`, which stays the caller's, from the next `watch(for:)` on.
    public init(loop: EventLoop, descriptor: Int32, ready: @escaping (FileEvent.Interest) -> Void) {
        self.loop = loop
        self.descriptor = descriptor
        self.ready = ready
        slot = .allocate(capacity: 1)
        slot.initialize(to: FileEvent())
    }

    deinit {
        if isAdded { FileEvent.remove(slot) }
        slot.deallocate()
    }

    /// Waits for `interest` from now on; an empty set stops waiting.
    public func watch(for interest: FileEvent.Interest) {
        if isAdded { FileEvent.remove(slot) }
        isAdded = !interest.isEmpty
        guard isAdded else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        FileEvent.assign(slot, loop.base, descriptor, interest.union(.persistent), onReady, context)
        FileEvent.add(slot)
    }

    /// Stops waiting.
    public func cancel() { watch(for: []) }
}

/// Calls a closure after a while, unless it is cancelled or armed again before.
public final class LoopTimer {
    private let slot: UnsafeMutablePointer<FileEvent>
    fileprivate let fired: () -> Void

    /// A timer that is not armed.
    public init(loop: EventLoop, fired: @escaping () -> Void) {
        self.fired = fired
        slot = .allocate(capacity: 1)
        slot.initialize(to: FileEvent())
        let context = Unmanaged.passUnretained(self).toOpaque()
        FileEvent.assign(slot, loop.base, -1, [], onFired, context)
    }

    deinit {
        FileEvent.remove(slot)
        slot.deallocate()
    }

    /// Fires once, this long from now, whatever was armed before.
    public func arm(milliseconds: Int) { FileEvent.add(slot, milliseconds: max(0, milliseconds)) }

    /// Does not fire until armed again.
    public func cancel() { FileEvent.remove(slot) }
}

/// Calls a closure when the process receives a signal; only one loop of a process may watch signals.
public final class SignalWatcher {
    private let slot: UnsafeMutablePointer<FileEvent>
    fileprivate let received: () -> Void

    /// Watches `signal` until the watcher goes away.
    ///
    /// Wraps `evsignal_assign`.
    public init(loop: EventLoop, signal: Int32, received: @escaping () -> Void) {
        self.received = received
        slot = .allocate(capacity: 1)
        slot.initialize(to: FileEvent())
        let context = Unmanaged.passUnretained(self).toOpaque()
        FileEvent.assign(slot, loop.base, signal, [.signal, .persistent], onSignal, context)
        FileEvent.add(slot)
    }

    deinit {
        FileEvent.remove(slot)
        slot.deallocate()
    }
}

// C callbacks, on the loop's thread; the context is the watcher, whose `deinit` removes the event. It is held during the
// call, for its closure may let go of it: that would free the closure, and what it holds, while it runs.
private let onReady: FileEvent.Callback = { _, what, context in
    let watcher = CallbackContext.object(context, of: Watcher.self)
    withExtendedLifetime(watcher) { watcher.ready(FileEvent.Interest(rawValue: what)) }
}

private let onFired: FileEvent.Callback = { _, _, context in
    let timer = CallbackContext.object(context, of: LoopTimer.self)
    withExtendedLifetime(timer) { timer.fired() }
}

private let onSignal: FileEvent.Callback = { _, _, context in
    let watcher = CallbackContext.object(context, of: SignalWatcher.self)
    withExtendedLifetime(watcher) { watcher.received() }
}
