import Access
import Refusals
import Synchronization

/// The last requests that were decided, for `portcullis explain --request-id`: off unless `explain_buffer` says so.
///
/// One for all workers, so that "the last thousand" means what it says; a worker holds the lock for a few moves of
/// memory, and only where the operator has asked for this. What is kept is `RequestEvidence`: no signature, no cookie,
/// no field that an explanation does not show. Bounded in requests and in bytes; the oldest goes first.
///
/// It outlives a configuration: each decision is explained by the one that it was made by. Their settings, secrets among
/// them, are held for as long as a decision is remembered that refers to them.
final class DecisionBuffer: Sendable {
    struct Decision: Sendable {
        let id: RequestID
        /// Unix seconds.
        let time: Int64
        var evidence: RequestEvidence
        var verdict: Verdict
        /// The configuration that places of routes, issuers and listeners are of.
        var generation: UInt32 = 1
        /// The id that a trusted proxy gave the request, which its upstream saw.
        var proxyID: String?
        /// The trace that the request is part of, as 32 hexadecimal digits; nil where none is kept.
        var traceID: String?

        /// What logs call the request and this decision, by the members of their lines.
        var names: [(member: String, text: String)] {
            [
                ("request_id", id.text), ("decision_id", DecisionID(id, generation: generation).text),
                ("proxy_request_id", proxyID ?? ""), ("trace_id", traceID ?? ""),
            ].filter { !$0.1.isEmpty }
        }

        /// About how many bytes it holds; parsed JSON takes some times its text.
        var cost: Int {
            1024 + evidence.target.utf8.count + 4 * (evidence.token?.bytes ?? 0)
                + 4 * evidence.proofs.reduce(0) { $0 + $1.bytes } + 4 * (evidence.session?.bytes ?? 0)
        }
    }

    private struct Ring {
        var decisions: [Decision?]
        /// Where the next decision goes.
        var next = 0
        /// Where the oldest one is.
        var oldest = 0
        var count = 0
        var bytes = 0
        /// Where each one is, by half of its id, which is random.
        var places: [UInt64: Int] = [:]
        /// The configurations that decisions were made by, the newest last.
        var configurations: [(number: UInt32, settings: GatewaySettings)] = []

        mutating func dropOldest() {
            guard count > 0 else { return }
            if let decision = decisions[oldest] {
                bytes -= decision.cost
                places[decision.id.words.0] = nil
            }
            decisions[oldest] = nil
            oldest = (oldest + 1) % decisions.count
            count -= 1
        }
    }

    private let ring: Mutex<Ring>
    private let byteLimit: Int
    /// Decisions that it has room for.
    let capacity: Int

    /// Configurations whose decisions are remembered.
    static let configurationLimit = 8

    /// Room for so many decisions, of 16 KiB each at most on average.
    init(capacity: Int) {
        let capacity = max(1, capacity)
        self.capacity = capacity
        byteLimit = capacity * 16 * 1024
        ring = Mutex(Ring(decisions: Array(repeating: nil, count: capacity)))
    }

    /// Decisions may be made by this configuration from now on; those of which no decision is left are let go.
    ///
    /// Takes the place of one of the same number, which was never served. Any thread.
    func adopt(_ settings: GatewaySettings, as number: UInt32) {
        ring.withLock { ring in
            let last = ring.configurations.last { $0.number < number }?.number
            let used = Set(ring.decisions.compactMap { $0?.generation })
            // The one that is served may have decided nothing yet.
            ring.configurations.removeAll { $0.number >= number || $0.number != last && !used.contains($0.number) }
            ring.configurations.append((number, settings))
            if ring.configurations.count > Self.configurationLimit { ring.configurations.removeFirst() }
        }
    }

    /// Keeps a decision in place of one with the same id; any thread.
    func keep(_ decision: Decision) {
        let cost = decision.cost
        guard cost <= byteLimit else { return }
        ring.withLock { ring in
            if let place = Self.place(of: decision.id, in: ring) {
                ring.bytes += cost - (ring.decisions[place]?.cost ?? 0)
                ring.decisions[place] = decision
                return
            }
            while ring.count == ring.decisions.count || ring.count > 0 && ring.bytes + cost > byteLimit {
                ring.dropOldest()
            }
            ring.decisions[ring.next] = decision
            ring.places[decision.id.words.0] = ring.next
            ring.next = (ring.next + 1) % ring.decisions.count
            ring.count += 1
            ring.bytes += cost
        }
    }

    /// What became of a request after it was kept, or of one that was not understood; any thread.
    func change(
        _ id: RequestID, at time: Int64, to verdict: Verdict, generation: UInt32 = 1, proxyID: String? = nil,
        traceID: String? = nil, evidence: () -> RequestEvidence
    ) {
        let isKnown = ring.withLock { ring in
            guard let place = Self.place(of: id, in: ring) else { return false }
            ring.decisions[place]?.verdict = verdict
            return true
        }
        guard !isKnown else { return }
        keep(
            Decision(
                id: id, time: time, evidence: evidence(), verdict: verdict, generation: generation, proxyID: proxyID,
                traceID: traceID))
    }

    /// The decision on the request with this id; any thread.
    func find(_ id: RequestID) -> Decision? {
        ring.withLock { ring in Self.place(of: id, in: ring).flatMap { ring.decisions[$0] } }
    }

    /// What a request or a decision can be called at most, in bytes.
    private static let longestName = 128

