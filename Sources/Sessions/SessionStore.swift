package import Crypto

/// What the value of a session cookie stands for.
package enum SessionLookup: Sendable {
    /// A session within its limits, and not ended by a logout.
    ///
    /// With `successor` the browser brought an older state of it, from before a refresh: the session is the newer one, and
    /// this is the value the browser is to get.
    case found(Session, successor: [UInt8]?)
    /// None, and nobody is told why: a forged value, an old one, one of another host or client, one that was ended.
    case none
    /// That takes longer to say: ask `load`.
    case elsewhere
}

/// Whether a session that was found a while ago may be used on.
package enum SessionStanding: Sendable, Equatable {
    /// Whoever needs it looks it up once more.
    case unknown
    /// As it was found, without another look until then, in seconds since 1970.
    case same(until: Int64)
    /// The same, and the caller is to have the store asked about it beside the request.
    case due(until: Int64)
}

/// Why a store could not do what it was asked.
package enum SessionStoreRefusal: Error, Sendable, Equatable {
    /// The session's cookies would not fit in a browser: what of it takes how many bytes, the largest first (SC-07).
    case tooLarge(bytes: Int, limit: Int, parts: [String])
    /// The store cannot be reached; sessions are neither there nor gone (SC-13).
    case unavailable
    /// No room for another session, or another ending, and nobody who has so many that one of theirs could go.
    case full
}

/// Which sessions end: by one browser's logout, or by what a logout token says (LO-09).
package enum SessionEnd: Sendable {
    /// One session, by its identifier; the store may hold a newer state of it.
    case session(Session)
    /// All sessions of one session of the authorization server, and whose it is where that is known.
    case serverSession(issuer: String, sid: String, subject: String? = nil)
    /// All sessions of a user that began until then, in seconds since 1970.
    case subject(issuer: String, subject: String, until: Int64)
}

/// Where sessions are kept: in sealed cookies, in memory, or elsewhere; one for each client of the process.
///
/// Every conformer passes the same suite of tests. What can be answered at once is answered without waiting, because a
/// worker asks in the middle of a request; only a store that is another process says `elsewhere`. From any thread.
package protocol SessionStore: Sendable {
    /// The session that a cookie's value (its chunks joined) stands for; `now` in seconds since 1970.
    ///
    /// Idle and absolute limits are the store's to enforce (SC-08).
    func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup
    /// The same, waited for.
    func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session?
    /// Keeps a new session; the value of its cookie.
    ///
    /// Without room the oldest session of whoever has most is over: `onLeaving` gets it, whose streams are to end and whose
    /// tokens are to be revoked.
    func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8]
    /// Keeps a refreshed session in place of the one it was; requests that still bring `value` find the new one.
    ///
    /// Nil when the session was ended meanwhile: logout wins, and the new tokens are to be revoked (RF-08).
    func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]?
    /// Asks for the right to refresh a session, for so long: one process at a time has it (SH-30).
    func beginRefresh(
        _ value: [UInt8], _ session: Session, leaseMilliseconds: Int64, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshTurn
    /// Keeps a refreshed session, if the right to is still the caller's (SH-32).
    ///
    /// May be asked again after it threw.
    func replace(
        _ value: [UInt8], by session: Session, under lease: RefreshLease, now: Int64
    ) async throws(SessionStoreRefusal) -> RefreshOutcome
    /// Uses a refreshed session here until it can be kept, because its old tokens are spent (SH-34); false where a store
    /// keeps what it is given or nobody does.
    func hold(_ value: [UInt8], _ session: Session, under lease: RefreshLease, now: Int64) -> Bool
    /// Gives the right to refresh back, and keeps every process from asking the server for so long (SH-35).
    func putBack(_ session: Session, _ lease: RefreshLease, pauseMilliseconds: Int64) async
    /// Waits until something is heard of a session that another process has changed; ends early with its task.
    func changed(_ session: Session) async
    /// Until when a session that was found may be used without another look here, in seconds since 1970 (SH-71).
    func usableUntil(_ session: Session, now: Int64) -> Int64
    /// Whether a session that was found, and whose identifier has this digest, may be used beyond that (SH-71).
    ///
    /// Cheaper than to look it up: what was made of it stays good as long as it is the same.
    func standing(of session: Session, id: SHA256Digest, now: Int64) -> SessionStanding
    /// Notes that the session is in use; the value the browser is to get for it, nil when it keeps the one it has.
    ///
    /// Once a minute at most for one session (SC-08).
    func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]?
    /// Ends sessions, and remembers it for as long as one of them could live; the sessions that it knows to have ended,
    /// whose tokens are to be revoked.
    func end(_ which: SessionEnd, now: Int64) async throws(SessionStoreRefusal) -> [Session]
    /// Makes sure that the session of a cookie which stands for none any more does not come back: an ending that was not
    /// confirmed may be at one server alone, and be lost with it (SH-60).
    func confirmEnding(of value: [UInt8], now: Int64) async throws(SessionStoreRefusal)
    /// Whether the caller is the one to revoke the tokens of a session that `end` named though nobody brought its cookie:
    /// several processes may have it (SH-46).
    func claimRevocation(of session: Session) async -> Bool
    /// Whether a session was ended; asked of sessions that were found a while ago, when `endings` has changed since.
    func isEnded(_ session: Session, now: Int64) -> Bool
    /// How many sessions are alive, those that expired and were not yet swept included; nil where nobody knows.
    var alive: Int? { get }
    /// Whether sessions are in another process, which may have to be asked about them.
    var isElsewhere: Bool { get }
    /// Grows with every ending: one atomic read.
    var endings: UInt64 { get }
    /// Whether what is ended here is ended there too: this store goes on where `other` stood, or they are the same.
    func goesOn(from other: any SessionStore) -> Bool
    /// What became of a cookie's value, for the operator's explanations alone; not on any request's way.
    func diagnose(_ value: [UInt8], now: Int64) -> SessionDiagnosis
    /// The session of a cookie's value that only its limits ended, where the browser alone has it; for the audit log, not on
    /// any request's way.
    func expired(_ value: [UInt8], now: Int64) -> ExpiredSession?
    /// The sessions held here that reached a limit since this was asked the last time: the first thousand of them, and none
    /// where `SessionSettings.notesExpired` does not say so.
    func takeExpired() -> [ExpiredSession]
    /// Forgets what has expired; to be called about once a minute, because without traffic nothing else would.
    func sweep(now: Int64)
}

/// A store that is this process's own.
extension SessionStore {
    /// What a store of one process has ended stays so.
    package func confirmEnding(of value: [UInt8], now: Int64) async throws(SessionStoreRefusal) {}

    package func claimRevocation(of session: Session) async -> Bool { true }

    package var isElsewhere: Bool { false }

    /// A store that is asked nothing beside requests has no other answer than a look.
    package func standing(of session: Session, id: SHA256Digest, now: Int64) -> SessionStanding { .unknown }
}
