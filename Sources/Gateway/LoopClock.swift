import EventLoop
import Issuers

/// The directory's clocks: the loop sleeps, the system tells the time.
struct LoopClock: IssuerClock {
    let loop: EventLoop

    func now() -> Moment {
        Moment(
            milliseconds: Int64(WorkerClock().microseconds() / 1000), wallSeconds: WorkerClock().wallSeconds(),
            spread: Double.random(in: -1...1))
    }

    func sleep(milliseconds: Int) async throws { try await loop.sleep(milliseconds: milliseconds) }
}
