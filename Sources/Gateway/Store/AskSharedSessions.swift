import Access
import Bytes
import Crypto
import HTTPMessage
import Login
import RESP
import SharedState
import Sessions
import StoreLink
import Telemetry

/// Asks about sessions by the worker's own connection, in the middle of its turn (SH-71).
///
/// A task for each question would cost more than all else that is done for a request. What is out of the ordinary, such as
/// a session that was refreshed elsewhere, is left to the service that answers logins.
extension WorkerStore: SessionRechecking {
    /// Where the numbers of these questions begin: above those of proofs, below those of the watch.
    static let firstSessionTicket: UInt64 = 1 << 61

    /// Asks beside a request whether a session is as it is known.
    func recheck(_ session: Session, id: SHA256Digest, in store: any SessionStore, now: Int64) -> Bool {
        guard let shared = store as? SharedSessionStore else { return false }
        guard !isRelayed, let question = shared.check(id: id, now: now) else {
            shared.askBeside(id: id, now: now)
            return true
        }
        // What nobody has room for now is asked for by a request that comes a little later.
        let isAsked = begin(SessionQuestions.Place(question: question, store: shared, id: id))
        if !isAsked { shared.notAsked(id: id) }
        return isAsked
    }

    /// Asks what a cookie stands for that a request waits for; false where somebody else has to be asked.
    ///
    /// After true comes `WorkerRef.sessionFound`, on this loop, and not before this returns; those who ask the same
    /// meanwhile are told the same.
    func load(_ waiter: SessionWaiter, from store: any SessionStore, now: Int64) -> Bool {
        guard !isRelayed, let shared = store as? SharedSessionStore else { return false }
        if sessionQuestions.join(waiter) { return true }
        guard let question = shared.question(for: waiter.value, now: now) else { return false }
        return begin(SessionQuestions.Place(question: question, store: shared, waiter: waiter))
    }

    private func begin(_ place: SessionQuestions.Place) -> Bool {
        let ticket = sessionQuestions.take(place)
        if sendParts(of: place.question, ticket) { return true }
        _ = sessionQuestions.giveBack(ticket)
        return false
    }

    /// Sends what a question has to send now; false where not even the first of it could be.
    private func sendParts(of question: SessionQuestion, _ ticket: UInt64) -> Bool {
        let (parts, wantsValue) = (question.toSend, question.wantsValue)
        question.sent()
        for part in parts {
            let isSession = part == 0
            sessionCommand.become(part, of: question, wantsValue: wantsValue)
            let outcome = sendReading(
                sessionCommand.command, key: sessionCommand.key,
                ticket: SessionQuestions.ticket(ticket, part: part),
                leavesRoom: isSession && wantsValue)
            guard outcome != .accepted else { continue }
            reports.count(worker: index, isSession ? .session : .ending, .unavailable, microseconds: nil)
            if isSession { return false }
            question.answered(part, .unavailable)
        }
        return true
    }

    /// The answer to a part of a question of this worker.
    func sessionAnswered(_ ticket: UInt64, _ answer: borrowing Answer) {
        guard let question = sessionQuestions.question(ticket) else { return }
        let part = SessionQuestions.part(of: ticket)
        question.answered(
            part, SessionQuestion.Word(answer, isValue: part == 0 && question.wantsValue, isMarker: part > 0))
        if !question.toSend.isEmpty { _ = sendParts(of: question, ticket & ~SessionQuestions.partBits) }
        if question.isOver, let place = sessionQuestions.giveBack(ticket) { conclude(place) }
    }

    private func conclude(_ place: SessionQuestions.Place) {
        if let waiter = place.waiter {
            worker?.pointer.sessionFound(waiter, place.question.conclude(), by: place.waiting)
        } else if !place.question.isConfirmed(), let id = place.id {
            // Asked about beside a request: who may wait for more finds out what it is.
            place.store.askBeside(id: id, now: WorkerClock().wallSeconds())
        }
    }
}

