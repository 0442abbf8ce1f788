import RESP

/// When a command that was certainly not executed is sent again (SH-17).
enum RetryRules {
    /// What is done about a refusal.
    enum Decision: Equatable {
        /// The caller is told.
        case tell
        /// It is sent again at once.
        case now
        /// It is sent again after so many microseconds.
        case after(UInt64)
    }

    /// Redirects of one command that are followed (SH-04).
    static let redirects = 3

    /// What is done, where `tries` were made and `redirects` of them were sent elsewhere.
    ///
    /// Pauses double, so that a server that reads its data from disk is asked a handful of times in a command's time.
    static func decide(_ refusal: ServerRefusal, tries: Int, redirects: Int) -> Decision {
        guard refusal.maySendAgain else { return .tell }
        switch refusal.code {
        case .moved, .ask: return redirects < RetryRules.redirects ? .now : .tell
        // The scripts are given to the server before the command is.
        case .noScript: return tries <= RetryRules.redirects ? .now : .tell
        case .tryAgain, .clusterDown, .loading, .readOnly, .masterDown, .busy: return .after(pause(tries))
        case .crossSlot, .noReplicas, .misconfigured, .outOfMemory, .wrongType, .notAuthenticated, .wrongPassword,
            .noPermission, .denied, .tooManyClients, .other:
            return .tell
        }
    }

    /// How long to wait before the next try, in microseconds.
    static func pause(_ tries: Int) -> UInt64 { 5000 &<< UInt64(min(max(tries, 1), 6)) }
}
