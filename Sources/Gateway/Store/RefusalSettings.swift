import RESP
import StoreClient
import StoreLink

// Which key of the configuration, or of the server, has to do with what a store refuses.

extension ServerRefusal {
    /// Whether a script did what its user may not: as Redis 7.0 says it, or Valkey and later ones.
    func isOfScript(_ words: String) -> Bool {
        code == .other && (words.contains("executing the script can't") || words.contains("ACL failure in script"))
    }

    /// Whether keys are what the user may not touch, and not a command what he may not call: in the words of either.
    fileprivate static func areOfKeys(_ words: String) -> Bool {
        words.contains("one of the keys") || words.contains("access a key")
    }

    /// Whether the user, the password or the user's rights are why.
    func isOfRights(_ words: String) -> Bool {
        code == .noPermission || code == .notAuthenticated || code == .wrongPassword || isOfScript(words)
    }

    /// The key of the configuration, or of the server, that has to do with it.
    func setting(_ words: String) -> String? {
        switch code {
        case .noPermission: Self.areOfKeys(words) ? "store.prefix" : "store.user"
        case .other: isOfScript(words) ? Self.areOfKeys(words) ? "store.prefix" : "store.user" : nil
        case .outOfMemory: "maxmemory"
        case .noReplicas: "min-replicas-to-write"
        case .misconfigured: "stop-writes-on-bgsave-error"
        case .notAuthenticated, .wrongPassword: "store.password"
        // Somebody else has keys of these names.
        case .wrongType: "store.prefix"
        case .moved, .ask, .tryAgain, .crossSlot, .clusterDown, .noScript, .loading, .readOnly, .masterDown, .busy,
            .denied, .tooManyClients:
            nil
        }
    }
}

extension LinkLoss {
    /// The key of the configuration that has to do with it.
    func setting(of user: StoreUser) -> String? {
        switch self {
        case .unresolved, .malformed: "store.url"
        case .tlsRefused: "store.tls"
        case .authenticationRefused: "\(user.section).password"
        case .greetingRefused(_, .noPermission, let text):
            ServerRefusal.areOfKeys(text) ? "store.prefix" : "\(user.section).user"
        case .greetingRefused, .unreachable, .connectTimedOut, .notPrimary, .closed, .broken, .silent, .unasked,
            .stopped:
            nil
        }
    }
}
