import Issuers
import JOSE
import OAuth

/// What one worker knows of one issuer: its rules and its keys, with verification contexts of the worker's own.
struct IssuerView {
    let identifier: String
    let rules: AccessTokenRules
    /// How long a request waits for the issuer's word on its token, in milliseconds.
    let lookupTimeout: Int
    /// How long the word that a token is bad is remembered, in seconds.
    let negativeSeconds: Int
    /// Least time between two readings of the keys for signatures that fail, in seconds.
    private let keyInterval: Int64
    /// Until when no signature that fails has the keys read again, in Unix seconds.
    private var keysSettledUntil = Int64.min
    /// Nil when there are no keys to go on with: 503 (D-17).
    var keys: VerificationKeys?
    /// What `keys` were made from, for explanations.
    private(set) var keySet: KeySet?
    var version: UInt64 = 0
    /// Rises when a key vanished or the keys were withdrawn; what an older generation verified is verified anew.
    var generation: UInt64 = 0
    /// The generation of the last snapshot, which counts no withdrawals.
    private var snapshotGeneration: UInt64 = 0

    init(_ settings: IssuerSettings) {
        identifier = settings.url
        rules = settings.rules
        // The service gives up first: its answer says more than our own patience being over.
        lookupTimeout = (settings.introspection?.timeoutMilliseconds ?? 0) * 2 + 500
        negativeSeconds = settings.introspection?.negativeSeconds ?? 0
        keyInterval = Int64(settings.unknownKeyRefetchSeconds)
    }

    /// Whether one signature that fails may have the keys read again: the issuer may have replaced one under its name.
    ///
    /// One request in the interval waits for it, and all others are refused at once: a flood of forged tokens parks
    /// nothing.
    mutating func mayReadKeysAgain(at now: Int64) -> Bool {
        guard now >= keysSettledUntil || keysSettledUntil > now + keyInterval else { return false }
        keysSettledUntil = now + keyInterval
        return true
    }

    /// Takes a new snapshot of the issuer's keys, or their withdrawal.
    mutating func take(_ snapshot: IssuerKeys?) {
        guard let snapshot else {
            keys = nil
            keySet = nil
            version = 0
            generation &+= 1
            return
        }
        if keys == nil || snapshot.version != version {
            keys = VerificationKeys(snapshot.keySet)
            keySet = snapshot.keySet
            version = snapshot.version
        }
        // Counted on, not taken over: after a withdrawal the two numbers differ, and a vanished key must still show.
        if snapshot.generation != snapshotGeneration { generation &+= 1 }
        snapshotGeneration = snapshot.generation
    }
}
