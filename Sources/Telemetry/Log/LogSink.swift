import Glibc

/// Why a log could not be opened.
package enum LogRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// `open(2)` failed with this error number.
    case cannotOpen(path: String, errorNumber: Int32)
    /// `pthread_create(3)` failed with this error number.
    case cannotStart(errorNumber: Int32)

    /// A sentence for the operator.
    package var description: String {
        switch self {
        case .cannotOpen(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .cannotStart(let code): "no thread to write it: \(String(cString: strerror(code)))"
        }
    }
}

/// Where log lines go: a thread of its own that writes them, so that no event loop ever waits for a pipe (OPS-04).
///
/// What waits is bounded; beyond it lines are dropped and counted, for a log that nobody reads must not stop or grow
/// the gateway. Any thread may submit. One sink per destination, shared by all who write there.
package final class LogSink: Sendable {
    private let queue: LogQueue
    /// Whether lines go to a file of a name, which can be opened anew.
    private let isFile: Bool

    /// Told how an attempt to open a log's file anew ended: nil when lines go to the new one.
    package typealias ReopenReport = @Sendable (LogRefusal?) -> Void

    /// Bytes of storage that may wait for the destination.
    package static let defaultLimit = 4 * 1024 * 1024

    /// A sink that writes to an open file descriptor, which it closes at its end if told so.
    package convenience init(
        descriptor: Int32, closesDescriptor: Bool = false, limit: Int = LogSink.defaultLimit
    ) throws(LogRefusal) {
        try self.init(LogOutput(descriptor: descriptor, closesDescriptor: closesDescriptor), limit: limit)
    }

    private init(_ output: LogOutput, limit: Int) throws(LogRefusal) {
        queue = LogQueue(limit: limit)
        isFile = output.path != nil
        try LogThread.start(queue, output)
    }

    /// A sink that appends to a file, which is made (readable for its group) if it does not exist.
    package static func appending(to path: String, limit: Int = LogSink.defaultLimit) throws(LogRefusal) -> LogSink {
        try LogSink(LogOutput.appending(to: path), limit: limit)
    }

    deinit {
        queue.close()
    }

    /// Takes the whole lines of `line` over, or drops and counts them when too much waits already.
    ///
    /// Either way `line` is empty afterwards and has room for more. Call it between lines, not inside one.
    @discardableResult
    package func submit(_ line: inout LogLine) -> Bool {
        queue.offer(&line)
    }

    /// Lines dropped since the start, because too much waited or the destination failed.
    package var droppedLines: UInt64 { queue.lost }

    /// Opens the log's file anew by its name, because the file at hand was moved away (log rotation); any thread.
    ///
    /// The writing thread does it before it writes anything more, and calls `report` with the outcome. When the name
    /// cannot be opened, the file at hand stays. A sink that is no file, or was stopped,
    /// has nothing to open and reports success.
    package func reopen(_ report: @escaping ReopenReport = { _ in }) {
        guard isFile else { return report(nil) }
        if !queue.ask(toReopen: report) { report(nil) }
    }

    /// Waits until what was submitted has been written; false when the time was over first.
    @discardableResult
    package func flush(milliseconds: Int) -> Bool {
        queue.waitUntilSettled(milliseconds: milliseconds)
    }

    /// Takes no more lines and waits until the rest has been written; false when the time was over first.
    ///
    /// A destination that takes nothing keeps the thread; it ends with the process.
    @discardableResult
    package func stop(milliseconds: Int) -> Bool {
        queue.close()
        return queue.waitUntilEnded(milliseconds: milliseconds)
    }
}

/// The thread behind a sink.
private final class LogThread {
    private let queue: LogQueue
    private var output: LogOutput

    private init(_ queue: LogQueue, _ output: LogOutput) {
        self.queue = queue
        self.output = output
    }

    static func start(_ queue: LogQueue, _ output: LogOutput) throws(LogRefusal) {
        let context = Unmanaged.passRetained(LogThread(queue, output))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 256 * 1024)
        // Signals are the main thread's. Among them SIGPIPE: a reader that left is an error number here, not the end.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<LogThread>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard failure == 0 else {
            context.release()
            output.close()
            throw .cannotStart(errorNumber: failure)
        }
    }

    private func run() {
        var chunks: [LogChunk] = []
        while queue.take(into: &chunks) {
            reopenIfAsked()
            for index in chunks.indices {
                let lost = output.write(chunks[index])
                queue.settle(&chunks[index], lost: lost)
                reopenIfAsked()
            }
            chunks.removeAll(keepingCapacity: true)
        }
        output.close()
        queue.writerDidEnd()
    }

    private func reopenIfAsked() {
        let reports = queue.takeReopenings()
        guard !reports.isEmpty else { return }
        let refusal = output.reopen()
        for report in reports { report(refusal) }
    }
}
