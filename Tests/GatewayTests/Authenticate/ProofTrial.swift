import Explain
import Access
import Crypto
import HTTP1
import Issuers
import OAuth
import TestSupport
import Transport

@testable import Gateway

/// A request with a good proof that is refused for one cause, and a witness: another request with the same key and `jti`.
///
/// One worker judges all of them by the production stages. The witness goes to a route of its own that asks for nothing
/// but the proof, so that what is wrong with the first request is not wrong with it.
struct ProofTrial: Sendable {
    let cause: Refusal
    let name: String
    /// Makes the mistake.
    var make: @Sendable (inout ExplainRig) -> Void = { _ in }
    /// Changes the bytes of the message.
    var edit: @Sendable (String) -> String = { $0 }
    /// Makes the mistake in what the worker or the exchange knows.
    var prepare: @Sendable (WorkerRef, ExchangeRef) -> Void = { _, _ in }
    /// Takes that back, for the witness.
    var restore: @Sendable (WorkerRef) -> Void = { _ in }

    /// What became of the three requests.
    struct Outcome {
        var refused: Refused?
        var isWitnessForwarded = false
        var afterwards: Refusal?
    }

    /// Judges the request, then the witness, then the witness again.
    func outcome() throws -> Outcome {
        var rig = ExplainRig()
        rig.proveByDPoP()
        var second = rig.settings.routes[0]
        second.name = "witness"
        second.path = "/witness/"
        second.upstream = UpstreamSettings(host: "127.0.0.1", port: 3002)
        second.identity = []
        rig.settings.routes.append(second)
        var witness = rig
        witness.url = "https://shop.example.com/witness/1"
        make(&rig)
        let dryRun = try DryRun(rig.settings, now: ExplainRig.now)
        if let keys = rig.keys {
            for issuer in rig.settings.issuers.indices {
                guard cause != .issuerKeysUnavailable || issuer == 0 else { continue }
                dryRun.take(
                    try ReadKeys.given(Array(keys.utf8), for: rig.settings.issuers[issuer]), issuer: issuer)
            }
        }
        // What the worker counts in is the dry run's.
        defer { withExtendedLifetime(dryRun) {} }
        let worker = dryRun.worker
        var outcome = Outcome()
        let text = edit(String(decoding: try rig.bytes(), as: UTF8.self))
        if case .refuse(let refused) = judgement(of: text, by: worker, rig, prepare) { outcome.refused = refused }
        restore(worker)
        let other = String(decoding: try witness.bytes(), as: UTF8.self)
        if case .forward = judgement(of: other, by: worker, witness, { _, _ in }) { outcome.isWitnessForwarded = true }
        if case .refuse(let refused) = judgement(of: other, by: worker, witness, { _, _ in }) {
            outcome.afterwards = refused.cause
        }
        return outcome
    }

    private func judgement(
        of text: String, by worker: WorkerRef, _ rig: ExplainRig, _ prepare: (WorkerRef, ExchangeRef) -> Void
    ) -> Judgement? {
        var bytes = Array(text.utf8)
        return bytes.withUnsafeMutableBufferPointer { buffer -> Judgement? in
            guard let start = buffer.baseAddress else { return nil }
            let client = worker.takeClient()
            defer {
                client.pointee.forgetCertificate()
                worker.pointee.connections.clients.giveBack(client)
            }
            if let certificate = rig.certificate { client.pointee.keepCertificate(certificate) }
            if let address = SocketAddress(literal: rig.peer, port: 0) { client.pointee.peer = PeerAddress(address) }
            var parser = RequestHeadParser()
            let parsed = parser.parse(
                UnsafeBufferPointer(buffer).span, limits: worker.pointee.policy.httpLimits,
                into: &worker.pointee.scratch.head.pointee)
            switch parsed {
            case .incomplete: return nil
            case .refused(let cause): return .refuse(worker.refusal(of: cause))
            case .complete: break
            }
            let exchange = worker.beginExchange(client, start, isParsed: true)
            defer { worker.endExchange(exchange) }
            exchange.pointee.findings.hasWaited = true
            prepare(worker, exchange)
            let judgement = worker.judge(exchange, start, buffer.count)
            guard case .wait(let wait) = judgement, let refused = worker.judgeWaiting(exchange, wait) else {
                return judgement
            }
            return .refuse(refused)
        }
    }
}
