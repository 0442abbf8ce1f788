import Rates

/// Which limits have counted a request: each does once, however often it is judged.
package struct CountedLimits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    static let ofAddresses = CountedLimits(rawValue: 1)
    static let ofIdentities = CountedLimits(rawValue: 2)
}

extension AccessPolicy {
    /// Counts a request for its address, before anybody looks at its credentials: what they cost is what such a limit
    /// saves (ECO-78).
    borrowing func countAddress(
        _ arrival: borrowing Arrival, _ route: FixedValue<Route>, _ identities: inout Identities,
        _ findings: inout Findings
    ) throws(Refused) {
        guard route.pointee.requestLimits.ofAddresses.count > 0, !findings.counted.contains(.ofAddresses) else {
            return
        }
        try route.pointee.requestLimits.ofAddresses.countRequest(
            nil, arrival.connection.network, route, at: arrival.connection.nanoseconds, &identities.leases, &findings)
        findings.counted.insert(.ofAddresses)
    }

    /// Counts a request for who makes it, once that is known and may do it: nobody spends another one's.
    ///
    /// Whoever is nobody, where a route lets them through, is counted by the address.
    borrowing func countIdentity(
        _ token: TokenRecord?, _ arrival: borrowing Arrival, _ route: FixedValue<Route>,
        _ identities: inout Identities, _ findings: inout Findings
    ) throws(Refused) {
        guard route.pointee.requestLimits.ofIdentities.count > 0, !findings.counted.contains(.ofIdentities) else {
            return
        }
        try route.pointee.requestLimits.ofIdentities.countRequest(
            token, token == nil ? arrival.connection.network : nil, route, at: arrival.connection.nanoseconds,
            &identities.leases, &findings)
        findings.counted.insert(.ofIdentities)
    }
}

extension FixedList<RequestLimit> {
    /// Counts a request by all of these limits, or by none: one that refuses it costs its client nothing at the others.
    fileprivate func countRequest(
        _ token: TokenRecord?, _ network: (UInt64, UInt64)?, _ route: FixedValue<Route>, at now: UInt64,
        _ leases: inout LeaseTable, _ findings: inout Findings
    ) throws(Refused) {
        for index in 0..<count {
            guard let holder = self[index].holder(token, network) else { continue }
            let wait = self[index].wait(holder, at: now, leases)
            if wait > 0 { throw refused(by: index, wait: wait, route, &findings) }
        }
        for index in 0..<count {
            guard let holder = self[index].holder(token, network) else { continue }
            let wait = self[index].take(holder, at: now, &leases)
            // Another worker took the last one meanwhile.
            if wait > 0 { throw refused(by: index, wait: wait, route, &findings) }
        }
    }

    private func refused(
        by index: Int, wait: UInt64, _ route: FixedValue<Route>, _ findings: inout Findings
    ) -> Refused {
        let seconds = (wait &- 1) / 1_000_000_000 &+ 1
        // Those of addresses are in a list of their own.
        let isOfAddresses = self[index].key == .address
        findings.retryAfterSeconds = UInt32(clamping: Swift.min(seconds, 86_400))
        return Refused(
            isOfAddresses ? .addressRateExceeded : .requestRateExceeded, expected: .limit(self[index].settings),
            found: "more; the next in \(Int(seconds)) s")
    }
}

extension RequestLimit {
    /// Whose request it is; nil where it is nobody's that this limit knows.
    fileprivate func holder(_ token: TokenRecord?, _ network: (UInt64, UInt64)?) -> LeaseTable.Holder? {
        switch key {
        case .route: return LeaseTable.Holder(limit: number, low: 0, high: 0)
        case .identity(let place):
            if let token {
                let (low, high) = token.limitKey(place)
                return LeaseTable.Holder(limit: number, low: low, high: high)
            }
            fallthrough
        case .address:
            guard let network else { return nil }
            return LeaseTable.Holder(limit: number, low: network.0, high: network.1)
        }
    }

    /// Ticks until it may have one; 0 when it may now.
    fileprivate func wait(_ holder: LeaseTable.Holder, at now: UInt64, _ leases: LeaseTable) -> UInt64 {
        let key = table.key(of: holder.low, holder.high)
        guard isShared else { return table.wait(key, at: now, rate) }
        if leases.isLocal(key, at: now) { return table.wait(key, at: now, part) }
        return Swift.max(table.wait(key, at: now, rate), leases.wait(key, at: now))
    }

    fileprivate func take(_ holder: LeaseTable.Holder, at now: UInt64, _ leases: inout LeaseTable) -> UInt64 {
        let key = table.key(of: holder.low, holder.high)
        guard isShared else { return table.take(key, at: now, rate).wait }
        if leases.isLocal(key, at: now) { return table.take(key, at: now, part).wait }
        let taking = table.take(key, at: now, rate)
        if taking.wait == 0 {
            leases.spend(key, holder, terms, isBusy: taking.spent > quietly, at: now)
        }
        return taking.wait
    }
}
