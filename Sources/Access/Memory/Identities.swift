package import Crypto
package import Issuers
package import JOSE
package import OAuth
package import Rates
package import Replay
package import Sessions
package import Telemetry

/// Who is known to one worker: issuers with their keys, tokens and sessions that were looked up, proofs that were used.
///
/// One worker's alone, and no request's: a judgement reads it, and adds what it has found out about a token or a session.
package struct Identities {
    /// Clients' keys kept by one worker, some 4 KB each with what OpenSSL prepares for them.
    package static let proofKeyLimit = 4096

    package let issuers: FixedList<IssuerView>
    package var tokens: TokenCache
    /// Sessions that were looked up, by the digest of their cookie: apart from tokens, so that neither is ever taken for
    /// the other.
    package var sessions: TokenCache
    /// Tokens that came a moment ago, and cookies.
    var recentTokens = RecentCredentials()
    var recentCookies = RecentCredentials()
    /// Where the sessions of each login are; handed over before anybody is judged.
    package var stores: [any SessionStore] = []
    /// Has a store asked about them beside requests; nil where none is.
    package var rechecks: (any SessionRechecking)?
    /// Clients' keys, with the contexts that verify by them.
    package let proofKeys: ProofKeys
    /// Proofs that were used, by all workers.
    package let replay: ReplaySet
    package var refusedTokens = RefusedTokens()
    package var vouchedTokens = VouchedTokens()
    /// The keys that sign identity assertions; nil when none are signed.
    package var assertionKeys: AssertionKeys?
    /// What it may spend of limits that replicas share.
    package var leases = LeaseTable()
    /// Where lookups are counted.
    package let metrics: WorkerMetrics
    /// Lent to whoever puts bytes together for a moment, such as another reading of a path; nobody reads what was in it.
    var memory: [UInt8] = []

    /// Knows these issuers without their keys, and nobody else yet.
    package init(
        _ issuers: [IssuerSettings], cacheEntries: Int, cacheBytes: Int, replay: ReplaySet, proofKeys: ProofKeys,
        metrics: WorkerMetrics
    ) {
        self.issuers = FixedList(count: issuers.count) { IssuerView(issuers[$0], pointTables: proofKeys.tables) }
        tokens = TokenCache(entries: cacheEntries, bytes: cacheBytes)
        sessions = TokenCache(entries: cacheEntries, bytes: cacheBytes)
        self.replay = replay
        self.proofKeys = proofKeys
        self.metrics = metrics
    }

    /// Ends what is known by a configuration that another one takes the place of; records in use by requests are theirs
    /// until these end, and issuers are kept with the configuration.
    package mutating func forget() {
        tokens.destroy()
        sessions.destroy()
        recentTokens.destroy()
        recentCookies.destroy()
    }

    /// Charges what is kept with a record to the cache that owns the record.
    ///
    /// What was made for a session and charged among the tokens would never be given back there: the tokens' account
    /// would grow until there is room for one, and every request would cost a verification.
    package mutating func charge(_ record: TokenRecord, _ cost: Int) {
        if record.session == nil {
            tokens.charge(record, cost)
        } else {
            sessions.charge(record, cost)
        }
    }

    /// Records of each cache that are looked at in a sweep: a hundred thousand in 400 sweeps, for some 20 µs each.
    private static let recordsSweptAtOnce = 256

    /// Lets some records go whose time has passed, and says what the caches hold.
    ///
    /// A record that nobody asks for again would stay until its cache is full: memory for tokens that can open nothing.
    package mutating func sweepCaches(now: Int64) {
        tokens.sweep(Identities.recordsSweptAtOnce, now: now)
        sessions.sweep(Identities.recordsSweptAtOnce, now: now)
        recentTokens.sweep()
        recentCookies.sweep()
        metrics.set(.tokenCacheEntries, to: tokens.entries)
        metrics.set(.tokenCacheBytes, to: tokens.bytes)
        metrics.set(.sessionCacheEntries, to: sessions.entries)
        metrics.set(.sessionCacheBytes, to: sessions.bytes)
    }

    /// The place of the issuer with this name, compared byte for byte; nil for any other (JOSE-21).
    package func place(ofIssuer name: String?) -> Int? {
        guard let name else { return nil }
        for index in 0..<issuers.count where issuers[index].identifier.utf8.elementsEqual(name.utf8) { return index }
        return nil
    }
}

/// Has a store of sessions asked beside a request whether one is as it is known (SH-71).
///
/// One worker's own, on its loop: nothing here waits.
package protocol SessionRechecking: AnyObject {
    /// What the answer says, the store notes; false where nobody can be asked now.
    func recheck(_ session: Session, id: SHA256Digest, in store: any SessionStore, now: Int64) -> Bool
}

/// The keys of identity assertions at one time: an immutable snapshot that workers are handed.
package struct AssertionKeys: Sendable {
    /// Signs from now on.
    package let signer: SigningJWK
    /// The JWK Set that upstreams verify with.
    package let published: [JWK]
    /// How long readers may keep it, in seconds.
    package let maximumAgeSeconds: Int

    package init(signer: SigningJWK, published: [JWK], maximumAgeSeconds: Int) {
        self.signer = signer
        self.published = published
        self.maximumAgeSeconds = maximumAgeSeconds
    }
}
