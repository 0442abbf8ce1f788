import Bytes
package import Crypto
package import Sessions
import Synchronization

/// What operators are told of the sessions in the store.
package enum SharedSessionNote: Sendable, Equatable {
    /// What lies in the store is not what a gateway put there (SH-53).
    case tampered
    /// The store has an older state than one that is known here (SH-54).
    case rolledBack
    /// Another release wrote it, in a format that this one does not read (SH-26).
    case unreadable(version: UInt8)
    /// It was sealed with a key that this replica does not have (SH-26).
    case keyUnknown
    /// Sessions that are known here ended elsewhere: their streams and tunnels are to be looked at (SH-39).
    case ended
}

/// Keeps sessions in a store that several gateways share, sealed so that it takes the store, a key and the cookie to read
/// one (SH-20, SH-22).
///
///     cookie = base64url( session id (16) ‖ secret (32) )
///
/// What the store says is right, and this process believes what it said for a while: `lookUp` answers from what is known
/// here, `load` asks. No refusal of the store's is ever taken for "there is no session" (SH-21).
package final class SharedSessionStore: SessionStore {
    let shared: SharedStore
    let questions: SessionQuestions
    let seal: SessionSeal
    let lifetime: SessionLifetime
    let rules: CheckRules
    let known: KnownSessions
    let waiting: ChangeWaiters
    /// Whose users these sessions are of; nil: anybody's.
    private let issuer: String?
    let client: String
    private let executor: any TaskExecutor
    private let onNote: @Sendable (SharedSessionNote) -> Void
    /// Seals refresh tokens for their revocation; nil where none is kept for that.
    let revocable: RevocableSeal?
    let onOrphan: @Sendable (OrphanedTokens) -> Void
    let pause: @Sendable (Int) async -> Void
    private let loads: SessionLoads
    let open = OpenQuestions()
    private let background = Atomic<Int>(0)

    /// With `other`, goes on with what that knows; both may be used, by any thread.
    ///
    /// What is done beside a request runs on `executor`, from which `onNote` is told.
    package init(
        _ shared: SharedStore, settings: SessionSettings, for client: SharedSessionClient,
        executor: any TaskExecutor, continuing other: SharedSessionStore? = nil
    ) {
        let same = other.flatMap { $0.shared.isSame(as: shared) ? $0 : nil }
        self.shared = shared
        self.client = client.name
        issuer = client.issuer
        self.executor = executor
        onNote = client.onNote
        onOrphan = client.onOrphan
        pause = client.pause
        revocable =
            settings.isRevocable
            ? RevocableSeal(
                ring: shared.ring, client: client.name, clientID: client.identifier, format: shared.format) : nil
        questions = SessionQuestions(shared: shared, client: client.name)
        seal = SessionSeal(
            ring: shared.ring, client: client.name, clientID: client.identifier, format: shared.format)
        lifetime = SessionLifetime(settings)
        rules = CheckRules(
            limits: SessionLimits(settings), recheck: Int64(max(0, shared.settings.recheck.wholeSeconds)))
        known = same?.known ?? KnownSessions(limit: settings.limit)
        waiting = same?.waiting ?? ChangeWaiters()
        loads = same?.loads ?? SessionLoads()
        known.change(limit: settings.limit)
    }

    package func lookUp(_ value: [UInt8], now: Int64) -> SessionLookup {
        guard let bytes = SharedCookie.decode(value.span) else { return .none }
        switch known.look(SharedCookie.key(bytes), secret: SharedCookie.secretDigest(bytes), now: now, rules) {
        case .unknown: return .elsewhere
        case .over: return .none
        case .found(let session): return .found(session, successor: nil)
        case .due(let session):
            guard let cookie = SharedCookie(value.span) else { return .none }
            inBackground { _ = try? await $0.ask(cookie, now: now) }
            return .found(session, successor: nil)
        }
    }

    package func load(_ value: [UInt8], now: Int64) async throws(SessionStoreRefusal) -> Session? {
        guard let cookie = SharedCookie(value.span) else { return nil }
        return try await ask(cookie, now: now)
    }

    package func create(
        _ session: Session, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> [UInt8] {
        guard let cookie = SharedCookie(id: session.id, secret: Secret(RandomBytes.fill(SharedCookie.secretLength)))
        else { throw .unavailable }
        switch try await keep(session, cookie, now: now, onLeaving: onLeaving) {
        // Ended while it was made: its cookie stands for nothing, as that of one which ends a moment later.
        case .kept, .ended: return cookie.text
        // An identifier is sixteen random bytes: one that is taken was not made as it should be.
        case .present: throw .unavailable
        }
    }

    /// First the indexes, then the session, then the markers: of this and an ending that crosses it one sees the other
    /// (SH-38).
    func keep(
        _ session: Session, _ cookie: SharedCookie, now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) -> KeepSession.Outcome {
        var session = session
        session.client = client
        session.seenAt = max(session.seenAt, now)
        let name = shared.names.session(session.id)
        let value = try sealed(session, cookie, name)
        let kept: KeepSession.Outcome
        if let whole = lifetime.timeToEnd(of: session, now: now),
            let own = lifetime.timeToLive(of: session, now: now)
        {
            let leaving = try await questions.enroll(session, for: whole)
            kept = try await questions.perform(
                KeepSession(
                    key: name, generation: session.generation, value: value, timeToLive: own,
                    revocable: try sealedForRevocation(session, name)))
            // The index does not name them any more, whatever became of the new one: nobody would find them again.
            try await end(leaving, now: now, onLeaving: onLeaving)
            guard kept == .kept else { return kept }
        } else {
            // Over before it began: its cookie stands for nothing.
            return .kept
        }
        if try await questions.isEnded(session) {
            try await finish(session, now: now)
        } else {
            known.keep(Self.key(cookie), entry(session, cookie, checkedAt: now))
        }
        return .kept
    }

    package func replace(
        _ value: [UInt8], by session: Session, now: Int64
    ) async throws(SessionStoreRefusal) -> [UInt8]? {
        var before = session
        before.generation = session.generation &- 1
        switch try await beginRefresh(value, before, leaseMilliseconds: Self.ownLease, now: now) {
        case .gone: return nil
        // As new, or newer: that state holds.
        case .newer: return value
        case .busy, .paused: throw .unavailable
        case .yours(let lease):
            if case .gone = try await replace(value, by: session, under: lease, now: now) { return nil }
            return value
        }
    }

    /// For a state that is at hand: it is written next.
    private static let ownLease: Int64 = 2000

    package func touch(_ value: [UInt8], _ session: Session, now: Int64) -> [UInt8]? {
        // What is noted here is never older than what the caller has.
        guard rules.limits.isTouchDue(seenAt: session.seenAt, now: now), let cookie = SharedCookie(value.span) else {
            return nil
        }
        let key = Self.key(cookie)
        guard let time = lifetime.timeToLive(of: session, now: now),
            let before = known.takeTouch(
                key, secret: cookie.secretDigest, now: now, interval: rules.limits.touchInterval)
        else { return nil }
        let touch = TouchSession(key: shared.names.session(cookie.id), timeToLive: time)
        inBackground { store in
            guard (try? await store.questions.perform(touch)) == nil else { return }
            store.known.untouch(key, at: now, before: before)
        }
        // The browser's cookie names the session for as long as it lives.
        return nil
    }

    package func usableUntil(_ session: Session, now: Int64) -> Int64 {
        known.usableUntil(Self.key(of: session), now: now, rules)
    }

    package func standing(of session: Session, id: SHA256Digest, now: Int64) -> SessionStanding {
        known.standing(NameDigest(id), generation: session.generation, now: now, rules)
    }

    package var alive: Int? { nil }
    package var isElsewhere: Bool { true }
    package var endings: UInt64 { known.endings }

    package func goesOn(from other: any SessionStore) -> Bool { (other as? SharedSessionStore)?.known === known }

    package func sweep(now: Int64) {
        known.sweep(now: now, rules.limits)
        // What the store did not answer is asked again: a stream that is open brings no request.
        askBeside(open.takeUnanswered(), now: now)
    }
}

// MARK: what the store is asked

extension SharedSessionStore {
    /// The session of a cookie as the store has it now; whoever asks the same meanwhile gets the same answer.
    func ask(_ cookie: SharedCookie, now: Int64) async throws(SessionStoreRefusal) -> Session? {
        try await loads.share(cookie, on: executor) {
            do throws(SessionStoreRefusal) {
                return .success(try await self.askOnce(cookie, now: now))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func askOnce(_ cookie: SharedCookie, now: Int64) async throws(SessionStoreRefusal) -> Session? {
        let key = Self.key(cookie)
        // The value is large, and mostly the same: its generation says so (SH-71).
        if let entry = known.entry(key), entry.secret == cookie.secretDigest,
            now < rules.limits.end(of: entry.session), entry.session.generation >= entry.newest,
            try await recheck(key, entry, now: now), let session = known.entry(key)?.session,
            session.generation == entry.session.generation
        {
            return session
        }
        return try await open(cookie, now: now)
    }

    /// Asks whether a session is as it is known; what follows from it is noted.
    ///
    /// True where it is; where not, whoever needs it reads it.
    func recheck(_ key: NameDigest, _ entry: KnownSessions.Entry, now: Int64) async throws(SessionStoreRefusal) -> Bool
    {
        let markersSeen = known.markersSeen
        let standing: SessionQuestions.Standing
        do throws(SessionStoreRefusal) {
            standing = try await questions.standing(of: entry.session)
        } catch {
            known.noteUnanswered(key, now: now, rules)
            shared.figures.count(.unknown)
            throw error
        }
        switch standing {
        case .lives: shared.figures.count(StoreFigures.SessionAnswer.recheck)
        case .none, .covered: shared.figures.count(StoreFigures.SessionAnswer.none)
        case .altered: shared.figures.count(StoreFigures.SessionAnswer.unknown)
        }
        switch standing {
        case .lives(let generation):
            let isHeld = entry.leased == generation
            guard generation >= entry.newest || isHeld else {
                tell(.rolledBack)
                known.makeDue([key])
                return false
            }
            // A marker that came meanwhile may not have been seen.
            guard markersSeen == known.markersSeen else { return true }
            known.confirm(key, generation: generation, at: now)
            return generation == entry.session.generation || isHeld
        case .none:
            over(key, now: now)
            return false
        case .covered:
            try await finish(entry.session, now: now)
            return false
        case .altered:
            // The generation alone ends nothing: whoever has the cookie reads all of it.
            tell(.tampered)
            known.makeDue([key])
            return false
        }
    }

    /// Reads, opens and judges what lies in the store under a cookie's name.
    private func open(_ cookie: SharedCookie, now: Int64) async throws(SessionStoreRefusal) -> Session? {
        guard !known.isOver(Self.key(cookie)) else { return nil }
        do throws(SessionStoreRefusal) {
            let session = try await read(cookie, now: now)
            shared.figures.count(session == nil ? StoreFigures.SessionAnswer.none : .load)
            return session
        } catch {
            known.noteUnanswered(Self.key(cookie), now: now, rules)
            shared.figures.count(.unknown)
            throw error
        }
    }

    private func read(_ cookie: SharedCookie, now: Int64) async throws(SessionStoreRefusal) -> Session? {
        let key = Self.key(cookie)
        let isStranger = known.entry(key)?.secret != cookie.secretDigest
        let load = LoadSession(key: shared.names.session(cookie.id), leavesRoom: isStranger)
        var loaded = try await questions.perform(load)
        // One answer that finds no session clears nobody's cookie, and is told to nobody.
        if isNoSession(loaded, of: cookie) { loaded = try await questions.perform(load) }
        switch loaded {
        case .none:
            if known.entry(key) != nil { over(key, now: now) }
            return nil
        case .altered:
            try await discard(.altered, cookie.id, now: now)
            return nil
        case .found(let generation, let value):
            return try await judge(value, generation, of: cookie, now: now)
        }
    }

    private func isNoSession(_ loaded: LoadSession.Outcome, of cookie: SharedCookie) -> Bool {
        switch loaded {
        case .none: return true
        case .altered: return false
        case .found(let generation, let value):
            // Of one that this very cookie has opened before, it is known that it is altered: nobody is told that it is none.
            guard known.entry(Self.key(cookie))?.secret != cookie.secretDigest, value.count >= StoreEnvelope.overhead,
                case .unopened(.altered) = seal.open(
                    value, for: cookie, under: shared.names.session(cookie.id), generation: generation)
            else { return false }
            return true
        }
    }

    /// The session that a value of the store is, if it is one of now; it is known from here on.
    func judge(
        _ value: [UInt8], _ generation: UInt32, of cookie: SharedCookie, now: Int64
    ) async throws(SessionStoreRefusal) -> Session? {
        let key = Self.key(cookie)
        let entry = known.entry(key)
        if let entry, entry.secret == cookie.secretDigest, entry.leased == generation { return entry.session }
        switch seal.open(value, for: cookie, under: shared.names.session(cookie.id), generation: generation) {
        case .session(let session):
            guard generation >= entry?.newest ?? 0 else {
                tell(.rolledBack)
                return nil
            }
            guard isOfIssuer(session), now < rules.limits.end(of: session) else { return nil }
            let markersSeen = known.markersSeen
            guard try await !questions.isEnded(session) else {
                try await finish(session, now: now)
                return nil
            }
            let isCertain = markersSeen == known.markersSeen
            let isKept = known.keep(key, self.entry(session, cookie, checkedAt: isCertain ? now : nil))
            return isKept ? session : nil
        case .unopened(.keyUnknown):
            // Keys come to replicas one after another: it is a session elsewhere, and here nobody knows.
            tell(.keyUnknown)
            throw .unavailable
        case .unopened(.altered):
            // A cookie with another secret opens nothing either, and must end nobody's session: only what this very
            // cookie has opened before is known to be altered.
            if entry?.secret == cookie.secretDigest || value.count < StoreEnvelope.overhead {
                try await discard(.found(generation: generation, value: value), cookie.id, now: now)
            } else {
                tell(.tampered)
            }
            return nil
        case .unreadable(let version):
            tell(.unreadable(version: version))
            throw .unavailable
        }
    }

    func isOfIssuer(_ session: Session) -> Bool {
        // As bytes: `==` takes other spellings of a text for the same, and an element after the other takes its time.
        issuer.map { $0.utf8Span.span.isEqual(to: session.issuer.utf8Span.span) } ?? true
    }

    /// Ends what a marker ends, so that the store need not keep it.
    ///
    /// Its tokens are here, and whoever wrote the marker had no cookie to find them by.
    private func finish(_ session: Session, now: Int64) async throws(SessionStoreRefusal) {
        over(Self.key(of: session), now: now)
        try await questions.end(
            [shared.names.session(session.id)], tombstone: lifetime.memoryOfEnding, as: .endedByServer)
        inBackground { await $0.revoke(session, endedAs: .endedByServer) }
    }

    /// Deletes what nobody of ours has written, and says so (SH-53).
    ///
    /// Where the store says the same once more: an answer that something on the way has changed, or given to the wrong command,
    /// ends nobody's session (SH-82).
    private func discard(
        _ found: LoadSession.Outcome, _ id: [UInt8], now: Int64
    ) async throws(SessionStoreRefusal) {
        tell(.tampered)
        guard try await questions.perform(LoadSession(key: shared.names.session(id))) == found else {
            throw .unavailable
        }
        over(NameDigest(SessionDigests.id(id)), now: now)
        _ = try? await questions.end([shared.names.session(id)], tombstone: lifetime.memoryOfEnding)
    }

    /// Ends the sessions that give way to a new one (SH-43); those that are known here are handed over.
    private func end(
        _ names: [StoreName], now: Int64, onLeaving: (Session) -> Void
    ) async throws(SessionStoreRefusal) {
        guard !names.isEmpty else { return }
        var others: [StoreName] = []
        for ended in try await questions.end(names, tombstone: lifetime.memoryOfEnding, as: .displaced) {
            guard let key = NameDigest(suffix: ended.name.suffix) else { continue }
            if let session = known.end(key, now: now), session.generation >= ended.generation {
                if await claims(ended.name) ?? true { onLeaving(session) }
            } else {
                others.append(ended.name)
            }
        }
        seeLater(to: others, endedAs: .displaced)
    }
}

// MARK: what is known of a session

extension SharedSessionStore {
    static func key(_ cookie: SharedCookie) -> NameDigest { NameDigest(cookie.idDigest) }

    static func key(of session: Session) -> NameDigest { NameDigest(session.idDigest) }

    func entry(_ session: Session, _ cookie: SharedCookie?, checkedAt: Int64?) -> KnownSessions.Entry {
        KnownSessions.Entry(
            session, secret: cookie?.secretDigest, markers: markers(of: session), checkedAt: checkedAt)
    }

    /// The markers that could end a session.
    func markers(of session: Session) -> [NameDigest] {
        shared.names.markerDigests(
            client: client, issuer: session.issuer, subject: session.subject, serverSession: session.serverSession)
    }

    func sealed(
        _ session: Session, _ cookie: SharedCookie, _ name: StoreName
    ) throws(SessionStoreRefusal) -> [UInt8] {
        try seal.seal(session, secret: cookie.secret, under: name, nonce: RandomBytes.fill(AEADKey.nonceLength))
    }

    /// A session that was known here is over: whoever has it open is to look.
    func over(_ key: NameDigest, now: Int64) {
        known.end(key, now: now)
        waiting.wake(key)
        tell(.ended)
    }

    func tell(_ note: SharedSessionNote) { onNote(note) }

    /// Does something beside the request that it came up with.
    func inBackground(_ work: @escaping @Sendable (SharedSessionStore) async -> Void) {
        background.wrappingAdd(1, ordering: .relaxed)
        Task(executorPreference: executor) {
            await work(self)
            self.background.wrappingSubtract(1, ordering: .releasing)
        }
    }

    /// Whether anything is done beside requests.
    var isWorking: Bool { background.load(ordering: .acquiring) > 0 }
}

/// Whose sessions a shared store keeps, and who is told about them.
package struct SharedSessionClient: Sendable {
    /// The client's name here.
    let name: String
    /// Its identifier at the issuer: what was sealed under another one is none.
    let identifier: String
    let issuer: String?
    let onNote: @Sendable (SharedSessionNote) -> Void
    /// Revokes tokens that are nobody's any more.
    let onOrphan: @Sendable (OrphanedTokens) -> Void
    /// Waits so many milliseconds.
    let pause: @Sendable (Int) async -> Void

    package init(
        name: String, identifier: String = "", issuer: String? = nil,
        onNote: @escaping @Sendable (SharedSessionNote) -> Void = { _ in },
        onOrphan: @escaping @Sendable (OrphanedTokens) -> Void = { _ in },
        pause: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.name = name
        self.identifier = identifier
        self.issuer = issuer
        self.onNote = onNote
        self.onOrphan = onOrphan
        self.pause = pause
    }
}

extension SharedCookie {
    /// By which secrets are compared, and kept.
    var secretDigest: SHA256Digest { SHA256.hash(secret.reveal().span) }
}
