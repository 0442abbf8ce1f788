import Access
import Crypto
import OAuth
import Replay

/// A proof that is right in everything, and not yet remembered as used.
struct UnspentProof {
    let key: SHA256Digest
    let thumbprint: SHA256Digest
    /// The last Unix second at which it could be accepted once more.
    let until: Int64

    /// The end of a proof's time: its own, or its nonce's where that is later.
    ///
    /// Whatever the route that accepts it says of nonces: where two routes have one URL, the other may go by the other
    /// time. A time of its own that is out of bounds is accepted by no route; counted, one a year ahead would hold its
    /// place for as long.
    static func end(issuedAt: Int64, nonceEnd: Int64?, rules: DPoPRules, now: Int64) -> Int64 {
        let isInTime = issuedAt <= now + Int64(rules.futureSeconds)
        return max(now, isInTime ? issuedAt + Int64(rules.pastSeconds) : now, nonceEnd ?? now)
    }
}

/// What a proof's nonce is worth.
enum NonceVerdict {
    /// The route takes no nonces.
    case notAsked
    case fresh(until: Int64)
    /// Good, but its time will soon be over: the answer brings another.
    case ageing(until: Int64)
    case missing
    case unknown

    /// The last Unix second at which a nonce of ours is good.
    ///
    /// It says better than the client's clock when the proof was made (DPOP-10).
    var until: Int64? {
        switch self {
        case .fresh(let until), .ageing(let until): until
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

/// The value of a `DPoP-Nonce` field, made once for the answers of a second.
struct NonceText {
    var bytes: [UInt8] = []
    /// The Unix second it was made in.
    var madeAt: Int64 = 0
}

extension WorkerRef {
    /// Remembers the proof of a request that everything else lets through, unless it was used before.
    ///
    /// One set for all workers, so that of two equal proofs sent at once only one is first (DPOP-15). Last of all
    /// checks: a proof that fails another one must stay usable, or anybody could use up a client's (DPOP-17).
    func spend(_ proof: UnspentProof) throws(Refused) {
        switch pointee.identities.replay.insert(
            proof.key, thumbprint: proof.thumbprint, until: proof.until, now: clock.wallSeconds())
        {
        case .first: return
        case .replayed: throw refuse(.proofReplayed, "a proof that was not used before", "the same key and jti")
        case .fullForHolder:
            throw refuse(
                .clientProofsTooMany, "one client's part of the memory for proofs, which is half of it at most",
                "more proofs by one key")
        case .full:
            throw refuse(.replaySetFull, "memory for another proof", "\(pointee.identities.replay.bytes) bytes in use")
        }
    }

    func judgeNonce(_ proof: UncheckedDPoPProof, _ now: Int64) -> NonceVerdict {
        guard let nonces = pointee.policy.nonces, let nonce = proof.nonce else { return .missing }
        switch nonces.judge(nonce.span, now: now) {
        case .current(let until): return .fresh(until: until)
        case .previous(let until): return .ageing(until: until)
        case .unknown: return .unknown
        }
    }

    /// Writes one `DPoP-Nonce` field line with a nonce of now (RFC 9449 §8).
    func putNonce(into writer: inout HeadWriter) {
        guard let nonces = pointee.policy.nonces else { return }
        let now = clock.wallSeconds()
        if pointee.identities.nonce.madeAt != now || pointee.identities.nonce.bytes.isEmpty {
            pointee.identities.nonce = NonceText(bytes: nonces.make(now: now), madeAt: now)
        }
        writer.put("DPoP-Nonce: ")
        pointee.identities.nonce.bytes.withUnsafeBufferPointer { writer.put($0) }
        writer.put("\r\n")
    }
}
