internal import Foundation

/// A value shared by threads that can be waited on: every change wakes those who wait for a condition.
package final class Watched<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value

    /// Starts with `value`.
    package init(_ value: Value) { self.value = value }

    /// Reads or changes the value alone.
    @discardableResult
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    /// A copy of the value now.
    package var now: Value { withLock { $0 } }

    /// Waits until `predicate` holds; false when the limit passes first.
    @discardableResult
    package func wait(within limit: Duration = Deadline.patience, until predicate: (Value) -> Bool) -> Bool {
        let deadline = Deadline.after(limit)
        condition.lock()
        defer { condition.unlock() }
        while !predicate(value) {
            if deadline.hasPassed { return false }
            // The wall clock, by which this waits, may be set meanwhile: the deadline is what counts.
            _ = condition.wait(until: Date(timeIntervalSinceNow: Double(deadline.milliseconds) / 1000))
        }
        return true
    }
}

/// What scripts wait for until a test opens it, once.
package final class Gate: Sendable {
    private let state = Watched(false)

    /// A closed gate.
    package init() {}

    /// Lets everyone through, now and later.
    package func open() { state.withLock { $0 = true } }

    /// Waits until the gate is open; false when the limit passes first.
    @discardableResult
    package func wait(within limit: Duration = .seconds(120)) -> Bool {
        state.wait(within: limit) { $0 }
    }
}
