// SPDX-License-Identifier: Apache-2.0
package import Crypto
import EventLoop
import HTTP1
import HTTPMessage
package import Issuers
import JSON
import Telemetry
import Transport

/// The production stages on one request at a time, without a socket, a thread or an upstream.
///
/// How `portcullis explain` stays honest: this is a `Worker` as those that serve, made from the same settings, and the
/// verdict on a request is whatever its `run` says. Only the narration is made elsewhere, from `RequestEvidence`; it
/// cannot change a verdict, and `ExplainedCheckTests` holds the two together.
///
///     head ──RequestHeadParser──▶ exchange ──run──▶ forward ──writeUpstreamHead──▶ the fields an upstream would get
///                                               ├── wait ──▶ the caller fetches keys, gives them, and asks again
///                                               └── refuse
///
/// A worker's memory is never given back, here as in the gateway: one of these for each process, or for each test.
package final class DryRun {
    /// What the stages came to.
    package enum Outcome {
        case judged(RequestEvidence, Verdict)
        /// Needs these keys first; `take` them, or say with `keysAreMissing` that there are none, and ask again.
        case needsKeys(issuer: Int)
        /// Not the whole head of a request.
        case incomplete
    }

    /// Everything about a request that its bytes do not say.
    package struct Circumstances {
        /// The listener's place in the settings.
        package var listener = 0
        /// The client's IP address.
        package var peer = "127.0.0.1"
        /// SHA-256 of the certificate that the client presented, in DER.
        package var certificate: SHA256Digest?
        /// Whether keys were asked for before: a key that is not there is then refused, not waited for.
        package var hasWaited = false

        package init() {}
    }

    private let settings: GatewaySettings
    private let worker: WorkerRef
    private let registry: MetricsRegistry

    /// Prepares a worker that judges as of `now`, unix seconds, or as time goes by; no socket is opened.
    package init(_ settings: GatewaySettings, now: Int64?) throws(GatewayFailure) {
        var settings = settings
        // One token is remembered at most.
        settings.tokenCache.entries = 1
        self.settings = settings
        registry = MetricsRegistry(workers: 1, labels: MetricsLabels(settings), version: "")
        let loop: EventLoop
        do throws(EventLoopFailure) {
            loop = try EventLoop()
        } catch {
            throw GatewayFailure("a loop could not be made", "\(error)")
        }
        let parts = try SharedParts(settings, operatorLog: .off, readsTLS: false)
        worker = .allocate(capacity: 1)
        let sockets = UnsafeMutablePointer<ListenerSocket>.allocate(capacity: max(1, settings.listeners.count))
        for (index, listener) in settings.listeners.enumerated() {
            (sockets + index).initialize(
                to: ListenerSocket(listener, index, descriptor: -1, worker: worker, tls: nil))
        }
        let surroundings = WorkerSurroundings(
            metrics: registry.workers[0], log: nil, requestKeys: { _ in }, onDrained: {})
        worker.initialize(
            to: Worker(
                index: 0, loop: loop, listeners: sockets, settings: settings, parts: parts,
                surroundings: surroundings))
        worker.prepareSlabs()
        worker.pointee.clockStandsAt = now ?? 0
    }

    /// The time that tokens are judged by, in unix seconds.
    package var now: Int64 { worker.clock.wallSeconds() }

    /// Uses these keys of an issuer from now on.
    package func take(_ keys: IssuerKeys, issuer: Int) { worker.keysArrived(keys, issuer: issuer) }

    /// Judges the request whose head `request` begins with.
    package func judge(_ request: [UInt8], _ circumstances: Circumstances) -> Outcome {
        var request = request
        return request.withUnsafeMutableBufferPointer { buffer in
            guard let bytes = buffer.baseAddress else { return .incomplete }
            return judge(bytes, buffer.count, circumstances)
        }
    }

    private func judge(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ circumstances: Circumstances
    ) -> Outcome {
        worker.pointee.refusalDetail = RefusalDetail()
        let client = worker.pointee.clients.take()
        defer { worker.pointee.clients.giveBack(client) }
        client.pointee = ClientConnection(worker)
        client.pointee.listener = UInt16(clamping: circumstances.listener)
        if let address = SocketAddress(literal: circumstances.peer, port: 0) {
            client.pointee.peer = PeerAddress(address)
        }
        var parser = RequestHeadParser()
        let span = UnsafeBufferPointer(start: bytes, count: count).span
        switch parser.parse(span, limits: worker.pointee.httpLimits, into: &worker.pointee.head.pointee) {
        case .incomplete: return .incomplete
        case .refused(let cause): return .judged(unreadable(bytes, count, circumstances), refused(cause))
        case .complete: break
        }
        let exchange = worker.beginExchange(client, bytes, isParsed: true)
        defer { end(exchange) }
        exchange.pointee.hasWaited = circumstances.hasWaited
        let step = worker.run(exchange, bytes)
        if case .wait(let issuer) = step { return .needsKeys(issuer: issuer) }
        let verdict = verdict(step, exchange, bytes)
        return .judged(worker.evidence(exchange, bytes), verdict)
    }

    private func verdict(_ step: Step, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> Verdict {
        switch step {
        case .refuse(let refusal): return refused(refusal)
        case .answerOptions: return .answered
        case .wait: return .undecided(.keys, reason: "keys were waited for")
        case .forward: break
        }
        var writer = HeadWriter(worker.pointee.writeScratch, capacity: Worker.writeCapacity)
        do throws(Refusal) {
            if let refusal = worker.refusalOfBody() { throw refusal }
            try worker.writeUpstreamHead(exchange, bytes, into: &writer)
        } catch {
            return refused(error)
        }
        return .forwarded(injected: worker.injectedFields(exchange))
    }

    private func refused(_ refusal: Refusal) -> Verdict {
        let detail = worker.pointee.refusalDetail
        return .refused(
            refusal, expected: detail.expected, found: detail.found,
            row: detail.check.isEmpty ? "\(refusal.check)" : detail.check)
    }

    private func refused(_ cause: HTTP1Refusal) -> Verdict {
        refused(worker.refusal(of: cause))
    }

    /// The little that may be said of a message that has no head.
    private func unreadable(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ circumstances: Circumstances
    ) -> RequestEvidence {
        var evidence = RequestEvidence()
        evidence.listener = circumstances.listener
        evidence.peer = circumstances.peer
        evidence.headBytes = count
        return evidence
    }

    private func end(_ exchange: ExchangeRef) {
        if let token = exchange.pointee.token { TokenRecord.release(token) }
        exchange.pointee.token = nil
        exchange.pointee.client?.pointee.exchange = nil
        exchange.pointee.client = nil
        worker.pointee.exchanges.giveBack(exchange)
    }
}

extension WorkerRef {
    /// The fields of the upstream's head that say who calls, as they would travel.
    func injectedFields(_ exchange: ExchangeRef) -> [InjectedField] {
        guard let token = exchange.pointee.token, let route = exchange.pointee.route, route.pointee.identity >= 0,
            let block = TokenRecord.identity(of: token, mapping: route.pointee.identity)
        else { return [] }
        let text = String(
            decoding: UnsafeBufferPointer(start: block.pointee.lines, count: block.pointee.count), as: UTF8.self)
        return text.split(separator: "\r\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = parts.first else { return nil }
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return InjectedField(name: String(name), value: String(value))
        }
    }
}
