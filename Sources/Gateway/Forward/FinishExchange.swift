import Access
import Telemetry
import HTTP1
import Transport

/// The end of an exchange, and of connections.
extension WorkerRef {
    /// The response is complete: log it, give the upstream back, let the client's next request begin.
    func finishExchange(_ exchange: ExchangeRef) {
        let client = exchange.pointee.client
        let wasRequestComplete = exchange.pointee.request.isComplete
        let keepsAlive = exchange.pointee.keepsAlive && wasRequestComplete
        if let upstream = exchange.pointee.upstream {
            exchange.pointee.upstream = nil
            // An upstream that answered early waits for a body that will not come.
            let isReusable = upstream.pointee.keepsAlive && wasRequestComplete && !upstream.pointee.hasOutput
            if !wasRequestComplete { upstream.resetOnClose() }
            release(upstream, isReusable: isReusable)
        }
        let leftover = exchange.pointee.request
        endExchange(exchange)
        guard client.pointee.state == .exchanging else { return }
        if keepsAlive { return beginNext(client) }
        client.pointee.lingers = !leftover.isComplete || !client.pointee.input.isEmpty
        closeAfterOutput(client)
    }

    /// Waits for the client's next request, and starts with what of it is there already.
    func beginNext(_ client: ClientRef) {
        client.pointee.state = .awaitingHead
        client.pointee.parser.reset()
        if !client.pointee.hasOutput {
            setTimeout(client.timeout, keepAliveTimeout)
            runInput(client)
        }
    }

    /// How long a client may have nothing to ask, in milliseconds.
    var keepAliveTimeout: Int {
        pointee.listening.isDraining ? Listening.drainedIdleTimeout : pointee.policy.timeouts.keepAlive
    }

    /// Logs and forgets an exchange; the connections stay.
    func endExchange(_ exchange: ExchangeRef) {
        // First, for its line says how long it waited.
        if exchange.pointee.phase == .parked { unpark(exchange) }
        logExchange(exchange)
        countTrailersInChunks(exchange)
        exchange.pointee.findings.endUses()
        dropLoginRequest(exchange)
        dropCookies(exchange)
        dropTraceWaits(exchange)
        exchange.pointee.logged.release(to: &pointee.connections.buffers)
        exchange.pointee.replay.release(to: &pointee.connections.buffers)
        if exchange.pointee.holdsContent { letGo(exchange) }
        exchange.pointee.trailers.release(to: &pointee.connections.buffers)
        exchange.pointee.responseTrailers.release(to: &pointee.connections.buffers)
        exchange.pointee.client.pointee.exchange = nil
        pointee.connections.exchanges.giveBack(exchange)
    }

    /// Ends the connection as soon as the client has taken everything.
    func closeAfterOutput(_ client: ClientRef) {
        client.pointee.closesAfterOutput = true
        if !client.pointee.hasOutput { return endClient(client) }
        // Nothing reads what it sends meanwhile: an armed event would only turn the loop.
        client.stopReading()
    }

    /// Everything is sent: close, or read away for a moment what a close would otherwise reset (RFC 9112 §9.6).
    func endClient(_ client: ClientRef) {
        if let stream = client.pointee.part.stream { return finish(stream) }
        guard client.pointee.lingers, !client.pointee.sawEnd else { return closeClient(client) }
        client.pointee.state = .lingering
        dropInput(client)
        client.pointee.stream.finishWriting()
        client.startReading()
        setTimeout(client.timeout, 2000)
    }

    /// Reads away what a peer still sends after the last answer, within bounds.
    func linger(_ client: ClientRef) {
        let count = client.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
        if count == ByteStream.wantsRead { return }
        guard count > 0 else { return closeClient(client) }
        client.pointee.lingered += Int32(count)
        if client.pointee.lingered > 1 << 20 { closeClient(client) }
    }

    /// The client is gone, or must see that something is missing: neither side may take what it got for complete.
    func abortClient(_ client: ClientRef) {
        guard client.pointee.state != .closed else { return }
        let endsAtClose =
            client.pointee.exchange.map { $0.pointee.phase == .responding && $0.pointee.isHTTP10 } ?? false
        if endsAtClose || client.pointee.hasOutput { client.resetOnClose() }
        if let stream = client.pointee.part.stream { sendBeforeReset(stream) }
        closeClient(client)
    }

