import Access
import OAuth
import Rates

extension WorkerRef {
    /// Lets some of the records go that nobody can use any more.
    func sweepCaches() { pointee.identities.sweepCaches(now: clock.wallSeconds()) }
}

extension Identities {
    /// Goes on with what outlives a configuration of `old`'s.
    ///
    /// The keys that clients have shown, unless their multiples were computed for other tables; and the tokens that the
    /// issuers called active, as long as it is the same issuers that are asked: without these a good client behind an
    /// address that has no bad tokens left would be answered 429 after each reload (INT-07).
    init(
        _ settings: GatewaySettings, _ resources: SharedResources, _ context: WorkerContext,
        continuing old: Identities? = nil
    ) {
        let kept = old.flatMap { $0.proofKeys.tables === resources.pointTables ? $0.proofKeys : nil }
        self.init(
            settings.issuers, cacheEntries: settings.tokenCache.entries, cacheBytes: settings.tokenCache.bytes,
            replay: resources.replay,
            proofKeys: kept ?? ProofKeys(limit: Identities.proofKeyLimit, tables: resources.pointTables),
            metrics: context.metrics)
        if let old, old.isOfSameIssuers(as: self) { vouchedTokens = old.vouchedTokens }
        if let old {
            leases = old.leases
            leases.forget()
        }
    }

    private func isOfSameIssuers(as other: Identities) -> Bool {
        issuers.count == other.issuers.count
            && (0..<issuers.count).allSatisfy {
                issuers[$0].identifier.utf8.elementsEqual(other.issuers[$0].identifier.utf8)
            }
    }
}
