import Access
import HTTP2
import HTTPMessage
import Login
import Telemetry

/// Answers that the gateway gives itself: refusals, and OPTIONS for the server. Not on the hot path.
extension WorkerRef {
    /// Answers an exchange with a refusal, as its template says (rows E of Requirements.md).
    func answer(_ exchange: ExchangeRef, refused: Refused) {
        let refusal = refused.cause
        let client = exchange.pointee.client
        if let upstream = exchange.pointee.upstream {
            exchange.pointee.upstream = nil
            // Part of a body must not be taken for the whole (HTTP-31).
            if !exchange.pointee.request.isComplete { upstream.resetOnClose() }
            closeUpstream(upstream)
        }
        guard exchange.pointee.phase != .responding, client.pointee.state == .exchanging else {
            return abortClient(client)
        }
        exchange.pointee.refusal = refusal
        if pointee.journal.decisions != nil { keepRefusal(exchange, refused) }
        logRefusal(exchange, refused)
        if refusal.closesConnection { exchange.pointee.keepsAlive = false }
        if holdsBack(exchange, refusal) { return holdBack(exchange) }
        answerRefusal(exchange, refusal, login: refused.login)
    }

    /// Gives the answer of a refusal that was told to the operator; `login` is where the login begins that its client lacks.
    func answerRefusal(_ exchange: ExchangeRef, _ refusal: Refusal, login: LoginPointer? = nil) {
        var fields = challengeFields(exchange, refusal)
        if refusal == .methodNotAllowed || refusal == .connectRefused {
            fields.append(("Allow", exchange.pointee.findings.route?.pointee.allow ?? MethodSet(nil).allow))
        }
        if refusal == .webSocketVersionUnknown {
            // RFC 6455 §4.2.2, RFC 9110 §15.5.22: which it would be, and that it is an upgrade.
            fields += [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
        }
        let retry = exchange.pointee.findings.retryAfterSeconds
        if let seconds = retry > 0 ? Int(retry) : refusal.retryAfterSeconds {
            fields.append(("Retry-After", "\(seconds)"))
        }
        // A client of gRPC is sent nowhere: it could not follow.
        if exchange.pointee.reader.call == nil, isAnsweredByLogin(exchange, refusal) {
            return answerLoginRequired(exchange, login ?? LoginPointer(), challenges: fields)
        }
        if let loginInFlight = exchange.pointee.loginInFlight {
            return answerRefusedLogin(exchange, loginInFlight, refusal, fields: fields, retry: nil)
        }
        answerRefusal(exchange, refusal, fields: fields)
    }

    /// `OPTIONS *`, or an OPTIONS whose last hop is this one.
    func answerOptions(_ exchange: ExchangeRef) {
        let allow = exchange.pointee.findings.route?.pointee.allow ?? MethodSet(nil).allow
        answer(exchange, status: 204, fields: [("Allow", allow)])
    }

    /// Sends an answer, without content unless some is given, and decides whether the connection goes on (HTTP-35,
    /// RFC 9112 §9.3); logs and metrics have another status where one is given.
    func answer(
        _ exchange: ExchangeRef, status: UInt16, fields: [(String, String)], content: AnswerContent? = nil,
        loggedAs loggedStatus: UInt16? = nil
    ) {
        beginAnswer(exchange, status: loggedStatus ?? status)
        let keepsAlive = exchange.pointee.keepsAlive
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        writer.put(text: "HTTP/1.1 \(status) \(Status.reason(status))\r\n")
        writer.put(pointee.loop.date)
        for (name, value) in fields { writer.put(text: "\(name): \(value)\r\n") }
        if exchange.pointee.findings.givesNonce { putNonce(into: &writer) }
        putCookies(exchange, into: &writer)
        putCORS(exchange, into: &writer)
        if status != 204 { writer.put(text: "Content-Length: \(content?.bytes.count ?? 0)\r\n") }
        if content == nil { writer.put("Cache-Control: no-store\r\n") }
        writer.put("X-Content-Type-Options: nosniff\r\nX-Request-Id: ")
        writer.put(exchange.pointee.id)
        writer.put(text: keepsAlive ? "\r\n\r\n" : "\r\nConnection: close\r\n\r\n")
        if let content, content.isSent {
            content.bytes.withUnsafeBufferPointer { writer.put($0) }
            exchange.pointee.responseBytes = Int64(content.bytes.count)
        }
        finishAnswer(exchange, writer)
    }

    /// Notes the status of an answer of ours, and whether its connection goes on.
    func beginAnswer(_ exchange: ExchangeRef, status: UInt16) {
        exchange.pointee.status = status
        exchange.pointee.respondedAt = clock.microseconds()
        let discardsBody = canDiscard(exchange)
        if !discardsBody || exchange.pointee.client.pointee.closesAfterOutput || pointee.listening.isDraining {
            exchange.pointee.keepsAlive = false
        }
    }

    /// Sends the answer that was written, and goes on or not as its head says.
    func finishAnswer(_ exchange: ExchangeRef, _ writer: HeadWriter) {
        let client = exchange.pointee.client
        let keepsAlive = exchange.pointee.keepsAlive
        // Part of an answer would make the next one on this connection, another user's behind a proxy, the rest of it.
        guard !writer.isFull else { return abortClient(client) }
        let body = exchange.pointee.request
        let closesForFraming = exchange.pointee.refusal?.closesConnection ?? false
        exchange.pointee.request = BodyCounter()
        endExchange(exchange)
        client.pointee.lingers = !body.isComplete || closesForFraming || !client.pointee.input.isEmpty
        client.pointee.lingered = 0
        sendToClient(client, writer.base, writer.count)
        guard client.pointee.state != .closed else { return }
        guard keepsAlive else { return closeAfterOutput(client) }
        if body.isComplete { return beginNext(client) }
        beginDiscarding(client, body)
        setTimeout(client.timeout, pointee.policy.timeouts.requestBody)
        discardInput(client)
    }

    /// Whether the rest of the request can be read away so that the connection may go on.
    private func canDiscard(_ exchange: ExchangeRef) -> Bool {
        guard !exchange.pointee.request.isComplete else { return true }
        // A client that waits for 100 may or may not send its body now: nobody could tell which.
        guard !exchange.pointee.expectsContinue else { return false }
        return exchange.pointee.request.kind == .chunked || exchange.pointee.request.remaining <= 64 << 10
    }
}
