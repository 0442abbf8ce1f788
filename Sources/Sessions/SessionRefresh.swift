/// The right to ask the server for a session's new tokens, which one process has at a time (SH-30).
package struct RefreshLease: Sendable, Equatable {
    /// Grows from one holder to the next; who has an older one writes nothing.
    package let fence: UInt64
    /// The generation of the session that is refreshed.
    package let generation: UInt32

    package init(fence: UInt64, generation: UInt32) {
        self.fence = fence
        self.generation = generation
    }
}

/// What a store says to whoever is about to refresh a session.
package enum RefreshTurn: Sendable {
    /// The server may be asked.
    case yours(RefreshLease)
    /// Another process asks it, and has so much time left.
    case busy(milliseconds: Int64)
    /// The server is to be left alone for so long: it did not answer another process a moment ago.
    case paused(milliseconds: Int64)
    /// It was refreshed already; `successor` is the value that the browser is to get, where it is another.
    case newer(Session, successor: [UInt8]?)
    /// It was ended.
    case gone
}

/// What became of a refreshed session.
package enum RefreshOutcome: Sendable {
    /// It is in its place; the value of its cookie.
    case kept([UInt8])
    /// Another process has refreshed it: that state holds, and the one that was to be kept is dropped.
    case lost(Session)
    /// It was ended meanwhile: logout wins, and the new tokens are to be revoked (RF-08).
    case gone
}

/// A store of one process has one holder of every session: the process's own list of refreshes under way says who.
extension SessionStore {
    package func beginRefresh(
        _ value: [UInt8], _ session: Session, leaseMilliseconds: Int64, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshTurn {
        .yours(RefreshLease(fence: 0, generation: session.generation))
    }

    package func replace(
        _ value: [UInt8], by session: Session, under lease: RefreshLease, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshOutcome {
        guard let newer = try await replace(value, by: session, now: now) else { return .gone }
        return .kept(newer)
    }

    package func hold(_ value: [UInt8], _ session: Session, under lease: RefreshLease, now: Int64) -> Bool { false }

    package func putBack(_ session: Session, _ lease: RefreshLease, pauseMilliseconds: Int64) async {}

    package func changed(_ session: Session) async {}

    package func usableUntil(_ session: Session, now: Int64) -> Int64 { .max }
}
