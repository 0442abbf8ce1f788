import Access
import Bytes
package import Crypto
import EventLoop
import HTTP1
import HTTPMessage
package import Issuers
import JSON
import Login
import OAuth
import Sessions
import SharedState
import Telemetry
import Transport

/// The production stages on one request at a time, without a socket, a thread or an upstream.
///
/// How `portcullis explain` stays honest: this is a `Worker` as those that serve, made from the same settings, and the
/// verdict on a request is whatever its `judge` says. Only the narration is made elsewhere, from `RequestEvidence`; it
/// cannot change a verdict, and `CheckTests` hold the two together.
///
///     head ──RequestHeadParser──▶ exchange ─judge─▶ forward, with the fields that an upstream would get
///                                               ├── wait ──▶ the caller fetches what it waits for, and asks again
///                                               └── refuse
///
/// A worker's memory is never given back, here as in the gateway: one of these for each process, or for each test.
package final class DryRun {
    /// Where a request comes in, and how.
    package struct Arrival: Sendable, Equatable {
        /// The listener's place in the settings.
        package var listener = 0
        /// It comes as plain HTTP; what the listener makes of that is its own to say.
        package var isPlainHTTP = false

        package init(listener: Int = 0, isPlainHTTP: Bool = false) {
            self.listener = listener
            self.isPlainHTTP = isPlainHTTP
        }
    }

    /// What the stages came to.
    package enum Outcome {
        case judged(RequestEvidence, Verdict)
        /// Needs these keys first; `take` them, if there are any, and ask again with `hasWaited`.
        case needsKeys(issuer: Int)
        /// Needs this issuer's word on the token; ask again with `answer`.
        case needsAnswer(issuer: Int, token: [UInt8], digest: SHA256Digest)
        /// Not the whole head of a request.
        case incomplete
    }

    /// Everything about a request that its bytes do not say.
    package struct Circumstances {
        /// Where it comes in.
        package var arrival = Arrival()
        /// The client's IP address.
        package var peer = "127.0.0.1"
        /// SHA-256 of the certificate that the client presented, in DER.
        package var certificate: SHA256Digest?
        /// Whether keys were asked for before: a key that is not there is then refused, not waited for.
        package var hasWaited = false
        /// What the issuer said of the token when it was asked (RFC 7662).
        package var answer: IntrospectionAnswer?
        /// Whether it comes by HTTP/2: the head is then put in frames, as a client would, and taken out of them.
        package var isHTTP2 = false

        package init() {}
    }

    private let settings: GatewaySettings
    let worker: WorkerRef
    private let registry: MetricsRegistry

    /// Prepares a worker that judges as of `now`, unix seconds, or as time goes by; no socket is opened.
    package init(_ settings: GatewaySettings, now: Int64?) throws(GatewayFailure) {
        var settings = settings
        // One token and one proof are remembered at most, and those here alone.
        settings.tokenCache.entries = 1
        settings.proofs.replayBytes = 1 << 20
        settings.explainBuffer = 0
        // Whoever only asks is counted nowhere.
        settings.limits.requests = RequestRateSettings()
        for index in settings.routes.indices { settings.routes[index].limits.requests = nil }
        self.settings = settings
        registry = MetricsRegistry(workers: 1, labels: MetricsLabels(settings), version: "")
        let loop: EventLoop
        do throws(EventLoopFailure) {
            loop = try EventLoop()
        } catch {
            throw GatewayFailure("a loop could not be made", "\(error)")
        }
        let resources = try SharedResources(settings, operatorLog: .off, readsTLS: false)
        // No name is ever looked up.
        resources.resolver.stop()
        worker = .allocate(capacity: 1)
        let sockets = UnsafeMutablePointer<ListenerSocket>.allocate(capacity: max(1, settings.listeners.count))
        for (index, listener) in settings.listeners.enumerated() {
            (sockets + index).initialize(
                to: try ListenerSocket(listener, index, socket: .none, worker: worker, tls: nil))
        }
        let context = WorkerContext(
            metrics: registry.workers[0], log: nil, requestKeys: { _, _, _ in }, ask: { _, _, _, _, _ in },
            onDrained: {})
        worker.initialize(
            to: Worker(
                index: 0, loop: loop, listeners: sockets, settings: settings, resources: resources,
                context: context))
        worker.pointee.loop.clockStandsAt = now ?? 0
        do throws(CryptoRefusal) {
            for (login, clientID) in zip(
                settings.logins, settings.logins.map { settings.clients[$0.client].credentials.clientID })
            {
                worker.pointee.identities.stores.append(
                    try SessionStores.make(
                        login.session, for: SharedSessionClient(name: login.name, identifier: clientID),
                        in: resources.store.map { SharedSessions($0.store, executor: loop) }))
            }
        } catch {
            throw GatewayFailure("sessions could not be read", "a key is not 32 bytes")
        }
        // Keys of its own where none are configured: what they sign is shown to nobody.
        worker.pointee.identities.assertionKeys = try AssertionKeyRotation(settings, loop: loop, operatorLog: .off)?
            .keys
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
        let client = worker.pointee.connections.clients.take(ClientConnection(worker))
        defer {
            client.pointee.forgetCertificate()
            worker.pointee.connections.clients.giveBack(client)
        }
        client.pointee.listener = UInt16(clamping: circumstances.arrival.listener)
        client.pointee.clearText = clearText(circumstances.arrival)
        if let certificate = circumstances.certificate { client.pointee.keepCertificate(certificate) }
        if let address = SocketAddress(literal: circumstances.peer, port: 0) {
            client.pointee.peer = PeerAddress(address)
        }
        guard circumstances.isHTTP2 else { return judge(bytes, count, of: client, circumstances) }
        return judgeStream(Array(UnsafeBufferPointer(start: bytes, count: count)), of: client, circumstances)
    }

    /// Judges the request of a connection, or of a stream, whose head these bytes begin with.
    func judge(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, of client: ClientRef, _ circumstances: Circumstances
    ) -> Outcome {
        var parser = RequestHeadParser()
        let span = UnsafeBufferPointer(start: bytes, count: count).span
        switch parser.parse(span, limits: worker.pointee.policy.httpLimits, into: &worker.pointee.scratch.head.pointee)
        {
        case .incomplete: return .incomplete
        case .refused(let cause): return .judged(unreadable(count, circumstances), refused(cause))
        case .complete: worker.adoptFraming(client)
        }
        let exchange = worker.beginExchange(client, bytes, isParsed: true)
        defer { worker.endExchange(exchange) }
        exchange.pointee.findings.hasWaited = circumstances.hasWaited
        if let answer = circumstances.answer { exchange.pointee.findings.lookup = lookup(answer) }
        var judgement = worker.judge(exchange, bytes, count)
        if case .wait(.session) = judgement {
            // A refresh would be a real one, and the browser would never learn of the new token: what the session is
            // without it is judged.
            exchange.pointee.findings.hasWaited = true
            judgement = worker.judge(exchange, bytes, count)
        }
        if case .wait(.exchange) = judgement {
            // A token for the upstream would be a real one, and nobody would use it.
            exchange.pointee.findings.upstreamToken = AttachedBlock(rule: 0, [UInt8(ascii: "-")], usableUntil: 0)
            judgement = worker.judge(exchange, bytes, count)
        }
        if case .wait(.proof) = judgement {
            // The store would remember the proof, and the client's own request would be a replay.
            exchange.pointee.findings.spending = .first
            judgement = worker.judge(exchange, bytes, count)
        }
        if case .wait(let wait) = judgement, let need = need(wait, bytes) { return need }
        let verdict = verdict(judgement, exchange)
        var evidence = worker.evidence(exchange, bytes, judgement)
        evidence.isDryRun = true
        worker.describeOwnAnswer(judgement, in: &evidence)
        evidence.certificateThumbprint = circumstances.certificate?.base64URL
        return .judged(evidence, verdict)
    }

    /// What the caller can fetch for a request that waits; nil for what is not asked for by anybody who only asks.
    private func need(_ wait: Wait, _ bytes: UnsafeMutablePointer<UInt8>) -> Outcome? {
        switch wait {
        case .keys(let issuer): .needsKeys(issuer: issuer)
        case .introspection(let issuer, let digest):
            .needsAnswer(issuer: issuer, token: Array(worker.accessToken(bytes)), digest: digest)
        case .nothing, .metadata, .exchange, .session, .proof, .loginPlace, .login: nil
        }
    }

    /// What production has such a connection do.
    private func clearText(_ arrival: Arrival) -> ClearText {
        guard arrival.isPlainHTTP, settings.listeners.indices.contains(arrival.listener) else { return .served }
        let listener = settings.listeners[arrival.listener]
        return listener.redirectsToHTTPS ? .redirected : listener.tls == nil ? .served : .atTLS
    }

    /// What production would have made of an answer that came while the request waited for it.
    private func lookup(_ answer: IntrospectionAnswer) -> Lookup {
        guard case .active(let token, let until) = answer.result else { return .refused(worker.refusal(in: answer)) }
        return .active(
            worker.pointee.policy.access.pointee.remember(
                introspected: token, answer.digest, issuer: answer.issuer, until: until, &worker.pointee.identities,
                now: now))
    }

    private func verdict(_ judgement: Judgement, _ exchange: ExchangeRef) -> Verdict {
        switch judgement {
        case .refuse(let refused): return worker.verdict(refused)
        case .answerOptions, .answerPreflight, .answerRoute, .redirectToHTTPS, .publish, .login: return .answered
        case .wait(.session):
            return .undecided(
                .session, reason: "the sessions of this client are in the running gateway: ask it with --request-id")
        case .wait: return .undecided(.exchange, reason: "the authorization server was not asked")
        case .forward: return .forwarded(injected: worker.injectedFields(exchange))
        }
    }

    private func refused(_ cause: HTTP1Refusal) -> Verdict {
        worker.verdict(worker.refusal(of: cause))
    }

    /// The little that may be said of a message that has no head.
    func unreadable(_ count: Int, _ circumstances: Circumstances) -> RequestEvidence {
        var evidence = RequestEvidence()
        evidence.isHTTP2 = circumstances.isHTTP2
        evidence.listener = circumstances.arrival.listener
        evidence.peer = circumstances.peer
        evidence.headBytes = count
        return evidence
    }
}

