import Crypto
import Synchronization

/// Whose the sessions of the authorization server are: a logout token may name one by `sid` alone
/// (OpenID Connect Back-Channel Logout §2.4), and its ending counts as its user's all the same.
///
/// Noted where a session is made or opened. Without room, the oldest of whoever has most is forgotten, so that no user's
/// many sessions make those of others unknown.
final class ServerSessionHolders: Sendable {
    private struct Line {
        var holder: SHA256Digest
        var forgottenAt: Int64
    }

    private final class Shard: Sendable {
        let lines = Mutex<[SHA256Digest: Line]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }
    private let ledger = Mutex(HolderShares())

    var entries: Int { ledger.withLock { $0.count } }

    /// Notes whose a session is, for as long as one of it could live.
    func note(_ serverSession: SHA256Digest, of subject: SHA256Digest, until: Int64, limit: Int) {
        // Nearly always known: threads that open sessions do not wait for each other to find that out.
        guard !extend(serverSession, subject, until) else { return }
        ledger.withLock { shares in
            if !shares.contains(serverSession) {
                if shares.count >= limit {
                    // Nobody has two: this one is left unknown, and its ending is remembered under its own name.
                    guard let (thing, _) = shares.yielding(to: subject) else { return }
                    remove(thing, &shares)
                }
                shares.add(serverSession, holder: subject)
            }
            put(serverSession, subject, until)
        }
    }

    /// Whose it is, where that is known.
    func holder(of serverSession: SHA256Digest) -> SHA256Digest? {
        let holder = shard(serverSession).lines.withLock { $0[serverSession]?.holder }
        return holder == serverSession ? nil : holder
    }

    func sweep(now: Int64) {
        ledger.withLock { shares in
            for shard in shards {
                let gone = shard.lines.withLock { $0.filter { now >= $0.value.forgottenAt }.keys }
                for thing in gone { remove(thing, &shares) }
            }
        }
    }

    /// Whether nothing but the time had to be noted.
    private func extend(_ serverSession: SHA256Digest, _ subject: SHA256Digest, _ until: Int64) -> Bool {
        shard(serverSession).lines.withLock { lines in
            guard let known = lines[serverSession], known.holder == subject else { return false }
            lines[serverSession]?.forgottenAt = max(known.forgottenAt, until)
            return true
        }
    }

    private func put(_ serverSession: SHA256Digest, _ subject: SHA256Digest, _ until: Int64) {
        shard(serverSession).lines.withLock { lines in
            let known = lines[serverSession]
            // Two users in one session of the server: an ending of it is of neither of them alone.
            let isShared = known.map { $0.holder != subject } ?? false
            lines[serverSession] = Line(
                holder: isShared ? serverSession : subject, forgottenAt: max(known?.forgottenAt ?? until, until))
        }
    }

    private func remove(_ thing: SHA256Digest, _ shares: inout HolderShares) {
        shard(thing).lines.withLock { _ = $0.removeValue(forKey: thing) }
        shares.remove(thing)
    }

    private func shard(_ digest: SHA256Digest) -> Shard {
        shards[Int(truncatingIfNeeded: digest.prefix & 15)]
    }
}
