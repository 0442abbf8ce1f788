import Access
import EventLoop
import HTTP1
import HTTPMessage
import Telemetry
import Transport

/// From readable bytes of an upstream to the response at the client.
extension WorkerRef {
    func upstreamReadable(_ upstream: UpstreamRef) {
        switch upstream.pointee.state {
        case .closed, .resolving, .queued, .connecting: upstream.stopReading()
        case .handshaking: handshake(upstream)
        // Between responses nothing may come: an end, or bytes that would be somebody else's response (HTTP-40).
        case .idle: closeUpstream(upstream)
        case .active:
            switch upstream.pointee.part {
            case .session(let session): receiveFrames(session)
            case .check: readCheck(upstream)
            case .grpcCheck(let check): readGRPCCheck(upstream, check)
            case .none, .shared, .waiting, .stream, .attempt: readActive(upstream)
            }
        case .draining: drain(upstream)
        }
        if upstream.pointee.isReading { readRest(upstream) }
        if upstream.pointee.isReading, upstream.pointee.stream.hasBufferedBytes {
            FileEvent.activate(upstream.readEvent, .read)
        }
    }

    private func readActive(_ upstream: UpstreamRef) {
        guard let exchange = upstream.pointee.exchange else { return closeUpstream(upstream) }
        // What comes before the request has left answers none of it (HTTP-40).
        guard !upstream.pointee.isUnsent else { return upstreamBroke(upstream) }
        let client = exchange.pointee.client
        if client.pointee.state == .tunnelling { return tunnelFromUpstream(upstream, exchange, client) }
        if exchange.pointee.phase == .responding { return readBody(upstream, exchange) }
        if upstream.pointee.input.isEmpty {
            let count = upstream.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
            guard count > 0 else { return responseStopped(upstream, count) }
            readHead(upstream, exchange, pointee.scratch.read, count, isKept: false)
        } else {
            guard upstream.pointee.input.reserve(4096, from: &pointee.connections.buffers) else {
                return upstreamMalformed(upstream, "a head beyond limits")
            }
            let input = upstream.pointee.input
            // One scratch-ful at most, so that head and body together always fit where they are rewritten.
            let count = upstream.read(into: input.space, capacity: min(input.room, Scratch.readCapacity))
            guard count > 0 else { return responseStopped(upstream, count) }
            upstream.pointee.input.end += count
            readHead(upstream, exchange, upstream.pointee.input.bytes, upstream.pointee.input.count, isKept: true)
        }
    }

    private func responseStopped(_ upstream: UpstreamRef, _ outcome: Int) {
        switch outcome {
        case ByteStream.wantsRead: break
        case ByteStream.wantsWrite: upstream.startWriting()
        default: upstreamBroke(upstream)
        }
    }

    private func readHead(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, _ start: UnsafeMutablePointer<UInt8>, _ total: Int,
        isKept: Bool
    ) {
        var bytes = start
        var count = total
        while true {
            let span = UnsafeBufferPointer(start: bytes, count: count).span
            let progress = upstream.pointee.parser.parse(
                span, limits: pointee.policy.httpLimits, answering: exchange.pointee.method,
                into: &pointee.scratch.responseHead.pointee)
            switch progress {
            case .refused(let cause): return upstreamMalformed(upstream, cause.found)
            case .incomplete: return keep(upstream, bytes, count, isKept: isKept)
            case .complete: break
            }
            let length = pointee.scratch.responseHead.pointee.length
            if pointee.scratch.responseHead.pointee.isInterim {
                if pointee.scratch.responseHead.pointee.status == 101 {
                    return switchProtocols(upstream, exchange, bytes, count)
                }
                exchange.pointee.interim += 1
                guard exchange.pointee.interim <= 8 else { return upstreamMalformed(upstream, "endless 1xx") }
                relayInterim(exchange, bytes)
                // A client that could not be written to is gone, and its exchange with it.
                guard upstream.pointee.exchange == exchange else { return }
                upstream.pointee.parser.reset()
                bytes += length
                count -= length
                if count == 0 { return keep(upstream, bytes, 0, isKept: isKept) }
                continue
            }
            // An answer to extended CONNECT that takes the WebSocket up (RFC 8441 §5).
            let status = pointee.scratch.responseHead.pointee.status
            if status == 200, upstream.stream?.pointee.isTunnel == true {
                return switchProtocols(upstream, exchange, bytes, count)
            }
            return respond(upstream, exchange, bytes, count)
        }
    }

