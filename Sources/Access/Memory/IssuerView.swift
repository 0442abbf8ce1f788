import Bytes
package import Crypto
package import Issuers
package import JOSE
package import OAuth

/// What one worker knows of one issuer: its rules and its keys, with verification contexts of the worker's own.
package struct IssuerView {
    /// The issuer's name, which its tokens must say byte for byte.
    package let identifier: String
    /// What is asked of its tokens.
    package let rules: AccessTokenRules
    /// How long a request waits for the issuer's word on its token, in milliseconds.
    package let lookupTimeout: Int
    /// How long the word that a token is bad is remembered, in seconds.
    package let negativeSeconds: Int
    /// Least time between two readings of the keys for signatures of one client that fail, in milliseconds.
    private let keyInterval: Int64
    /// What signatures that fail may still have read.
    private var readings = KeyReadingBudget()
    /// Where its keys have their multiples precomputed when they are busy.
    private let pointTables: PointTables?
    /// Nil when there are no keys to go on with: 503 (D-17).
    package private(set) var keys: VerificationKeys?
    /// What `keys` were made from, for explanations.
    package private(set) var keySet: KeySet?
    /// The version of the snapshot that `keys` were made from.
    private var version: UInt64 = 0
    /// Rises when a key vanished or the keys were withdrawn; what an older generation verified is verified anew.
    package private(set) var generation: UInt64 = 0
    /// The generation of the last snapshot, which counts no withdrawals.
    private var snapshotGeneration: UInt64 = 0

    /// Knows what the operator says of the issuer, and no keys yet.
    package init(_ settings: IssuerSettings, pointTables: PointTables? = nil) {
        self.pointTables = pointTables
        identifier = settings.url
        rules = settings.rules
        // The service gives up first: its answer says more than our own patience being over.
        lookupTimeout = (settings.introspection?.timeout.wholeMilliseconds ?? 0) * 2 + 500
        negativeSeconds = settings.introspection?.negativeLifetime.wholeSeconds ?? 0
        keyInterval = Int64(settings.keyTimes.unknownKeyInterval.wholeMilliseconds)
    }

    /// Whether one signature that fails may have the keys read again: the issuer may have replaced one under its name.
    ///
    /// One request of a client in the interval waits for it, and all others are refused at once: a flood of forged tokens
    /// parks nothing. `now` is in milliseconds of the monotonic clock.
    package mutating func mayReadKeysAgain(for client: AskingClient, at now: Int64) -> Bool {
        readings.take(for: client, at: now, interval: keyInterval)
    }

    /// Takes a new snapshot of the issuer's keys, or their withdrawal.
    package mutating func take(_ snapshot: IssuerKeys?) {
        guard let snapshot else {
            keys = nil
            keySet = nil
            version = 0
            generation &+= 1
            return
        }
        if keys == nil || snapshot.version != version {
            keys = VerificationKeys(snapshot.keySet, tables: pointTables)
            keySet = snapshot.keySet
            version = snapshot.version
        }
        // Counted on, not taken over: after a withdrawal the two numbers differ, and a vanished key must still show.
        if snapshot.generation != snapshotGeneration { generation &+= 1 }
        snapshotGeneration = snapshot.generation
    }
}
