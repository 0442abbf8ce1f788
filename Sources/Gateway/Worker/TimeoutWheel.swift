/// One connection's place in a worker's timeout wheel, kept inside the connection.
struct Timeout {
    enum Owner: UInt8 { case client, upstream, call, settings }

    /// When to fire, in ticks; 0 when not waiting.
    var deadline: UInt32 = 0
    /// The slot it is linked into, so that a nearer deadline is seen to need another one.
    fileprivate(set) var scheduled: UInt32 = 0
    fileprivate var previous: UnsafeMutablePointer<Timeout>?
    fileprivate var next: UnsafeMutablePointer<Timeout>?
    let owner: Owner
    /// The connection, once it is in its place.
    var place: UnsafeMutableRawPointer?

    init(of owner: Owner) { self.owner = owner }
}

/// Coarse timeouts of all connections of a worker: one timer, no system call and nearly no work per request.
///
/// A deadline that moves away is only stored; the entry is found too early in its old slot and moved on then. Only a
/// deadline that comes nearer is linked anew. A tick is 100 ms.
struct TimeoutWheel {
    static let tickMilliseconds = 100
    private static let slotCount: UInt32 = 1024

    private let slots: UnsafeMutablePointer<UnsafeMutablePointer<Timeout>?>
    /// The tick whose entries are being given out: behind the clock while there are more of them than are wanted at once.
    private var reached: UInt32 = 1
    private var behind: UInt32 = 0

    /// The time, in ticks.
    ///
    /// What is set counts from here: thousands that end slowly must not make anybody else's time shorter.
    var now: UInt32 { reached &+ behind }

    init() {
        slots = .allocate(capacity: Int(TimeoutWheel.slotCount))
        slots.initialize(repeating: nil, count: Int(TimeoutWheel.slotCount))
    }

    func destroy() { slots.deallocate() }

    /// Fires `milliseconds` from now, rounded up to a tick, unless set again or cleared before.
    mutating func set(_ timeout: UnsafeMutablePointer<Timeout>, milliseconds: Int) {
        set(timeout, ticks: TimeoutWheel.ticks(milliseconds: milliseconds))
    }

    /// The ticks that make up a duration, rounded up.
    static func ticks(milliseconds: Int) -> UInt32 {
        UInt32(clamping: (milliseconds + tickMilliseconds - 1) / tickMilliseconds)
    }

    /// The same for a duration in ticks.
    mutating func set(_ timeout: UnsafeMutablePointer<Timeout>, ticks: UInt32) {
        let deadline = now &+ ticks &+ 1
        timeout.pointee.deadline = deadline
        if timeout.pointee.scheduled == 0 {
            link(timeout, at: deadline)
        } else if deadline < timeout.pointee.scheduled {
            unlink(timeout)
            link(timeout, at: deadline)
        }
    }

    /// Does not fire until set again; leaves the entry linked, for it is likely to be set again soon.
    mutating func clear(_ timeout: UnsafeMutablePointer<Timeout>) { timeout.pointee.deadline = 0 }

    /// Takes the entry out, before its connection's memory is used for another.
    mutating func remove(_ timeout: UnsafeMutablePointer<Timeout>) {
        timeout.pointee.deadline = 0
        if timeout.pointee.scheduled != 0 { unlink(timeout) }
    }

    /// Goes one tick on; `nextDue` then gives what is due.
    mutating func tick() { behind &+= 1 }

    /// The next entry whose time has come, taken out of the wheel; nil when there is none up to this tick.
    ///
    /// One at a time, because what the caller does about it may change the wheel. Entries whose deadline has moved
    /// away are put where they belong.
    mutating func nextDue() -> UnsafeMutablePointer<Timeout>? {
        while true {
            while let entry = slots[Int(reached % TimeoutWheel.slotCount)] {
                unlink(entry)
                let deadline = entry.pointee.deadline
                if deadline > now {
                    link(entry, at: deadline)
                } else if deadline != 0 {
                    entry.pointee.deadline = 0
                    return entry
                }
            }
            guard behind > 0 else { return nil }
            behind &-= 1
            reached &+= 1
        }
    }

    /// The first of the entries that is wanted, by its deadline, from `tick` on; nil when a look at `limit` entries finds
    /// none.
    ///
    /// Entries whose deadline has moved away are put where they belong, as `nextDue` would do later. Of those beyond the
    /// wheel's span one of the earliest is given.
    mutating func earliest(
        from tick: UInt32, atMost limit: Int, where isWanted: (UnsafeMutablePointer<Timeout>) -> Bool
    ) -> UnsafeMutablePointer<Timeout>? {
        var looks = 0
        var slot = max(tick, reached &+ 1)
        while slot &- reached < TimeoutWheel.slotCount {
            var following = slots[Int(slot % TimeoutWheel.slotCount)]
            while let entry = following {
                following = entry.pointee.next
                guard looks < limit else { return nil }
                looks += 1
                let deadline = entry.pointee.deadline
                if deadline == 0 {
                    unlink(entry)
                } else if deadline > slot, deadline &- reached < TimeoutWheel.slotCount {
                    unlink(entry)
                    link(entry, at: deadline)
                } else if isWanted(entry) {
                    return entry
                }
            }
            slot &+= 1
        }
        return nil
    }

    private mutating func link(_ timeout: UnsafeMutablePointer<Timeout>, at deadline: UInt32) {
        // Beyond the wheel's span the entry is visited once a turn and moved on.
        let reach = deadline &- reached < TimeoutWheel.slotCount ? deadline : reached &+ TimeoutWheel.slotCount - 1
        let slot = Int(reach % TimeoutWheel.slotCount)
        timeout.pointee.scheduled = reach
        timeout.pointee.previous = nil
        timeout.pointee.next = slots[slot]
        slots[slot]?.pointee.previous = timeout
        slots[slot] = timeout
    }

    private mutating func unlink(_ timeout: UnsafeMutablePointer<Timeout>) {
        if let previous = timeout.pointee.previous {
            previous.pointee.next = timeout.pointee.next
        } else {
            slots[Int(timeout.pointee.scheduled % TimeoutWheel.slotCount)] = timeout.pointee.next
        }
        timeout.pointee.next?.pointee.previous = timeout.pointee.previous
        timeout.pointee.previous = nil
        timeout.pointee.next = nil
        timeout.pointee.scheduled = 0
    }
}
