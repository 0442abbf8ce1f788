package import HTTPMessage
import JOSE
package import OAuth
import Synchronization

/// Does what takes a processor for a millisecond or more beside the executor that asks for it (OPS-04).
package struct SlowWork: Sendable {
    /// Why work was not done, and nothing of it.
    package enum Refusal: Error, Sendable {
        /// Too much of its kind waits already.
        case crowded
        /// As much of its client's waits as one client may have; others' may be done.
        case tooManyOfClient
    }

    /// Work for some purpose, done elsewhere; nil when it is done.
    ///
    /// The second argument is on whose behalf, as in `FetchRequest.client`: those who ask take turns, and none has all places.
    package typealias Beside =
        @Sendable (FetchRequest.Purpose, _ client: String?, @escaping @Sendable () -> Void) async -> Refusal?

    private let beside: Beside

    /// Without another place everything is done at once where it is asked for.
    package init(
        _ beside: @escaping Beside = { _, _, work in
            work()
            return nil
        }
    ) {
        self.beside = beside
    }

    /// What `work` makes; with nothing made where too much for the same purpose waits already.
    package func value<Value: Sendable>(
        for purpose: FetchRequest.Purpose, of client: String? = nil, isSlow: Bool,
        _ work: @escaping @Sendable () -> Value
    ) async throws(Refusal) -> Value {
        guard isSlow else { return work() }
        let place = Made<Value>()
        if let refusal = await beside(purpose, client, { place.value.withLock { $0 = work() } }) { throw refusal }
        guard let value = place.value.withLock({ $0 }) else { throw .crowded }
        return value
    }
}

/// Where a value is put on one thread and found on another.
private final class Made<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

extension ClientCredentials {
    /// Whether to authenticate takes a signature of a slow key.
    package var isSlow: Bool {
        if case .privateKeyJWT(let key) = method { key.isSlow } else { false }
    }
}
