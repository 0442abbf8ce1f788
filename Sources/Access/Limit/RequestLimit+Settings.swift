/// So many requests of one key in a while: one line of `limits.requests` (ECO-78).
package struct RequestLimitSettings: Sendable, Hashable {
    /// Whose requests are counted together.
    package enum Key: Sendable, Hashable {
        /// An IPv4 address, or an IPv6 /64.
        case address
        case clientID
        case subject
        /// All requests of a route.
        case route
        /// Those of tokens and sessions with the same claim, by its path.
        case claim([String])

        /// As the configuration has it.
        package var text: String {
            switch self {
            case .address: "address"
            case .clientID: "client_id"
            case .subject: "subject"
            case .route: "route"
            case .claim(let path): "claim:" + path.joined(separator: ".")
            }
        }
    }

    /// What a rate is of.
    package enum Period: String, Sendable, Hashable, CaseIterable {
        case second = "s"
        case minute = "min"
        case hour = "h"
        case day = "d"

        package var seconds: UInt64 {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3600
            case .day: 86_400
            }
        }
    }

    /// How many come back in a period.
    package var count: Int
    package var period: Period
    /// How many there may be at once.
    package var burst: Int
    package var key: Key

    package init(_ count: Int, per period: Period, burst: Int? = nil, by key: Key) {
        self.count = count
        self.period = period
        self.burst = burst ?? count
        self.key = key
    }

    /// As the configuration has it.
    package var text: String { "\(count)/\(period.rawValue), burst \(burst), by \(key.text)" }
}

/// What the operator says of the rates of all requests.
package struct RequestRateSettings: Sendable, Equatable {
    /// Those of every route that has none of its own; their keys are counted over all these routes.
    package var common: [RequestLimitSettings] = []
    /// Keys of each limit that are counted at a time.
    package var keys = 131_072
    /// Processes that count together: each has its part of a limit where no store says what the others spend.
    package var processes = 1
    /// Whether a store says so.
    package var areShared = false

    package init() {}
}
