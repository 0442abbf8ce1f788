import Access
import Transport

extension WorkerRef {
    /// Bytes of a client whose exchange is in progress: its body, or what comes too early.
    func readDuringExchange(_ client: ClientRef) {
        guard let exchange = client.pointee.exchange else { return }
        if exchange.pointee.request.isComplete { return readEarly(client) }
        if exchange.pointee.loginInFlight != nil { return readLoginBody(client, exchange) }
        // What was kept came first.
        guard client.pointee.input.isEmpty else { return goOn(client, exchange) }
        if spliceRequest(client, exchange) || passContent(client, exchange) { return }
        let count = client.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
        guard count > 0 else {
            switch count {
            case ByteStream.wantsRead: return
            case ByteStream.wantsWrite: return client.startWriting()
            case 0 where exchange.pointee.request.kind == .untilClose: return endBody(client, exchange)
            default:
                // RFC 9112 §8: an incomplete request must not reach the upstream as a complete one (HTTP-31).
                return abortClient(client)
            }
        }
        pumpBody(client, exchange, pointee.scratch.read, count, isKept: false)
    }

    /// The body of a stream that announced no length ends with the stream: the upstream gets the last chunk.
    private func endBody(_ client: ClientRef, _ exchange: ExchangeRef) {
        exchange.pointee.request.end()
        var content = ContentWriter(
            HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity),
            as: exchange.pointee.goesByHTTP2 ? .plain : .chunk)
        let writer = content.finish(isLast: true)
        if let upstream = exchange.pointee.upstream { sendToUpstream(upstream, writer.base, writer.count) }
        if client.pointee.exchange == exchange { goOn(client, exchange) }
    }

    /// The next request's bytes, or the peer's end, while a response is under way.
    private func readEarly(_ client: ClientRef) {
        guard client.pointee.input.reserve(4096, from: &pointee.connections.buffers) else {
            return client.stopReading()
        }
        let input = client.pointee.input
        let count = client.read(into: input.space, capacity: input.room)
        switch count {
        case 1...:
            client.pointee.input.end += count
            // Enough to know that there is more: the rest waits in the kernel.
            client.stopReading()
        case 0:
            // A client may end its side and still wait for the answer.
            client.pointee.sawEnd = true
            client.stopReading()
            if client.pointee.input.isEmpty { client.pointee.input.release(to: &pointee.connections.buffers) }
        case ByteStream.wantsRead:
            if client.pointee.input.isEmpty { client.pointee.input.release(to: &pointee.connections.buffers) }
        case ByteStream.wantsWrite: client.startWriting()
        default: abortClient(client)
        }
    }

    /// Passes body bytes on that were kept, as far as the upstream takes them; then reads more, or awaits the answer.
    func goOn(_ client: ClientRef, _ exchange: ExchangeRef) {
        while client.pointee.exchange == exchange, client.pointee.state == .exchanging,
            !exchange.pointee.request.isComplete, !client.pointee.input.isEmpty,
            let upstream = exchange.pointee.upstream, !upstream.pointee.hasOutput
        {
            let kept = client.pointee.input.count
            pumpBody(client, exchange, client.pointee.input.bytes, kept, isKept: true)
            // Part of a chunk's frame: the rest has yet to come.
            if client.pointee.exchange == exchange, client.pointee.input.count == kept { break }
        }
        if client.pointee.exchange == exchange, client.pointee.state == .exchanging { awaitResponse(exchange) }
    }

    private func pumpBody(
        _ client: ClientRef, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, isKept: Bool
    ) {
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        let used: Int
        switch encodeBody(exchange, bytes, min(count, writer.bodyRoom), into: &writer) {
        case .refused(let refused): return bodyRefused(client, exchange, refused)
        case .used(let taken): used = taken
        }
        if isKept {
            client.pointee.input.consume(used, to: &pointee.connections.buffers)
        } else if used < count,
            !client.pointee.input.append(bytes + used, count - used, from: &pointee.connections.buffers)
        {
            return abortClient(client)
        }
        if exchange.pointee.goesByHTTP2, !exchange.pointee.holdsContent {
            keepForRepeat(exchange, writer.base, writer.count)
        }
        if let upstream = exchange.pointee.upstream { sendToUpstream(upstream, writer.base, writer.count) }
        if client.pointee.exchange == exchange, !isKept { goOn(client, exchange) }
    }

    /// The body broke a rule after its beginning was forwarded: the upstream must not take it for complete (HTTP-30).
    func bodyRefused(_ client: ClientRef, _ exchange: ExchangeRef, _ refused: Refused) {
        if let upstream = exchange.pointee.upstream {
            upstream.resetOnClose()
            exchange.pointee.upstream = nil
            closeUpstream(upstream)
        }
        dropInput(client)
        guard exchange.pointee.phase != .responding else {
            // A call of which there is too much says so behind what was sent of its answer (H2-95).
            if refused.cause == .requestBodyTooLarge, endsAsCall(exchange, refused) { return }
            return abortClient(client)
        }
        exchange.pointee.keepsAlive = false
        answer(exchange, refused: refused)
    }
}
