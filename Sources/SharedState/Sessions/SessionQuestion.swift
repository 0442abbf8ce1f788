package import Crypto
package import Sessions

/// One question about a session, put by a worker's own connection: answers come in as words, and nothing waits (SH-71).
///
///     check   session's generation │ markers                     ─▶ as it is known here, or not
///     load    session's generation and value ─▶ opened ─▶ markers ─▶ known here from now on
///
/// It settles what nearly always is so: the session is there, and no marker ends it; or nobody ever had one of that name.
/// Everything else it leaves to whoever may wait for more than one answer. One loop's alone.
package final class SessionQuestion {
    /// What the store says to one part of it.
    package enum Word: Sendable {
        /// There is no such thing.
        case nothing
        case generation(UInt32)
        case value(generation: UInt32, [UInt8])
        /// Something that settles nothing here: a marker, or what no gateway has written.
        case other
        /// No answer, or an error.
        case unavailable
    }

    /// What came of it.
    package enum Outcome: Sendable {
        /// It is there, and known here.
        case session(Session)
        /// The store has none, and nobody here has seen one.
        case none
        /// The store gave no answer.
        case unavailable
        /// That takes longer to say.
        case elsewhere
    }

    private enum Asked: Sendable {
        case check(generation: UInt32, leased: UInt32?)
        case load(SharedCookie)
        /// The session was opened; what remains to be asked is whether a marker ends it.
        case markers(SharedCookie)
    }

    private let store: SharedSessionStore
    private let key: NameDigest
    private let now: Int64
    private var asked: Asked
    /// What was opened.
    private var session: Session?
    private var markers: [NameDigest]
    private var markersSeen: UInt64
    private var found: UInt32?
    private var isOrdinary = true
    private var isAnswered = true
    private var isNone = false
    /// Whether the store has said once that it has no such session: it is asked again before anybody's cookie is cleared.
    private var isNoneOnce = false
    /// Answers that are awaited, those of `toSend` among them.
    private var awaited: Int
    /// Which parts are to be asked now: 0 is the session, and what follows the markers.
    package private(set) var toSend: Range<Int>

    /// Parts that one has at most: what has more is left to others.
    package static let limit = 16

    /// Whether a session is as it is known here.
    init(checking key: NameDigest, _ known: KnownSessions.Checked, in store: SharedSessionStore, now: Int64) {
        self.store = store
        self.key = key
        self.now = now
        asked = .check(generation: known.generation, leased: known.leased)
        markers = known.markers
        markersSeen = store.known.markersSeen
        toSend = 0..<(1 + markers.count)
        awaited = toSend.count
    }

    /// What the store has for a cookie.
    init(loading cookie: SharedCookie, _ key: NameDigest, in store: SharedSessionStore, now: Int64) {
        self.store = store
        self.key = key
        self.now = now
        asked = .load(cookie)
        markers = []
        markersSeen = 0
        toSend = 0..<1
        awaited = 1
    }

    /// Whether all that was asked is answered.
    package var isOver: Bool { awaited == 0 }

    /// Whether the session's value is asked for, and not its generation alone.
    package var wantsValue: Bool { if case .load = asked { true } else { false } }

    /// The parts that were to be sent are on their way, or were answered for.
    package func sent() { toSend = 0..<0 }

    /// Appends the name of the key that a part is about.
    package func appendName(of part: Int, to bytes: inout [UInt8]) {
        if part == 0 {
            store.shared.names.appendSession(key, to: &bytes)
        } else {
            store.shared.names.appendMarker(markers[part - 1], to: &bytes)
        }
    }

    /// Takes an answer in; there may be more to send then.
    package func answered(_ part: Int, _ word: Word) {
        awaited -= 1
        switch store.shared.figures.isPrimaryCutOff ? .unavailable : word {
        case .unavailable: isAnswered = false
        case .nothing:
            // No marker is what all of them should say; of a session it is another matter.
            guard part == 0 else { return }
            if wantsValue, !isNoneOnce {
                isNoneOnce = true
                toSend = 0..<1
                awaited = 1
            } else {
                isNone = true
            }
        case .other: isOrdinary = false
        case .generation(let generation):
            if part == 0 { found = generation } else { isOrdinary = false }
        case .value(let generation, let value):
            guard case .load(let cookie) = asked, part == 0,
                let session = store.opened(value, generation, of: cookie, key, now: now)
            else { return isOrdinary = false }
            asked = .markers(cookie)
            markers = store.markers(of: session)
            self.session = session
            markersSeen = store.known.markersSeen
            guard markers.count < Self.limit else { return isOrdinary = false }
            toSend = 1..<(1 + markers.count)
            awaited = markers.count
        }
    }

    /// Notes what was found out, when it is over, of a session that is known here; false where that takes longer to say.
    ///
    /// Another generation is to be read, and an older one is an alarm.
    package func isConfirmed() -> Bool {
        guard isAnswered, isOrdinary, case .check(let generation, let leased) = asked, let found,
            found == generation || found == leased
        else { return !isAnswered }
        // A marker that came meanwhile may not have been seen.
        if markersSeen == store.known.markersSeen { store.known.confirm(key, generation: found, at: now) }
        store.shared.figures.count(.recheck)
        return true
    }

    /// The same for whoever waits for the session.
    package func conclude() -> Outcome {
        guard isAnswered else {
            store.known.noteUnanswered(key, now: now, store.rules)
            store.shared.figures.count(.unknown)
            return .unavailable
        }
        guard isOrdinary else { return .elsewhere }
        switch asked {
        case .check(let generation, _):
            guard isConfirmed(), let session = store.known.entry(key)?.session, session.generation == generation else {
                return .elsewhere
            }
            return .session(session)
        case .load:
            guard isNone, store.known.entry(key) == nil else { return .elsewhere }
            store.shared.figures.count(.none)
            return .none
        case .markers(let cookie):
            guard let session = session.take() else { return .elsewhere }
            let isCertain = markersSeen == store.known.markersSeen
            let entry = KnownSessions.Entry(
                session, secret: cookie.secretDigest, markers: markers, checkedAt: isCertain ? now : nil)
            guard store.known.keep(key, entry) else { return .elsewhere }
            store.shared.figures.count(.load)
            return .session(session)
        }
    }
}

