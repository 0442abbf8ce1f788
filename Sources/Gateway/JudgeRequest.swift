import Access
import Crypto
import HTTPMessage
import Rates
import Telemetry
import Transport

extension WorkerRef {
    /// The judgement of the request whose head is in `pointee.scratch.head`, and what it does to the exchange.
    ///
    /// `bytes` is the head, and what came behind it: `count` in all. The order of the stages is `AccessPolicy.judge`'s;
    /// here it is handed what a worker has.
    func judge(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Judgement {
        let heads = UnsafeBufferPointer(start: UnsafePointer(pointee.scratch.head), count: 1)
        let message = UnsafeBufferPointer(start: UnsafePointer(bytes), count: count)
        let client = exchange.pointee.client
        let arrival = Arrival(
            listener: Int(client.pointee.listener), now: clock.wallSeconds(), clearText: client.pointee.clearText,
            connection: ClientArrival(client: client, worker: self, exchange: exchange))
        let judgement = pointee.policy.access.pointee.judge(
            HeadView(heads.span, message.span), arrival, &pointee.identities, &exchange.pointee.findings
        ) { findings, identities throws(Refused) in
            try planRequest(exchange, bytes, count, &findings, &identities)
        }
        if exchange.pointee.findings.hasFailedVerification { countVerification(exchange) }
        if !pointee.identities.leases.questions.isEmpty { askForLeases() }
        if exchange.pointee.findings.sessionCookie != .none { changeSessionCookie(exchange) }
        if exchange.pointee.findings.isWebSocketOffPath { sayPlain(exchange) }
        return judgement
    }

    /// Counts a verification against the client whose token or proof was not good (ECO-81).
    private func countVerification(_ exchange: ExchangeRef) {
        exchange.pointee.findings.hasFailedVerification = false
        // It took long, and many more may follow in this turn.
        sendRequests()
        guard let network = countedNetwork(exchange) else { return }
        _ = pointee.connections.networks.take(
            network, .failedVerifications, at: clock.microseconds(), pointee.policy.shares.failedVerificationRate)
    }

    /// The head in `pointee.scratch.head`, whose bytes these are, for whoever looks at it apart from its judgement.
    @_lifetime(immortal)
    func headView(_ bytes: UnsafeMutablePointer<UInt8>) -> HeadView {
        let heads = UnsafeBufferPointer(start: UnsafePointer(pointee.scratch.head), count: 1)
        let message = UnsafeBufferPointer(start: UnsafePointer(bytes), count: pointee.scratch.head.pointee.length)
        return _overrideLifetime(HeadView(heads.span, message.span), copying: ())
    }

    /// Has the answer say what the judgement found to be done with the session's cookie.
    private func changeSessionCookie(_ exchange: ExchangeRef) {
        switch exchange.pointee.findings.sessionCookie {
        case .none: break
        case .set(let login, let value): setSessionCookie(exchange, login, value)
        case .cleared(let login): clearRepeatedCookies(exchange, login)
        }
        exchange.pointee.findings.sessionCookie = .none
    }

    /// Tells the operator that a handshake goes on as the plain GET that it also is: its client sees a strange answer, and
    /// nothing else would say why.
    private func sayPlain(_ exchange: ExchangeRef) {
        guard let route = exchange.pointee.findings.route, pointee.journal.operatorLog.writes(.warning),
            pointee.policy.webSocketNotices[route.pointee.index].takesTurn(at: clock.microseconds())
        else { return }
        pointee.journal.operatorLog.write(
            .warning, .webSocketNotEnabled, LogField(.route, route.pointee.settings.name),
            LogField(.setting, "routes[\(route.pointee.index)].websocket"))
    }
}

/// What a client's connection says of it, for the judgement.
struct ClientArrival: ArrivalConnection {
    let client: ClientRef
    let worker: WorkerRef
    let exchange: ExchangeRef

    func serverNameAgrees(with host: Span<UInt8>) -> Bool {
        let stream = client.carrier.pointee.stream
        if stream.tls == nil || stream.serverNameAgrees(with: host) { return true }
        // By HTTP/2 a client asks one connection for all names of its certificate (RFC 9113 §9.1.1). Whoever is asked
        // for a certificate is asked at each name of a listener.
        return client.pointee.part.isStream && stream.ownCertificateNames(host)
    }

    var isFromTerminator: Bool {
        worker.pointee.listening.listeners[Int(client.pointee.listener)].terminators.contains(client.pointee.peer)
    }

    var network: (UInt64, UInt64)? { worker.countedNetwork(exchange) }

    var address: UInt128? {
        worker.isCounted(exchange) ? exchange.pointee.address.bits : nil
    }

    var mayVerify: Bool {
        guard let network else { return true }
        let rate = worker.pointee.policy.shares.failedVerificationRate
        let now = worker.clock.microseconds()
        return worker.pointee.connections.networks.wait(network, .failedVerifications, at: now, rate) == 0
    }

    var nanoseconds: UInt64 { worker.clock.microseconds() &* 1000 }

    /// Digested once; whoever has none is asked again, which costs little and lets nobody in.
    var certificateDigest: SHA256Digest? {
        let carrier = client.carrier
        if let known = carrier.pointee.certificate { return known.pointee }
        let digest = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { memory -> SHA256Digest? in
            guard let start = memory.baseAddress, carrier.pointee.stream.writePeerCertificateDigest(into: start) else {
                return nil
            }
            return SHA256Digest(UnsafeBufferPointer(memory).span)
        }
        if let digest { carrier.pointee.keepCertificate(digest) }
        return digest
    }
}
