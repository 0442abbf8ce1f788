import Access
import Bytes
import Crypto
import EventLoop
import RESP
import SharedState
import StoreClient
import StoreLink
import Telemetry

extension WorkerStore: ProofSharing {
    /// How long the store is missed before proofs are judged without it, in microseconds (SH-59).
    private static let localAfter: UInt64 = 1_000_000

    /// Asks the server that has the proof's name, in the memory of the question before (SH-55).
    func spend(_ proof: UnspentProof, now: Int64, ticket: UInt64) -> ProofQuestion {
        guard !mayHaveForgotten(usableSince: proof.usableSince) else { return .forgotten }
        let (digest, until) = (proof.key, proof.until)
        if isRelayed { return relay(digest, until: until, now: now, ticket: ticket) }
        // Whoever comes behind proofs that were judged here must not pass them on their way to the store.
        if !localProofs.isEmpty { return noteLocally(digest, until: until) }
        switch send(digest, until: until, now: now, ticket: ticket) {
        case .accepted: return .asked
        case .busy:
            reports.count(worker: index, .proof, .unavailable, microseconds: nil)
            return .busy
        case .down:
            // Another worker may be in where the store takes no more clients (SH-84).
            if reports.isReachedNow { return relay(digest, until: until, now: now, ticket: ticket) }
            reports.count(worker: index, .proof, .unavailable, microseconds: nil)
            return judgeOutage(digest, until: until)
        }
    }

    func mayHaveForgotten(usableSince: Int64) -> Bool { reports.forgotten.mayHaveKnown(usableSince: usableSince) }

    private func send(_ digest: SHA256Digest, until: Int64, now: Int64, ticket: UInt64) -> SendOutcome {
        proofName.removeAll(keepingCapacity: true)
        plan.store.names.appendProof(digest, to: &proofName)
        proofCommand.begin("SET")
        proofCommand.append(proofName.span)
        proofCommand.append("1")
        proofCommand.append("NX")
        proofCommand.append("PX")
        proofCommand.append(Int(UseOnce.time(until: until, now: now).milliseconds))
        return send(proofCommand, key: proofName, ticket: ticket)
    }

    // MARK: while the store is down

    private func judgeOutage(_ digest: SHA256Digest, until: Int64) -> ProofQuestion {
        guard plan.settings.proofsWhenDown == .local else { return .down }
        guard let lostAt, WorkerClock().microseconds() >= lostAt &+ Self.localAfter else { return .unavailable }
        return noteLocally(digest, until: until)
    }

    private func noteLocally(_ digest: SHA256Digest, until: Int64) -> ProofQuestion {
        guard localProofs.note(digest, until: until) else { return .busy }
        reports.areProofsLocal(true, worker: index)
        return .down
    }

    /// Has the store remember what was let through without it: first, and then it is asked again.
    func writeLocalProofs() {
        guard !localProofs.isEmpty, lostAt == nil else { return }
        let now = WorkerClock().wallSeconds()
        while let (number, proof) = localProofs.next(now: now) {
            guard send(proof.digest, until: proof.until, now: now, ticket: UInt64(number)) == .accepted else {
                localProofs.giveBack(number)
                return
            }
        }
        if localProofs.isEmpty { reports.areProofsLocal(false, worker: index) }
    }

    /// The store has spoken of one that was let through without it, or not.
    func localProofAnswered(_ number: UInt32, _ answer: ProofAnswer) {
        switch answer {
        // What was let through elsewhere meanwhile is found out here; it was let through all the same.
        case .first, .used:
            localProofs.confirm(number)
            writeLocalProofs()
        case .unavailable: localProofs.giveBack(number)
        }
        if localProofs.isEmpty { reports.areProofsLocal(false, worker: index) }
    }

    /// Nobody here can tell the store any more: those that it was not told of, other replicas may let through once more.
    func forgetLocalProofs() {
        localProofs = LocalProofs()
        reports.areProofsLocal(false, worker: index)
    }

    // MARK: by another worker's connection

    private func relay(_ digest: SHA256Digest, until: Int64, now: Int64, ticket: UInt64) -> ProofQuestion {
        guard let worker else { return .unavailable }
        guard reports.isReachedNow else { return .down }
        let (store, loop) = (plan.store, loop)
        let question = UseOnce(proof: store.names.proof(digest), until: until, now: now)
        Task {
            var answer = ProofAnswer.unavailable
            do throws(StoreRefusal) {
                answer = try await store.perform(question) == .first ? .first : .used
            } catch {}
            loop.execute { [answer] in worker.pointer.proofAnswered(ticket, answer) }
        }
        return .asked
    }
}

extension ProofAnswer {
    /// What the server's answer to a proof's `SET NX` says.
    init(_ answer: borrowing Answer) {
        switch answer {
        case .reply(let reply):
            switch reply.kind {
            case .simpleString: self = reply.bytes.isEqual(to: "OK".utf8Span.span) ? .first : .unavailable
            case .null: self = .used
            case .error, .integer, .bulkString, .array: self = .unavailable
            }
        case .refused, .unknown, .notSent: self = .unavailable
        }
    }
}

/// Proofs that were let through without the store, which is to hear of them first when it is back (SH-59).
struct LocalProofs {
    /// One of them.
    struct Proof {
        let digest: SHA256Digest
        let until: Int64
    }

    /// As many as are held; more are refused.
    static let limit = 65_536

    /// As many as the store is told of at once: others have room beside them.
    static let atOnce = 1024

    private var proofs: [Proof] = []
    private var taken = 0
    /// Those that the store is being told of, by the number of that command.
    ///
    /// It is not known yet whether it has them.
    private var written: [UInt32: Proof] = [:]
    private var lastNumber: UInt32 = 0

    private var waiting: Int { proofs.count - taken }
    var isEmpty: Bool { waiting == 0 && written.isEmpty }

    /// Whether there was room for another one.
    mutating func note(_ digest: SHA256Digest, until: Int64) -> Bool {
        guard waiting + written.count < LocalProofs.limit else { return false }
        append(Proof(digest: digest, until: until))
        return true
    }

    /// The next that the store is to be told of, under a number that is not 0; nil when there is none, or enough of them are
    /// under way.
    ///
    /// What no clock accepts any more is let go.
    mutating func next(now: Int64) -> (number: UInt32, proof: Proof)? {
        guard written.count < LocalProofs.atOnce else { return nil }
        while waiting > 0 {
            let proof = proofs[taken]
            removeFirst()
            guard proof.until >= now else { continue }
            lastNumber = lastNumber == .max ? 1 : lastNumber + 1
            written[lastNumber] = proof
            return (lastNumber, proof)
        }
        return nil
    }

    /// The store has it.
    mutating func confirm(_ number: UInt32) { written[number] = nil }

    /// The store may not have it: it is told again.
    mutating func giveBack(_ number: UInt32) {
        if let proof = written.removeValue(forKey: number) { append(proof) }
    }

    private mutating func append(_ proof: Proof) {
        if taken > LocalProofs.limit {
            proofs.removeFirst(taken)
            taken = 0
        }
        proofs.append(proof)
    }

    private mutating func removeFirst() {
        taken += 1
        guard waiting == 0 else { return }
        proofs = []
        taken = 0
    }
}
