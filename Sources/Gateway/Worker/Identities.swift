import Access
import Crypto
import Issuers
import OAuth
import Replay
import Sessions

/// Who is known to one worker: issuers with their keys, tokens and sessions that were looked up, proofs that were used.
struct Identities {
    /// Clients' keys kept by one worker, some 4 KB each with what OpenSSL prepares for them.
    static let proofKeyLimit = 4096

    var issuers: UnsafeMutablePointer<IssuerView>
    let issuerCount: Int
    var tokens: TokenCache
    /// Sessions that were looked up, by the digest of their cookie: apart from tokens, so that neither is ever taken for
    /// the other.
    var sessions: TokenCache
    /// Where the sessions of each login are; handed over before the worker serves.
    var stores: [any SessionStore] = []
    /// Clients' keys, with the contexts that verify by them.
    let proofKeys: ProofKeys
    /// Proofs that were used, by all workers.
    let replay: ReplaySet
    let failures: FailureBudget
    var refusedTokens = RefusedTokens()
    var vouchedTokens = VouchedTokens()
    /// The keys that sign identity assertions; nil when none are signed.
    var assertionKeys: AssertionKeys?
    /// The nonce that answers carry at this time, as field value.
    var nonce = NonceText()

    /// Goes on with the keys that clients have shown to `old`, unless their multiples were computed for other tables.
    init(_ settings: GatewaySettings, _ resources: SharedResources, continuing old: Identities? = nil) {
        issuerCount = settings.issuers.count
        issuers = .allocate(capacity: max(1, issuerCount))
        let pointTables = resources.pointTables
        for (number, issuer) in settings.issuers.enumerated() {
            (issuers + number).initialize(to: IssuerView(issuer, pointTables: pointTables))
        }
        tokens = TokenCache(entries: settings.tokenCache.entries, bytes: settings.tokenCache.bytes)
        sessions = TokenCache(entries: settings.tokenCache.entries, bytes: settings.tokenCache.bytes)
        replay = resources.replay
        failures = resources.failures
        let kept = old.flatMap { $0.proofKeys.tables === pointTables ? $0.proofKeys : nil }
        proofKeys = kept ?? ProofKeys(limit: Identities.proofKeyLimit, tables: pointTables)
    }

    /// Ends what is known by a configuration that another one takes the place of; records in use by requests are theirs
    /// until these end, and issuers are kept with the configuration.
    mutating func forget() {
        tokens.destroy()
        sessions.destroy()
    }
}
