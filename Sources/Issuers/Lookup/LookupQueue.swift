package import Crypto
package import HTTPMessage

/// Questions to authorization servers that are under way or wait their turn: one per token, however many ask.
///
/// Each lane, an issuer or a rule of exchange, has bounds of its own, so that a server that hangs fills its own lane
/// and no other. Within a lane each client has a row of its own: it has no more under way than it would leave to the
/// next one, and whoever has fewest under way is next, so that a client with one question never waits behind the
/// hundreds of another.
///
///     ask ──▶ under way (at most `concurrent`, of one client `perClient`) ──▶ ended: everyone who asked is told
///      │            ▲
///      └──▶ waiting (at most `waiting`, of one client half), each client's first come first served
///      └──▶ refused, when both are full, or the client has its part of them, or no failure left to it
package struct LookupQueue: Sendable {
    /// One question: what is asked, of whom.
    package struct Key: Sendable, Hashable {
        package let lane: Int
        package let digest: SHA256Digest
    }

    /// A question with all that is needed to ask it.
    package struct Lookup: Sendable {
        package let key: Key
        /// The token; dropped with the lookup.
        package let token: Secret
        /// When the token expires, in seconds since 1970, for questions that depend on it.
        package let tokenExpiresAt: Int64
        /// The monotonic clock when it was first asked, in milliseconds.
        package let askedAt: Int64
        /// Who asked it first.
        package let client: AskingClient
        /// The token was good a while ago: it is asked about whatever failures are left to the client.
        package let isVouchedFor: Bool
        /// The span of whoever asked it first, where the server is to be told.
        package var trace: TraceParent?
    }

    /// What becomes of a question.
    package enum Admission: Sendable {
        /// Ask this one now, and call `end`: it, or one of the same client that waited before it.
        case start(Lookup)
        /// Another one's answer, or another one's end, is waited for.
        case wait
        /// Answer at once that there is no answer, and why.
        case refuse(LookupRefusal)
    }

    /// What follows from the end of a question.
    package struct End: Sendable {
        /// Who asked it.
        package var workers: [Int] = []
        /// What is to be asked in its place.
        package var next: [Lookup] = []
        /// Whether as many were under way as there may be: then whoever waits did so for others, and else for its own.
        package var wasFull = false
        /// What waited and is not asked any more: too many tokens of its client proved bad.
        package var spent: [(key: Key, workers: [Int])] = []
    }

    /// What one client has in a lane.
    private struct Row {
        var underWay = 0
        var vouchedFor: [Lookup] = []
        var others: [Lookup] = []
        /// When it was last served, or came: of two with as many under way the one that waits longer is next.
        var turn = 0

        var waiting: Int { vouchedFor.count + others.count }
    }

    private struct Lane {
        var concurrent = 0
        var waiting = 0
        var rows: [AskingClient: Row] = [:]
    }

    private struct Question {
        var workers: [Int]
        let client: AskingClient
    }

    private let bounds: LookupBounds
    private let failures: FailureBudget?
    private var lanes: [Lane]
    private var questions: [Key: Question] = [:]
    private var turns = 0

    /// With `failures`, questions whose answer was bad are charged to their clients.
    package init(lanes: Int, bounds: LookupBounds = LookupBounds(), failures: FailureBudget? = nil) {
        self.bounds = bounds
        self.failures = failures
        self.lanes = Array(repeating: Lane(), count: lanes)
    }

    /// A worker asks, at so many milliseconds of the monotonic clock.
    package mutating func ask(_ lookup: Lookup, for worker: Int, at now: Int64) -> Admission {
        let key = lookup.key
        if let asked = questions[key] {
            if !asked.workers.contains(worker) { questions[key]?.workers.append(worker) }
            return .wait
        }
        guard lanes.indices.contains(key.lane) else { return .refuse(.crowded) }
        var row = lanes[key.lane].rows[lookup.client] ?? newRow()
        guard lookup.isVouchedFor || standing(lookup.client, underWay: row.underWay, at: now) != .spent else {
            return .refuse(.tooManyBad)
        }
        let (waiting, held) = (lanes[key.lane].waiting, row.waiting)
        if lookup.isVouchedFor { row.vouchedFor.append(lookup) } else { row.others.append(lookup) }
        lanes[key.lane].waiting += 1
        lanes[key.lane].rows[lookup.client] = row
        let next = takeNext(of: lookup.client, in: key.lane, at: now)
        guard next != nil || hasRoomToWait(lookup.client, held: held, free: bounds.waiting - waiting) else {
            forgetLast(lookup)
            return .refuse(refusal(of: lookup.client, held: held, free: bounds.waiting - waiting))
        }
        questions[key] = Question(workers: [worker], client: lookup.client)
        return next.map { .start($0) } ?? .wait
    }

    /// A question that was under way has its answer, which says that the token is bad, or does not.
    package mutating func end(_ key: Key, isBad: Bool = false, at now: Int64) -> End {
        guard let question = questions.removeValue(forKey: key) else { return End() }
        let wasFull = lanes[key.lane].concurrent >= bounds.concurrent
        lanes[key.lane].concurrent -= 1
        lanes[key.lane].rows[question.client]?.underWay -= 1
        if isBad { failures?.charge(question.client, at: Self.microseconds(now)) }
        var end = End(workers: question.workers, wasFull: wasFull)
        end.spent = dropSpent(in: key.lane, at: now)
        while let client = nextClient(in: key.lane, at: now), let lookup = takeNext(of: client, in: key.lane, at: now) {
            end.next.append(lookup)
        }
        if let row = lanes[key.lane].rows[question.client], row.underWay == 0, row.waiting == 0 {
            lanes[key.lane].rows[question.client] = nil
        }
        return end
    }

    /// Forgets everything; who asked for what is handed back to be told.
    package mutating func clear() -> [(key: Key, workers: [Int])] {
        let all = questions.map { (key: $0.key, workers: $0.value.workers) }
        questions = [:]
        lanes = Array(repeating: Lane(), count: lanes.count)
        return all
    }

    /// Questions under way, over all lanes.
    package var concurrent: Int { lanes.reduce(0) { $0 + $1.concurrent } }
    /// Questions that wait, over all lanes.
    package var waiting: Int { lanes.reduce(0) { $0 + $1.waiting } }
    /// Clients of which something is kept, over all lanes.
    var clients: Int { lanes.reduce(0) { $0 + $1.rows.count } }

    // MARK: turns

    private mutating func newRow() -> Row {
        turns += 1
        return Row(turn: turns)
    }

    /// Of the clients that wait and may ask, the one with fewest questions under way.
    private func nextClient(in lane: Int, at now: Int64) -> AskingClient? {
        var best: (client: AskingClient, row: Row)?
        for (client, row) in lanes[lane].rows where row.waiting > 0 && mayAsk(client, row, in: lane, at: now) {
            guard let other = best?.row, (other.underWay, other.turn) < (row.underWay, row.turn) else {
                best = (client, row)
                continue
            }
        }
        return best?.client
    }

    /// Whether the first of a client's questions may be asked now.
    private func mayAsk(_ client: AskingClient, _ row: Row, in lane: Int, at now: Int64) -> Bool {
        let free = bounds.concurrent - lanes[lane].concurrent
        guard free > 0, client.isMany || row.underWay < min(bounds.perClient, free) else { return false }
        return !row.vouchedFor.isEmpty || standing(client, underWay: row.underWay, at: now) == .left
    }

    private mutating func takeNext(of client: AskingClient, in lane: Int, at now: Int64) -> Lookup? {
        guard var row = lanes[lane].rows[client], row.waiting > 0, mayAsk(client, row, in: lane, at: now) else {
            return nil
        }
        let lookup = row.vouchedFor.isEmpty ? row.others.removeFirst() : row.vouchedFor.removeFirst()
        turns += 1
        row.turn = turns
        row.underWay += 1
        lanes[lane].rows[client] = row
        lanes[lane].waiting -= 1
        lanes[lane].concurrent += 1
        return lookup
    }

    /// Half of the places for one client, and no more than it leaves.
    private func hasRoomToWait(_ client: AskingClient, held: Int, free: Int) -> Bool {
        client.isMany ? free > 0 : held < min(bounds.waitingPerClient, free)
    }

    /// Why there is no room to wait: whoever asks too much must not be told, nor the operator, that the server is slow.
    private func refusal(of client: AskingClient, held: Int, free: Int) -> LookupRefusal {
        guard !client.isMany, held > 0, free > 0 || held >= bounds.waitingPerClient else { return .crowded }
        return .tooManyOfClient
    }

    /// Takes a question back that has just been put last.
    private mutating func forgetLast(_ lookup: Lookup) {
        guard var row = lanes[lookup.key.lane].rows[lookup.client] else { return }
        if lookup.isVouchedFor { row.vouchedFor.removeLast() } else { row.others.removeLast() }
        lanes[lookup.key.lane].waiting -= 1
        let isEmpty = row.underWay == 0 && row.waiting == 0
        lanes[lookup.key.lane].rows[lookup.client] = isEmpty ? nil : row
    }

    // MARK: failures

    private func standing(_ client: AskingClient, underWay: Int, at now: Int64) -> FailureBudget.Standing {
        failures?.standing(of: client, underWay: underWay, at: Self.microseconds(now)) ?? .left
    }

    /// Takes out what waits for clients that have no failure left.
    private mutating func dropSpent(in lane: Int, at now: Int64) -> [(key: Key, workers: [Int])] {
        guard failures != nil, lanes[lane].waiting > 0 else { return [] }
        var dropped: [(key: Key, workers: [Int])] = []
        for (client, row) in lanes[lane].rows
        where !row.others.isEmpty && standing(client, underWay: row.underWay, at: now) == .spent {
            for lookup in row.others {
                guard let question = questions.removeValue(forKey: lookup.key) else { continue }
                dropped.append((lookup.key, question.workers))
            }
            lanes[lane].waiting -= row.others.count
            lanes[lane].rows[client]?.others = []
            if row.underWay == 0, row.vouchedFor.isEmpty { lanes[lane].rows[client] = nil }
        }
        return dropped
    }

    private static func microseconds(_ milliseconds: Int64) -> UInt64 { UInt64(max(milliseconds, 0)) * 1000 }
}

/// How many questions a service deals with at a time, per issuer or per rule of exchange.
package struct LookupBounds: Sendable {
    /// Requests under way, where nothing else is said.
    package static let concurrent = 64
    /// Of these one client never has more than it leaves to others.
    package static let mostPerClient = concurrent / 2
    /// Questions that wait for one of these to end, where nothing else is said.
    package static let waiting = 1024

    /// Requests under way.
    package var concurrent: Int
    /// Questions that wait for one of these to end.
    package var waiting: Int
    /// Requests under way of one client.
    package var perClient: Int

    package init(concurrent: Int = LookupBounds.concurrent, waiting: Int = LookupBounds.waiting, perClient: Int = 32) {
        self.concurrent = max(concurrent, 1)
        self.waiting = max(waiting, 0)
        self.perClient = max(perClient, 1)
    }

    /// Questions that wait of one client, which is no more than it leaves to others.
    package var waitingPerClient: Int { max(1, waiting / 2) }
}
