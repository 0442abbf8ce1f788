import Crypto
import Sessions
import Synchronization

/// The sessions of the store that this process has seen, so that a request need not wait for it (SH-70).
///
/// An entry says what the store said, and when. It is used until the next question is due, and once more as long while
/// that question is under way (SH-71); afterwards whoever needs it waits. One that nobody has asked about in the second
/// in which it became due waits too: nothing is under way that would end it, and a logout elsewhere is to be seen within
/// `recheck`. Where the store gives it no answer, it goes on like the others. What was ended is known for some minutes, so that
/// an answer that was under way brings nothing back.
///
///     unknown ──load──▶ fresh ──recheck──▶ due, asked about ──2 × recheck──▶ unknown, as far as requests go
///                         ▲        │          │ same generation                ▲
///                         └────────│──────────┘                                │
///                                  └──a second without a request───────────────┘
///     any ──ended, here or by a line of the log──▶ over
final class KnownSessions: Sendable {
    /// What is known of a session that a request asks for.
    enum Look: Sendable {
        /// Whoever needs it has to ask the store.
        case unknown
        case over
        case found(Session)
        /// The same, and the caller is to ask the store about it beside the request.
        case due(Session)
    }

    /// What is known of a session, for whoever is about to ask the store.
    struct Entry: Sendable {
        var session: Session
        /// The digest of the secret in its cookie; nil where no cookie of it was seen here.
        var secret: SHA256Digest?
        /// The markers that could end it.
        let markers: [NameDigest]
        /// The newest generation that anybody told of (SH-54).
        var newest: UInt32
        /// When the store last said that it is there; nil: it has to be asked.
        var checkedAt: Int64?
        var askedAt = Int64.min
        /// Which word of the store's a request has found due as soon as it was, or was given no newer one for.
        var dueOf: Int64?
        var seenAt: Int64
        /// The generation in the store while a newer one waits here to be written (SH-34).
        var leased: UInt32?
        /// Until when that is tried.
        var heldUntil = Int64.min
        var isUsed = false

        init(_ session: Session, secret: SHA256Digest?, markers: [NameDigest], checkedAt: Int64?) {
            self.session = session
            self.secret = secret
            self.markers = markers
            newest = session.generation
            self.checkedAt = checkedAt
            seenAt = session.seenAt
        }

        /// Whether it is still as a request found it in this generation, and what is to be asked.
        mutating func standing(generation: UInt32, now: Int64, _ rules: CheckRules) -> SessionStanding {
            guard session.generation == generation, newest <= generation, now < rules.limits.end(of: session),
                now < SessionLimits.sum(seenAt, rules.limits.idle)
            else { return .unknown }
            isUsed = true
            switch age(now: now, rules) {
            case .over: return .unknown
            case .fresh: return .same(until: rules.usableUntil(checkedAt, now: now))
            case .due:
                let until = SessionLimits.sum(now, 1)
                return isToBeAsked(now: now) ? .due(until: until) : .same(until: until)
            }
        }

        /// How old the store's word is.
        func age(now: Int64, _ rules: CheckRules) -> CheckRules.Age {
            rules.age(checkedAt, isAsked: dueOf == checkedAt, now: now)
        }

        /// Whether the store is to be asked about one that is due: one question a second while it does not answer.
        mutating func isToBeAsked(now: Int64) -> Bool {
            dueOf = checkedAt
            guard askedAt != now else { return false }
            askedAt = now
            return true
        }

        /// The store said so at `time`.
        mutating func confirm(generation: UInt32, at time: Int64) {
            newest = max(newest, generation)
            // Of two answers the later one holds.
            checkedAt = max(checkedAt ?? time, time)
        }
    }

    /// The sessions that one marker could end; nearly always one, which takes no memory of its own.
    private enum Covered {
        case one(NameDigest)
        case many(Set<NameDigest>)

        mutating func insert(_ key: NameDigest) {
            switch self {
            case .one(key): break
            case .one(let other): self = .many([other, key])
            case .many(var keys):
                self = .one(key)
                keys.insert(key)
                self = .many(keys)
            }
        }

        /// False when there is none left.
        mutating func remove(_ key: NameDigest) -> Bool {
            switch self {
            case .one(let other): return other != key
            case .many(var keys):
                self = .one(key)
                keys.remove(key)
                self = .many(keys)
                return !keys.isEmpty
            }
        }

        var all: [NameDigest] {
            switch self {
            case .one(let key): [key]
            case .many(let keys): Array(keys)
            }
        }
    }