extension WorkerRef {
    /// Has the store asked what a request's cookie stands for; false where the service of logins is to be asked.
    func loadsSession(login: Int, _ value: [UInt8], _ digest: SHA256Digest, _ trace: TraceParent?) -> Bool {
        guard let store = pointee.questions.store else { return false }
        let waiter = SessionWaiter(
            login: login, digest: digest, value: value, generation: pointee.policy.generation, trace: trace)
        return store.load(waiter, from: pointee.identities.stores[login], now: clock.wallSeconds())
    }

    /// What the store said, for those who wait for it, so many at most; a reload has had them ask anew.
    func sessionFound(_ waiter: SessionWaiter, _ outcome: SessionQuestion.Outcome, by waiting: Int) {
        guard waiter.generation == pointee.policy.generation else { return }
        let result: LoginService.Refreshed
        switch outcome {
        case .session(let session):
            guard !pointee.policy.access.pointee.isRefreshDue(session, login: waiter.login, now: clock.wallSeconds())
            else { return handOn(waiter) }
            result = .session(session, value: nil)
        case .none: result = .ended
        case .unavailable: result = .unavailable
        case .elsewhere: return handOn(waiter)
        }
        sessionAnswered(
            SessionAnswer(login: waiter.login, digest: waiter.digest, value: waiter.value, result: result),
            for: waiting)
    }

    /// Has somebody else asked about a session that the store has spoken of: what that takes is not the store's time.
    private func handOn(_ waiter: SessionWaiter) {
        let wait = Wait.session(login: waiter.login, waiter.digest)
        var next = pointee.waiting.first
        while let exchange = next {
            if exchange.pointee.wait == wait { countStoreWait(exchange) }
            next = exchange.pointee.nextParked
        }
        pointee.questions.askSession(waiter.login, waiter.value, waiter.digest, waiter.trace)
    }
}

/// The command that asks for a part of a question; its memory is used again.
struct SessionCommand {
    private(set) var command = Command("HGET")
    /// The key that it is about.
    private(set) var key: [UInt8] = []

    /// Becomes that of another part.
    mutating func become(_ part: Int, of question: SessionQuestion, wantsValue: Bool) {
        key.removeAll(keepingCapacity: true)
        question.appendName(of: part, to: &key)
        command.begin(part == 0 ? wantsValue ? "HMGET" : "HGET" : "GET")
        SessionCommand.append(key, to: &command)
        if part == 0 { command.append("g") }
        if part == 0, wantsValue { command.append("v") }
    }

    private static func append(_ key: [UInt8], to command: inout Command) { command.append(key.span) }
}

/// Requests that wait for a session, by the cookie that they bring.
struct SessionWaiter {
    let login: Int
    let digest: SHA256Digest
    /// The cookie's value.
    let value: [UInt8]
    /// Of the configuration that they were judged by.
    let generation: UInt32
    /// On whose behalf an authorization server would be asked.
    let trace: TraceParent?
}

/// The questions about sessions that a worker has under way, by their numbers.
///
/// A number is a place and how often that was taken, so that an answer which comes late finds nobody.
struct SessionQuestions {
    /// One of them: it is looked for with every answer, and not copied.
    final class Place {
        let question: SessionQuestion
        let store: SharedSessionStore
        /// Of the session that is asked about beside a request.
        let id: SHA256Digest?
        let waiter: SessionWaiter?
        /// How many requests have asked it, those among them that have gone.
        fileprivate(set) var waiting = 1

        init(
            question: SessionQuestion, store: SharedSessionStore, id: SHA256Digest? = nil, waiter: SessionWaiter? = nil
        ) {
            self.question = question
            self.store = store
            self.id = id
            self.waiter = waiter
        }
    }

    private struct Key: Hashable {
        let login: Int
        let digest: SHA256Digest
        let generation: UInt32