    /// The decision that is called so: by the request's id, by its own, or else the newest by its trace's or by the one that
    /// a trusted proxy gave the request; any thread.
    ///
    /// Names of ours come first. A proxy may hand on whatever id its client sends, and whoever sends the name of somebody
    /// else's decision would have his own request shown in its place. The lock is the workers' too: a name that nothing can
    /// have is looked for nowhere.
    func find(_ name: String) -> Decision? {
        guard name.utf8.count <= Self.longestName else { return nil }
        if let id = RequestID(hexadecimal: name[...]), let decision = find(id) { return decision }
        let decisionID = DecisionID(name)
        let traceID = name.lowercased()
        return ring.withLock { ring in
            if let decisionID, let place = ring.places[decisionID.request], let decision = ring.decisions[place],
                decisionID == DecisionID(decision.id, generation: decision.generation)
            {
                return decision
            }
            for back in 0..<ring.count {
                let place = (ring.next + ring.decisions.count - 1 - back) % ring.decisions.count
                guard let decision = ring.decisions[place] else { continue }
                if decision.proxyID == name || decision.traceID == traceID { return decision }
            }
            return nil
        }
    }

    /// The configuration of this number, unless it is not known any more; any thread.
    func configuration(_ number: UInt32) -> GatewaySettings? {
        ring.withLock { ring in ring.configurations.first { $0.number == number }?.settings }
    }

    /// A request that was refused, without what its evidence says of tokens and queries.
    struct RefusedRequest: Sendable {
        let id: RequestID
        /// Unix seconds.
        let time: Int64
        let method: String
        let path: String
        let cause: Refusal
        /// The status of its answer.
        let status: Int
    }

    /// Decisions that are looked at for refusals: the lock is the workers' too.
    private static let searchLimit = 2000

    /// The last requests that were refused, the newest first; any thread.
    func latestRefusals(_ limit: Int) -> [RefusedRequest] {
        ring.withLock { ring in
            var found: [RefusedRequest] = []
            var place = ring.next
            for _ in 0..<min(ring.count, Self.searchLimit) where found.count < limit {
                place = (place + ring.decisions.count - 1) % ring.decisions.count
                guard let decision = ring.decisions[place], case .refused(let cause, _, _, _) = decision.verdict else {
                    continue
                }
                found.append(
                    RefusedRequest(
                        id: decision.id, time: decision.time, method: decision.evidence.method,
                        path: decision.evidence.path, cause: cause,
                        status: decision.evidence.loginStart?.status ?? Int(cause.status)))
            }
            return found
        }
    }

    private static func place(of id: RequestID, in ring: borrowing Ring) -> Int? {
        guard let place = ring.places[id.words.0], let decision = ring.decisions[place],
            decision.id.words == id.words
        else { return nil }
        return place
    }
}

extension RequestID {
    /// 32 hexadecimal digits.
    var text: String {
        var digits = [UInt8](repeating: 0, count: 32)
        digits.withUnsafeMutableBufferPointer { digits in
            if let start = digits.baseAddress { write(into: start) }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The id that 32 hexadecimal digits spell, as answers and logs show it; nil for anything else.
    init?(hexadecimal text: Substring) {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, digit) in digits.enumerated() {
            let value: UInt64
            switch digit {
            case 0x30...0x39: value = UInt64(digit - 0x30)
            case 0x61...0x66: value = UInt64(digit - 0x57)
            case 0x41...0x46: value = UInt64(digit - 0x37)
            default: return nil
            }
            words[index / 16] = words[index / 16] << 4 | value
        }
        self.words = (words[0], words[1])
    }
}

extension WorkerRef {
    /// Keeps what the stages have found of the head in `pointee.scratch.head`.
    func keepDecision(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ judgement: Judgement) {
        guard let decisions = pointee.journal.decisions else { return }
        let verdict: Verdict
        switch judgement {
        case .forward: verdict = .forwarded(injected: injectedFields(exchange))
        case .answerOptions, .answerPreflight, .answerRoute, .redirectToHTTPS, .publish, .login: verdict = .answered
        case .refuse(let refused): verdict = self.verdict(refused)
        case .wait(.keys), .wait(.metadata): verdict = .undecided(.keys, reason: "the request still waits for them")
        case .wait(.introspection): verdict = .undecided(.introspection, reason: "the request still waits for it")
        case .wait(.session): verdict = .undecided(.sessionTokens, reason: "the request still waits for them")
        case .wait(.proof): verdict = .undecided(.proof, reason: "the request still waits for the store")
        case .wait: verdict = .undecided(.exchange, reason: "the request still waits for it")
        }
        var evidence = evidence(exchange, bytes, judgement)
        describeOwnAnswer(judgement, in: &evidence)
        decisions.keep(
            DecisionBuffer.Decision(
                id: exchange.pointee.id, time: clock.wallSeconds(), evidence: evidence, verdict: verdict,
                generation: exchange.pointee.generation, proxyID: proxyIDText(exchange),
                traceID: traceIDText(exchange)))
    }

    /// Keeps that a request was refused, at whatever place that was.
    func keepRefusal(_ exchange: ExchangeRef, _ refused: Refused) {
        pointee.journal.decisions?.change(
            exchange.pointee.id, at: clock.wallSeconds(), to: verdict(refused), generation: exchange.pointee.generation,
            proxyID: proxyIDText(exchange), traceID: traceIDText(exchange)
        ) {
            var evidence = RequestEvidence()
            evidence.listener = Int(exchange.pointee.client.pointee.listener)
            evidence.peer = exchange.pointee.client.pointee.peer.text
            evidence.isHTTP2 = exchange.pointee.client.pointee.part.isStream
            return evidence
        }
    }

    /// A refusal with the words that it came with.
    func verdict(_ refused: Refused) -> Verdict {
        let detail = refused.detail
        return .refused(
            refused.cause, expected: detail.expected, found: detail.found,
            row: detail.check.isEmpty ? "\(refused.cause.check)" : detail.check)
    }
}