extension SharedSessionStore {
    /// The question whether a session is as it is known here; nil where it is not, or where that is more than one asks.
    package func check(id: SHA256Digest, now: Int64) -> SessionQuestion? {
        let key = NameDigest(id)
        guard let checked = known.checked(key), checked.markers.count < SessionQuestion.limit else { return nil }
        return SessionQuestion(checking: key, checked, in: self, now: now)
    }

    /// The question what a cookie's value stands for; nil where that can be said at once, or takes others to say.
    package func question(for value: [UInt8], now: Int64) -> SessionQuestion? {
        guard let cookie = SharedCookie(value.span) else { return nil }
        let key = Self.key(cookie)
        guard !known.isOver(key) else { return nil }
        guard let entry = known.entry(key), entry.secret == cookie.secretDigest,
            entry.session.generation >= entry.newest
        else { return SessionQuestion(loading: cookie, key, in: self, now: now) }
        // One within its time is here for another reason: its tokens are to be refreshed, or it was idle for too long.
        guard case .over = entry.age(now: now, rules), now < rules.limits.end(of: entry.session),
            entry.markers.count < SessionQuestion.limit
        else { return nil }
        return SessionQuestion(checking: key, KnownSessions.Checked(entry), in: self, now: now)
    }

    /// Nobody could be asked about a session that was due: whoever comes next is to try.
    package func notAsked(id: SHA256Digest) { known.notAsked(NameDigest(id)) }

    /// Has somebody ask about a session that is known here, who may wait for more than one answer.
    package func askBeside(id: SHA256Digest, now: Int64) { askBeside([NameDigest(id)], now: now) }

    /// The session that a value of the store is; nil for one that is not as it should be, or is over.
    func opened(
        _ value: [UInt8], _ generation: UInt32, of cookie: SharedCookie, _ key: NameDigest, now: Int64
    ) -> Session? {
        let entry = known.entry(key)
        guard entry?.leased == nil, generation >= entry?.newest ?? 0,
            case .session(let session) = seal.open(
                value, for: cookie, under: shared.names.session(key), generation: generation),
            isOfIssuer(session), now < rules.limits.end(of: session)
        else { return nil }
        return session
    }
}
