import Access
import Issuers

/// Who may wait for an authorization server: so many requests in all, and of these so many of one client and of one issuer.
/// As many may wait for the store.
///
/// Whoever sends tokens with made-up keys, or the users of a server that hangs, would otherwise have every place, and
/// the tokens of other clients and of other issuers be answered 503 (OPS-05).
extension WorkerRef {
    /// Refuses a request that there is no place to wait for, or whose client has sent too many bad tokens to have an
    /// issuer asked about another that it does not know (INT-07).
    func judgeWaiting(_ exchange: ExchangeRef, _ wait: Wait) -> Refused? {
        if case .introspection(_, let digest) = wait,
            !pointee.identities.vouchedTokens.contains(digest, now: clock.wallSeconds()),
            !pointee.questions.failures.isLeft(to: askingClient(exchange), at: clock.microseconds())
        {
            return tooManyBad
        }
        let limit = pointee.policy.limits.parkedRequests
        // Apart from each other: a slow store must not take the places of those who wait for keys.
        let free = limit - (wait == .proof ? pointee.waiting.countOfProofs : pointee.waiting.countOfOthers)
        // First of all: whoever has its own part is told so, also where all places are taken.
        if let network = countedNetwork(exchange) {
            let (share, held) = (
                pointee.policy.shares.waiting, pointee.connections.networks.count(of: network, .waiting)
            )
            if !share.hasRoom(held: held, free: free), share.isOwnDoing(held: held, free: free) {
                return Refused(
                    .clientWaitersTooMany,
                    expected:
                        "\(min(share.most, max(free, 0))) waiting of one client (limits.parked_requests_per_client)",
                    found: "more of \(exchange.pointee.address.text)")
            }
        }
        guard free > 0 else {
            return Refused(
                wait == .proof ? .storeBusy : .keyWaitersTooMany, expected: "\(limit) waiting at most", found: "more")
        }
        // Seldom so many: the counting below costs nothing before.
        if free <= limit / 2, issuer(of: wait).map({ hasPlace($0, free) }) == false {
            return Refused(.keyWaitersTooMany, expected: "places for what other issuers are asked about", found: "more")
        }
        return nil
    }

    /// Whether another one may wait for the issuer: half of the places are divided among the issuers, and those that an
    /// issuer does not use are kept for it.
    private func hasPlace(_ issuer: Int, _ free: Int) -> Bool {
        guard pointee.identities.issuers.count > 1 else { return true }
        let own = pointee.policy.limits.parkedRequests / (2 * pointee.identities.issuers.count)
        var waiting = [Int](repeating: 0, count: pointee.identities.issuers.count)
        var exchange = pointee.waiting.first
        while let one = exchange {
            if let asked = self.issuer(of: one.pointee.wait), waiting.indices.contains(asked) { waiting[asked] += 1 }
            exchange = one.pointee.nextParked
        }
        var kept = 0
        for (other, count) in waiting.enumerated() where other != issuer { kept += max(0, own - count) }
        return free > kept
    }

    private func issuer(of wait: Wait) -> Int? {
        switch wait {
        case .nothing, .proof, .loginPlace, .login: nil
        case .keys(let issuer), .metadata(let issuer), .introspection(let issuer, _): issuer
        case .exchange(let rule, _): pointee.policy.exchangers[rule].issuer
        case .session(let login, _): pointee.policy.loginIssuers[login]
        }
    }

    /// One more that waits; logins' requests have places of their own.
    func countWaiting(_ exchange: ExchangeRef) {
        switch exchange.pointee.wait {
        case .nothing, .loginPlace, .login: return
        case .proof: pointee.waiting.countOfProofs += 1
        case .keys, .metadata, .introspection, .exchange, .session: pointee.waiting.countOfOthers += 1
        }
        exchange.pointee.isWaiting = true
        guard let network = countedNetwork(exchange) else { return }
        exchange.pointee.isCountedWaiting = true
        pointee.connections.networks.add(network, .waiting)
    }

    /// It waits no more.
    func uncountWaiting(_ exchange: ExchangeRef) {
        guard exchange.pointee.isWaiting else { return }
        exchange.pointee.isWaiting = false
        if exchange.pointee.proofTicket != 0 {
            pointee.waiting.countOfProofs -= 1
        } else {
            pointee.waiting.countOfOthers -= 1
        }
        guard exchange.pointee.isCountedWaiting else { return }
        exchange.pointee.isCountedWaiting = false
        pointee.connections.networks.remove(exchange.pointee.address.networkWords, .waiting)
    }
}