    /// Passes an interim response on, such as 103 (HTTP-63).
    ///
    /// Not a 100: it answers an expectation, and those are met here (HTTP-61). Not to HTTP/1.0, which knows none. And not
    /// behind bytes that the client has not taken yet: hints that come late help nobody, and need not be kept.
    private func relayInterim(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) {
        let client = exchange.pointee.client
        // What a stream has to send leaves at the end of this turn.
        let isBehind = client.pointee.hasOutput && !client.pointee.part.isStream
        guard pointee.scratch.responseHead.pointee.status != 100, !exchange.pointee.isHTTP10, !isBehind,
            client.pointee.output.count < BufferPool.sizes.small
        else { return }
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        writeInterimHead(exchange, bytes, into: &writer)
        if !writer.isFull { sendToClient(client, writer.base, writer.count) }
    }

    /// Keeps the beginning of a head until more arrives.
    private func keep(_ upstream: UpstreamRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool) {
        if isKept {
            let input = upstream.pointee.input
            upstream.pointee.input.consume(input.count - count, to: &pointee.connections.buffers)
        } else if !upstream.pointee.input.append(bytes, count, from: &pointee.connections.buffers) {
            upstreamMalformed(upstream, "a head beyond limits")
        }
    }

    /// Sends the response's head on, with what of its body is at hand.
    private func respond(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int
    ) {
        let head = pointee.scratch.responseHead
        let length = head.pointee.length
        exchange.pointee.respondedAt = countResponse(upstream, exchange, status: head.pointee.status)
        keepProofNonce(exchange, bytes)
        if upstream.pointee.pool.pointee.settings.pool.retries, (502...504).contains(head.pointee.status),
            sendToAnother(exchange, upstream)
        {
            return
        }
        if head.pointee.status == 401, hidesUnauthorized(exchange) { return upstreamUnauthorized(upstream, exchange) }
        if head.pointee.status >= 400, replaces(head.pointee.status, exchange) {
            return replaceResponse(upstream, exchange, bytes, count)
        }
        if opensTunnelByItself(exchange, head.pointee.status) {
            return upstreamMalformed(upstream, "\(head.pointee.status) to a WebSocket's handshake")
        }
        exchange.pointee.phase = .responding
        exchange.pointee.status = head.pointee.status
        exchange.pointee.replay.release(to: &pointee.connections.buffers)
        if exchange.pointee.holdsContent { letGo(exchange) }
        exchange.pointee.response = BodyCounter(framing(of: upstream, exchange), sizes: .padded)
        upstream.pointee.keepsAlive = head.pointee.keepAlive
        switch head.pointee.framing {
        case .none, .length: break
        case .chunked, .untilClose:
            // Chunks of our own to whoever understands them; to HTTP/1.0 the end of the connection ends the body, and to
            // HTTP/2 that of the stream.
            exchange.pointee.sendsChunks = !exchange.pointee.isHTTP10 && !exchange.pointee.client.pointee.part.isStream
            if exchange.pointee.isHTTP10 { exchange.pointee.keepsAlive = false }
        }
        // A connection that was said to go on does, also after SIGTERM: its client may have sent its next request.
        if !exchange.pointee.request.isComplete || pointee.listening.isDraining { exchange.pointee.keepsAlive = false }
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        writeClientHead(exchange, bytes, into: &writer)
        guard !writer.isFull, count - length <= writer.bodyRoom else {
            exchange.pointee.phase = .awaitingResponse
            return upstreamMalformed(upstream, "a head beyond limits")
        }
        setTimeout(upstream.timeout, patience(of: exchange).responseBody)
        passBody(upstream, exchange, bytes + length, count - length, writer)
    }

    /// Whether a client of extended CONNECT would take this answer for a tunnel that is open, which it is not.
    private func opensTunnelByItself(_ exchange: ExchangeRef, _ status: UInt16) -> Bool {
        guard let stream = exchange.pointee.client.pointee.part.stream, stream.pointee.isTunnel else { return false }
        return status >= 200 && status < 300
    }

