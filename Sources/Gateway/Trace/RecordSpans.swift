import Access
import Bytes
import HTTPMessage
import Telemetry

/// The spans of an exchange that ends, by the stable conventions of OpenTelemetry for HTTP (ECO-52).
///
/// What they have is what the access line has: the path without its query, the verified issuer and client, and no token,
/// cookie or subject, not even as a digest.
extension WorkerRef {
    /// Writes the spans of an exchange that is sampled, or that went wrong where such are wanted.
    func recordSpans(_ exchange: ExchangeRef, at now: UInt64) {
        guard let spans = pointee.journal.spans, let tracing = pointee.policy.tracing else { return }
        if !isSampled(exchange, exchange.pointee.findings.route) {
            guard isError(exchange), tracing.pointee.takesError(&pointee.journal.told.errors, at: now) else { return }
        }
        let request = exchange.pointee.id
        let wall = clock.wallMicroseconds()
        // The wall clock is looked at once: durations are the monotonic clock's, whatever happens to the other one.
        func time(_ moment: UInt64) -> UInt64 { (wall &- (now &- moment)) &* 1000 }
        func place(_ number: UInt64, parent: UInt64, _ start: UInt64, _ end: UInt64) -> SpanPlace {
            SpanPlace(
                trace: exchange.pointee.trace.id(request), span: ExchangeTrace.span(number, of: request),
                parent: parent, start: time(start), end: time(end))
        }
        let own = ExchangeTrace.span(ExchangeTrace.serverSpan, of: request)
        let (started, forwarded) = (exchange.pointee.startedAt, exchange.pointee.forwardedAt)
        let parent = exchange.pointee.trace.isContinued ? exchange.pointee.trace.remoteSpan : 0
        putServerSpan(exchange, place(ExchangeTrace.serverSpan, parent: parent, started, now), into: spans)
        if forwarded > 0, let route = exchange.pointee.findings.route {
            putClientSpan(exchange, route, place(ExchangeTrace.clientSpan, parent: own, forwarded, now), into: spans)
        }
        if let waits = exchange.pointee.trace.waits {
            waits.pointee.end(at: now)
            for (number, wait) in waits.pointee.all.enumerated() {
                let number = ExchangeTrace.firstWait + UInt64(number)
                spans.pointee.text.begin(place(number, parent: own, wait.start, wait.end), .within, name: wait.name)
                spans.pointee.text.end(isError: false)
            }
        }
        pointee.journal.metrics.noteExemplar(
            of: exchange.pointee.trace.id(request), route: metricsSlot(of: exchange), status: exchange.pointee.status,
            microseconds: now &- started)
        spans.pointee.handOver(at: Int64(now / 1000))
    }

    private func isError(_ exchange: ExchangeRef) -> Bool {
        exchange.pointee.refusal != nil || exchange.pointee.status >= 500
    }

