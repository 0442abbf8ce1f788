import Access
import HTTP1
import HTTPMessage
import Telemetry
import Transport

/// From a permitted request to bytes at the upstream: head, then body as it arrives.
extension WorkerRef {
    /// Sends `head` on by its route, with what of the body is at hand.
    func forward(
        _ exchange: ExchangeRef, _ head: HeadWriter, by route: FixedValue<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool
    ) {
        let client = exchange.pointee.client
        let length = pointee.scratch.head.pointee.length
        client.pointee.patience = Int32(clamping: route.pointee.patience.responseBody)
        exchange.pointee.mayRetry =
            exchange.pointee.request.isComplete
            ? isRepeatable(exchange, bytes, route) : beginHolding(exchange, head, bytes, route)
        if isCall(exchange) { timeCall(exchange) }
        var writer = head
        // The body's beginning travels with the head; what lies behind the body is the next request.
        var used = length
        // A WebSocket handshake may expect it too, and gets it before its 101 (RFC 9110 §7.8).
        if exchange.pointee.expectsContinue, !exchange.pointee.request.isComplete || exchange.pointee.offersWebSocket {
            sendContinue(client, hasBody: count > length)
            guard client.pointee.state == .exchanging else { return }
        }
        let version = pointee.upstreams.pools[Int(route.pointee.upstream)].pointee.version
        exchange.pointee.goesByHTTP2 = version == .http2
        if version != .http1 { exchange.pointee.takesTrailers = takesTrailers(client, bytes) }
        // How content is framed is known once it is known what the upstream speaks.
        if !exchange.pointee.request.isComplete, version != .automatic {
            let room = min(count - length, writer.bodyRoom)
            switch encodeBody(exchange, bytes + length, room, into: &writer) {
            case .refused(let refused): return refuseUnread(exchange, refused, bytes, count, isKept)
            case .used(let taken): used += taken
            }
        }
        if isKept {
            client.pointee.input.consume(used, to: &pointee.connections.buffers)
        } else if count > used,
            !client.pointee.input.append(bytes + used, count - used, from: &pointee.connections.buffers)
        {
            return closeClient(client)
        }
        exchange.pointee.forwardedAt = clock.microseconds()
        sendLateRequests(at: exchange.pointee.forwardedAt)
        send(exchange, writer, by: route)
    }

    private func refuseUnread(
        _ exchange: ExchangeRef, _ refused: Refused, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ isKept: Bool
    ) {
        keepRest(exchange.pointee.client, bytes, count, isKept: isKept)
        answer(exchange, refused: refused)
    }

