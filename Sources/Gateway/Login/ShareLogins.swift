import Access
import Login
import Telemetry

/// What a request to the paths of logins is for, as far as it decides what it may take.
enum LoginKind {
    /// Begins a login, or completes it: something is signed for it, and a server is asked. Anybody may send it.
    case beginning
    /// Ends a session, tells of one, or is a server's own: must work whatever others begin.
    case upkeep

    init(_ endpoint: LoginRequest.Endpoint, hasQuery: Bool) {
        switch endpoint {
        case .start, .callback: self = .beginning
        // A question for a session that has a query may be the one that begins a silent login.
        case .session: self = hasQuery ? .beginning : .upkeep
        case .logout, .loggedOut, .backchannelLogout, .frontchannelLogout, .requestObject: self = .upkeep
        }
    }

    /// What its client has of places while it is answered.
    var place: ClientNetworks.Holding { self == .beginning ? .logins : .upkeep }
    /// What its client has of the memory for bodies.
    var memory: ClientNetworks.Holding { self == .beginning ? .loginBytes : .upkeepBytes }
}

extension LoginRequest.Endpoint {
    /// Which rate of its client it takes from, where it begins or completes a login.
    ///
    /// A callback takes nothing from starts. Of one bucket for both, those who begin at once would leave nothing for their
    /// own coming back, and people who have signed in already would be turned away. Nor do made-up callbacks cost starts.
    var rated: ClientNetworks.Rated {
        switch self {
        case .callback: .callbacks
        case .start, .session, .logout, .loggedOut, .backchannelLogout, .frontchannelLogout, .requestObject: .logins
        }
    }
}

/// So many logins of one client, and room beside all of them for what must always work (OPS-05, T-42).
///
/// One client that begins logins as fast as it can would otherwise have every place that there is, have a server asked
/// with our credentials, and keep others from logging in, and even from logging out.
extension WorkerRef {
    /// The client whose shares a request takes from: its IPv4 address or IPv6 /64, or that of whom a trusted proxy
    /// names; nil for a proxy that names nobody, and for Unix sockets.
    func countedNetwork(_ exchange: ExchangeRef) -> (UInt64, UInt64)? {
        isCounted(exchange) ? exchange.pointee.address.networkWords : nil
    }

    /// Refuses what its client has no share left for, before anything of the request is kept.
    func judgeShare(
        _ exchange: ExchangeRef, _ endpoint: LoginRequest.Endpoint, _ kind: LoginKind, _ network: (UInt64, UInt64)?
    ) -> Refused? {
        guard hasRoom(kind, network) || mayQueue(kind, network) || isNew(network) else {
            return refusalOfRoom(exchange, kind, network)
        }
        guard kind == .beginning, let network else { return nil }
        let rated = endpoint.rated
        let wait = pointee.connections.networks.take(
            network, rated, at: clock.microseconds(), pointee.policy.shares.loginRate)
        guard wait > 0 else { return nil }
        return Refused(
            .clientLoginsTooMany,
            expected:
                "\(pointee.policy.limits.shares.loginRate) \(rated == .callbacks ? "callbacks" : "logins") a second of one client (limits.login_rate_per_client)",
            found: "more of \(exchange.pointee.address.text)")
    }

    /// Whether there is a place, and one of the client's.
    func hasRoom(_ kind: LoginKind, _ network: (UInt64, UInt64)?) -> Bool {
        let free = freePlaces(kind)
        guard let network else { return free > 0 }
        return share(kind).hasRoom(held: pointee.connections.networks.count(of: network, kind.place), free: free)
    }

    private func share(_ kind: LoginKind) -> ClientShare {
        kind == .beginning ? pointee.policy.shares.logins : pointee.policy.shares.upkeep
    }

    private func freePlaces(_ kind: LoginKind) -> Int {
        let free = Questions.loginLimit - pointee.questions.underWay.logins
        guard kind == .beginning else { return free }
        return min(free, Questions.loginLimit - Questions.loginReserve - pointee.questions.underWay.beginnings)
    }

    /// Why there is no room: everybody's, or its client's.
    func refusalOfRoom(_ exchange: ExchangeRef, _ kind: LoginKind, _ network: (UInt64, UInt64)?) -> Refused {
        let free = freePlaces(kind)
        guard let network, pointee.connections.networks.count(of: network, kind.place) > 0 else {
            return Refused(.loginsTooMany, expected: "\(Questions.loginLimit) at once at most", found: "more")
        }
        return Refused(
            .clientLoginsTooMany,
            expected: "\(min(share(kind).most, free)) logins of one client at once (limits.logins_per_client)",
            found: "more of \(exchange.pointee.address.text)")
    }

    /// Refuses a request that there is no memory for: none at all, or none for this client.
    func judgeBytes(_ exchange: ExchangeRef, _ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>) -> Refused? {
        var free = Questions.loginBodyLimit - pointee.questions.underWay.bodyBytes
        if loginInFlight.pointee.kind == .beginning {
            free = min(
                free,
                Questions.loginBodyLimit - Questions.loginBodyReserve - pointee.questions.underWay.beginningBodyBytes)
        }
        if let network = loginInFlight.pointee.network {
            let share = pointee.policy.shares.loginBodies
            // What it brings itself is counted already.
            let held =
                pointee.connections.networks.count(of: network, loginInFlight.pointee.kind.memory)
                - loginInFlight.pointee.heldBytes
            if !share.hasRoom(held: held, free: free + 1), share.isOwnDoing(held: held, free: free + 1) {
                return Refused(
                    .clientLoginsTooMany,
                    expected:
                        "\(min(share.most, max(free, 0))) bytes of requests of one client (limits.login_bodies_per_client)",
                    found: "more of \(exchange.pointee.address.text)")
            }
        }
        return free >= 0 ? nil : Refused(.loginsTooMany, expected: "room for another form", found: "none")
    }

    /// One more that is answered, or one less.
    func countUnderWay(_ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>, _ change: Int) {
        pointee.questions.underWay.logins += change
        if loginInFlight.pointee.kind == .beginning { pointee.questions.underWay.beginnings += change }
        pointee.journal.metrics.set(.loginRequests, to: pointee.questions.underWay.logins)
        count(loginInFlight.pointee.network, loginInFlight.pointee.kind.place, change)
    }

    /// So many bytes more that are held of it, or less.
    func countBytes(_ loginInFlight: UnsafeMutablePointer<LoginRequestInFlight>, _ change: Int) {
        loginInFlight.pointee.heldBytes += change
        pointee.questions.underWay.bodyBytes += change
        if loginInFlight.pointee.kind == .beginning { pointee.questions.underWay.beginningBodyBytes += change }
        count(loginInFlight.pointee.network, loginInFlight.pointee.kind.memory, change)
    }

    func count(_ network: (UInt64, UInt64)?, _ holding: ClientNetworks.Holding, _ change: Int) {
        guard let network else { return }
        if change > 0 {
            pointee.connections.networks.add(network, holding, change)
        } else {
            pointee.connections.networks.remove(network, holding, -change)
        }
    }
}
