import Access
import HTTPMessage
import Login
import Telemetry

/// The trace of a request, from its head on, and what the upstream is told of it (W3C Trace Context).
extension WorkerRef {
    /// Whether spans are made at all; what comes behind it costs nobody anything who has no collector.
    var traces: Bool { pointee.policy.tracing != nil }

    /// Finds out which trace the request belongs to; `bytes` are those of its head, nil where that is none.
    ///
    /// The field is believed of trusted peers alone. Of anybody else its ids are kept as a link: a client that says
    /// `sampled` in each of its requests would otherwise decide how many spans are exported (ECO-50).
    func beginTrace(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>?) {
        guard let tracing = pointee.policy.tracing else { return }
        let head = pointee.scratch.head
        guard let bytes, head.pointee.fields.count(of: .traceparent) == 1 else {
            return exchange.pointee.trace.begin(nil, isTrusted: false)
        }
        let value = head.pointee.fields[head.pointee.fields.firstIndex(of: .traceparent)].value
        let text = UnsafeBufferPointer(start: bytes + Int(value.start), count: Int(value.count))
        exchange.pointee.trace.begin(
            TraceParent(text.span),
            isTrusted: tracing.pointee.trustedPeers.contains(exchange.pointee.client.pointee.peer))
    }

    /// Tells the upstream its trace, with our span of its part as the parent (ECO-51).
    ///
    /// The client's own fields were left out before: an upstream that gets two begins a new trace.
    func putTraceContext(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ route: FixedValue<Route>?,
        into writer: inout HeadWriter
    ) {
        // The request came before a reload that brought traces.
        if !exchange.pointee.trace.isBegun { beginTrace(exchange, bytes) }
        let id = exchange.pointee.id
        let span = ExchangeTrace.span(ExchangeTrace.clientSpan, of: id)
        let parent = TraceParent(
            traceID: exchange.pointee.trace.id(id), spanID: span, isSampled: isSampled(exchange, route))
        let text = parent.text
        writer.put("traceparent: ")
        writer.put(text.span)
        writer.put("\r\n")
        if exchange.pointee.trace.isContinued, pointee.scratch.head.pointee.fields.count(of: .tracestate) > 0 {
            putTraceState(bytes, span: text.span.extracting(36..<52), into: &writer)
        }
    }

    /// Whether the exchange is sampled, by the route where that is known and has a ratio of its own.
    func isSampled(_ exchange: ExchangeRef, _ route: FixedValue<Route>?) -> Bool {
        guard let tracing = pointee.policy.tracing else { return false }
        let id = exchange.pointee.trace.id(exchange.pointee.id)
        return exchange.pointee.trace.isSampled { tracing.pointee.samples(id, route?.pointee.settings.traceRatio) }
    }

    /// What systems before us wrote, behind our own member; nothing where it is no list.
    private func putTraceState(
        _ bytes: UnsafeMutablePointer<UInt8>, span: Span<UInt8>, into writer: inout HeadWriter
    ) {
        let head = pointee.scratch.head
        let all = UnsafeBufferPointer(start: bytes, count: head.pointee.length)
        var state = TraceState()
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .tracestate {
            guard state.read(head.pointee.fields[index].value, of: all.span) else { return }
        }
        let key: StaticString = "portcullis"
        let name = UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        state.fit(behind: name.count + 1 + span.count, ofKey: name.span, in: all.span)
        writer.put("tracestate: ")
        writer.put(key)
        writer.put("=")
        writer.put(span)
        for index in 0..<state.count {
            let member = state[index]
            writer.put(",")
            writer.put(bytes + Int(member.start), Int(member.count))
        }
        writer.put("\r\n")
    }

    /// Notes that the request waits for a network from now on.
    func beginTraceWait(_ exchange: ExchangeRef, _ wait: Wait) {
        guard exchange.pointee.trace.isBegun, let name = traceName(of: wait, exchange) else { return }
        if exchange.pointee.trace.waits == nil {
            let waits = UnsafeMutablePointer<TraceWaits>.allocate(capacity: 1)
            waits.initialize(to: TraceWaits())
            exchange.pointee.trace.waits = waits
        }
        exchange.pointee.trace.waits?.pointee.begin(name, at: clock.microseconds())
    }

    /// What an authorization server is told of the wait that it is asked in; nil unless the operator wants that (ECO-51).
    ///
    /// Of a wait that is no span of its own the request's span is the parent.
    func outboundParent(_ exchange: ExchangeRef) -> TraceParent? {
        guard let tracing = pointee.policy.tracing, tracing.pointee.tracesOutbound, exchange.pointee.trace.isBegun
        else { return nil }
        let id = exchange.pointee.id
        let open = exchange.pointee.trace.waits?.pointee.open
        let span = open.map { ExchangeTrace.firstWait + UInt64($0) } ?? ExchangeTrace.serverSpan
        return TraceParent(
            traceID: exchange.pointee.trace.id(id), spanID: ExchangeTrace.span(span, of: id),
            isSampled: isSampled(exchange, exchange.pointee.findings.route))
    }

    /// What a wait for a network is called; nil for one that is for a place here.
    private func traceName(of wait: Wait, _ exchange: ExchangeRef) -> StaticString? {
        switch wait {
        case .nothing, .loginPlace: nil
        case .keys, .metadata: "authenticate"
        case .introspection: "introspect"
        case .exchange: "exchange"
        case .session: "refresh"
        case .proof: "proof"
        case .login: exchange.pointee.loginInFlight.flatMap { traceName(of: $0.pointee.request.endpoint) }
        }
    }

    private func traceName(of endpoint: LoginRequest.Endpoint) -> StaticString? {
        switch endpoint {
        case .start: "login.start"
        case .callback: "login.callback"
        case .logout: "login.logout"
        case .backchannelLogout: "login.backchannel_logout"
        // What these answer is at hand.
        case .loggedOut, .session, .frontchannelLogout, .requestObject: nil
        }
    }

    /// Forgets what the exchange has waited for.
    func dropTraceWaits(_ exchange: ExchangeRef) {
        guard let waits = exchange.pointee.trace.waits else { return }
        exchange.pointee.trace.waits = nil
        waits.deinitialize(count: 1)
        waits.deallocate()
    }
}
