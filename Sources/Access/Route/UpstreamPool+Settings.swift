/// How requests are shared out among the servers of one upstream, and what is done about those that fail.
package struct UpstreamPoolSettings: Sendable, Hashable {
    /// Which server's turn it is.
    package enum Policy: Sendable, Hashable {
        case roundRobin
        /// Of two that are drawn, the one with fewer requests under way.
        case leastRequests
    }

    /// What keeps the requests of one user at one server.
    package enum Sticky: Sendable, Hashable {
        case never
        /// Their session, or the subject of their tokens.
        case session
    }

    /// The share of each server, in the order of the servers; 1 for those behind its end.
    package var weights: [Int] = []
    package var policy = Policy.roundRobin
    package var sticky = Sticky.never
    package var ejection = ServerEjectionSettings()
    /// How servers are asked whether they are well; nobody is asked without.
    package var health: ServerHealthSettings?
    /// A request that may be repeated goes to another server when one has failed it.
    package var retries = false

    /// For how long the share of a server grows that came back.
    package var slowStart: Duration = .zero

    /// For how long the last addresses of a name are used that cannot be looked up again, from the end of their own time.
    package var stale: Duration = .seconds(300)

    package var bounds = UpstreamBounds()

    /// Equal shares, in turn.
    package init() {}

    /// The share of a server, and of each address of its name.
    package func weight(of server: Int) -> Int { weights.indices.contains(server) ? weights[server] : 1 }
}

/// How many requests there may be at an upstream, in each worker; more are answered 503 at once.
package struct UpstreamBounds: Sendable, Hashable {
    /// Under way at all its servers together, tunnels included; nil is the bound for all upstreams.
    package var requests: Int?
    /// Of these, those that wait for a connection, or by HTTP/2 for room in one.
    package var pending: Int?
    /// Of those, what may wait for a connection to one server; nil is half of what may wait, where there are several.
    package var pendingPerServer: Int?
    /// Under way at one server.
    package var requestsPerServer: Int?

    /// None but the one for all upstreams.
    package init() {}
}

/// When a server gets no requests for a while, for what it does to those that it gets.
package struct ServerEjectionSettings: Sendable, Hashable {
    /// So many failures in a row; none is ever enough where it is 0.
    package var failures = 5
    /// How long for the first time; twice as long each time that it happens again.
    package var time: Duration = .seconds(10)

    /// The standard.
    package init() {}
}

/// How servers are asked whether they are well.
package struct ServerHealthSettings: Sendable, Hashable {
    /// What is asked for by `GET`.
    package var path = "/"
    /// The `Host` of that; the server's own where it is nil.
    package var host: String?
    /// What the answer's status is of a server that is well.
    package var status = 200
    /// The service that is asked about by gRPC in place of all that, empty for the server as a whole; nil where it is not.
    package var grpc: String?
    package var interval: Duration = .seconds(5)
    /// How long an answer may take.
    package var timeout: Duration = .seconds(2)
    /// How many answers in a row take a server out, or back.
    package var unhealthy = 3
    package var healthy = 2

    /// The standard.
    package init() {}
}
