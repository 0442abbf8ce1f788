package import HTTPMessage

/// What a service that asks servers about tokens works with.
package struct LookupEnvironment: Sendable {
    package let fetching: any Fetching
    package let clock: any IssuerClock
    /// Where it asks, and tells what it was answered.
    package let executor: any TaskExecutor
    /// Where it does what takes a millisecond or more.
    package var slowWork = SlowWork()
    /// How many questions may wait, and be under way.
    package var bounds = LookupBounds()

    package init(fetching: any Fetching, clock: any IssuerClock, executor: any TaskExecutor) {
        self.fetching = fetching
        self.clock = clock
        self.executor = executor
    }
}
