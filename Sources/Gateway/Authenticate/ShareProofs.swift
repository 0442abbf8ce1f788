import Access

/// Proofs that no replica of this gateway may have let through before: the store of all replicas is asked (SH-56).
///
/// The request waits with its head, as for any other answer, and is judged again then. It is not in the list of those that
/// wait: thousands of proofs may be under way, and whoever looks there for one who waits for an issuer's keys would pass
/// all of them. Its answer has its number.
extension WorkerRef {
    /// Asks about the proof of a request that nothing else refuses; false where there is nothing to wait for, and the
    /// request is to be judged by what was found instead.
    func askStore(_ exchange: ExchangeRef) -> Bool {
        guard let proof = exchange.pointee.findings.proved, let proofs = pointee.questions.proofs else {
            exchange.pointee.findings.spending = .down
            return false
        }
        let ticket = pointee.questions.underWay.proofs.take(exchange)
        switch proofs.spend(proof, now: clock.wallSeconds(), ticket: ticket) {
        case .asked:
            exchange.pointee.proofTicket = ticket
            exchange.pointee.storeAskedAt = clock.microseconds()
            return true
        case .busy: exchange.pointee.findings.spending = .busy
        case .down: exchange.pointee.findings.spending = .down
        case .unavailable: exchange.pointee.findings.spending = .unavailable
        case .forgotten: exchange.pointee.findings.spending = forgotten(proof, by: proofs)
        }
        pointee.questions.underWay.proofs.giveBack(ticket)
        return false
    }

    /// The store has spoken of a proof, or gave no answer in time; nobody may wait for it any more.
    func proofAnswered(_ ticket: UInt64, _ answer: ProofAnswer) {
        guard let exchange = pointee.questions.underWay.proofs[ticket] else { return }
        exchange.pointee.findings.spending =
            switch answer {
            // The store may have lost everything while the question waited for it: then all proofs are new to it.
            case .first: firstAtStore(exchange)
            case .used: .used
            case .unavailable: .unavailable
            }
        judgeAfterStore(exchange)
    }

    /// What it means that a proof is new to the store.
    private func firstAtStore(_ exchange: ExchangeRef) -> ProofSpending {
        guard let proofs = pointee.questions.proofs, let proof = exchange.pointee.findings.proved,
            proofs.mayHaveForgotten(usableSince: proof.usableSince)
        else { return .first }
        return forgotten(proof, by: proofs)
    }

    /// What becomes of a proof that the store may have forgotten: one with a nonce is to be made anew, as soon as a nonce of
    /// now says that it was.
    private func forgotten(_ proof: UnspentProof, by proofs: any ProofSharing) -> ProofSpending {
        guard proof.hasNonce, !proofs.mayHaveForgotten(usableSince: clock.wallSeconds()) else { return .forgotten }
        return .nonceForgotten
    }

    /// Judges a request again that waited for the store, by the configuration of now.
    ///
    /// A reload does not touch a request while it waits: its question is under way, and a second one would find the first
    /// one's own mark and call the request a replay.
    func judgeAfterStore(_ exchange: ExchangeRef) {
        unpark(exchange)
        if exchange.pointee.generation != pointee.policy.generation { forgetJudgement(exchange) }
        resume(exchange)
    }

    /// The question about its proof is over, for this exchange.
    func endQuestion(_ exchange: ExchangeRef) {
        guard exchange.pointee.proofTicket != 0 else { return }
        pointee.questions.underWay.proofs.giveBack(exchange.pointee.proofTicket)
        exchange.pointee.proofTicket = 0
    }

    /// An exchange waits for the store no longer: the access log says how long it did, for its session and its proof together.
    func countStoreWait(_ exchange: ExchangeRef) {
        guard exchange.pointee.storeAskedAt > 0 else { return }
        let waited = clock.microseconds() &- exchange.pointee.storeAskedAt
        exchange.pointee.storeAskedAt = 0
        let sum = UInt64(exchange.pointee.storeMicroseconds) &+ max(1, waited)
        exchange.pointee.storeMicroseconds = UInt32(clamping: sum)
    }
}
