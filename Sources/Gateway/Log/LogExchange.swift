import Access
import HTTPMessage
import Pages
import Telemetry

/// One access line per request, one operator line per refusal, and the numbers.
extension WorkerRef {
    /// Keeps the method and the target for the line that is written at the end, when the head is long gone.
    func keepForLog(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) {
        guard pointee.journal.log != nil || traces else { return keepProxyID(exchange, bytes) }
        let head = pointee.scratch.head
        let method = min(Int(head.pointee.method.count), 32)
        let path = min(Int(head.pointee.path.count), 1024)
        let query = head.pointee.hasQuery ? min(Int(head.pointee.query.count), 1024) : 0
        guard exchange.pointee.logged.reserve(method + path + query, from: &pointee.connections.buffers) else { return }
        _ = exchange.pointee.logged.append(
            bytes + Int(head.pointee.method.start), method, from: &pointee.connections.buffers)
        _ = exchange.pointee.logged.append(
            bytes + Int(head.pointee.path.start), path, from: &pointee.connections.buffers)
        _ = exchange.pointee.logged.append(
            bytes + Int(head.pointee.query.start), query, from: &pointee.connections.buffers)
        exchange.pointee.loggedMethod = UInt16(method)
        exchange.pointee.loggedPath = UInt16(path)
        keepProxyID(exchange, bytes)
    }

    /// Keeps the id that a trusted proxy gave the request, for the lines about it.
    private func keepProxyID(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) {
        guard let id = proxyRequestID(exchange.pointee.client, bytes), let start = id.baseAddress,
            exchange.pointee.logged.append(start, id.count, from: &pointee.connections.buffers)
        else { return }
        exchange.pointee.loggedProxyID = UInt8(id.count)
    }

    /// The id that a trusted proxy gave the request; empty where none did.
    private func keptProxyID(_ exchange: ExchangeRef) -> UnsafeBufferPointer<UInt8> {
        let count = Int(exchange.pointee.loggedProxyID)
        guard count > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(
            start: exchange.pointee.logged.bytes + exchange.pointee.logged.count - count, count: count)
    }

    /// The same as a text, for cold lines; nil where none did.
    func proxyIDText(_ exchange: ExchangeRef) -> String? {
        exchange.pointee.loggedProxyID > 0 ? String(decoding: keptProxyID(exchange), as: UTF8.self) : nil
    }

    /// The trace that a request belongs to, for cold lines; nil where none was begun.
    func traceIDText(_ exchange: ExchangeRef) -> String? {
        exchange.pointee.trace.isBegun ? exchange.pointee.trace.words(exchange.pointee.id).text : nil
    }

    /// Counts an exchange that ends, and writes its line.
    func logExchange(_ exchange: ExchangeRef) {
        let now = clock.microseconds()
        let duration = now &- exchange.pointee.startedAt
        pointee.journal.metrics.countRequest(
            route: metricsSlot(of: exchange), status: exchange.pointee.status, microseconds: duration)
        if exchange.pointee.forwardedAt > 0 {
            pointee.journal.metrics.observe(
                .auth, microseconds: exchange.pointee.forwardedAt &- exchange.pointee.startedAt)
        }
        if let log = pointee.journal.log { writeLine(exchange, log, duration) }
        if exchange.pointee.trace.isBegun { recordSpans(exchange, at: now) }
    }

    /// Where an exchange is counted: by its route, or by why it has none.
    func metricsSlot(of exchange: ExchangeRef) -> Int {
        if let route = exchange.pointee.findings.route { return route.pointee.metricsSlot }
        if exchange.pointee.loginInFlight != nil { return UnroutedRequests.logins.slot }
        if exchange.pointee.isPublished { return UnroutedRequests.published.slot }
        return exchange.pointee.refusal == .routeUnknown
            ? UnroutedRequests.unknownPath.slot : UnroutedRequests.none.slot
    }

