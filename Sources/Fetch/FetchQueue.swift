import HTTPMessage

/// Requests to servers that are under way or wait for their turn, by what they are for and on whose behalf.
///
/// Whoever can make us ask a server, and that is everybody who can begin a login, must not be able to make all others
/// wait: each purpose has its own share of the requests that are under way at one server, and its own rows behind it, and
/// a server that hangs fills its own rows and no other's. Of what may be under way one client has no more than half, and no
/// more than it leaves, and the same of what may wait; whoever has fewest under way is next.
///
///     admit ──▶ under way (at most `concurrent`) ──▶ end: the first that still has time of whoever has fewest
///       │            ▲
///       └──▶ a row of each client (at most `waiting` in all), first come first served
///       └──▶ refused at once, when both are full, or the client has what it may have of both
struct FetchQueue<Item> {
    /// A share: one purpose at one server.
    struct Lane: Hashable {
        let purpose: FetchRequest.Purpose
        /// Scheme, host and port.
        let server: String
    }

    /// What becomes of a request.
    enum Admission {
        case start
        case wait
        /// There is no room.
        case refuse
        /// The client has its part of the room, and others may have more.
        case refuseClient
    }

    /// What one client has in a lane.
    private struct Row {
        var underWay = 0
        var waiting: [Item] = []
        var first = 0
        /// When it was last served, or came: of two with as many under way the one that waits longer is next.
        var turn = 0

        var length: Int { waiting.count - first }
        var isEmpty: Bool { underWay == 0 && length == 0 }

        mutating func next() -> Item? {
            guard first < waiting.count else { return nil }
            defer {
                first += 1
                // Drops what has gone, when it is more than half.
                if first > 32, first * 2 > waiting.count {
                    waiting.removeFirst(first)
                    first = 0
                }
            }
            return waiting[first]
        }
    }

    private struct State {
        var concurrent = 0
        var waiting = 0
        var rows: [String?: Row] = [:]
    }

    /// Connections that there may be in all.
    private let connections: Int
    private var lanes: [Lane: State] = [:]
    private var turns = 0

    init(connections: Int = FetchLimits.connections) { self.connections = connections }

    /// Requests that are under way, over all lanes.
    var concurrent: Int { lanes.values.reduce(0) { $0 + $1.concurrent } }
    /// Requests that wait, those that have been given up included, over all lanes.
    var waiting: Int { lanes.values.reduce(0) { $0 + $1.waiting } }

    /// A request of `client`; nil is everybody of whom nobody says who it is, and they are not bounded together.
    mutating func admit(_ item: Item, _ lane: Lane, of client: String? = nil) -> Admission {
        let share = FetchLimits.share(of: lane.purpose, connections: connections)
        // Taken out, so that nothing else holds the row: appending to a shared one would copy it.
        var state = lanes.removeValue(forKey: lane) ?? State()
        var row = state.rows.removeValue(forKey: client) ?? Row(turn: nextTurn())
        let admission: Admission
        if row.length == 0, Self.mayBegin(client, row, state, share) {
            state.concurrent += 1
            row.underWay += 1
            row.turn = nextTurn()
            admission = .start
        } else if Self.mayWait(client, row, state, share) {
            row.waiting.append(item)
            state.waiting += 1
            admission = .wait
        } else {
            admission = Self.isOwnDoing(client, row, state, share) ? .refuseClient : .refuse
        }
        state.rows[client] = row.isEmpty ? nil : row
        lanes[lane] = state
        return admission
    }

    /// Whether as many are under way as there may be: then whoever waits does so for others, and else for its own.
    func isFull(_ lane: Lane) -> Bool {
        (lanes[lane]?.concurrent ?? 0) >= FetchLimits.share(of: lane.purpose, connections: connections).concurrent
    }

    /// One of a client's that was under way has ended: those to begin in its place, which `isWanted` still.
    mutating func end(_ lane: Lane, of client: String? = nil, isWanted: (Item) -> Bool) -> [Item] {
        guard let known = lanes[lane]?.rows[client], known.underWay > 0, var state = lanes.removeValue(forKey: lane),
            var ended = state.rows.removeValue(forKey: client)
        else { return [] }
        let share = FetchLimits.share(of: lane.purpose, connections: connections)
        ended.underWay -= 1
        state.concurrent -= 1
        state.rows[client] = ended.isEmpty ? nil : ended
        var items: [Item] = []
        while let next = Self.nextClient(state, share), var row = state.rows.removeValue(forKey: next) {
            while let item = row.next() {
                state.waiting -= 1
                guard isWanted(item) else { continue }
                items.append(item)
                state.concurrent += 1
                row.underWay += 1
                row.turn = nextTurn()
                break
            }
            state.rows[next] = row.isEmpty ? nil : row
        }
        // Nothing is kept of servers that nobody asks: their names come from documents.
        lanes[lane] = state.concurrent > 0 ? state : nil
        return items
    }

    /// Forgets everything; those that waited.
    mutating func removeAll() -> [Item] {
        defer { lanes = [:] }
        return lanes.values.flatMap { $0.rows.values.flatMap { $0.waiting[$0.first...] } }
    }

    private mutating func nextTurn() -> Int {
        turns += 1
        return turns
    }

    private static func mayBegin(_ client: String?, _ row: Row, _ state: State, _ share: FetchLimits.Share) -> Bool {
        let free = share.concurrent - state.concurrent
        return free > 0 && (client == nil || row.underWay < min(share.concurrent / 2, free))
    }

    /// Whoever waits for a server that hangs would otherwise have all places in the row, and others not even a turn.
    private static func mayWait(_ client: String?, _ row: Row, _ state: State, _ share: FetchLimits.Share) -> Bool {
        let free = share.waiting - state.waiting
        return free > 0 && (client == nil || row.length < min(share.waiting / 2, free))
    }

    /// Whether it is the client's own row that leaves it no room: neither others nor the server are blamed for that.
    private static func isOwnDoing(_ client: String?, _ row: Row, _ state: State, _ share: FetchLimits.Share) -> Bool {
        let free = share.waiting - state.waiting
        return client != nil && row.length > 0 && (free > 0 || row.length >= share.waiting / 2)
    }

    /// Of those who wait and may begin the one with fewest under way.
    private static func nextClient(_ state: State, _ share: FetchLimits.Share) -> String?? {
        guard state.waiting > 0 else { return nil }
        var best: (client: String?, row: Row)?
        for (client, row) in state.rows where row.length > 0 && mayBegin(client, row, state, share) {
            guard let other = best?.row, (other.underWay, other.turn) < (row.underWay, row.turn) else {
                best = (client, row)
                continue
            }
        }
        return best.map(\.client)
    }
}
