import EventLoop
import Glibc

/// A thread that handles no signal: they are the control loop's, and libevent's handler must not run anywhere else.
enum SignalFreeThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that does this; nil when the system gives none.
    ///
    /// It must be joined or detached (`pthread_create`).
    static func start(_ run: @escaping @Sendable () -> Void) -> pthread_t? {
        let context = Unmanaged.passRetained(Body(run))
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // A thread begins with the mask of the one that makes it.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                CallbackContext.takeObject(context, of: Body.self).run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return nil
        }
        return thread
    }

    /// Starts a thread that does this and ends; nobody waits for it.
    ///
    /// False when the system gives none.
    ///
    /// - Parameter niceness: added to the process's own; where all processors are busy, the workers get more than it.
    static func start(niceness: Int32, _ run: @escaping @Sendable () -> Void) -> Bool {
        let thread = start {
            // On Linux a thread has a niceness of its own; 0 is the one that calls.
            let process = Int32(PRIO_PROCESS.rawValue)
            _ = setpriority(process, 0, getpriority(process, 0) + niceness)
            run()
        }
        guard let thread else { return false }
        pthread_detach(thread)
        return true
    }
}
