import Transport

/// A worker's pipes for bodies that pass inside the kernel: kept while empty, closed when given back with bytes in them.
///
/// Bounded, for what waits in a pipe is kernel memory that a slow peer holds: whoever gets none copies.
struct PipePool {
    /// Lent at the same time.
    static let limit = 64
    /// Kept for the next body.
    static let kept = 16
    /// What one pipe holds.
    static let capacity = 256 << 10

    private var free: [Pipe] = []
    private(set) var lent = 0
    /// After the system had none, so many bodies are copied before it is asked again.
    private var rest = 0
    /// After a socket whose bytes the kernel did not move, nobody gets a pipe so many times.
    private var uselessFor = 0
    static let uselessTimes = 4096

    init() { free.reserveCapacity(PipePool.kept) }

    /// An empty pipe, or nil when as many are lent as may be, or the system has none.
    mutating func take() -> Pipe? {
        guard lent < PipePool.limit else { return nil }
        guard uselessFor == 0 else {
            uselessFor -= 1
            return nil
        }
        if let pipe = free.popLast() {
            lent += 1
            return pipe
        }
        guard rest == 0 else {
            rest -= 1
            return nil
        }
        guard let pipe = Pipe(capacity: Int32(PipePool.capacity)) else {
            rest = 64
            return nil
        }
        lent += 1
        return pipe
    }

    /// Takes a pipe back; one that still holds bytes is never used again.
    mutating func giveBack(_ pipe: Pipe) {
        lent -= 1
        if pipe.count == 0, free.count < PipePool.kept { return free.append(pipe) }
        var pipe = pipe
        pipe.close()
    }

    /// The kernel does not move bytes between these sockets.
    ///
    /// That may be true of one odd socket alone, so that others are tried again; if it is of all, that costs one call in
    /// thousands.
    mutating func giveUp() { uselessFor = PipePool.uselessTimes }
}
