internal import Glibc

/// A point in monotonic time after which a test stops waiting.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    /// The moment `duration` from now.
    package static func after(_ duration: Duration) -> Deadline {
        Deadline(end: ContinuousClock.now + duration)
    }

    /// Long enough for anything that is going to happen, on a machine that is shared, slow and stands still for seconds.
    ///
    /// It bounds how long a test waits that fails; what passes does not wait for it.
    package static let patience: Duration = .seconds(60)

    /// The moment when patience is over.
    package static var patient: Deadline { after(patience) }

    /// True once the moment has passed.
    package var hasPassed: Bool { ContinuousClock.now >= end }

    /// Time left, never negative, in the unit poll(2) takes.
    package var milliseconds: Int32 {
        let left = (end - ContinuousClock.now).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        return Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
    }
}

/// Asks `condition` again and again until it holds; false when the deadline passes first.
package func eventually(within limit: Duration = Deadline.patience, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Deadline.after(limit)
    while try !condition() {
        if deadline.hasPassed { return try condition() }
        dawdle(for: .milliseconds(2))
    }
    return true
}

/// Waits until a count has not changed for a while, and answers it.
package func settled(_ count: () -> Int) -> Int {
    var last = -1
    var since = Deadline.after(.milliseconds(300))
    _ = eventually {
        let now = count()
        if now != last {
            last = now
            since = .after(.milliseconds(300))
        }
        return since.hasPassed
    }
    return last
}
