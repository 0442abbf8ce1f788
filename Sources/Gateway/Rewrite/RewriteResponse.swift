import Access
import Bytes
import HTTPMessage
import Telemetry

/// What of an upstream's fields is left out of one response, beside what is left out of all.
private struct OmittedFields {
    /// Nonces of proofs are ours here: an upstream's would be taken for one of them.
    let judgesProofs: Bool
    /// It carries something that is for one client alone, and must be in no cache.
    let isPrivate: Bool
    /// The upstream chose it by a field of ours that clients do not send (RFC 9440 §2.4).
    let variesByCertificate: Bool
    /// Who may read it is the route's to say.
    let removesCORS: Bool
    /// Where its paths are told to clients as they know them.
    let rewrite: FixedValue<PathRewrite>?
    /// Where the route has its own word on fields.
    let changes: FixedValue<FieldChanges>?
}

extension WorkerRef {
    /// Writes the head a client gets: the upstream's fields without hop-by-hop ones, with framing of ours.
    ///
    /// `WWW-Authenticate` and `Authentication-Info` go through as they are (HTTP-68), unless the route hides an upstream's
    /// 401 from clients (`upstream_401: bad_gateway`), which is answered elsewhere.
    func writeClientHead(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) {
        let omitted = omitted(of: exchange, bytes)
        putStatusLine(bytes, into: &writer)
        let seen = putUpstreamFields(exchange, omitted, bytes, into: &writer)
        if let changes = omitted.changes { putRouteFields(exchange, changes, beside: seen, into: &writer) }
        putResponseIdentity(exchange, into: &writer)
        // Who passes on what has none says when it came (RFC 9110 §6.6.1).
        if pointee.scratch.responseHead.pointee.fields.count(of: .date) == 0 { writer.put(pointee.loop.date) }
        if omitted.variesByCertificate { writer.put("Vary: *\r\n") }
        if omitted.isPrivate {
            writer.put("Cache-Control: no-store\r\n")
        } else if exchange.pointee.findings.isUnknownToCaches, !saysCaching(bytes) {
            // A shared cache holds back what was asked for with Authorization, but knows nothing of cookies (RFC 9111
            // §3.5), nor of networks: one user's page would be the next one's (HTTP-69).
            writer.put("Cache-Control: private\r\n")
        }
        if exchange.pointee.findings.givesNonce { putNonce(into: &writer) }
        putCookies(exchange, into: &writer)
        putCORS(exchange, into: &writer)
        putResponseFraming(exchange, bytes, into: &writer)
        if !exchange.pointee.keepsAlive { writer.put("Connection: close\r\n") }
        writer.put("\r\n")
    }

    /// Writes the head of an interim response (HTTP-63): nothing of ours, and nothing that frames or ends the connection.
    func writeInterimHead(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) {
        putStatusLine(bytes, into: &writer)
        _ = putUpstreamFields(exchange, omitted(of: exchange, bytes), bytes, into: &writer)
        writer.put("\r\n")
    }

    private func omitted(of exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> OmittedFields {
        OmittedFields(
            judgesProofs: exchange.pointee.findings.route.map { $0.pointee.token.schemes.contains(.dpop) } ?? false,
            isPrivate: exchange.pointee.findings.givesNonce || exchange.pointee.cookies != nil
                || answersWithClaims(exchange),
            variesByCertificate: pointee.scratch.responseHead.pointee.fields.count(of: .vary) > 0
                && variesByCertificate(bytes),
            removesCORS: exchange.pointee.findings.route.map { $0.pointee.cors.removesUpstreamFields } ?? false,
            rewrite: exchange.pointee.findings.route.flatMap { $0.pointee.rewrite }
                .flatMap { $0.pointee.mapsResponses ? $0 : nil },
            changes: exchange.pointee.findings.route.flatMap { $0.pointee.fields })
    }

    /// Our own version and a status line made anew: never the peer's (HTTP-09).
    private func putStatusLine(_ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter) {
        let head = pointee.scratch.responseHead
        writer.put("HTTP/1.1 ")
        writer.putDecimal(UInt64(head.pointee.status))
        writer.put(" ")
        writer.put(bytes + Int(head.pointee.reason.start), Int(head.pointee.reason.count))
        writer.put("\r\n")
    }

    /// Copies the upstream's lines that may pass, neighbours in one piece; those for browsers that are among them.
    private func putUpstreamFields(
        _ exchange: ExchangeRef, _ omitted: OmittedFields, _ bytes: UnsafeMutablePointer<UInt8>,
        into writer: inout HeadWriter
    ) -> SecurityFields {
        // An empty literal is an array, which is looked through for each response.
        var seen = SecurityFields(rawValue: 0)
        let head = pointee.scratch.responseHead
        let rules = pointee.policy.responseRules
        var run = FieldRun()
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            guard !rules.contains(slot.id), !(omitted.judgesProofs && slot.id == .dpopNonce),
                !(omitted.isPrivate && pointee.policy.cachingRules.contains(slot.id)),
                !(omitted.variesByCertificate && slot.id == .vary),
                !(head.pointee.connectionNamesFields && responseConnectionNames(slot, bytes)),
                slot.id != .other && slot.id != .setCookie || mayPass(slot, exchange, bytes),
                !(omitted.removesCORS && slot.id == .other && isAccessControl(slot, bytes))
            else { continue }
            if let changes = omitted.changes {
                let name = slotName(slot, bytes).span
                if changes.pointee.dropsResponseField(name) { continue }
                seen.formUnion(SecurityFields(named: name))
            }
            if let rewrite = omitted.rewrite, hasPath(slot) {
                // The lines before it first: their order is the upstream's.
                run.flush(bytes, into: &writer)
                if putMapped(slot, exchange, bytes, rewrite, into: &writer) { continue }
            }
            run.take(slot, bytes, into: &writer)
        }
        run.flush(bytes, into: &writer)
        return seen
    }

