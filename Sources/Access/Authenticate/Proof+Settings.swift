package import Crypto

/// How DPoP proofs are judged on every route, and what is remembered of them (RFC 9449, DPOP-10).
package struct ProofSettings: Sendable {
    /// Oldest proof accepted.
    package var past = Duration.seconds(60)
    /// How far ahead of our clock a proof may be.
    package var future = Duration.seconds(10)
    package var maximumBytes = 8 * 1024
    package var maximumIDBytes = 256
    /// Memory of all workers for the proofs that may not be used again; when it is full, requests are answered 503.
    package var replayBytes = 64 * 1024 * 1024
    /// Keys of server nonces, at least 32 bytes each: the first makes them, all are accepted.
    ///
    /// Empty: a key of this process's own, which no replica shares.
    package var nonceKeys: [Secret] = []
    /// How long a server nonce is accepted at least; for as long again while a new one is offered.
    package var nonceLifetime = Duration.seconds(300)

    /// What the replicas of this gateway know of each other's proofs.
    package var sharing = Sharing.none

    /// Where proofs are remembered beside this process's own set.
    package enum Sharing: Sendable, Equatable {
        /// Nowhere: each process refuses what it let through itself.
        case none
        /// In a store of all replicas, whose word every proof needs.
        case required
        /// The same, but while nobody reaches the store each process's own set counts.
        case whileReachable
    }

    package init() {}
}
