import Issuers
import Synchronization
import TestTraits
import Testing

@testable import Gateway
@testable import Login

@Suite struct `a session that is refreshed` {
    @Test(.holds("RF-06")) func `is waited for longer than its refresh: the answer is what becomes of it`() {
        #expect(Questions.refreshTimeout > RefreshService.patienceMilliseconds)
    }
}

@Suite struct `those who wait for an issuer's keys` {
    /// Waits for both to have asked, without a clock.
    private final class Asked: Sendable {
        private let state = Mutex((count: 0, goal: 0, continuation: CheckedContinuation<Void, Never>?.none))

        func one() {
            state.withLock { state in
                state.count += 1
                if state.count == state.goal { state.continuation?.resume() }
            }
        }

        func wait(for count: Int) async {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.goal = count
                    if state.count >= count { continuation.resume() } else { state.continuation = continuation }
                }
            }
        }

        var count: Int { state.withLock(\.count) }
    }

    @Test(.holds("OIDC-17")) func `go on together when that issuer was asked, and not before`() async {
        let waiters = RefreshWaiters(issuers: 2)
        let asked = Asked()
        let ended = Asked()
        let tasks = (0..<3).map { _ in
            Task {
                await waiters.wait(for: 0, as: KeyRequester(.answer)) { asked.one() }
                ended.one()
            }
        }
        await asked.wait(for: 3)
        waiters.end(1)
        #expect(ended.count == 0)
        waiters.end(0)
        for task in tasks { await task.value }
        #expect(ended.count == 3)
    }

    @Test(.holds("OIDC-17")) func `are answered though the issuer answers before it was asked to the end`() async {
        let waiters = RefreshWaiters(issuers: 1)
        await waiters.wait(for: 0, as: KeyRequester(.answer)) { waiters.end(0) }
        // Nobody waits any more: an end that nobody waits for is none.
        waiters.end(0)
        await waiters.wait(for: 0, as: KeyRequester(.answer)) { waiters.end(0) }
    }
}
