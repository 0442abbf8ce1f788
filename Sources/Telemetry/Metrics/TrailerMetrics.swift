/// Which message fields came behind that were dropped, as the metric's label names it.
package enum TrailerDirection: Int, Sendable, CaseIterable {
    case request
    case response

    var label: String {
        switch self {
        case .request: "request"
        case .response: "response"
        }
    }
}

/// Why a field behind a body was dropped, as the metric's label names it.
package enum TrailerDropReason: Int, Sendable, CaseIterable {
    /// Its name frames, routes, authorises or describes a message.
    case forbidden
    /// The same, seen where a message of HTTP/2 was rebuilt.
    case forbiddenInFrames
    /// Its name is one that only the gateway sets.
    case reserved
    /// The route sets or removes fields of that name.
    case route
    /// The route passes none of a request.
    case notEnabled
    /// The next hop cannot carry it, or has not said that it takes any.
    case notCarried
    /// There was no room for the section.
    case tooLarge

    var label: String {
        switch self {
        case .forbidden, .forbiddenInFrames: "forbidden"
        case .reserved: "reserved"
        case .route: "route"
        case .notEnabled: "not_enabled"
        case .notCarried: "not_carried"
        case .tooLarge: "too_large"
        }
    }
}

extension MetricsLayout {
    /// The numbers of trailers.
    static let trailerCells = TrailerDirection.allCases.count * TrailerDropReason.allCases.count

    func trailers(_ direction: TrailerDirection, _ reason: TrailerDropReason) -> Int {
        firstTrailer + direction.rawValue * TrailerDropReason.allCases.count + reason.rawValue
    }
}

extension WorkerMetrics {
    /// Counts so many fields behind bodies that were dropped.
    package func countTrailers(_ direction: TrailerDirection, _ reason: TrailerDropReason, _ count: Int) {
        if count > 0 { bank.add(UInt64(count), at: layout.trailers(direction, reason)) }
    }

    /// Moves the number of those that messages of HTTP/2 were rebuilt without to what was counted elsewhere.
    package func setTrailers(_ direction: TrailerDirection, to count: UInt64) {
        bank.store(count, at: layout.trailers(direction, .forbiddenInFrames))
    }
}

extension MetricsPage {
    /// The numbers of fields behind bodies that were dropped.
    func writeTrailers(to text: inout ExpositionText) {
        for direction in TrailerDirection.allCases {
            for reason in TrailerDropReason.allCases where reason != .forbiddenInFrames {
                var count = sum(at: layout.trailers(direction, reason))
                if reason == .forbidden { count &+= sum(at: layout.trailers(direction, .forbiddenInFrames)) }
                text.sample(
                    .trailersDropped, .unsigned(count),
                    labels: [("direction", direction.label), ("reason", reason.label)])
            }
        }
    }
}