    private func putServerSpan(
        _ exchange: ExchangeRef, _ place: SpanPlace, into spans: UnsafeMutablePointer<SpanWriter>
    ) {
        let route = exchange.pointee.findings.route
        let method = MethodText(exchange)
        let name = route?.pointee.name.buffer ?? UnsafeBufferPointer(start: nil, count: 0)
        spans.pointee.text.begin(place, .server, method: method.known.span, route: name.span)
        putMethod(method, into: spans)
        let listener = pointee.listening.listeners + Int(exchange.pointee.client.pointee.listener)
        let isSecure = self.isSecure(exchange.pointee.client, route)
        spans.pointee.text.attribute("url.scheme", isSecure ? "https" : "http")
        if let path = loggedPath(exchange) { spans.pointee.text.attribute("url.path", path.span, limit: 1024) }
        putServer(listener.pointee.ownAuthority.buffer, isSecure: isSecure, into: spans)
        if route != nil { spans.pointee.text.attribute("http.route", name.span, limit: 128) }
        putStatus(exchange.pointee.status, into: spans)
        spans.pointee.text.attribute("network.protocol.version", exchange.protocolVersion)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 48) { text in
            guard let start = text.baseAddress else { return }
            let count = exchange.pointee.address.write(into: start)
            let address = UnsafeBufferPointer(start: start, count: count)
            spans.pointee.text.attribute("client.address", address.span, limit: 48)
        }
        let isError = exchange.pointee.status >= 500 || isCutOff(exchange)
        if isError { putError(exchange, into: spans) }
        putDecision(exchange, into: spans)
        spans.pointee.text.end(isError: isError, link: exchange.pointee.trace.link)
    }

    private func putDecision(_ exchange: ExchangeRef, into spans: UnsafeMutablePointer<SpanWriter>) {
        spans.pointee.text.attribute("portcullis.decision", exchange.pointee.refusal == nil ? "allow" : "deny")
        if let refusal = exchange.pointee.refusal { spans.pointee.text.attribute("portcullis.cause", refusal.word) }
        if let token = exchange.pointee.findings.token {
            spans.pointee.text.attribute(
                "portcullis.issuer", issuerIdentifier(exchange, token.issuer).utf8.span, limit: 256)
            if !token.clientID.isEmpty {
                spans.pointee.text.attribute("portcullis.client_id", token.clientID, limit: 128)
            }
        }
        let (high, low) = exchange.pointee.id.words
        spans.pointee.text.attribute("portcullis.request_id", id: UInt128(high) << 64 | UInt128(low))
    }

    private func putClientSpan(
        _ exchange: ExchangeRef, _ route: FixedValue<Route>, _ place: SpanPlace,
        into spans: UnsafeMutablePointer<SpanWriter>
    ) {
        let method = MethodText(exchange)
        let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        spans.pointee.text.begin(place, .client, method: method.known.span, route: nothing.span)
        putMethod(method, into: spans)
        let upstream = route.pointee.settings.upstream
        spans.pointee.text.attribute("url.scheme", upstream.tls ? "https" : "http")
        if case .address(let host, let port)? = upstream.servers.first, upstream.servers.count == 1 {
            spans.pointee.text.attribute("server.address", host.utf8.span, limit: 256)
            spans.pointee.text.attribute("server.port", Int64(port))
        } else {
            spans.pointee.text.attribute("server.address", upstream.name.utf8.span, limit: 256)
        }
        // Where the answer is ours, what the upstream said, if anything, is not the status of it.
        let answered =
            exchange.pointee.respondedAt > 0 && exchange.pointee.refusal == nil
            && exchange.pointee.replacedBy == nil
        if answered {
            putStatus(exchange.pointee.status, into: spans)
            spans.pointee.text.attribute("network.protocol.version", "1.1")
        }
        let isError = answered ? exchange.pointee.status >= 400 || isCutOff(exchange) : true
        if isError { putError(exchange, into: spans) }
        spans.pointee.text.end(isError: isError)
    }

    /// Whether somebody ended it before it was whole.
    private func isCutOff(_ exchange: ExchangeRef) -> Bool { exchange.pointee.truncation != .none }

    /// What went wrong: our word for it, or the status where it is the upstream's answer.
    private func putError(_ exchange: ExchangeRef, into spans: UnsafeMutablePointer<SpanWriter>) {
        if let refusal = exchange.pointee.refusal { return spans.pointee.text.attribute("error.type", refusal.word) }
        switch exchange.pointee.truncation {
        case .upstreamClosed: spans.pointee.text.attribute("error.type", "upstream_closed")
        case .upstreamTimedOut: spans.pointee.text.attribute("error.type", "upstream_timed_out")
        case .clientLeft: spans.pointee.text.attribute("error.type", "client_left")
        case .shutDown: spans.pointee.text.attribute("error.type", "shutdown")
        case .none: spans.pointee.text.attribute("error.type", digits: exchange.pointee.status)
        }
    }

    private func putStatus(_ status: UInt16, into spans: UnsafeMutablePointer<SpanWriter>) {
        // A client that left before it was answered has none.
        if status > 0 { spans.pointee.text.attribute("http.response.status_code", Int64(status)) }
    }

    /// The method, and what was sent in its place where we do not know it.
    private func putMethod(_ method: MethodText, into spans: UnsafeMutablePointer<SpanWriter>) {
        guard method.isOther else {
            return spans.pointee.text.attribute("http.request.method", method.known.span, limit: 32)
        }
        spans.pointee.text.attribute("http.request.method", "_OTHER")
        if let original = method.original {
            spans.pointee.text.attribute("http.request.method_original", original.span, limit: 32)
        }
    }

    /// A listener's own name, never one that a client wrote.
    private func putServer(
        _ authority: UnsafeBufferPointer<UInt8>, isSecure: Bool, into spans: UnsafeMutablePointer<SpanWriter>
    ) {
        var (end, port) = (authority.count, 0)
        var digits = 1
        while end > 0, ASCII.isDigit(authority[end - 1]) {
            end -= 1
            port += Int(authority[end] - UInt8(ascii: "0")) * digits
            digits *= 10
        }
        let hasPort = end > 0 && end < authority.count && authority[end - 1] == UInt8(ascii: ":")
        let host = UnsafeBufferPointer(rebasing: authority[..<(hasPort ? end - 1 : authority.count)])
        spans.pointee.text.attribute("server.address", host.span, limit: 256)
        spans.pointee.text.attribute("server.port", Int64(hasPort ? port : isSecure ? 443 : 80))
    }
}

/// The method of an exchange as spans name it.
private struct MethodText {
    let isOther: Bool
    /// In the span's name: `HTTP` for one that we do not know.
    let known: UnsafeBufferPointer<UInt8>
    /// As it was sent, where it is kept.
    let original: UnsafeBufferPointer<UInt8>?

    init(_ exchange: ExchangeRef) {
        isOther = exchange.pointee.method == .other
        let count = Int(exchange.pointee.loggedMethod)
        let sent: UnsafeBufferPointer<UInt8>? =
            count > 0 ? UnsafeBufferPointer(start: exchange.pointee.logged.bytes, count: count) : nil
        original = sent
        let word: StaticString = "HTTP"
        let unknown = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        known = isOther ? unknown : sent ?? unknown
    }
}
