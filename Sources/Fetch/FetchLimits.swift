import HTTPMessage

/// Bounds that no request can widen (OPS-05).
enum FetchLimits {
    /// Bytes of all field lines of an answer.
    static let fieldBytes = 64 * 1024
    /// Time for name, connection and handshake together, when the request has as much.
    static let connectMilliseconds = 5_000
    /// Idle connections kept for reuse; curl's own default collapses with the number of transfers.
    static let idleConnections = 64
    /// Idle seconds after which a connection is not used again, by anything, and by a POST.
    static let idleSeconds = 60
    static let recentSeconds = 1
    /// Servers of which it is remembered how long they keep connections.
    static let rememberedServers = 256
    /// Connections altogether: of all purposes at four servers, every one of which hangs.
    static let connections = 1280
    /// Seconds of `Retry-After` that a server can ask for.
    static let retryAfterSeconds: Int64 = 86_400
    /// Characters of a DPoP nonce: those of the servers we know have fewer than a hundred.
    static let nonceBytes = 512

    /// What one purpose may have under way at one server, and how many may wait behind that.
    struct Share: Equatable {
        let concurrent: Int
        let waiting: Int
    }

    /// Those of strangers are small, and those that others depend on are as many as their askers ever have: a service of
    /// lookups 64 of each issuer, a queue of revocations eight.
    ///
    /// Of fewer connections than there may be in all, each purpose has its part, but four.
    static func share(of purpose: FetchRequest.Purpose, connections: Int = FetchLimits.connections) -> Share {
        let whole = share(of: purpose)
        let part = whole.concurrent * min(connections, FetchLimits.connections) / FetchLimits.connections
        return Share(concurrent: min(whole.concurrent, max(leastConcurrent, part)), waiting: whole.waiting)
    }

    private static let leastConcurrent = 4

    private static func share(of purpose: FetchRequest.Purpose) -> Share {
        switch purpose {
        case .description: Share(concurrent: 8, waiting: 64)
        case .tokenCheck: Share(concurrent: 64, waiting: 1024)
        case .exchange: Share(concurrent: 64, waiting: 1024)
        case .session: Share(concurrent: 32, waiting: 1024)
        case .revocation: Share(concurrent: 8, waiting: 64)
        // Anybody can begin a login, and come back with a code that is none: at a server that takes 100 ms a thousand
        // people who come at once from one address, which has half of it, are all through within four seconds.
        case .loginStart: Share(concurrent: 64, waiting: 1024)
        case .code: Share(concurrent: 64, waiting: 1024)
        case .export: Share(concurrent: 4, waiting: 4)
        }
    }
}
