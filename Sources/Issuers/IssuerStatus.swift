/// How one issuer is doing, for readiness pages and metrics.
package struct IssuerStatus: Sendable, Equatable {
    /// Whether tokens of this issuer can be judged.
    package enum Readiness: Sendable, Equatable {
        /// No attempt has ended yet.
        case waiting
        /// Keys are at hand and fresh.
        case ready
        /// Keys are at hand, past their freshness, and cannot be refreshed.
        case stale
        /// No keys are at hand: tokens are answered 503.
        case failed
    }

    package var readiness: Readiness = .waiting
    /// Why the latest attempt failed; nil when it did not.
    package var lastRefusal: IssuerRefusal?
    /// Attempts that failed since the last success.
    package var failures = 0
    package var keyCount = 0
    package var ignoredKeyCount = 0
    /// Unix time of the last success, in seconds.
    package var fetchedAt: Int64?
    /// Unix time at which the keys at hand are withdrawn unless refreshed, in seconds.
    package var usableUntil: Int64?
    /// Where the keys were read from; nil before they were and for a static document.
    package var jwksURI: String?

    package init() {}
}