extension WorkerRef {
    /// Notes what the gateway answers with itself after this step.
    func describeOwnAnswer(_ judgement: Judgement, in evidence: inout RequestEvidence) {
        (evidence.ownAnswer, evidence.ownAnswerWords) =
            switch judgement {
            case .answerOptions: (.options, "204")
            case .answerPreflight: (.preflight, "204  to a browser's preflight")
            case .redirectToHTTPS: (.redirect, "308  to the same address over https")
            case .answerRoute(let route): (.route, route.pointee.answerWords)
            case .publish: (.document, "200  a document of the gateway's")
            case .login(let endpoint): (.login, endpoint.words(pointee.policy.logins))
            case .forward, .wait, .refuse: (.none, "")
            }
    }

    /// The fields of the upstream's head that say who calls, as they would travel.
    func injectedFields(_ exchange: ExchangeRef) -> [InjectedField] {
        sessionTokenFields(exchange) + identityFields(exchange)
    }

    /// A session's access token on its way to the upstream, by its field alone.
    private func sessionTokenFields(_ exchange: ExchangeRef) -> [InjectedField] {
        guard let route = exchange.pointee.findings.route, let state = exchange.pointee.findings.token?.session else {
            return []
        }
        if case .passIDToken = route.pointee.credential, state.session.idToken != nil {
            return [InjectedField(name: "Authorization", value: "Bearer (the session's ID token)")]
        }
        guard case .pass = route.pointee.credential, state.session.accessToken != nil else { return [] }
        guard state.proofs != nil else {
            return [InjectedField(name: "Authorization", value: "Bearer (the session's access token)")]
        }
        return [
            InjectedField(name: "Authorization", value: "DPoP (the session's access token)"),
            InjectedField(name: "DPoP", value: "(a proof made for this request alone)"),
        ]
    }

    private func identityFields(_ exchange: ExchangeRef) -> [InjectedField] {
        guard let token = exchange.pointee.findings.token, let route = exchange.pointee.findings.route,
            route.pointee.identity >= 0,
            route.pointee.identity < pointee.policy.tables.identityMappings.count
        else { return [] }
        // Made anew of what may be shown: the lines that travel may have the access token in them.
        let lines = identityLines(
            token, mapping: route.pointee.identity, accessToken: Array("(the access token)".utf8))
        let text = String(decoding: lines, as: UTF8.self)
        return text.split(separator: "\r\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = parts.first else { return nil }
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return InjectedField(name: String(name), value: String(value))
        }
    }
}