    private func writeLine(_ exchange: ExchangeRef, _ log: UnsafeMutablePointer<LogWriter>, _ duration: UInt64) {
        log.pointee.line.begin(at: clock.timestamp())
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 48) { text in
            guard let start = text.baseAddress else { return }
            exchange.pointee.id.write(into: start)
            log.pointee.line.member("request_id", UnsafeBufferPointer(start: start, count: 32).span, limit: 32)
            let decision = exchange.decisionID.write(into: start)
            log.pointee.line.member(
                "decision_id", UnsafeBufferPointer(start: start, count: decision).span, limit: DecisionID.longest)
            if exchange.pointee.loggedProxyID > 0 {
                log.pointee.line.member("proxy_request_id", keptProxyID(exchange).span, limit: 128)
            }
            if exchange.pointee.trace.isBegun {
                exchange.pointee.trace.words(exchange.pointee.id).write(into: start)
                log.pointee.line.member("trace_id", UnsafeBufferPointer(start: start, count: 32).span, limit: 32)
            }
            let length = exchange.pointee.address.write(into: start)
            log.pointee.line.member("client", UnsafeBufferPointer(start: start, count: length).span, limit: 48)
        }
        putRequest(exchange, log)
        putStream(exchange, log)
        log.pointee.line.member("status", Int64(exchange.pointee.status))
        log.pointee.line.member("decision", exchange.pointee.refusal == nil ? "allow" : "deny")
        if let refusal = exchange.pointee.refusal { log.pointee.line.member("cause", refusal.word) }
        if exchange.pointee.findings.isLetInByNetwork { log.pointee.line.member("without_login", "network") }
        if let page = exchange.pointee.replacedBy {
            log.pointee.line.member("replaced_by", text: page.rawValue, limit: 32)
        }
        switch exchange.pointee.truncation {
        case .none: break
        case .upstreamClosed: log.pointee.line.member("ended", "upstream_closed")
        case .upstreamTimedOut: log.pointee.line.member("ended", "upstream_timed_out")
        case .clientLeft: log.pointee.line.member("ended", "client_left")
        case .shutDown: log.pointee.line.member("ended", "shutdown")
        }
        log.pointee.line.member("request_bytes", exchange.pointee.requestBytes)
        log.pointee.line.member("response_bytes", exchange.pointee.responseBytes)
        log.pointee.line.member("duration_ms", milliseconds: Int64(clamping: duration))
        if exchange.pointee.forwardedAt > 0 {
            log.pointee.line.member(
                "auth_ms", milliseconds: Int64(clamping: exchange.pointee.forwardedAt &- exchange.pointee.startedAt))
            if exchange.pointee.respondedAt >= exchange.pointee.forwardedAt {
                log.pointee.line.member(
                    "upstream_ms",
                    milliseconds: Int64(clamping: exchange.pointee.respondedAt &- exchange.pointee.forwardedAt))
            }
        }
        if exchange.pointee.storeMicroseconds > 0 {
            log.pointee.line.member("store_us", Int64(exchange.pointee.storeMicroseconds))
        }
        if let token = exchange.pointee.findings.token { putToken(exchange, token, log) }
        log.pointee.finishLine()
    }

    /// The path that was asked for, without its query; nil where none is kept.
    func loggedPath(_ exchange: ExchangeRef) -> UnsafeBufferPointer<UInt8>? {
        let (method, path) = (Int(exchange.pointee.loggedMethod), Int(exchange.pointee.loggedPath))
        guard path > 0 else { return nil }
        return UnsafeBufferPointer(start: exchange.pointee.logged.bytes + method, count: path)
    }

    private func putRequest(_ exchange: ExchangeRef, _ log: UnsafeMutablePointer<LogWriter>) {
        if let route = exchange.pointee.findings.route {
            log.pointee.line.member("route", route.pointee.name.buffer.span, limit: 128)
        }
        guard !exchange.pointee.logged.isEmpty else { return }
        let bytes = exchange.pointee.logged.bytes
        let method = Int(exchange.pointee.loggedMethod)
        let path = Int(exchange.pointee.loggedPath)
        let query = exchange.pointee.logged.count - method - path - Int(exchange.pointee.loggedProxyID)
        guard method > 0 else { return }
        log.pointee.line.member("method", UnsafeBufferPointer(start: bytes, count: method).span, limit: 32)
        log.pointee.line.member(
            "path", path: UnsafeBufferPointer(start: bytes + method, count: path).span,
            query: UnsafeBufferPointer(start: bytes + method + path, count: query).span, limit: 1024)
    }

    /// Who it was, as far as a log may know: verified, and the subject only as a digest (OPS-03, JOSE-33).
    private func putToken(
        _ exchange: ExchangeRef, _ token: TokenRecord, _ log: UnsafeMutablePointer<LogWriter>
    ) {
        log.pointee.line.member(
            "issuer", text: issuerIdentifier(exchange, token.issuer), limit: 256)
        log.pointee.line.member("client_id", token.clientID, limit: 128)
        log.pointee.line.member("sub_digest", hexadecimal: token.subjectDigest, digits: 8)
        log.pointee.line.member("token", hexadecimal: token.digest.leadingBits, digits: 8)
        if let session = token.session {
            log.pointee.line.member("session", hexadecimal: session.reference, digits: 8)
        }
    }

    /// The operator's line: which check, what it expected and what it found; none of this reaches the client.
    func logRefusal(_ exchange: ExchangeRef, _ refused: Refused) {
        let refusal = refused.cause
        let route = exchange.pointee.findings.route
        if let audit = pointee.journal.audit { auditRefusal(exchange, refused, audit) }
        pointee.journal.metrics.countRefusal(route: metricsSlot(of: exchange), cause: Int(refusal.rawValue))
        // A person on the way to sign in is no refusal that anybody looks for; the access log has the 303.
        let isSentToLogin = isSentToLogin(exchange, refused)
        let level: LogLevel =
            refusal.blame != .client ? .warning : isSentToLogin && refusal == .loginRequired ? .debug : .info
        guard pointee.journal.operatorLog.writes(level), let suppressed = admitLine(of: refusal) else { return }
        // Words are made for a line that is written, and for no other one.
        let detail = refused.detail
        let check = detail.check.isEmpty ? "\(refusal.check)" : detail.check
        var fields =
            names(of: exchange) + [
                LogField(.cause, "\(refusal.word)"), LogField(.check, check),
                LogField(.blame, refusal.blame.rawValue),
                LogField(.status, isSentToLogin ? 303 : Int(refusal.status)),
            ]
        if let route { fields.append(LogField(.route, route.pointee.settings.name)) }
        if let loginInFlight = exchange.pointee.loginInFlight, let key = LoginKey.key(behind: refusal, check) {
            fields.append(LogField(.setting, "clients.\(loginInFlight.pointee.clientName).\(key)"))
        }
        if !detail.expected.isEmpty { fields.append(LogField(.expected, detail.expected)) }
        if !detail.found.isEmpty { fields.append(LogField(.found, detail.found)) }
        pointee.journal.operatorLog.write(level, .refused, fields.with(suppressed: suppressed))
    }

    /// An upstream set a cookie that only we set (HTTP-49): which, for whoever mends the upstream; never its value.
    func logDroppedCookie(_ exchange: ExchangeRef, _ line: UnsafeBufferPointer<UInt8>) {
        guard pointee.journal.operatorLog.writes(.warning),
            let suppressed = admitLine(of: LineRateLimits.Event.upstreamCookieDropped)
        else { return }
        let name = line.drop { $0 == 0x20 || $0 == 0x09 }.prefix(64)
            .prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        var fields = names(of: exchange) + [LogField(.found, String(decoding: name, as: UTF8.self))]
        if let route = exchange.pointee.findings.route { fields.append(LogField(.route, route.pointee.settings.name)) }
        pointee.journal.operatorLog.write(.warning, .upstreamCookieDropped, fields.with(suppressed: suppressed))
    }

    /// What a line says of which request and which decision it is about: what each of the logs has, and pages show.
    func names(of exchange: ExchangeRef) -> [LogField] {
        var names = [
            LogField(.requestID, exchange.pointee.id.text), LogField(.decisionID, exchange.decisionID.text),
        ]
        if let id = proxyIDText(exchange) { names.append(LogField(.proxyRequestID, id)) }
        if let id = traceIDText(exchange) { names.append(LogField(.traceID, id)) }
        return names
    }
}
