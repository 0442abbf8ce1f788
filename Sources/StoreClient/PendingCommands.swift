import RESP

/// Commands that were taken and not answered, each with what is needed to send it again.
///
/// Places are used again, with the memory of the commands that were there: at a steady pace nothing is allocated. A ticket
/// for the link is a place and how often it was given away, so that a late answer finds nobody.
struct PendingCommands {
    /// In microseconds.
    struct Times {
        /// When it was taken.
        var takenAt: UInt64 = 0
        /// When it must be answered.
        var deadline: UInt64 = 0
    }

    struct Entry {
        var command = Command("")
        /// The caller's own number.
        var ticket: UInt64 = 0
        var slot = 0
        var times = Times()
        var tries = 0
        var redirects = 0
        var changesNothing = false
        var use: UInt32 = 0
        var isTaken = false
        /// When it is sent again; nil while a link has it.
        var sendAt: UInt64?
        /// Its moment has come, and no link has it yet.
        var isDue = false
        /// The node to which it was redirected for once.
        var detour: Int?

        var deadline: UInt64 { times.deadline }

        /// Becomes another command's, which is about to be sent for the first time.
        mutating func begin(
            _ command: borrowing Command, ticket: UInt64, slot: Int, at now: UInt64, deadline: UInt64,
            changesNothing: Bool
        ) {
            self.command.become(command)
            self.ticket = ticket
            self.slot = slot
            times = Times(takenAt: now, deadline: deadline)
            tries = 1
            redirects = 0
            self.changesNothing = changesNothing
            use = (use &+ 1) & 0x7FFF_FFFF
            isTaken = true
            sendAt = nil
            isDue = false
            detour = nil
        }
    }

    private var entries: [Entry] = []
    private var free: [Int] = []
    /// Those that wait to be sent again.
    private var waiting: [Int] = []
    /// When the first of those is sent again; the end of time where none waits.
    private(set) var nextMoment = UInt64.max

    /// Bytes of a command that stay with its place.
    private static let keptBytes = 4096

    var count: Int { entries.count - free.count }

    subscript(place: Int) -> Entry {
        _read { yield entries[place] }
        _modify { yield &entries[place] }
    }

    /// The number by which a link knows the command at a place.
    func linkTicket(_ place: Int) -> UInt64 { UInt64(entries[place].use) << 32 | UInt64(place) }

    /// The place of a link's number; nil when its command was answered before.
    func place(of linkTicket: UInt64) -> Int? {
        let place = Int(linkTicket & 0xFFFF_FFFF)
        guard entries.indices.contains(place), entries[place].isTaken,
            UInt64(entries[place].use) == linkTicket >> 32, entries[place].sendAt == nil, !entries[place].isDue
        else { return nil }
        return place
    }

    /// Takes a command in; its place, and the number by which a link knows it.
    mutating func take(
        _ command: borrowing Command, ticket: UInt64, slot: Int, at now: UInt64, deadline: UInt64,
        changesNothing: Bool
    ) -> (place: Int, linkTicket: UInt64) {
        let place = free.popLast() ?? entries.count
        if place == entries.count { entries.append(Entry()) }
        entries[place].begin(
            command, ticket: ticket, slot: slot, at: now, deadline: deadline, changesNothing: changesNothing)
        return (place, linkTicket(place))
    }

    /// Lets a command go that does not wait; the caller's number, and when it was taken.
    mutating func release(_ place: Int) -> (ticket: UInt64, takenAt: UInt64) {
        entries[place].command.shrink(to: PendingCommands.keptBytes)
        entries[place].isTaken = false
        entries[place].isDue = false
        free.append(place)
        return (entries[place].ticket, entries[place].times.takenAt)
    }

    /// Has a command wait for its next try.
    mutating func wait(_ place: Int, until moment: UInt64) {
        if entries[place].sendAt == nil { waiting.append(place) }
        entries[place].isDue = false
        entries[place].sendAt = moment
        nextMoment = min(nextMoment, moment)
    }

    /// Moves those whose moment has come into `due`, in the order in which they began to wait.
    ///
    /// All in one look: where a server refuses thousands of them at once, thousands come back at once.
    mutating func takeDue(now: UInt64, into due: inout [Int]) {
        nextMoment = .max
        var kept = 0
        for index in waiting.indices {
            let place = waiting[index]
            let moment = entries[place].sendAt ?? 0
            if moment <= now {
                entries[place].sendAt = nil
                entries[place].isDue = true
                due.append(place)
            } else {
                waiting[kept] = place
                kept += 1
                nextMoment = min(nextMoment, moment)
            }
        }
        waiting.removeLast(waiting.count - kept)
    }

    /// Whether one that was due is still to be sent: whoever was told of another may have ended this one meanwhile.
    mutating func begin(_ place: Int) -> Bool {
        guard entries[place].isTaken, entries[place].isDue else { return false }
        entries[place].isDue = false
        return true
    }

    /// All that are there, for whoever stops; none of them waits any more.
    mutating func takeAll() -> [Int] {
        waiting.removeAll()
        nextMoment = .max
        let all = entries.indices.filter { entries[$0].isTaken }
        for place in all {
            entries[place].sendAt = nil
            entries[place].isDue = false
        }
        return all
    }
}