    /// What is asked about a session that is known.
    struct Checked: Sendable {
        let generation: UInt32
        let leased: UInt32?
        let markers: [NameDigest]

        init(_ entry: borrowing Entry) {
            generation = entry.session.generation
            leased = entry.leased
            markers = entry.markers
        }
    }

    private struct State {
        var entries: [NameDigest: Entry] = [:]
        /// Where the entries are looked at for the one that goes, round and round.
        var places: [NameDigest] = []
        var hand = 0
        var ended: [NameDigest: Int64] = [:]
        /// The sessions that a marker could end, so that a line about one does not look through all of them.
        var byMarker: [NameDigest: Covered] = [:]

        mutating func insert(_ key: NameDigest, _ entry: Entry) {
            entries[key] = entry
            for marker in entry.markers { byMarker[marker, default: .one(key)].insert(key) }
        }

        @discardableResult
        mutating func remove(_ key: NameDigest) -> Entry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            for marker in entry.markers {
                if byMarker[marker]?.remove(key) == false { byMarker[marker] = nil }
            }
            return entry
        }
    }

    private final class Shard: Sendable {
        let state = Mutex(State())
    }

    private let shards = (0..<64).map { _ in Shard() }
    private let endingCount = Atomic<UInt64>(0)
    private let markerLines = Atomic<UInt64>(0)
    private let limit: Atomic<Int>

    /// Seconds for which it is known what was ended: longer than an answer can be under way.
    private static let memoryOfEnding: Int64 = 600
    /// Endings that a part remembers.
    private static let endedLimit = 1024

    /// Knows that many sessions at most.
    init(limit: Int) { self.limit = Atomic(KnownSessions.share(limit)) }

    /// Knows so many from now on; where that is less, the others go with the next sweep.
    func change(limit: Int) { self.limit.store(KnownSessions.share(limit), ordering: .relaxed) }

    /// What a part may have.
    private static func share(_ limit: Int) -> Int { max(1, min(max(1, limit), .max - 63) + 63) / 64 }

    /// Grows with every ending, after that can be seen.
    var endings: UInt64 { endingCount.load(ordering: .acquiring) }
    /// Grows with every line that tells of a marker.
    var markersSeen: UInt64 { markerLines.load(ordering: .acquiring) }
    /// Sessions known.
    var count: Int { shards.reduce(0) { $0 + $1.state.withLock { $0.entries.count } } }

    /// What a request with this cookie is told.
    func look(
        _ key: NameDigest, secret: @autoclosure () -> SHA256Digest, now: Int64, _ rules: CheckRules
    ) -> Look {
        shard(key).state.withLock { state in
            guard state.ended[key] == nil else { return .over }
            // Digests compare every bit (T-52).
            guard let entry = state.entries[key], entry.secret == secret() else { return .unknown }
            guard now < rules.limits.end(of: entry.session) else { return .over }
            // The store knows better where somebody else may have used or refreshed it.
            guard entry.session.generation >= entry.newest,
                now < SessionLimits.sum(entry.seenAt, rules.limits.idle)
            else { return .unknown }
            var session = entry.session
            session.seenAt = entry.seenAt
            state.entries[key]?.isUsed = true
            switch entry.age(now: now, rules) {
            case .fresh: return .found(session)
            case .due:
                return state.entries[key]?.isToBeAsked(now: now) ?? false ? .due(session) : .found(session)
            case .over: return .unknown
            }
        }
    }

    /// Whether a session that a request found in this generation a while ago is still so (SH-71).
    ///
    /// One look at a few fields, and nothing is copied: this is on the way of every tenth request, or so.
    func standing(_ key: NameDigest, generation: UInt32, now: Int64, _ rules: CheckRules) -> SessionStanding {
        shard(key).state.withLock { state in
            guard let place = state.entries.index(forKey: key), state.ended[key] == nil else { return .unknown }
            return state.entries.values[place].standing(generation: generation, now: now, rules)
        }
    }

    /// What is known of a session by name, whatever its age.
    func entry(_ key: NameDigest) -> Entry? { shard(key).state.withLock { $0.entries[key] } }

    /// Whether it was ended a moment ago.
    func isOver(_ key: NameDigest) -> Bool { shard(key).state.withLock { $0.ended[key] != nil } }

    /// Notes what the store said; false where the session has ended since it was asked.
    ///
    /// An older state than one that is known stays out.
    @discardableResult
    func keep(_ key: NameDigest, _ entry: Entry) -> Bool {
        shard(key).state.withLock { state in
            guard state.ended[key] == nil else { return false }
            guard var known = state.entries[key] else {
                makeRoom(key, in: &state)
                state.insert(key, entry)
                return true
            }
            if entry.session.generation >= known.session.generation {
                known.session = entry.session
                known.leased = nil
            }
            known.secret = entry.secret ?? known.secret
            known.newest = max(known.newest, entry.newest)
            known.checkedAt = entry.checkedAt
            known.seenAt = max(known.seenAt, entry.seenAt)
            known.isUsed = true
            state.entries[key] = known
            return true
        }
    }

    /// The store said at `time` that a session is there, in this generation.
    func confirm(_ key: NameDigest, generation: UInt32, at time: Int64) {
        shard(key).state.withLock { state in
            guard let place = state.entries.index(forKey: key) else { return }
            state.entries.values[place].confirm(generation: generation, at: time)
        }
    }

    /// What is asked about a session that is known here, without a copy of the session.
    func checked(_ key: NameDigest) -> Checked? {
        shard(key).state.withLock { state in
            guard let place = state.entries.index(forKey: key) else { return nil }
            return Checked(state.entries.values[place])
        }
    }

    /// The store gave no answer about a session: what it said before holds for as long as it would have, had it been asked as
    /// soon as that was due (SH-74).
    func noteUnanswered(_ key: NameDigest, now: Int64, _ rules: CheckRules) {
        shard(key).state.withLock { state in
            guard let place = state.entries.index(forKey: key) else { return }
            if case .fresh = state.entries.values[place].age(now: now, rules) { return }
            state.entries.values[place].dueOf = state.entries.values[place].checkedAt
        }
    }

    /// The question about one that was due was not asked.
    func notAsked(_ key: NameDigest) {
        shard(key).state.withLock { state in
            guard let place = state.entries.index(forKey: key) else { return }
            state.entries.values[place].askedAt = .min
        }
    }

    /// Keeps a state that the store does not have yet.
    ///
    /// The writer tries until a time; what it could not write by then is nobody's any more.
    func hold(_ key: NameDigest, _ entry: Entry, leased: UInt32, until: Int64) -> Bool {
        shard(key).state.withLock { state in
            guard state.ended[key] == nil else { return false }
            if state.entries[key] == nil {
                makeRoom(key, in: &state)
                state.insert(key, entry)
            }
            guard let known = state.entries[key], known.session.generation <= entry.session.generation else {
                return false
            }
            state.entries[key]?.session = entry.session
            state.entries[key]?.newest = max(known.newest, entry.newest)
            state.entries[key]?.leased = leased
            state.entries[key]?.heldUntil = until
            return true
        }
    }

    /// Forgets a state that the store will never have.
    func letGo(_ key: NameDigest) {
        shard(key).state.withLock { state in
            guard state.entries[key]?.leased != nil else { return }
            state.remove(key)
        }
    }

    /// Notes that a session is in use; when it was before, if that is long enough ago that the store is to know it.
    func takeTouch(_ key: NameDigest, secret: SHA256Digest, now: Int64, interval: Int64) -> Int64? {
        shard(key).state.withLock { state in
            guard let entry = state.entries[key], entry.secret == secret,
                SessionLimits.isTouchDue(seenAt: entry.seenAt, now: now, interval: interval)
            else { return nil }
            state.entries[key]?.seenAt = now
            return entry.seenAt
        }
    }

    /// The store was not told: it is at the next use.
    func untouch(_ key: NameDigest, at time: Int64, before: Int64) {
        shard(key).state.withLock { state in
            guard state.entries[key]?.seenAt == time else { return }
            state.entries[key]?.seenAt = before
        }
    }

    /// Until when a session may be used without another look here.
    func usableUntil(_ key: NameDigest, now: Int64, _ rules: CheckRules) -> Int64 {
        let checkedAt = shard(key).state.withLock { state in
            // Not by key, which would copy the session.
            state.entries.index(forKey: key).flatMap { state.entries.values[$0].checkedAt }
        }
        return rules.usableUntil(checkedAt, now: now)
    }

    private func shard(_ key: NameDigest) -> Shard { shards[key.shard] }

    /// Takes a place, from whoever was not used since the hand last came by; sessions that wait to be written stay.
    private func makeRoom(_ key: NameDigest, in state: inout State) {
        guard state.places.count >= limit.load(ordering: .relaxed) else { return state.places.append(key) }
        for _ in 0..<(2 * state.places.count) {
            let place = state.hand
            state.hand = (place + 1) % state.places.count
            let other = state.places[place]
            if let entry = state.entries[other] {
                guard entry.leased == nil else { continue }
                guard !entry.isUsed else {
                    state.entries[other]?.isUsed = false
                    continue
                }
                state.remove(other)
            }
            state.places[place] = key
            return
        }
        // All of them wait to be written: there are no more of those than refreshes under way.
        state.places.append(key)
    }
}

