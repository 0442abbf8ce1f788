import Bytes

/// The part of an issuer's settings that decides when and from where its keys are read; times in milliseconds.
package struct KeySetPlan: Sendable, Equatable {
    /// Where the keys come from.
    package enum Source: Sendable, Equatable {
        case discovered
        case url(String)
        case document
        /// There are none, and nothing is ever read.
        case absent
    }

    package var source: Source
    /// Bounds within which a server's `max-age` is followed.
    package var lifetime: ClosedRange<Int64>
    /// How long keys outlive their freshness when they cannot be refreshed (D-17).
    package var staleLimit: Int64
    /// Least time between two readings that unknown keys of one client cause (JOSE-17); see `KeyReadingBudget`.
    package var unknownKeyInterval: Int64

    /// What `settings` asks for.
    package init(_ settings: IssuerSettings) {
        switch settings.keys {
        case .discovered: source = .discovered
        case .url(let url): source = .url(url)
        case .document: source = .document
        case .absent: source = .absent
        }
        let times = settings.keyTimes
        let longest = Int64(times.maximumLifetime.wholeMilliseconds)
        lifetime = min(Int64(times.minimumLifetime.wholeMilliseconds), longest)...longest
        staleLimit = Int64(times.staleLimit.wholeMilliseconds)
        unknownKeyInterval = Int64(times.unknownKeyInterval.wholeMilliseconds)
    }

    /// How long an answer with this `max-age` is fresh; as long as allowed when the server does not say.
    func freshness(maxAgeSeconds: Int?) -> Int64 {
        guard let maxAgeSeconds else { return lifetime.upperBound }
        let milliseconds = Int64(clamping: maxAgeSeconds).multipliedReportingOverflow(by: 1000)
        guard !milliseconds.overflow else { return lifetime.upperBound }
        return min(max(milliseconds.partialValue, lifetime.lowerBound), lifetime.upperBound)
    }

    /// How long to wait after that many failures in a row.
    static func backOff(failures: Int) -> Int64 {
        min(1000 << Int64(min(max(failures, 1) - 1, 6)), 60_000)
    }

    /// How long a metadata document is believed before it is read again (MD-05).
    static func metadataFreshness(maxAgeSeconds: Int?) -> Int64 {
        min(max(Int64(min(maxAgeSeconds ?? 3600, 3600)), 60), 3600) * 1000
    }

    /// How long a metadata document that cannot be read again stays in use (MD-05).
    static let metadataStaleLimit: Int64 = 24 * 3600 * 1000
    /// How long to wait before a metadata document that could not be used is asked for again.
    static let metadataRetry: Int64 = 300 * 1000
}
