import Access
import OAuth

extension WorkerRef {
    /// Lets some of the records go that nobody can use any more.
    func sweepCaches() { pointee.identities.sweepCaches(now: clock.wallSeconds()) }
}

extension Identities {
    /// Goes on with the keys that clients have shown to `old`, unless their multiples were computed for other tables.
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
    }
}