// MARK: endings, and what the log tells

extension KnownSessions {
    /// Notes that a session is over; what was known of it.
    ///
    /// Only an ending of one that is known here is news here: of those of a whole fleet most are not.
    @discardableResult
    func end(_ key: NameDigest, now: Int64) -> Session? {
        let session = shard(key).state.withLock { state in
            if state.ended.count >= KnownSessions.endedLimit {
                state.ended = state.ended.filter { now < $0.value }
                // Known a little shorter: whoever comes asks the store.
                if state.ended.count >= KnownSessions.endedLimit { state.ended = [:] }
            }
            state.ended[key] = SessionLimits.sum(now, KnownSessions.memoryOfEnding)
            return state.remove(key)?.session
        }
        if session != nil { noteEnding() }
        return session
    }

    /// Says that something ended.
    func noteEnding() { endingCount.wrappingAdd(1, ordering: .releasing) }

    /// What is known of the sessions that one of these markers could end.
    func sessions(with markers: Set<NameDigest>) -> [(NameDigest, Session)] {
        shards.flatMap { shard in
            shard.state.withLock { state in
                markers.flatMap { state.byMarker[$0]?.all ?? [] }.compactMap { key in
                    state.entries[key].map { (key, $0.session) }
                }
            }
        }
    }

    /// Somebody wrote a marker: an answer that is under way may not know it.
    func noteMarker() { markerLines.wrappingAdd(1, ordering: .releasing) }

