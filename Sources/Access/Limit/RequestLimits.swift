import Crypto
package import Rates

/// One limit of a route, ready to be asked: plain values, which nobody counts references to.
package struct RequestLimit: Sendable {
    /// Whose requests it counts together.
    package enum Key: Sendable, Equatable {
        case address
        case route
        /// What tokens and sessions have at this place of `TokenRecord.limitKeys`.
        case identity(Int)
    }

    package let settings: RequestLimitSettings
    package let key: Key
    /// Its place among all limits of the configuration.
    package let number: Int
    package let table: BucketTable
    /// By nanoseconds of the monotonic clock.
    package let rate: TokenRate
    /// This process's part of it.
    package let part: TokenRate
    /// What leases of it are like.
    package let terms: LeaseTable.Terms
    /// What a key has spent before the others are told of it, in ticks.
    package let quietly: UInt64
    /// Whether other processes' requests count too.
    package let isShared: Bool
}

/// The limits of a route: those that look at the address alone, and those that must know who asks.
package struct RouteRequestLimits: Sendable {
    package let ofAddresses: FixedList<RequestLimit>
    package let ofIdentities: FixedList<RequestLimit>

    init(_ limits: [RequestLimit]) {
        let addresses = limits.filter { $0.key == .address }
        let others = limits.filter { $0.key != .address }
        ofAddresses = FixedList(count: addresses.count) { addresses[$0] }
        ofIdentities = FixedList(count: others.count) { others[$0] }
    }

    func destroy() {
        ofAddresses.destroy()
        ofIdentities.destroy()
    }
}

/// The tables of all limits of a configuration: one of before goes on where the limit is the same, so that a reload gives
/// nobody anything back.
package final class RequestLimitTables: Sendable {
    /// What makes two limits one: what is said of it, and of whose requests.
    private struct Identity: Hashable {
        /// The route's name; nil for one that is counted over all routes without limits of their own.
        let route: String?
        let settings: RequestLimitSettings
        let keys: Int
    }

    /// Memory that is freed with the last configuration that counts there.
    private final class OwnedTable: Sendable {
        let table: BucketTable

        init(keys: Int) {
            table = BucketTable(
                keys: keys, seed: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)))
        }

        deinit { table.destroy() }
    }

    private let tables: [Identity: OwnedTable]
    private let ofRoutes: [[RequestLimit]]
    /// What tokens and sessions are told apart by.
    package let identityKeys: [RequestLimitSettings.Key]
    /// What all processes call each limit, by its number.
    package let names: [[UInt8]]
    /// Whether any of them is counted over several processes.
    package let areShared: Bool

    /// The limits of these routes, in order.
    package init(_ routes: [RouteSettings], _ rates: RequestRateSettings, continuing old: RequestLimitTables? = nil) {
        var tables: [Identity: OwnedTable] = [:]
        var numbers: [Identity: Int] = [:]
        var identityKeys: [RequestLimitSettings.Key] = []
        var names: [[UInt8]] = []
        ofRoutes = routes.map { route in
            let own = route.limits.requests
            return (own ?? rates.common).map { settings in
                let isOfRoute = own != nil || settings.key == .route
                let identity = Identity(
                    route: isOfRoute ? route.name : nil, settings: settings,
                    keys: settings.key == .route ? 1 : rates.keys)
                let owned = tables[identity] ?? old?.tables[identity] ?? OwnedTable(keys: identity.keys)
                tables[identity] = owned
                if numbers[identity] == nil {
                    numbers[identity] = names.count
                    names.append(Array("\(identity.route ?? "")\u{0}\(settings.text)".utf8))
                }
                return RequestLimit(
                    settings, number: numbers[identity] ?? 0, owned.table, rates, identityKeys: &identityKeys)
            }
        }
        self.tables = tables
        self.identityKeys = identityKeys
        self.names = names
        areShared = rates.areShared && !names.isEmpty
    }

    func limits(ofRoute index: Int) -> RouteRequestLimits { RouteRequestLimits(ofRoutes[index]) }
}

extension RequestLimit {
    private static let second: UInt64 = 1_000_000_000

    fileprivate init(
        _ settings: RequestLimitSettings, number: Int, _ table: BucketTable, _ rates: RequestRateSettings,
        identityKeys: inout [RequestLimitSettings.Key]
    ) {
        self.settings = settings
        switch settings.key {
        case .address: key = .address
        case .route: key = .route
        case .clientID, .subject, .claim:
            let place = identityKeys.firstIndex(of: settings.key) ?? identityKeys.count
            if place == identityKeys.count { identityKeys.append(settings.key) }
            key = .identity(place)
        }
        self.number = number
        self.table = table
        let ticks = settings.period.seconds * RequestLimit.second
        rate = TokenRate(settings.count, in: ticks, burst: settings.burst)
        part = TokenRate(settings.count, in: ticks, burst: settings.burst, parts: rates.processes)
        terms = LeaseTable.Terms(rate)
        // The others learn nothing of it: a sixteenth of what each process may have, and the first in any case.
        quietly = rate.allowance / UInt64(16 * max(1, rates.processes))
        isShared = rates.areShared
    }
}
