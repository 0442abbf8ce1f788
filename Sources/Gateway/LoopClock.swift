package import EventLoop
package import Issuers

/// The directory's clocks: the loop sleeps, the system tells the time.
package struct LoopClock: IssuerClock {
    private let loop: EventLoop

    package init(loop: EventLoop) { self.loop = loop }

    package func now() -> Moment {
        Moment(
            milliseconds: Int64(WorkerClock().microseconds() / 1000), wallSeconds: WorkerClock().wallSeconds(),
            spread: Double.random(in: -1...1))
    }

    package func sleep(milliseconds: Int) async throws { try await loop.sleep(milliseconds: milliseconds) }
}