    /// A session has this generation by now.
    func learn(_ key: NameDigest, generation: UInt32) {
        shard(key).state.withLock { state in
            guard let entry = state.entries[key], entry.newest < generation else { return }
            state.entries[key]?.newest = generation
        }
    }

    /// The store has to be asked about these before they are used again.
    func makeDue(_ keys: [NameDigest]) {
        for key in keys { shard(key).state.withLock { $0.entries[key]?.checkedAt = nil } }
    }

    /// The same of all: something may have been missed (SH-40).
    func makeAllDue() {
        for shard in shards {
            shard.state.withLock { state in
                // In place: a change by key while the keys are gone through would copy all of it.
                var index = state.entries.values.startIndex
                while index != state.entries.values.endIndex {
                    state.entries.values[index].checkedAt = nil
                    state.entries.values.formIndex(after: &index)
                }
            }
        }
        noteEnding()
    }

    /// Whether the caller is to ask about a session that is open here, a stream or a tunnel; once in a second at most.
    func takeQuestion(_ key: NameDigest, _ make: () -> Entry, now: Int64, _ rules: CheckRules) -> Bool {
        // Its names are codes under the ring's keys: not while others wait for the part.
        let made = entry(key) == nil ? make() : nil
        return shard(key).state.withLock { state in
            if state.entries[key] == nil, let made {
                makeRoom(key, in: &state)
                state.insert(key, made)
            }
            guard let entry = state.entries[key], entry.askedAt != now else { return false }
            if case .fresh = entry.age(now: now, rules) { return false }
            state.entries[key]?.askedAt = now
            return true
        }
    }

    /// Forgets what is over by its own end, and endings that nobody needs to know any more.
    func sweep(now: Int64, _ limits: SessionLimits) {
        for shard in shards {
            shard.state.withLock { state in
                state.ended = state.ended.filter { now < $0.value }
                // One that could not be written goes too, once nobody tries any more: an older state in the store would be
                // taken for it for good, and its place would never be anybody else's.
                let over = state.entries.filter {
                    now >= limits.end(of: $0.value.session) || ($0.value.leased != nil && now >= $0.value.heldUntil)
                }
                for key in over.keys { state.remove(key) }
                shrink(&state)
            }
        }
    }
}

extension KnownSessions {
    /// Gives places back beyond the limit, of those that do not wait to be written.
    private func shrink(_ state: inout State) {
        let excess = state.places.count - limit.load(ordering: .relaxed)
        guard excess > 0 else { return }
        var left = excess
        state.places.removeAll { key in
            guard left > 0, state.entries[key]?.leased == nil else { return false }
            left -= 1
            return true
        }
        state.hand = 0
        let kept = Set(state.places)
        for key in state.entries.keys.filter({ !kept.contains($0) }) { state.remove(key) }
    }
}
