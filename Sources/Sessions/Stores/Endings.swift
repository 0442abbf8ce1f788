import Crypto
import Synchronization

/// Remembers which sessions were ended, for as long as one of them could live (LO-10).
///
/// A sealed cookie cannot be taken back: without this a logout would be a request to the browser. It is of this process:
/// replicas and restarts do not know of each other's endings.
///
/// Nothing is forgotten early, for forgetting would log somebody in again. Without room, the oldest ending of whoever has
/// most of them becomes one for all sessions of that user that began until then: one line for any number of logouts, and
/// who logs in and out all day long logs themselves out at worst, and nobody else. Only when each of `limit` users has one
/// does a logout fail and say so.
///
/// A logout token may say `sid` and not whose. Of a session that was made or opened here it is known; an ending of any other
/// is remembered apart from the rest, and only such endings fail when there are `limit` of them.
///
///     sessions    one browser's logout                     ┐ without room: the oldest of whoever has most
///     others      the server's, by `sid`, of a known user  ┘        │
///     subjects    the server's, of all of a user's ◀────────────────┘
///     unnamed     the server's, by a `sid` of nobody knows whom
final class Endings: Sendable {
    /// What is remembered, however often the limits change.
    private final class Memory: Sendable {
        let sessions = EndingTable()
        let others = EndingTable()
        let subjects = EndingTable()
        let unnamed = EndingTable()
        let holders = ServerSessionHolders()
        let counter = Atomic<UInt64>(0)
    }

    private let memory: Memory
    private let limit: Int
    private let absolute: Int64
    /// What replicas' clocks may be apart: a session may have begun after "now".
    private static let clockSeconds: Int64 = 60

    /// With `other`, remembers what it does, and each of the two what the other is told.
    ///
    /// `absolute` is how long a session can live that is not known to have ended otherwise, in seconds. Sessions that began under a longer absolute limit keep their end: what ended them is remembered for as long
    /// as one could live by the longest limit that there ever was.
    init(limit: Int, absolute: Int64, continuing other: Endings? = nil) {
        memory = other?.memory ?? Memory()
        self.limit = max(1, limit)
        self.absolute = max(absolute, other?.absolute ?? absolute)
    }

    /// Grows with every ending, after the ending can be seen.
    var count: UInt64 { memory.counter.load(ordering: .acquiring) }

    /// Writes an ending down; the digest of the user whose other sessions are over with it, where one of theirs had to
    /// become an ending for all of them.
    @discardableResult
    func remember(_ which: SessionEnd, now: Int64) throws(SessionStoreRefusal) -> SHA256Digest? {
        let (table, digest, holder, ending) = line(for: which, now: now)
        var folded: SHA256Digest?
        let isRemembered = table.insert(digest, holder: holder, ending, now: now, limit: limit) { holder, ending in
            guard table !== memory.subjects, table !== memory.unnamed else { return false }
            let whole = Ending(until: ending.foldedUntil, foldedUntil: 0, forgottenAt: ending.forgottenAt)
            guard memory.subjects.insert(holder, holder: holder, whole, now: now, limit: limit, fold: { _, _ in false })
            else { return false }
            folded = holder
            return true
        }
        guard isRemembered else { throw .full }
        note()
        return folded
    }

    /// Notes whose session of the server's a session is of, for a logout token that does not say it.
    func noteHolder(of session: Session) {
        guard let sid = session.serverSession else { return }
        let until = SessionLimits.sum(session.endsAt, Self.clockSeconds)
        memory.holders.note(
            SessionDigests.serverSession(session.issuer, sid),
            of: SessionDigests.subject(session.issuer, session.subject), until: until, limit: limit)
    }

    /// Where an ending is written down, under whose name, and what.
    private func line(
        for which: SessionEnd, now: Int64
    ) -> (table: EndingTable, digest: SHA256Digest, holder: SHA256Digest, Ending) {
        let forgottenAt = SessionLimits.sum(now, absolute + Self.clockSeconds)
        switch which {
        case .session(let session):
            let digests = SessionDigests(session)
            // Its cookie is worth nothing after its own end, whatever the limits are by then.
            let own = SessionLimits.sum(session.endsAt, Self.clockSeconds)
            return (
                memory.sessions, digests.id, digests.subject,
                Ending(until: .max, foldedUntil: session.createdAt, forgottenAt: min(own, forgottenAt))
            )
        case .serverSession(let issuer, let sid, let subject):
            let digest = SessionDigests.serverSession(issuer, sid)
            let holder = subject.map { SessionDigests.subject(issuer, $0) } ?? memory.holders.holder(of: digest)
            let ending = Ending(until: .max, foldedUntil: now, forgottenAt: forgottenAt)
            // Without a name there is nobody whose sessions it could become an ending of.
            guard let holder else { return (memory.unnamed, digest, digest, ending) }
            return (memory.others, digest, holder, ending)
        case .subject(let issuer, let subject, let until):
            let digest = SessionDigests.subject(issuer, subject)
            let forgottenAt = SessionLimits.sum(max(now, until), absolute + Self.clockSeconds)
            return (
                memory.subjects, digest, digest, Ending(until: until, foldedUntil: until, forgottenAt: forgottenAt)
            )
        }
    }

    /// Says that something has ended which needs no remembering.
    func note() {
        memory.counter.wrappingAdd(1, ordering: .releasing)
    }

    /// Whether a session was ended; costs nothing while nothing was.
    func cover(_ session: Session) -> Bool {
        guard !isEmpty else { return false }
        return cover(SessionDigests(session), createdAt: session.createdAt)
    }

    func cover(_ digests: SessionDigests, createdAt: Int64) -> Bool {
        // In the order in which an ending moves: what is not in its first place any more is in the next.
        if memory.sessions.covers(digests.id, createdAt: createdAt) { return true }
        if let serverSession = digests.serverSession {
            if memory.others.covers(serverSession, createdAt: createdAt) { return true }
            if memory.unnamed.covers(serverSession, createdAt: createdAt) { return true }
        }
        return memory.subjects.covers(digests.subject, createdAt: createdAt)
    }

    func sweep(now: Int64) {
        for table in tables { table.sweep(now: now) }
        memory.holders.sweep(now: now)
    }

    var isEmpty: Bool {
        memory.sessions.isEmpty && memory.others.isEmpty && memory.subjects.isEmpty && memory.unnamed.isEmpty
    }
    var entries: Int { tables.reduce(0) { $0 + $1.entries } }
    /// Sessions of the server's of which it is known whose they are.
    var holders: Int { memory.holders.entries }
    private var tables: [EndingTable] { [memory.sessions, memory.others, memory.subjects, memory.unnamed] }
}

/// One line of what is remembered.
struct Ending: Sendable {
    /// Sessions that began until then are over.
    var until: Int64
    /// The same, when it becomes an ending for all sessions of its user.
    var foldedUntil: Int64
    var forgottenAt: Int64
}