    /// Whether the upstream says to caches anything that reaches them: an empty list says nothing, and neither does a line
    /// that its own Connection keeps to this hop.
    private func saysCaching(_ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let head = pointee.scratch.responseHead
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .cacheControl {
            let slot = head.pointee.fields[index]
            guard !(head.pointee.connectionNamesFields && responseConnectionNames(slot, bytes)) else { continue }
            let list = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            var position = 0
            if CommaList.next(in: list.span, from: &position) != nil { return true }
        }
        return false
    }

    /// Whether the upstream's Vary names a field in which we told it the client's certificate (HTTP-54).
    private func variesByCertificate(_ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let head = pointee.scratch.responseHead
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .vary {
            let range = head.pointee.fields[index].value
            let list = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            var position = 0
            while let member = CommaList.next(in: list.span, from: &position) {
                let name = list.span.extracting(member.range)
                if name.count == 11, ASCII.equalsIgnoringCase(name, "client-cert") { return true }
                if name.count == 17, ASCII.equalsIgnoringCase(name, "client-cert-chain") { return true }
            }
        }
        return false
    }

    /// Whether a field of an upstream may reach the client: none that only we set, and no cookie of ours (HTTP-49).
    func mayPass(_ slot: FieldSlot, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        if slot.id == .setCookie {
            let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            guard setsOurs(value) else { return true }
            logDroppedCookie(exchange, value)
            return false
        }
        let name = UnsafeBufferPointer(start: bytes + Int(slot.name.start), count: Int(slot.name.count))
        return !pointee.policy.routes.reservedNames.pointee.contains(name.span)
    }

    private func putResponseFraming(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) {
        if exchange.pointee.sendsChunks {
            writer.put("Transfer-Encoding: chunked\r\n")
            return
        }
        let head = pointee.scratch.responseHead
        switch head.pointee.framing {
        case .length(let count):
            writer.put("Content-Length: ")
            writer.putDecimal(UInt64(count))
            writer.put("\r\n")
        case .none:
            // HEAD and 304 keep the length of what they stand for; 1xx and 204 have none (RFC 9110 §8.6, HTTP-38).
            let status = head.pointee.status
            guard status != 204, status >= 200 else { return }
            if exchange.pointee.method == .head || status == 304 {
                putSingleLength(bytes, into: &writer)
            } else {
                writer.put("Content-Length: 0\r\n")
            }
        case .chunked, .untilClose: break
        }
    }

    private func putSingleLength(_ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter) {
        let head = pointee.scratch.responseHead
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .contentLength {
            let value = head.pointee.fields[index].value
            writer.put("Content-Length: ")
            writer.put(bytes + Int(value.start), Int(value.count))
            writer.put("\r\n")
            return
        }
    }

    private func responseConnectionNames(_ slot: FieldSlot, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let head = pointee.scratch.responseHead
        let all = UnsafeBufferPointer(start: bytes, count: head.pointee.length)
        return head.pointee.connectionNames.contains(all.span.extracting(slot.name), in: all.span)
    }
}

extension Findings {
    /// Whether something other than `Authorization` let the request in: a session, or its client's network.
    fileprivate var isUnknownToCaches: Bool { isLetInByNetwork || token?.session != nil }
}