    /// `100 Continue`, once the request is permitted and before anything of the body is waited for (HTTP-61).
    private func sendContinue(_ client: ClientRef, hasBody: Bool) {
        guard !hasBody else { return }
        let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
        sendToClient(client, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Gives head and body to a pooled connection, or to a new one when it is ready.
    private func send(_ exchange: ExchangeRef, _ writer: HeadWriter, by route: FixedValue<Route>) {
        let client = exchange.pointee.client
        let pool = pointee.upstreams.pools[Int(route.pointee.upstream)]
        guard pool.pointee.version == .http1 else { return sendShared(exchange, writer, pool) }
        // The peer may have closed its connection a moment ago: keep what would have to be sent again.
        let isKept =
            exchange.pointee.mayRetry && !exchange.pointee.holdsContent
            && exchange.pointee.replay.append(writer.base, writer.count, from: &pointee.connections.buffers)
        if let upstream = takeIdle(pool, for: exchange, sentLater: isKept) {
            attach(exchange, upstream)
            occupy(upstream)
            if isKept {
                sendTogether(upstream, exchange)
            } else {
                sendToUpstream(upstream, writer.base, writer.count)
            }
            if client.pointee.exchange == exchange, exchange.pointee.upstream == upstream { goOn(client, exchange) }
            return
        }
        guard let upstream = connect(pool, for: exchange) else {
            return answer(exchange, refused: connectionsExhausted(pool, for: exchange))
        }
        attach(exchange, upstream)
        guard upstream.pointee.output.append(writer.base, writer.count, from: &pointee.connections.buffers) else {
            return answer(
                exchange, refused: Refused(.identityTooLarge, expected: "a head within limits", found: "a larger one"))
        }
        if !pool.pointee.settings.pool.retries {
            exchange.pointee.mayRetry = false
            exchange.pointee.replay.release(to: &pointee.connections.buffers)
        }
        begin(upstream)
    }

    func attach(_ exchange: ExchangeRef, _ upstream: UpstreamRef) {
        exchange.pointee.upstream = upstream
        upstream.pointee.exchange = exchange
        let pool = upstream.pointee.pool
        if pool.pointee.settings.sendsProxyHeader { upstream.pointee.owner = exchange.pointee.client.carrier }
        if pool.pointee.users != nil { count(upstream, of: pool) }
    }

    /// Sets the clock that runs now: the client's for its body, then the upstream's for its answer.
    func awaitResponse(_ exchange: ExchangeRef) {
        guard let upstream = exchange.pointee.upstream else { return }
        let client = exchange.pointee.client
        if exchange.pointee.request.isComplete {
            if !client.pointee.hasOutput {
                clearTimeout(client.timeout)
                client.pointee.pace.stop()
            }
            if upstream.pointee.state == .active, exchange.pointee.phase == .awaitingResponse {
                setTimeout(upstream.timeout, patience(of: exchange).upstreamFirstByte)
            }
        } else if !client.pointee.hasOutput {
            awaitBody(client, exchange)
        }
        regulateClientReading(client)
    }

    /// Reads from the client only what can be passed on: back-pressure, one side to the other.
    func regulateClientReading(_ client: ClientRef) {
        guard let exchange = client.pointee.exchange, client.pointee.state == .exchanging else { return }
        let isBlocked: Bool
        if exchange.pointee.request.isComplete {
            // Pipelined bytes wait in the kernel once some are here; otherwise stay armed to see the peer's end.
            isBlocked = !client.pointee.input.isEmpty || client.pointee.sawEnd || exchange.pointee.phase == .parked
        } else {
            isBlocked = client.pointee.sawEnd || exchange.pointee.upstream.map { $0.pointee.hasOutput } ?? true
        }
        if isBlocked { client.stopReading() } else { client.startReading() }
    }

    enum Encoded {
        /// So many bytes of the input are used up.
        case used(Int)
        case refused(Refused)
    }

    /// Takes body bytes out of `bytes` and writes them in the framing that the upstream gets.
    ///
    /// The framing is ours: a chunk of ours for what was decoded, nothing copied from the client's (HTTP-32, HTTP-33).
    func encodeBody(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, into writer: inout HeadWriter
    ) -> Encoded {
        let kind = exchange.pointee.request.kind
        // Frames say by themselves how long content is.
        let isChunked = (kind == .chunked || kind == .untilClose) && !exchange.pointee.goesByHTTP2
        var content = ContentWriter(writer, as: isChunked ? .chunk : .plain)
        let outcome = passContent(of: &exchange.pointee.request, bytes, count, into: &content)
        writer = content.finish(isLast: exchange.pointee.request.isComplete)
        exchange.pointee.requestBytes += Int64(content.length)
        if exchange.pointee.holdsContent { hold(exchange, content.content) }
        switch outcome {
        case .refused(let cause): return .refused(brokenBody(cause))
        case .used(let used):
            let limit = patience(of: exchange).bodyLimit
            return exchange.pointee.requestBytes > limit ? .refused(bodyTooLarge(limit)) : .used(used)
        }
    }

    /// Refuses a chunked body that breaks its rules within the bytes that came with the head.
    ///
    /// Behind a proof that is spent the client could not send the request again with the same one, although what is wrong
    /// with it was here before (DPOP-17). These bytes are decoded twice, and only where a proof is about to be spent.
    func checkBodyAtHand(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, limit: Int64
    ) throws(Refused) {
        var used = pointee.scratch.head.pointee.length
        guard used < count, exchange.pointee.request.kind == .chunked else { return }
        // A copy, for what is forwarded is decoded from its beginning.
        var body = exchange.pointee.request
        var size: Int64 = 0
        while used < count {
            let rest = UnsafeBufferPointer(start: bytes + used, count: count - used)
            switch body.next(in: rest.span) {
            case .content(let offset, let length):
                used += offset + length
                size += Int64(length)
                guard size <= limit else { throw bodyTooLarge(limit) }
            case .framing, .end: return
            case .refused(let cause): throw brokenBody(cause)
            }
        }
    }

    private func brokenBody(_ cause: HTTP1Refusal) -> Refused {
        Refused(.malformedMessage, expected: "the chunked coding", found: .text(cause.found))
    }

    func bodyTooLarge(_ limit: Int64) -> Refused {
        Refused(.requestBodyTooLarge, expected: "at most \(limit) bytes", found: "more")
    }

    enum PassedContent {
        /// So many bytes of the input are used up.
        case used(Int)
        case refused(HTTP1Refusal)
    }

    /// Puts the content that is in `bytes` where it is written, up to the end of the body.
    func passContent(
        of body: inout BodyCounter, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int,
        into content: inout ContentWriter
    ) -> PassedContent {
        var used = 0
        while used < count, !body.isComplete {
            let rest = UnsafeBufferPointer(start: bytes + used, count: count - used)
            switch body.next(in: rest.span) {
            case .content(let offset, let length):
                content.put(bytes + used + offset, length)
                used += offset + length
            case .framing(let taken), .end(let taken): used += taken
            case .refused(let cause): return .refused(cause)
            }
        }
        return .used(used)
    }
}
