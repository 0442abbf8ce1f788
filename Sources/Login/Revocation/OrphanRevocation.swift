import Sessions
import SharedState
import Synchronization

/// Hands the tokens of sessions that were ended without their cookie to the queue that revokes (SH-46).
///
/// A session store is made before the queue: what it hands over before that, nobody has told it of.
final class OrphanRevocation: Sendable {
    private struct Held {
        weak var queue: RevocationQueue?
    }

    private let held = Mutex(Held())

    /// Hands over to this queue from now on.
    func use(_ queue: RevocationQueue) { held.withLock { $0.queue = queue } }

    func revoke(_ tokens: OrphanedTokens, client: Int) {
        guard let queue = held.withLock({ $0.queue }) else { return }
        switch tokens {
        case .session(let session, let keepsRefreshToken):
            queue.revoke(session, client: client, keepsRefreshToken: keepsRefreshToken)
        case .refreshToken(let token): queue.revoke(refreshToken: token, client: client)
        }
    }
}
