package import Crypto
package import OAuth
package import Replay

/// A proof that is right in everything, and not yet remembered as used.
package struct UnspentProof: Sendable, Equatable {
    package let key: SHA256Digest
    package let thumbprint: SHA256Digest
    /// The last Unix second at which it could be accepted once more.
    package let until: Int64
    /// The first Unix second at which it can have been accepted: nobody knew its nonce before, or its own time was too far
    /// ahead.
    package let usableSince: Int64
    /// Whether it has a nonce of ours.
    package let hasNonce: Bool

    package init(
        key: SHA256Digest, thumbprint: SHA256Digest, until: Int64, usableSince: Int64 = .min, hasNonce: Bool = false
    ) {
        self.key = key
        self.thumbprint = thumbprint
        self.until = until
        self.usableSince = usableSince
        self.hasNonce = hasNonce
    }

    /// The end of a proof's time: its own, or its nonce's where that is later.
    ///
    /// Whatever the route that accepts it says of nonces: where two routes have one URL, the other may go by the other
    /// time. A time of its own that is out of bounds is accepted by no route; counted, one a year ahead would hold its
    /// place for as long.
    package static func end(issuedAt: Int64, nonceEnd: Int64?, rules: DPoPRules, now: Int64) -> Int64 {
        let isInTime = issuedAt <= now + Int64(rules.futureSeconds)
        return max(now, isInTime ? issuedAt + Int64(rules.pastSeconds) : now, nonceEnd ?? now)
    }

    /// Remembers the proof of a request that everything else lets through, unless it was used before.
    ///
    /// One set for all workers, so that of two equal proofs sent at once only one is first (DPOP-15). Last of all
    /// checks: a proof that fails another one must stay usable, or anybody could use up a client's (DPOP-17).
    package func spend(in replay: ReplaySet, now: Int64) throws(Refused) {
        switch replay.insert(key, thumbprint: thumbprint, until: until, now: now) {
        case .first: return
        case .replayed:
            throw Refused(
                .proofReplayed, expected: "a proof that was not used before", found: "the same key and jti")
        case .fullForHolder:
            throw Refused(
                .clientProofsTooMany,
                expected: "one client's part of the memory for proofs, which is half of it at most",
                found: "more proofs by one key")
        case .full:
            throw Refused(
                .replaySetFull, expected: "memory for another proof",
                found: "\(replay.bytes) bytes in use")
        }
    }
}

/// What became of a request's proof when it was to be used up.
package enum ProofSpending: Sendable {
    /// Nobody was asked anything, or no store is there to be asked.
    case none
    /// It is used up in this process; the store has not answered.
    case here
    /// The store has not seen it before.
    case first
    /// The store has: a replica has let a request with this proof through.
    case used
    /// The store could not be asked, or gave no answer that counts.
    case unavailable
    /// Nobody reaches the store, which is known without asking.
    case down
    /// There is no room for another question to the store.
    case busy
    /// The store lost what it knew, and this proof may have been among it.
    case forgotten
    /// The same, of a proof with a nonce: one with a nonce of now was not.
    case nonceForgotten
}

extension AccessPolicy {
    /// Uses up the proof of a request that everything else lets through: in this process, and then at all replicas.
    ///
    /// The process's own set comes first. A replay here costs the store nothing, and what one client may have of the set is
    /// all that it can have written there (SH-65). After the wait the request comes here again: its entry in the set is its
    /// own, and what the store said decides. A proof that nobody vouches for is refused by 503, never by 401, which would
    /// blame a client for an outage; and it stays used up, for the store may have noted it all the same (SH-58).
    borrowing func spend(
        _ proof: UnspentProof, _ findings: inout Findings, in replay: ReplaySet, now: Int64
    ) throws(Refused) -> Wait {
        switch findings.spending {
        case .none:
            try proof.spend(in: replay, now: now)
            guard asksStore else { return .nothing }
            findings.spending = .here
            return .proof
        case .first: return .nothing
        case .down where proofSharing == .whileReachable: return .nothing
        case .used:
            throw Refused(
                .proofReplayed, expected: "a proof that was not used before",
                found: "the same key and jti at another replica", check: "SH-55")
        case .here, .unavailable:
            throw Refused(
                .storeUnavailable, expected: "the store's word on whether a replica has let this proof through",
                found: "no answer that counts", check: "SH-58")
        case .down:
            throw Refused(
                .storeUnavailable, expected: "a store that can be asked about proofs", found: "no connection to it",
                check: "SH-74")
        case .busy:
            throw Refused(.storeBusy, expected: "room for another question to the store", found: "none")
        case .forgotten:
            throw Refused(
                .storeForgot, expected: "a store that knows which proofs were used",
                found: "one that forgot what was used before a moment ago")
        case .nonceForgotten:
            findings.givesNonce = true
            throw Refused(
                .proofNonceUnknown, expected: "a nonce made after the store forgot which proofs were used",
                found: "an older one", check: "SH-61")
        }
    }
}

/// What a proof's nonce is worth.
enum NonceVerdict {
    /// The route takes no nonces.
    case notAsked
    case fresh(DPoPNonces.Life)
    /// Good, but its time will soon be over: the answer brings another.
    case ageing(DPoPNonces.Life)
    case missing
    case unknown

    /// The time of a nonce of ours.
    ///
    /// It says better than the client's clock when the proof was made (DPOP-10).
    var life: DPoPNonces.Life? {
        switch self {
        case .fresh(let life), .ageing(let life): life
        case .notAsked, .missing, .unknown: nil
        }
    }

    /// Whether `iat` is all that says when the proof was made.
    ///
    /// Not where a nonce says it, nor where one is asked for next: a client whose clock is wrong would never get to it
    /// (RFC 9449 §11.1).
    func leavesTimeToClock(in mode: DPoPSettings.Nonce) -> Bool {
        switch self {
        case .notAsked: true
        case .missing: mode == .optional
        case .fresh, .ageing, .unknown: false
        }
    }
}
