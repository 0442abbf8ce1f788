import Access
import Bytes
import HTTP2
import HTTPMessage
import OAuth
import Telemetry

/// The head an upstream gets: the client's lines without credentials, hop-by-hop and reserved fields, then ours.
///
/// The order is the defence (HTTP-43): what the client's Connection names is removed first, reserved names are stripped,
/// and only then identity is injected, so that nothing a client sends can remove or double it.
extension WorkerRef {
    /// Writes the head; throws `identityTooLarge` when identity and fields together do not fit.
    func writeUpstreamHead(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ findings: inout Findings,
        _ identities: inout Identities, into writer: inout HeadWriter
    ) throws(Refused) {
        let head = pointee.scratch.head
        let client = exchange.pointee.client
        writer.put(bytes + Int(head.pointee.method.start), Int(head.pointee.method.count))
        writer.put(" ")
        putTarget(bytes, findings.route, into: &writer)
        writer.put(" HTTP/1.1\r\nHost: ")
        writer.put(authority(client, bytes))
        writer.put("\r\n")
        try putClientFields(exchange, bytes, findings.route, isPreflight: findings.isPreflight, into: &writer)
        putVia(client, into: &writer)
        putForwardedFields(exchange, client, findings.route, bytes, into: &writer)
        if let rewrite = findings.route?.pointee.rewrite { writer.put(rewrite.pointee.prefixLine.buffer) }
        if let changes = findings.route?.pointee.fields { writer.put(changes.pointee.requestLines.buffer) }
        if traces { putTraceContext(exchange, bytes, findings.route, into: &writer) }
        if let route = findings.route, !findings.isPreflight {
            if route.pointee.sendsClientCert { try putClientCertificate(client, bytes, into: &writer) }
            if let token = findings.token { try putIdentity(of: token, route, bytes, &identities, into: &writer) }
            try putCredential(bytes, route, &findings, &identities, into: &writer)
        }
        putFraming(exchange, findings.route, into: &writer)
        writer.put("\r\n")
        guard !writer.isFull else {
            throw Refused(.identityTooLarge, expected: "a head within limits", found: "a larger one")
        }
    }

    /// The authority that was checked against the listener's; its own when an HTTP/1.0 client sent none.
    func authority(_ client: ClientRef, _ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let authority = pointee.scratch.head.pointee.authority
        guard authority.isEmpty else {
            return UnsafeBufferPointer(start: bytes + Int(authority.start), count: Int(authority.count))
        }
        return pointee.listening.listeners[Int(client.pointee.listener)].ownAuthority.buffer
    }

    private func putTarget(
        _ bytes: UnsafeMutablePointer<UInt8>, _ route: FixedValue<Route>?, into writer: inout HeadWriter
    ) {
        let head = pointee.scratch.head
        if let rewrite = route?.pointee.rewrite {
            putRewrittenPath(bytes, rewrite, into: &writer)
        } else if head.pointee.path.isEmpty {
            writer.put("/")
        } else {
            writer.put(bytes + Int(head.pointee.path.start), Int(head.pointee.path.count))
        }
        if head.pointee.hasQuery {
            writer.put("?")
            writer.put(bytes + Int(head.pointee.query.start), Int(head.pointee.query.count))
        }
    }

    /// Copies the lines that may pass, neighbours in one piece.
    private func putClientFields(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ route: FixedValue<Route>?, isPreflight: Bool,
        into writer: inout HeadWriter
    ) throws(Refused) {
        let head = pointee.scratch.head
        let changes = route?.pointee.fields
        let rules = isPreflight ? pointee.policy.preflightRules : pointee.policy.requestRules
        let keepsWebSocket = exchange.pointee.offersWebSocket
        var run = FieldRun()
        var stripped = 0
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            var passes = !rules.contains(slot.id)
            if passes, let changes { passes = !changes.pointee.dropsRequestField(slotName(slot, bytes).span) }
            if passes, slot.id == .other || head.pointee.connectionNamesFields || slot.id == .maxForwards {
                passes = try otherFieldPasses(slot, bytes, &stripped)
            }
            if slot.id == .cookie, passes {
                let line = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
                if mayHoldOurs(line) {
                    // The lines before it first: their order is the client's (HTTP-48).
                    run.flush(bytes, into: &writer)
                    putForeignCookies(line, into: &writer)
                    passes = false
                }
            }
            if slot.id.rawValue >= FieldID.secWebSocketKey.rawValue,
                slot.id.rawValue <= FieldID.secWebSocketAccept.rawValue, !keepsWebSocket
            {
                passes = false
            }
            if passes { run.take(slot, bytes, into: &writer) }
        }
        run.flush(bytes, into: &writer)
        if stripped > 0 { pointee.journal.metrics.count(.strippedFields, by: stripped) }
        if exchange.pointee.method == .options, let hops = headView(bytes).maximumForwards, hops > 0 {
            writer.put("Max-Forwards: ")
            writer.putDecimal(UInt64(hops - 1))
            writer.put("\r\n")
        }
    }

    /// A field without an ID of its own, or one that Connection may have named.
    private func otherFieldPasses(
        _ slot: FieldSlot, _ bytes: UnsafeMutablePointer<UInt8>, _ stripped: inout Int
    ) throws(Refused) -> Bool {
        let name = UnsafeBufferPointer(start: bytes + Int(slot.name.start), count: Int(slot.name.count))
        if slot.id == .maxForwards, pointee.scratch.head.pointee.methodID == .options { return false }
        if pointee.policy.routes.reservedNames.pointee.contains(name.span) {
            stripped += 1
            return false
        }
        let head = pointee.scratch.head
        guard head.pointee.connectionNamesFields else { return true }
        let all = UnsafeBufferPointer(start: bytes, count: head.pointee.length)
        return !head.pointee.connectionNames.contains(name.span, in: all.span)
    }

    private func putFraming(_ exchange: ExchangeRef, _ route: FixedValue<Route>?, into writer: inout HeadWriter) {
        if exchange.pointee.offersWebSocket {
            writer.put("Connection: Upgrade\r\nUpgrade: websocket\r\n")
            return
        }
        // Servers of gRPC refuse a call without it, and others may not see it (HTTP-45).
        if exchange.pointee.reader.call == .native, let route,
            pointee.upstreams.pools[route.pointee.upstream].pointee.version != .http1
        {
            writer.put("TE: trailers\r\n")
        }
        switch pointee.scratch.head.pointee.framing {
        case .none: break
        case .length(let count):
            writer.put("Content-Length: ")
            writer.putDecimal(UInt64(count))
            writer.put("\r\n")
        // The body of a stream without a length is chunked by us.
        case .chunked, .untilClose: writer.put("Transfer-Encoding: chunked\r\n")
        }
    }
}
