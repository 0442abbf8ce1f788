import Access
import HTTP1
import HTTPMessage
import Telemetry
import Transport

/// From a permitted request to bytes at the upstream: head, then body as it arrives.
extension WorkerRef {
    /// Sends `head` on by its route, with what of the body is at hand.
    func forward(
        _ exchange: ExchangeRef, _ head: HeadWriter, by route: UnsafePointer<Route>,
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool
    ) {
        let client = exchange.pointee.client
        let length = pointee.scratch.head.pointee.length
        client.pointee.patience = Int32(clamping: route.pointee.patience.responseBody)
        exchange.pointee.mayRetry = exchange.pointee.request.isComplete && isIdempotent(exchange.pointee.method)
        var writer = head
        // The body's beginning travels with the head; what lies behind the body is the next request.
        var used = length
        // A WebSocket handshake may expect it too, and gets it before its 101 (RFC 9110 §7.8).
        if exchange.pointee.expectsContinue, !exchange.pointee.request.isComplete || exchange.pointee.offersWebSocket {
            sendContinue(client, hasBody: count > length)
            guard client.pointee.state == .exchanging else { return }
        }
        if !exchange.pointee.request.isComplete {
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
        send(exchange, writer, by: route)
    }

    private func refuseUnread(
        _ exchange: ExchangeRef, _ refused: Refused, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ isKept: Bool
    ) {
        keepRest(exchange.pointee.client, bytes, count, isKept: isKept)
        refuse(exchange, refused)
    }

    private func isIdempotent(_ method: MethodID) -> Bool {
        switch method {
        case .get, .head, .options, .put, .delete: true
        case .other, .post, .patch, .connect, .trace, .track: false
        }
    }

    /// `100 Continue`, once the request is permitted and before anything of the body is waited for (HTTP-61).
    private func sendContinue(_ client: ClientRef, hasBody: Bool) {
        guard !hasBody else { return }
        let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
        sendToClient(client, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// Gives head and body to a pooled connection, or to a new one when it is ready.
    private func send(_ exchange: ExchangeRef, _ writer: HeadWriter, by route: UnsafePointer<Route>) {
        let client = exchange.pointee.client
        let pool = pointee.upstreams.pools[Int(route.pointee.upstream)]
        if let upstream = takeIdle(pool) {
            attach(exchange, upstream)
            if exchange.pointee.mayRetry {
                // The peer may have closed this connection a moment ago: keep what would have to be sent again.
                _ = exchange.pointee.replay.append(writer.base, writer.count, from: &pointee.connections.buffers)
            }
            sendToUpstream(upstream, writer.base, writer.count)
            if client.pointee.exchange == exchange, exchange.pointee.upstream == upstream { goOn(client, exchange) }
            return
        }
        guard let upstream = connect(pool) else {
            return refuse(exchange, connectionsExhausted())
        }
        attach(exchange, upstream)
        guard upstream.pointee.output.append(writer.base, writer.count, from: &pointee.connections.buffers) else {
            return refuse(exchange, refuse(.identityTooLarge, "a head within limits", "a larger one"))
        }
        exchange.pointee.mayRetry = false
        begin(upstream)
    }

    func attach(_ exchange: ExchangeRef, _ upstream: UpstreamRef) {
        exchange.pointee.upstream = upstream
        upstream.pointee.exchange = exchange
        let pool = upstream.pointee.pool
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
        switch exchange.pointee.request.kind {
        case .complete, .untilClose: return .used(0)
        case .length:
            let taken = Int(min(Int64(count), exchange.pointee.request.remaining))
            writer.put(bytes, taken)
            exchange.pointee.request.remaining -= Int64(taken)
            exchange.pointee.requestBytes += Int64(taken)
            if exchange.pointee.request.remaining == 0 { exchange.pointee.request.kind = .complete }
            return .used(taken)
        case .chunked:
            var chunk = ChunkWriter(writer)
            let outcome = decodeChunks(&exchange.pointee.request, bytes, count, into: &chunk)
            writer = chunk.finish(isLast: exchange.pointee.request.isComplete)
            exchange.pointee.requestBytes += Int64(chunk.length)
            if case .refused(let cause) = outcome {
                return .refused(brokenBody(cause))
            }
            let limit = patience(of: exchange).bodyLimit
            if exchange.pointee.requestBytes > limit { return .refused(bodyTooLarge(limit)) }
            guard case .used(let used) = outcome else { return .used(0) }
            return .used(used)
        }
    }

    /// Refuses a chunked body that breaks its rules within the bytes that came with the head.
    ///
    /// Behind a proof that is spent the client could not send the request again with the same one, although what is wrong
    /// with it was here before (DPOP-17). These bytes are decoded twice, and only where a proof is about to be spent.
    func checkBodyAtHand(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int
    ) throws(Refused) {
        var used = pointee.scratch.head.pointee.length
        guard used < count, exchange.pointee.request.kind == .chunked else { return }
        // A copy, for what is forwarded is decoded from its beginning.
        var chunks = exchange.pointee.request.chunks
        let limit = patience(of: exchange).bodyLimit
        var size: Int64 = 0
        while used < count {
            let rest = UnsafeBufferPointer(start: bytes + used, count: count - used)
            switch chunks.next(rest.span) {
            case .data(let offset, let length):
                used += offset + length
                size += Int64(length)
                guard size <= limit else { throw bodyTooLarge(limit) }
            case .needMore, .end: return
            case .refused(let cause): throw brokenBody(cause)
            }
        }
    }

    private func brokenBody(_ cause: HTTP1Refusal) -> Refused {
        refuse(.malformedMessage, "the chunked coding", CauseWords.of(cause))
    }

    private func bodyTooLarge(_ limit: Int64) -> Refused {
        refuse(.requestBodyTooLarge, "at most \(limit) bytes", "more")
    }

    enum Decoded {
        case used(Int)
        case refused(HTTP1Refusal)
    }

    /// Decodes chunks from `bytes` into one chunk of ours.
    func decodeChunks(
        _ body: inout BodyCounter, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, into chunk: inout ChunkWriter
    ) -> Decoded {
        var used = 0
        while used < count {
            let rest = UnsafeBufferPointer(start: bytes + used, count: count - used)
            switch body.chunks.next(rest.span) {
            case .data(let offset, let length):
                chunk.put(bytes + used + offset, length)
                used += offset + length
            case .needMore(let consumed): return .used(used + consumed)
            case .end(let consumed):
                body.kind = .complete
                return .used(used + consumed)
            case .refused(let cause): return .refused(cause)
            }
        }
        return .used(used)
    }
}

/// One chunk that is put together behind a head: room for its size is kept in front.
struct ChunkWriter {
    private var writer: HeadWriter
    private let start: Int
    private(set) var length = 0
    /// Eight hexadecimal digits and CR LF.
    private static let sizeLine = 10

    /// `writer` must have `bodyRoom` for what will be put.
    init(_ writer: HeadWriter) {
        precondition(writer.hasRoom(ChunkWriter.sizeLine), "a chunk is begun only where one fits")
        self.writer = writer
        start = writer.count
        self.writer.advance(ChunkWriter.sizeLine)
    }

    mutating func put(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        writer.put(bytes, count)
        length += count
    }

    /// The writer, with the chunk closed, or taken back when it is empty; and with the last chunk if `isLast`.
    mutating func finish(isLast: Bool) -> HeadWriter {
        if length == 0 {
            writer.advance(-ChunkWriter.sizeLine)
        } else {
            let line = writer.base + start
            for index in 0..<8 {
                let digit = UInt8(truncatingIfNeeded: length >> (28 - 4 * index)) & 15
                line[index] = digit < 10 ? 48 + digit : 87 + digit
            }
            line[8] = 13
            line[9] = 10
            writer.put("\r\n")
        }
        if isLast { writer.put("0\r\n\r\n") }
        return writer
    }
}