        /// The digest tells nearly all apart.
        func hash(into hasher: inout Hasher) { hasher.combine(digest) }
    }

    private var places: [Place?] = []
    private var turns: [UInt32] = []
    private var free: [Int] = []
    private var waiters: [Key: Int] = [:]

    /// Joins those who have asked the same and wait for the answer; false where nobody has.
    func join(_ waiter: SessionWaiter) -> Bool {
        guard !waiters.isEmpty, let index = waiters[SessionQuestions.key(waiter)] else { return false }
        places[index]?.waiting += 1
        return true
    }

    /// The number of a question.
    mutating func take(_ place: Place) -> UInt64 {
        let index = free.popLast() ?? places.count
        if index == places.count {
            places.append(nil)
            turns.append(0)
        }
        if let waiter = place.waiter { waiters[SessionQuestions.key(waiter)] = index }
        places[index] = place
        turns[index] = (turns[index] &+ 1) & 0xFF_FFFF
        return WorkerStore.firstSessionTicket | UInt64(turns[index]) << 36 | UInt64(index)
    }

    /// The question of a number; nil where it is over.
    func question(_ ticket: UInt64) -> SessionQuestion? { index(ticket).flatMap { places[$0]?.question } }

    /// Takes a question out that is over.
    mutating func giveBack(_ ticket: UInt64) -> Place? {
        guard let index = index(ticket), let place = places[index] else { return nil }
        places[index] = nil
        free.append(index)
        if let waiter = place.waiter { waiters[SessionQuestions.key(waiter)] = nil }
        return place
    }

    /// The bits of a number that say which part it is of.
    static let partBits: UInt64 = 0xF << 32

    /// The number of a part of a question.
    static func ticket(_ ticket: UInt64, part: Int) -> UInt64 { ticket | UInt64(part) << 32 }

    /// Which part of its question a number is of.
    static func part(of ticket: UInt64) -> Int { Int(ticket >> 32 & 0xF) }

    private func index(_ ticket: UInt64) -> Int? {
        let index = Int(ticket & 0xFFFF_FFFF)
        guard index < turns.count, UInt64(turns[index]) == ticket >> 36 & 0xFF_FFFF else { return nil }
        return index
    }

    private static func key(_ waiter: SessionWaiter) -> Key {
        Key(login: waiter.login, digest: waiter.digest, generation: waiter.generation)
    }
}

extension SessionQuestion.Word {
    /// What an answer says: the generation, both of generation and value, or what there is of a marker.
    init(_ answer: borrowing Answer, isValue: Bool, isMarker: Bool) {
        switch answer {
        case .reply(let reply):
            switch reply.kind {
            case .null: self = .nothing
            case .bulkString:
                self = isMarker ? .other : reply.generation.map { .generation($0) } ?? .other
            case .array where isValue: self = Self.value(reply)
            case .simpleString, .error, .integer, .array: self = .unavailable
            }
        case .refused, .unknown, .notSent: self = .unavailable
        }
    }

    private static func value(_ reply: borrowing Reply) -> SessionQuestion.Word {
        var fields = reply.elements
        guard fields.count == 2, let first = fields.next(), let second = fields.next() else { return .unavailable }
        if first.kind == .null, second.kind == .null { return .nothing }
        guard second.kind == .bulkString, let generation = first.generation else { return .other }
        return .value(generation: generation, [UInt8](copying: second.bytes))
    }
}

extension Reply {
    /// The generation that its bytes are, in one spelling.
    fileprivate var generation: UInt32? {
        guard kind == .bulkString, (1...10).contains(bytes.count), bytes.count == 1 || bytes[0] != 0x30 else {
            return nil
        }
        var number: UInt64 = 0
        for index in bytes.indices {
            guard (0x30...0x39).contains(bytes[index]) else { return nil }
            number = number * 10 + UInt64(bytes[index] - 0x30)
        }
        return UInt32(exactly: number)
    }
}
