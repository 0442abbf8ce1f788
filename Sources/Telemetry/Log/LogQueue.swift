import Glibc

/// Log bytes on their way between threads: whole lines only, `count` bytes of a storage that is always filled.
struct LogChunk {
    var storage: [UInt8]
    var count: Int
    var lines: Int
}

/// A bounded queue of chunks, many threads in, one thread out.
///
///     event loops ──offer──▶ waiting (≤ limit bytes of storage) ──take──▶ the writing thread ──wrote──▶ spare
///
/// The lock is held for a swap or a copy of some kilobytes, never during a write. A full queue refuses (OPS-05): the
/// lines are counted and lost, and the event loop goes on (OPS-04).
///
/// `@unchecked Sendable`: every stored property is constant or only touched with `lock` held.
final class LogQueue: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let progress = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    private let limit: Int
    private var waiting: [LogChunk] = []
    private var spare: [[UInt8]] = []
    /// Storage of everything that waits or is being written.
    private var held = 0
    /// Who asked for the file to be opened anew, and was not heard yet.
    private var reopenings: [LogSink.ReopenReport] = []
    private var writerSleeps = false
    private var closed = false
    private var writerEnded = false
    private var acceptedLines: UInt64 = 0
    private var settledLines: UInt64 = 0
    private var lostLines: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(arrival, &attributes)
        pthread_cond_init(progress, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(arrival)
        pthread_cond_destroy(progress)
        pthread_mutex_destroy(lock)
        lock.deallocate()
        arrival.deallocate()
        progress.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    /// Lines that were refused or could not be written.
    var lost: UInt64 { locked { lostLines } }

    /// Takes all lines of `line` over, or loses and counts them; `line` is empty and has room afterwards.
    @discardableResult
    func offer(_ line: inout LogLine) -> Bool {
        let (count, lines) = (line.count, line.lines)
        if count == 0 { return true }
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !closed else { return lose(&line) }
        if !append(line.storage, count: count, lines: lines) {
            let size = line.storage.count
            guard held + size <= limit else { return lose(&line) }
            var storage = spare.popLast() ?? [UInt8](repeating: 0, count: size)
            line.exchange(&storage)
            held += storage.count
            waiting.append(LogChunk(storage: storage, count: count, lines: lines))
        } else {
            line.clear()
        }
        acceptedLines += UInt64(lines)
        if writerSleeps { pthread_cond_signal(arrival) }
        return true
    }

    /// Copies behind the last waiting chunk when there is room: a slow reader then costs no storage per loop turn.
    private func append(_ bytes: [UInt8], count: Int, lines: Int) -> Bool {
        guard let last = waiting.indices.last, waiting[last].storage.count - waiting[last].count >= count else {
            return false
        }
        let offset = waiting[last].count
        waiting[last].storage.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                guard let to = target.baseAddress, let from = source.baseAddress else { return }
                to.advanced(by: offset).copyMemory(from: from, byteCount: count)
            }
        }
        waiting[last].count += count
        waiting[last].lines += lines
        return true
    }

    private func lose(_ line: inout LogLine) -> Bool {
        lostLines += UInt64(line.lines)
        line.clear()
        return false
    }

    /// Tells the writer to open its file anew; false when it only writes what waits by now.
    func ask(toReopen report: @escaping LogSink.ReopenReport) -> Bool {
        locked {
            guard !closed else { return false }
            reopenings.append(report)
            pthread_cond_signal(arrival)
            return true
        }
    }

    /// Everyone who asked for the file to be opened anew since the last call.
    func takeReopenings() -> [LogSink.ReopenReport] {
        locked {
            defer { reopenings = [] }
            return reopenings
        }
    }

    /// Waits for chunks, or for the file to be opened anew, and moves all chunks into `chunks`; false when the queue is
    /// closed and nothing is left.
    func take(into chunks: inout [LogChunk]) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while waiting.isEmpty, reopenings.isEmpty, !closed {
            writerSleeps = true
            pthread_cond_wait(arrival, lock)
            writerSleeps = false
        }
        swap(&waiting, &chunks)
        waiting.removeAll(keepingCapacity: true)
        return !chunks.isEmpty || !reopenings.isEmpty
    }

    /// The chunk has been dealt with: written, or lost in part or whole.
    ///
    /// Its storage is taken out of it, not copied from it: a second reference would make the next writer copy.
    func settle(_ chunk: inout LogChunk, lost: Int) {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        held -= chunk.storage.count
        settledLines += UInt64(chunk.lines)
        lostLines += UInt64(lost)
        if spare.count < 8 {
            spare.append([])
            swap(&spare[spare.count - 1], &chunk.storage)
        }
        pthread_cond_broadcast(progress)
    }

    /// Takes nothing more; the writer ends when it has written what waits.
    func close() {
        locked {
            closed = true
            pthread_cond_signal(arrival)
        }
    }

    /// The writer's last word.
    func writerDidEnd() {
        locked {
            writerEnded = true
            pthread_cond_broadcast(progress)
        }
    }

    /// Waits until everything accepted so far is dealt with.
    func waitUntilSettled(milliseconds: Int) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        let goal = acceptedLines
        return wait(milliseconds: milliseconds) { settledLines >= goal || writerEnded }
    }

    /// Waits until the writer has ended.
    func waitUntilEnded(milliseconds: Int) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return wait(milliseconds: milliseconds) { writerEnded }
    }

    /// With the lock held: waits for `progress` until the condition holds or the time is over.
    private func wait(milliseconds: Int, until isReached: () -> Bool) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + (milliseconds % 1000) * 1_000_000
        deadline.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while !isReached() {
            if pthread_cond_timedwait(progress, lock, &deadline) == ETIMEDOUT { return isReached() }
        }
        return true
    }
}
