import RESP

/// Commands that were taken and not answered, each with what is needed to send it again.
///
/// Places are used again, with the memory of the commands that were there: at a steady pace nothing is allocated. A ticket
/// for the link is a place and how often it was given away, so that a late answer finds nobody.
struct PendingCommands {
    struct Entry {
        var command = Command("")
        /// The caller's own number.
        var ticket: UInt64 = 0
        var slot = 0
        /// When it must be answered.
        var deadline: UInt64 = 0
        var tries = 0
        var redirects = 0
        var changesNothing = false
        var use: UInt32 = 0
        var isTaken = false
        /// When it is sent again; nil while a link has it.
        var sendAt: UInt64?
        /// The node to which it was redirected for once.
        var detour: Int?
    }

    private var entries: [Entry] = []
    private var free: [Int] = []
    /// Those that wait to be sent again.
    private(set) var waiting: [Int] = []

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
            UInt64(entries[place].use) == linkTicket >> 32, entries[place].sendAt == nil
        else { return nil }
        return place
    }

    /// Takes a command in.
    mutating func take(
        _ command: borrowing Command, ticket: UInt64, slot: Int, deadline: UInt64, changesNothing: Bool
    ) -> Int {
        let place = free.popLast() ?? entries.count
        if place == entries.count { entries.append(Entry()) }
        entries[place].command.become(command)
        entries[place].ticket = ticket
        entries[place].slot = slot
        entries[place].deadline = deadline
        entries[place].tries = 0
        entries[place].redirects = 0
        entries[place].changesNothing = changesNothing
        entries[place].use = (entries[place].use &+ 1) & 0x7FFF_FFFF
        entries[place].isTaken = true
        entries[place].sendAt = nil
        entries[place].detour = nil
        return place
    }

    /// Lets a command go; the caller's number.
    mutating func release(_ place: Int) -> UInt64 {
        if entries[place].sendAt != nil { waiting.removeAll { $0 == place } }
        entries[place].command.shrink(to: PendingCommands.keptBytes)
        entries[place].isTaken = false
        entries[place].sendAt = nil
        free.append(place)
        return entries[place].ticket
    }

    /// Has a command wait for its next try.
    mutating func wait(_ place: Int, until moment: UInt64) {
        if entries[place].sendAt == nil { waiting.append(place) }
        entries[place].sendAt = moment
    }

    /// One whose moment has come.
    mutating func nextDue(now: UInt64) -> Int? {
        guard let index = waiting.firstIndex(where: { entries[$0].sendAt.map { $0 <= now } ?? true }) else {
            return nil
        }
        let place = waiting.remove(at: index)
        entries[place].sendAt = nil
        return place
    }

    /// When the next one's moment comes.
    var nextMoment: UInt64? { waiting.compactMap { entries[$0].sendAt }.min() }

    /// All that are there, for whoever stops.
    var all: [Int] { entries.indices.filter { entries[$0].isTaken } }
}
