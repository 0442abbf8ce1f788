import Access
import Gateway

/// How often somebody may ask: a route without limits need not be told of them.
extension Check {
    static let addressRate = Check(
        .addressRate, "rate of the address", "RFC 6585 §4", of: .route,
        seen: CheckWords { $0.seen(.addressRateExceeded) },
        wanted: CheckWords { $0.words(of: $0.limits { $0 == .address }) }, skipped: [\.notCounted])

    static let ofRates = rows(
        answered: CheckFacts.answeredByRoute, shown: { $0.countsIdentities },
        [
            Check(
                .requestRate, "rate of requests", "RFC 6585 §4", of: .route,
                seen: CheckWords { $0.seen(.requestRateExceeded) },
                wanted: CheckWords { $0.words(of: $0.limits { $0 != .address }) }, skipped: [\.notCounted])
        ])
}

extension CheckFacts {
    var countsAddresses: Bool { !limits { $0 == .address }.isEmpty }
    var countsIdentities: Bool { !limits { $0 != .address }.isEmpty }

    /// The route's limits with such keys.
    fileprivate func limits(_ isMeant: (RequestLimitSettings.Key) -> Bool) -> [RequestLimitSettings] {
        guard let route else { return [] }
        return (route.limits.requests ?? settings.limits.requests.common).filter { isMeant($0.key) }
    }

    fileprivate func seen(_ cause: Refusal) -> String {
        guard case .refused(cause, _, let found, _) = verdict else { return "" }
        return found
    }

    fileprivate func words(of limits: [RequestLimitSettings]) -> String {
        limits.map { "at most \($0.text)" }.joined(separator: "; ")
    }

    /// Whoever only asks what would become of a request spends nobody's.
    fileprivate var notCounted: String? { evidence.isDryRun ? "requests are not counted here" : nil }

    var rateExceeded: Remedy {
        Remedy(
            "More requests came than the route's limits let through: \(ShownText.plain(expected)).",
            .client("wait as long as Retry-After says, and send fewer"),
            .front("tell the clients' addresses, and name it in trusted_proxies"),
            .configuration("\(routeKey).limits.requests, or limits.requests: a higher rate, or a larger burst"))
    }
}