    /// Closes a client's connection and whatever of an exchange is still under way (RFC 9112 §8).
    func closeClient(_ client: ClientRef) {
        guard client.pointee.state != .closed else { return }
        if let exchange = client.pointee.exchange {
            // A tunnel has no length that it could fall short of, and a refusal has its cause.
            if client.pointee.state != .tunnelling, exchange.pointee.refusal == nil,
                exchange.pointee.truncation == .none
            {
                exchange.pointee.truncation = .clientLeft
            }
            if let upstream = exchange.pointee.upstream {
                exchange.pointee.upstream = nil
                // A tunnel that its client has reset is reset at the other end too (RFC 8441 §5).
                let isReset =
                    client.pointee.state == .tunnelling && client.pointee.part.stream?.pointee.resetBy == .client
                if isReset || !exchange.pointee.request.isComplete {
                    upstream.resetOnClose()
                }
                closeUpstream(upstream)
            }
            endExchange(exchange)
        }
        if let session = client.pointee.part.session { end(session) }
        client.pointee.state = .closed
        client.stopReading()
        client.stopWriting()
        pointee.connections.wheel.remove(client.timeout)
        client.pointee.stream.close()
        client.pointee.input.release(to: &pointee.connections.buffers)
        client.pointee.output.release(to: &pointee.connections.buffers)
        if let stream = client.pointee.part.stream { return leave(stream, client) }
        closeOwned(by: client)
        if client.pointee.isHandshaking { endHandshake(client) }
        if client.pointee.isCounted { pointee.connections.networks.remove(client.pointee.peer.networkWords) }
        client.pointee.isCounted = false
        dropPipe(&client.pointee.pipe)
        endDiscarding(client)
        client.pointee.forgetCertificate()
        pointee.connections.openClients -= 1
        pointee.journal.metrics.adjust(.clientConnections, by: -1)
        pointee.connections.clients.retire(client)
        if pointee.listening.isDraining { drainedClient(client) }
    }

    /// From now on what comes is read away as the rest of a body.
    func beginDiscarding(_ client: ClientRef, _ body: BodyCounter) {
        endDiscarding(client)
        client.pointee.part = .discard(pointee.connections.discards.take(body))
        client.pointee.state = .discardingBody
    }

    private func endDiscarding(_ client: ClientRef) {
        guard let discard = client.pointee.part.discard else { return }
        client.pointee.part = .none
        pointee.connections.discards.giveBack(discard)
    }

    /// Reads away the rest of a small request body after an early answer (HTTP-35).
    func readDiscarded(_ client: ClientRef) {
        if client.pointee.input.isEmpty {
            let count = client.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
            switch count {
            case 1...: break
            case ByteStream.wantsRead: return
            // TLS has something of its own to say first, such as the answer to a KeyUpdate (RFC 8446 §4.6.3).
            case ByteStream.wantsWrite: return client.startWriting()
            default: return closeClient(client)
            }
            guard client.pointee.input.append(pointee.scratch.read, count, from: &pointee.connections.buffers) else {
                return closeClient(client)
            }
        }
        discardInput(client)
    }

    /// Takes the body that is not wanted out of the input; goes on with the next request behind it.
    func discardInput(_ client: ClientRef) {
        guard let discard = client.pointee.part.discard else { return }
        while !client.pointee.input.isEmpty, !discard.pointee.isComplete {
            let input = client.pointee.input
            let span = UnsafeBufferPointer(start: input.bytes, count: input.count).span
            switch discard.pointee.next(in: span) {
            case .content(let offset, let count): consumeDiscarded(client, offset + count)
            case .framing(let used), .end(let used): consumeDiscarded(client, used)
            case .refused: return stopDiscarding(client)
            }
            if client.pointee.lingered > 64 << 10 { return stopDiscarding(client) }
        }
        guard discard.pointee.isComplete else { return client.startReading() }
        endDiscarding(client)
        client.pointee.lingered = 0
        beginNext(client)
    }

    /// No next request can follow: the end, but not one that resets the answer away from a client still sending.
    private func stopDiscarding(_ client: ClientRef) {
        client.pointee.lingers = true
        closeAfterOutput(client)
    }

    private func consumeDiscarded(_ client: ClientRef, _ count: Int) {
        client.pointee.lingered += Int32(count)
        client.pointee.input.consume(count, to: &pointee.connections.buffers)
    }
}
