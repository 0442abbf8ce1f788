import Access
import HTTPMessage

/// Answers of routes without an upstream: a redirect, or the same content for everybody who may see it (ECO-69).
extension WorkerRef {
    /// Answers as the route says; what is the same for all was written out when the configuration was read.
    func answerRoute(
        _ exchange: ExchangeRef, by route: FixedValue<Route>, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int,
        isKept: Bool
    ) {
        guard let answer = route.pointee.answer else { preconditionFailure("a route that answers has an answer") }
        let client = exchange.pointee.client
        // Any answer to it would be taken for a tunnel that is open (H2-37).
        if client.pointee.part.stream?.pointee.isTunnel == true {
            keepRest(client, bytes, count, isKept: isKept)
            return self.answer(
                exchange,
                refused: Refused(
                    .methodNotAllowed, expected: "a route with websocket", found: "an extended CONNECT"))
        }
        if answersWithClaims(exchange), let token = exchange.pointee.findings.token {
            do throws(Refused) {
                _ = try responseIdentity(
                    of: token, mapping: route.pointee.responseIdentity, &pointee.identities)
            } catch {
                keepRest(client, bytes, count, isKept: isKept)
                return self.answer(exchange, refused: error)
            }
        }
        beginAnswer(exchange, status: answer.pointee.status)
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        writer.put(answer.pointee.head.buffer)
        writer.put(pointee.loop.date)
        if let location = answer.pointee.location { putLocation(location, route, bytes, into: &writer) }
        if exchange.pointee.findings.givesNonce { putNonce(into: &writer) }
        putCookies(exchange, into: &writer)
        putCORS(exchange, into: &writer)
        if let changes = route.pointee.fields {
            putRouteFields(exchange, changes, beside: .contentType, into: &writer)
        }
        putResponseIdentity(exchange, into: &writer)
        let saysContentType = route.pointee.fields.map { $0.pointee.says(.contentType) } ?? false
        if !saysContentType { writer.put("X-Content-Type-Options: nosniff\r\n") }
        writer.put("X-Request-Id: ")
        writer.put(exchange.pointee.id)
        if exchange.pointee.keepsAlive { writer.put("\r\n\r\n") } else { writer.put("\r\nConnection: close\r\n\r\n") }
        if exchange.pointee.method != .head {
            let content = answer.pointee.content.buffer
            writer.put(content)
            exchange.pointee.responseBytes = Int64(content.count)
        }
        // Before the answer ends, which may begin the next request; behind the head, whose path is in these bytes.
        keepRest(client, bytes, count, isKept: isKept)
        finishAnswer(exchange, writer)
    }

    /// Writes where a redirect leads: the configured place, with what follows the route's own path, and the query.
    ///
    /// A path of a client's never begins it: what stands before is an origin, or a path that is no server's name.
    private func putLocation(
        _ location: FixedBytes, _ route: FixedValue<Route>, _ bytes: UnsafeMutablePointer<UInt8>,
        into writer: inout HeadWriter
    ) {
        let head = pointee.scratch.head
        writer.put("Location: ")
        writer.put(location.buffer)
        if let rewrite = route.pointee.rewrite { putRewrittenPath(bytes, rewrite, into: &writer) }
        if head.pointee.hasQuery {
            writer.put("?")
            writer.put(bytes + Int(head.pointee.query.start), Int(head.pointee.query.count))
        }
        writer.put("\r\n")
    }
}

extension Route {
    /// What `explain` calls its answer.
    var answerWords: String {
        guard let answer else { return "" }
        guard case .redirect(let status, let origin, let path)? = settings.answer else {
            return "\(answer.pointee.status)  as the route says"
        }
        return "\(status)  to \(origin)\(path)"
    }
}
