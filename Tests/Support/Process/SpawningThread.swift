internal import Foundation

/// The one thread that starts child processes and lives as long as the tests do.
///
/// Children ask the kernel to be killed when their parent dies (`setpriv --pdeathsig`), so that a crashed test run
/// leaves nothing behind; the kernel means the parent *thread*, therefore it must not be one of a pool.
final class SpawningThread: Sendable {
    static let shared = SpawningThread()
    private let orders = Watched<[@Sendable () -> Void]>([])

    private init() {
        Thread.detachNewThread { [orders] in
            while true {
                guard orders.wait(within: .seconds(3600), until: { !$0.isEmpty }) else { continue }
                orders.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
            }
        }
    }

    /// Runs `body` on the thread and waits for its result.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
        let result = Watched<Result?>(nil)
        orders.withLock { orders in
            orders.append {
                let value = body()
                result.withLock { $0 = value }
            }
        }
        _ = result.wait { $0 != nil }
        return result.now
    }
}
