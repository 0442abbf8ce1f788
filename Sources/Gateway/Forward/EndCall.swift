import Access
import Bytes
import HTTP2
import HTTPMessage
import Telemetry

/// Calls of gRPC on routes that say `grpc`: how long they may last, and how the gateway ends one whose answer has begun.
extension WorkerRef {
    /// Whether this is such a call; a call that says nothing for a while is none that failed.
    func isCall(_ exchange: ExchangeRef) -> Bool {
        exchange.pointee.reader.call == .native && exchange.pointee.client.pointee.part.isStream
            && exchange.pointee.findings.route?.pointee.isGRPC == true
    }

    /// Refuses a call whose `grpc-timeout` is none; how many milliseconds one may last, -1 where it does not say (H2-88).
    func callTime(_ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) -> Int {
        let head = pointee.scratch.head
        let name: StaticString = "grpc-timeout"
        let span = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).span
        var found: Int?
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .other {
            let slot = head.pointee.fields[index]
            let field = UnsafeBufferPointer(start: bytes + Int(slot.name.start), count: Int(slot.name.count))
            guard field.count == span.count, ASCII.equalsIgnoringCase(field.span, span) else { continue }
            let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            guard found == nil, let time = GRPCTimeout.microseconds(value.span) else {
                throw Refused(
                    .callTimeoutMalformed, expected: "one grpc-timeout of at most 8 digits and H, M, S, m, u or n",
                    found: found == nil ? "another value" : "more than one")
            }
            found = Int(clamping: (time + 999) / 1000)
        }
        return found ?? -1
    }

    /// Sets the clock of a call that is put aside, with its head at `bytes`: it has no more time for that it waits (H2-88).
    ///
    /// What is no time is refused when the call is looked at again: whoever has no credentials is told nothing before.
    func timeWaitingCall(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) {
        guard isCall(exchange) else { return }
        exchange.pointee.callTime = (try? callTime(bytes)) ?? -1
        timeCall(exchange)
    }

    /// Sets the clock of a call: until its deadline and a moment for the upstream's own answer, and until its token ends.
    ///
    /// What it has waited for an authorization server or the store is part of its time.
    func timeCall(_ exchange: ExchangeRef) {
        guard let stream = exchange.pointee.client.pointee.part.stream else { return }
        var left = callTimeLeft(exchange).map { max(0, $0) }
        if let token = exchange.pointee.findings.token, exchange.pointee.findings.route?.pointee.endsCalls == true {
            let life = WorkerRef.patience(
                silence: WorkerRef.longestCall, until: token.expiresAt, now: clock.wallSeconds())
            left = min(left ?? life, life)
        }
        guard let left else { return }
        stream.pointee.callTime.place = UnsafeMutableRawPointer(stream)
        setTimeout(stream.callTime, left)
    }

    /// How many milliseconds a call has until its end by `grpc-timeout`; nil where that is not said.
    private func callTimeLeft(_ exchange: ExchangeRef) -> Int? {
        guard exchange.pointee.callTime >= 0 else { return nil }
        let passed = Int(clamping: (clock.microseconds() &- exchange.pointee.startedAt) / 1000)
        // Of one that no upstream has been sent there is no answer to wait for.
        let grace = exchange.pointee.phase == .parked ? 0 : WorkerRef.callGrace
        return min(exchange.pointee.callTime, WorkerRef.longestCall) - passed + grace
    }

    /// Longer ones are none: a day, after which its token is looked at again.
    private static var longestCall: Int { 86_400_000 }
    /// Milliseconds beyond a deadline in which the upstream may say itself that it is over (H2-88).
    private static var callGrace: Int { 100 }

    /// The time of a call is over: its token's, or its deadline.
    func callTimedOut(_ stream: StreamRef) {
        guard stream.pointee.client != nil else { return tunnelEndTimedOut(stream) }
        guard let exchange = stream.pointee.client?.pointee.exchange, isCall(exchange) else { return }
        if let token = exchange.pointee.findings.token, exchange.pointee.findings.route?.pointee.endsCalls == true,
            token.expiresAt <= clock.wallSeconds()
        {
            return endCall(exchange, Refused(.tokenExpired, expected: "a token that lives", found: "its end"))
        }
        guard let left = callTimeLeft(exchange), left <= 0 else { return timeCall(exchange) }
        let isParked = exchange.pointee.phase == .parked
        endCall(
            exchange,
            Refused(
                isParked ? .callTimedOut : .upstreamTimedOut, expected: "an answer before grpc-timeout",
                found: isParked ? exchange.pointee.wait.words : "none"))
    }

    /// Ends a call: with a refusal before its answer, else with the status behind what was sent of it.
    func endCall(_ exchange: ExchangeRef, _ refused: Refused) {
        switch exchange.pointee.phase {
        // It is refused already, and hears of it in a moment.
        case .held: return
        case .parked: endWait(exchange, refused)
        case .awaitingResponse: answer(exchange, refused: refused)
        case .responding: if !endsAsCall(exchange, refused) { abortClient(exchange.pointee.client) }
        }
    }

    /// Puts the status behind what was sent of a call's answer; false where this is no such call.
    func endsAsCall(_ exchange: ExchangeRef, _ refused: Refused) -> Bool {
        let client = exchange.pointee.client
        guard client.pointee.state == .exchanging, exchange.pointee.phase == .responding,
            exchange.pointee.reader.call == .native, let stream = client.pointee.part.stream,
            let status = refused.cause.callStatus
        else { return false }
        guard putStatus(status, refused.cause.callMessage, behind: stream) else { return false }
        exchange.pointee.refusal = refused.cause
        logRefusal(exchange, refused)
        if let upstream = exchange.pointee.upstream {
            exchange.pointee.upstream = nil
            closeUpstream(upstream)
        }
        exchange.pointee.response.end()
        exchange.pointee.keepsAlive = false
        finishExchange(exchange)
        return true
    }
}

extension WorkerRef {
    /// Has the status of a call follow what is sent of its answer; false where the stream is over.
    func putStatus(_ status: GRPCStatus, _ text: String, behind stream: StreamRef) -> Bool {
        var message: [UInt8] = []
        PercentEncoding.append(text.utf8Span.span, to: &message)
        let lines = Array("grpc-status: \(status.rawValue)\r\ngrpc-message: ".utf8) + message + [0x0D, 0x0A]
        let isKept = lines.withUnsafeBufferPointer {
            stream.pointee.session.pointee.core.submitTrailers(stream.pointee.number, $0)
        }
        if isKept { stream.pointee.hasTrailers = true }
        return isKept
    }
}

extension StreamRef {
    var callTime: UnsafeMutablePointer<Timeout> { withUnsafeMutablePointer(to: &pointee.callTime) { $0 } }
}
