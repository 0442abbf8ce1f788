import EventLoop
import Transport

/// Writing to both sides: try at once, keep only what was not taken, and stop the other side's reading meanwhile.
extension WorkerRef {
    /// Sends bytes to a client behind what it has not taken yet.
    func sendToClient(_ client: ClientRef, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        guard count > 0, client.pointee.state != .closed else { return }
        // Nothing overtakes what waits inside the kernel.
        guard !client.pointee.pipe.isOpen else { return abortClient(client) }
        if let stream = client.pointee.part.stream { return send(bytes, count, on: stream, client) }
        var sent = 0
        if client.pointee.output.isEmpty {
            sent = client.pointee.stream.write(bytes, count: count)
            if sent == count { return }
            if sent == ByteStream.failed { return abortClient(client) }
            sent = max(0, sent)
            client.pointee.pace.stop()
        }
        guard client.pointee.output.append(bytes + sent, count - sent, from: &pointee.connections.buffers) else {
            return abortClient(client)
        }
        client.startWriting()
        if let upstream = client.pointee.exchange?.pointee.upstream { upstream.stopReading() }
        awaitMore(client, taken: 0)
    }

    /// The clock of a client that does not take what is there; in a tunnel it ends no later than the token (HTTP-60).
    func awaitMore(_ client: ClientRef, taken count: Int) {
        guard client.pointee.state == .tunnelling, let exchange = client.pointee.exchange else {
            return awaitTaking(client, taken: count)
        }
        setTunnelTimeout(client, exchange, silence: Int(client.pointee.patience))
    }

    /// The client takes bytes again.
    func clientWritable(_ client: ClientRef) {
        if let session = client.pointee.part.session { return sendFrames(session) }
        let output = client.pointee.output
        if !client.pointee.hasOutput {
            client.stopWriting()
            // A TLS handshake or record wanted to write before it could read on.
            return clientReadable(client)
        }
        if !output.isEmpty {
            let sent = client.pointee.stream.write(output.bytes, count: output.count)
            guard sent > 0 else {
                if sent == ByteStream.failed { abortClient(client) }
                return
            }
            client.pointee.output.consume(sent, to: &pointee.connections.buffers)
            guard client.pointee.output.isEmpty else { return awaitMore(client, taken: sent) }
        }
        guard emptyPipe(of: client) else { return }
        client.stopWriting()
        outputTaken(client)
    }

    /// All of a client's output has been taken: let go on what waited for that.
    func outputTaken(_ client: ClientRef) {
        client.pointee.pace.stop()
        if client.pointee.closesAfterOutput { return endClient(client) }
        switch client.pointee.state {
        case .exchanging, .tunnelling:
            guard let exchange = client.pointee.exchange else { return clearTimeout(client.timeout) }
            if client.pointee.state == .exchanging {
                clearTimeout(client.timeout)
                awaitResponse(exchange)
            } else {
                // Not cleared first: of a tunnel that is told to end the clock runs on, or a reader that takes a little now
                // and then would keep it open.
                setTunnelTimeout(client, exchange, silence: pointee.policy.timeouts.tunnelIdle)
            }
            guard let upstream = exchange.pointee.upstream, upstream.pointee.state == .active else { return }
            upstream.startReading()
        case .awaitingHead:
            setTimeout(client.timeout, keepAliveTimeout)
            runInput(client)
        case .closed, .awaitingProxyHeader, .discardingBody, .lingering, .multiplexing: break
        }
    }

    /// Sends bytes to an upstream behind what it has not taken yet.
    func sendToUpstream(_ upstream: UpstreamRef, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        if upstream.pointee.isShared, upstream.pointee.state != .closed { return send(bytes, count, on: upstream) }
        guard count > 0, upstream.pointee.state != .closed else { return }
        // Nothing overtakes what waits inside the kernel.
        guard !upstream.pointee.pipe.isOpen else { return upstreamBroke(upstream) }
        var sent = 0
        if upstream.pointee.output.isEmpty, upstream.pointee.state == .active {
            sent = upstream.pointee.stream.write(bytes, count: count)
            if sent == count { return }
            if sent == ByteStream.failed { return upstreamTakesNothing(upstream) }
            sent = max(0, sent)
        }
        guard upstream.pointee.output.append(bytes + sent, count - sent, from: &pointee.connections.buffers) else {
            return upstreamBroke(upstream)
        }
        if upstream.pointee.state == .active { upstream.startWriting() }
        if let client = upstream.pointee.exchange?.pointee.client { regulate(client) }
    }

    func upstreamWritable(_ upstream: UpstreamRef) {
        switch upstream.pointee.state {
        case .connecting: connected(upstream)
        case .handshaking: handshake(upstream)
        case .active: flushUpstream(upstream)
        case .closed, .resolving, .queued, .draining, .idle: upstream.stopWriting()
        }
    }

    /// Sends what waits for an upstream; then lets the client go on.
    func flushUpstream(_ upstream: UpstreamRef) {
        switch upstream.pointee.part {
        case .session(let session): return sendRequestFrames(session)
        case .grpcCheck(let check): return flushGRPCCheck(upstream, check)
        case .none, .check, .attempt, .shared, .waiting, .stream: break
        }
        let output = upstream.pointee.output
        if !output.isEmpty {
            let sent = upstream.pointee.stream.write(output.bytes, count: output.count)
            if sent == ByteStream.failed { return upstreamTakesNothing(upstream) }
            if sent > 0 { upstream.pointee.output.consume(sent, to: &pointee.connections.buffers) }
            guard upstream.pointee.output.isEmpty else { return upstream.startWriting() }
        }
        guard emptyPipe(of: upstream) else { return }
        upstream.stopWriting()
        guard let exchange = upstream.pointee.exchange else { return }
        let client = exchange.pointee.client
        if client.pointee.state == .tunnelling { return resumeTunnel(client) }
        goOn(client, exchange)
    }

    /// The upstream has closed its side to us; it may have answered before it did, so its answer is read first.
    ///
    /// Its end, when that is read, is dealt with where all ends are.
    func upstreamTakesNothing(_ upstream: UpstreamRef) {
        guard let client = upstream.pointee.exchange?.pointee.client else { return closeUpstream(upstream) }
        upstream.pointee.output.release(to: &pointee.connections.buffers)
        dropPipe(&upstream.pointee.pipe)
        upstream.stopWriting()
        upstream.pointee.keepsAlive = false
        client.stopReading()
        // What the client has yet to take comes first; then it is read on.
        guard !client.pointee.hasOutput else { return }
        upstream.startReading()
        FileEvent.activate(upstream.readEvent, .read)
    }

    func regulate(_ client: ClientRef) {
        if client.pointee.state == .tunnelling { client.stopReading() } else { regulateClientReading(client) }
    }
}
