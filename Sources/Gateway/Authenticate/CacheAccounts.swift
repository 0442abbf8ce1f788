import Access
import Telemetry

/// What the worker's two caches hold, of tokens and of sessions, and how they let go of what nobody can use any more.
extension WorkerRef {
    /// Charges what is kept with a record to the cache that owns the record.
    ///
    /// What was made for a session and charged among the tokens would never be given back there: the tokens' account
    /// would grow until there is room for one, and every request would cost a verification.
    func charge(_ record: TokenRecord, _ cost: Int) {
        if record.session == nil {
            pointee.identities.tokens.charge(record, cost)
        } else {
            pointee.identities.sessions.charge(record, cost)
        }
    }

    /// Lets some records go whose time has passed, and says what the caches hold.
    ///
    /// A record that nobody asks for again would stay until its cache is full: memory for tokens that can open nothing.
    func sweepCaches() {
        let now = clock.wallSeconds()
        pointee.identities.tokens.sweep(Worker.recordsSweptAtOnce, now: now)
        pointee.identities.sessions.sweep(Worker.recordsSweptAtOnce, now: now)
        sayCaches()
    }

    private func sayCaches() {
        pointee.journal.metrics.set(.tokenCacheEntries, to: pointee.identities.tokens.entries)
        pointee.journal.metrics.set(.tokenCacheBytes, to: pointee.identities.tokens.bytes)
        pointee.journal.metrics.set(.sessionCacheEntries, to: pointee.identities.sessions.entries)
        pointee.journal.metrics.set(.sessionCacheBytes, to: pointee.identities.sessions.bytes)
    }
}

extension Worker {
    /// Records of each cache that are looked at in a tick: a hundred thousand in forty seconds, for some 20 µs a tick.
    static let recordsSweptAtOnce = 256
}
