// OpenSSL's headers bring pthread_attr_t, and the compiler takes them for its owner.
import COpenSSL
import Glibc

/// A thread for one piece of work that is too long for a loop.
@safe
enum TableThread {
    private final class Work {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `work` on a thread that ends with it; false when there is none to be had.
    static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(Work(work))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(&attributes, 256 * 1024)
        // Signals are the main thread's.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // Requests in progress go first: on Linux this is the calling thread's own priority.
                setpriority(Int32(PRIO_PROCESS.rawValue), 0, 10)
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        // Nobody else will take it.
        if failure != 0 { unsafe context.release() }
        return failure == 0
    }
}