    /// How the body of the response in `pointee.scratch.responseHead` ends.
    ///
    /// That of a stream ends with the stream, whose length its frames were counted against: trailers may come behind it, for a
    /// client that can be given them. Where all of it has come it is as long as it is.
    private func framing(of upstream: UpstreamRef, _ exchange: ExchangeRef) -> BodyFraming {
        let head = pointee.scratch.responseHead
        guard let stream = upstream.stream else { return head.pointee.framing }
        let isForStream = exchange.pointee.client.pointee.part.isStream
        switch head.pointee.framing {
        case .length(let count) where count > 0 && isForStream: return .untilClose
        case .untilClose where stream.pointee.hasEnded && !isForStream && stream.pointee.hasNoContent:
            head.pointee.framing = .length(0)
            return .length(0)
        default: return head.pointee.framing
        }
    }

    /// Counts the upstream's response, whoever gets it; the time it is now.
    func countResponse(_ upstream: UpstreamRef, _ exchange: ExchangeRef, status: UInt16) -> UInt64 {
        let now = clock.microseconds()
        let duration = now &- exchange.pointee.forwardedAt
        upstream.pointee.pool.pointee.counters.countResponse(status: status, microseconds: duration, at: now)
        serverAnswered(upstream, status: status, at: now)
        return now
    }

    private func readBody(_ upstream: UpstreamRef, _ exchange: ExchangeRef) {
        if spliceResponse(upstream, exchange) { return }
        let count = upstream.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
        if count == 0, exchange.pointee.response.kind == .untilClose {
            exchange.pointee.response.end()
            upstream.pointee.keepsAlive = false
            var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
            putEnd(upstream, exchange, into: &writer)
            return passed(upstream, exchange, writer.base, writer.count, hasMore: false)
        }
        guard count > 0 else { return responseStopped(upstream, count) }
        setTimeout(upstream.timeout, patience(of: exchange).responseBody)
        if exchange.pointee.response.kind == .length || !exchange.pointee.sendsChunks,
            exchange.pointee.response.kind != .chunked
        {
            return passUnframed(upstream, exchange, count)
        }
        passBody(
            upstream, exchange, pointee.scratch.read, count,
            HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity))
    }

    /// A body that needs no framing goes from where it was read straight to the client.
    private func passUnframed(_ upstream: UpstreamRef, _ exchange: ExchangeRef, _ count: Int) {
        let taken = exchange.pointee.response.pass(count)
        exchange.pointee.responseBytes += Int64(taken)
        passed(upstream, exchange, pointee.scratch.read, taken, hasMore: taken < count)
    }

    /// Frames body bytes behind what the writer holds and sends both; an HTTP/1.0 client gets the content without chunks
    /// (HTTP-32).
    private func passBody(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int,
        _ head: HeadWriter
    ) {
        var content = ContentWriter(head, as: exchange.pointee.sendsChunks ? .chunk : .plain)
        let trailersBefore = exchange.pointee.response.trailerCount
        let outcome = passContent(of: &exchange.pointee.response, bytes, count, into: &content)
        let writer = content.finish(isLast: exchange.pointee.response.isComplete)
        exchange.pointee.responseBytes += Int64(content.length)
        switch outcome {
        case .refused: upstreamBrokeFraming(upstream, exchange, writer)
        case .used(let used):
            let length = exchange.pointee.response.trailerCount - trailersBefore
            // Nothing is behind them but what belongs to nobody.
            let lines = UnsafeBufferPointer(start: UnsafePointer(bytes) + (used - length), count: length)
            guard length == 0 || passTrailers(lines, of: exchange, behind: writer) else {
                return upstreamBrokeFraming(upstream, exchange, writer)
            }
            passed(upstream, exchange, writer.base, writer.count, hasMore: used < count)
        }
    }

    /// Sends what was put together; ends the exchange when that was the last of it.
    private func passed(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int,
        hasMore: Bool
    ) {
        let client = exchange.pointee.client
        // Bytes behind a complete response belong to nobody: the connection is not used again (HTTP-40).
        if hasMore { upstream.pointee.keepsAlive = false }
        upstream.pointee.input.release(to: &pointee.connections.buffers)
        sendToClient(client, bytes, count)
        guard client.pointee.exchange == exchange, exchange.pointee.response.isComplete else { return }
        finishExchange(exchange)
    }
}
