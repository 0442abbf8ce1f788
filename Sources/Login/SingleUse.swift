import Crypto
import Replay
import SharedState
import Synchronization

/// Uses states of logins and logout tokens once: in this process, and then, where replicas have a store in common, at
/// all of them (SH-63).
///
/// The process comes first: what was used here costs the store nothing, and what one client may have of the set is all
/// that it can have written there. Where the store does not answer, nothing was decided: the same one is asked about
/// again when it comes again, though it is used up here.
final class SingleUse: Sendable {
    enum Outcome: Sendable, Equatable {
        case first
        /// In this process.
        case used
        /// At another replica.
        case usedElsewhere
        /// There is no room to remember another one.
        case full
        /// The same, because of others of this holder.
        case fullForHolder
        /// Nobody can say.
        case unavailable
    }

    /// What was used in this process.
    let used: ReplaySet
    /// What was, and the store did not say whether it was used elsewhere; until when that matters.
    private let undecided = Mutex<[SHA256Digest: Int64]>([:])
    private let undecidedLimit = 4096

    init(_ used: ReplaySet) { self.used = used }

    /// Uses something up until then, in seconds since 1970; `askStore` says whether the store sees it for the first time.
    func use(
        _ digest: SHA256Digest, holder: SHA256Digest, until: Int64, now: Int64,
        askStore: (() async throws(StoreRefusal) -> Bool)?
    ) async -> Outcome {
        switch used.insert(digest, thumbprint: holder, until: until, now: now) {
        case .first: break
        case .replayed:
            guard askStore != nil, undecided.withLock({ $0.removeValue(forKey: digest) }) != nil else { return .used }
        case .full: return .full
        case .fullForHolder: return .fullForHolder
        }
        guard let askStore else { return .first }
        do throws(StoreRefusal) {
            return try await askStore() ? .first : .usedElsewhere
        } catch {
            undecided.withLock { undecided in
                if undecided.count >= undecidedLimit { undecided = undecided.filter { $0.value > now } }
                if undecided.count < undecidedLimit { undecided[digest] = until }
            }
            return .unavailable
        }
    }
}
