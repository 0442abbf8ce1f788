/// How much a client moves in the time that it is given for something, so that a byte now and then does not hold its
/// place for days (HTTP-66, T-42).
///
/// Judged at the end of each stretch of that time, never in the middle: who was quick may pause, and who pauses for all
/// of it is silent.
struct Pace {
    enum Judgement: Equatable {
        case good
        /// Nothing moved for the whole time.
        case silent
        /// So many bytes a second, which is too few.
        case slow(Int)
    }

    /// The tick at which the stretch is over; 0 while nothing is measured.
    private(set) var end: UInt32 = 0
    /// The tick of the last byte.
    private var last: UInt32 = 0
    /// Bytes moved when the stretch began, and by now.
    private var base: Int64 = 0
    private(set) var total: Int64 = 0

    var isMeasured: Bool { end != 0 }

    /// Measures nothing until it is kept again, which begins a new stretch.
    mutating func stop() { end = 0 }

    /// Notes that `total` bytes have moved by now; answers in how many ticks to judge.
    mutating func keep(_ total: Int64, now: UInt32, ticks: UInt32) -> UInt32 {
        if end == 0 {
            end = now &+ ticks
            last = now
            base = total
        } else if total != self.total {
            last = now
        }
        self.total = total
        return wait(now: now, ticks: ticks)
    }

    /// What is to be thought of the client at this tick; begins the next stretch where one is over.
    mutating func judge(now: UInt32, ticks: UInt32, bytesPerSecond rate: Int) -> Judgement {
        if now &- last >= ticks { return .silent }
        guard now >= end else { return .good }
        let moved = total - base
        let milliseconds = Int64(ticks) * Int64(TimeoutWheel.tickMilliseconds)
        guard moved * 1000 >= Int64(rate) * milliseconds else { return .slow(Int(moved * 1000 / milliseconds)) }
        end = now &+ ticks
        base = total
        return .good
    }

    /// Ticks until the stretch is over, or the silence long enough.
    func wait(now: UInt32, ticks: UInt32) -> UInt32 {
        let next = min(end, last &+ ticks)
        return next > now ? next - now : 0
    }
}
