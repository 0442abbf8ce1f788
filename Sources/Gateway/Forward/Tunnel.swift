import Access
import Bytes
import EventLoop
import HTTP1
import HTTPMessage
import Telemetry
import Transport

/// WebSocket tunnels: bytes both ways after a 101 that was asked for, until one side or the token ends.
extension WorkerRef {
    /// The upstream answered 101: relayed only when this request offered a WebSocket (HTTP-58, HTTP-59).
    func switchProtocols(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int
    ) {
        if let found = refusalOfSwitch(exchange, bytes) {
            upstream.pointee.pool.pointee.counters.count(.malformed, at: clock.microseconds())
            exchange.pointee.upstream = nil
            closeUpstream(upstream)
            return answer(
                exchange,
                refused: Refused(
                    .upstreamSwitchedProtocols, expected: "no 101, or the WebSocket that was offered",
                    found: .text(found)))
        }
        let client = exchange.pointee.client
        exchange.pointee.phase = .responding
        exchange.pointee.status = 101
        exchange.pointee.respondedAt = countResponse(upstream, exchange, status: 101)
        exchange.pointee.replay.release(to: &pointee.connections.buffers)
        exchange.pointee.response = BodyCounter(.untilClose)
        exchange.pointee.keepsAlive = true
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        writeSwitchingHead(exchange, bytes, into: &writer)
        let length = pointee.scratch.responseHead.pointee.length
        exchange.pointee.frames = WebSocketFrames()
        exchange.pointee.frames.pass(UnsafeBufferPointer(start: bytes + length, count: count - length).span)
        exchange.pointee.responseBytes += Int64(count - length)
        writer.put(bytes + length, count - length)
        upstream.pointee.input.release(to: &pointee.connections.buffers)
        client.pointee.state = .tunnelling
        clearTimeout(upstream.timeout)
        setTunnelTimeout(client, exchange, silence: pointee.policy.timeouts.tunnelIdle)
        sendToClient(client, writer.base, writer.count)
        if client.pointee.state == .tunnelling { resumeTunnel(client) }
    }

    /// Remembers what the answer to the handshake in `pointee.scratch.head` must say, which was checked when it was routed.
    func keepWebSocketKey(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) {
        let head = UnsafeBufferPointer(start: bytes, count: pointee.scratch.head.pointee.length).span
        guard let key = try? WebSocketOffer.key(in: pointee.scratch.head.pointee, bytes: head) else { return }
        exchange.pointee.webSocketAccept = WebSocketAccept(key: head.extracting(key))
    }

    /// What is wrong with a 101 (RFC 6455 §4.1, what a client checks), or nil.
    ///
    /// Client and upstream would go on with different ideas of where messages begin: the client's is that of its own check.
    private func refusalOfSwitch(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) -> String? {
        guard exchange.pointee.offersWebSocket else { return "a 101 that nobody asked for" }
        // Asked for by extended CONNECT it has neither key nor answer, and no other stream could be meant (RFC 8441 §5).
        if let upstream = exchange.pointee.upstream, upstream.stream?.pointee.isTunnel == true { return nil }
        guard upgradesToWebSocket(bytes) else { return "a 101 to another protocol" }
        guard pointee.scratch.responseHead.pointee.upgradesConnection else {
            return "a 101 without Connection: Upgrade"
        }
        let fields = pointee.scratch.responseHead.pointee.fields.count(of: .secWebSocketAccept)
        guard fields == 1 else { return "a 101 with \(fields) lines of Sec-WebSocket-Accept" }
        let index = pointee.scratch.responseHead.pointee.fields.firstIndex(of: .secWebSocketAccept)
        let range = pointee.scratch.responseHead.pointee.fields[index].value
        let value = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        return exchange.pointee.webSocketAccept.equals(value.span) ? nil : "a 101 with another Sec-WebSocket-Accept"
    }

    private func upgradesToWebSocket(_ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let head = pointee.scratch.responseHead
        var found = 0
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .upgrade {
            let range = head.pointee.fields[index].value
            let value = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            guard ASCII.equalsIgnoringCase(value.span, "websocket") else { return false }
            found += 1
        }
        return found == 1
    }

    private func writeSwitchingHead(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) {
        let head = pointee.scratch.responseHead
        writer.put("HTTP/1.1 101 Switching Protocols\r\n")
        var run = FieldRun()
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            guard !pointee.policy.responseRules.contains(slot.id),
                slot.id != .other && slot.id != .setCookie || mayPass(slot, exchange, bytes)
            else { continue }
            run.take(slot, bytes, into: &writer)
        }
        run.flush(bytes, into: &writer)
        if head.pointee.fields.count(of: .secWebSocketAccept) == 0 {
            writer.put("Sec-WebSocket-Accept: ")
            exchange.pointee.webSocketAccept.put(into: &writer)
            writer.put("\r\n")
        }
        writer.put("Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    }

    /// The earlier of silence and the token's end (HTTP-60).
    func setTunnelTimeout(_ client: ClientRef, _ exchange: ExchangeRef, silence: Int) {
        // It waits for the end of a frame, a second at most: bytes of one that never ends must not make it longer.
        guard !exchange.pointee.endsAtFrame else { return }
        var milliseconds = silence
        if let token = exchange.pointee.findings.token {
            milliseconds = WorkerRef.patience(
                silence: silence, until: token.expiresAt, now: clock.wallSeconds())
        }
        setTimeout(client.timeout, milliseconds)
    }

    /// How long a tunnel may be silent, in milliseconds, that ends at a time in unix seconds; any time, for a session
    /// without an end has the last one there is.
    static func patience(silence: Int, until end: Int64, now: Int64) -> Int {
        guard end > now else { return 0 }
        let (left, isFar) = end.subtractingReportingOverflow(now)
        // Not multiplied before it is known to be near.
        return isFar || left >= Int64(silence) ? silence : min(silence, Int(left) * 1000)
    }

    func tunnelFromClient(_ client: ClientRef) {
        guard let exchange = client.pointee.exchange, let upstream = exchange.pointee.upstream else {
            return closeClient(client)
        }
        let count = client.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
        switch count {
        case 1...:
            exchange.pointee.requestBytes += Int64(count)
            setTunnelTimeout(client, exchange, silence: pointee.policy.timeouts.tunnelIdle)
            sendToUpstream(upstream, pointee.scratch.read, count)
        case 0: clientEndedTunnel(client, exchange, upstream)
        case ByteStream.wantsRead: return
        case ByteStream.wantsWrite: client.startWriting()
        default: endTunnel(client)
        }
    }

    /// The client says no more, and may still listen: the upstream gets what is on its way, then that end, and answers.
    ///
    /// It has as long to say more as a response may be silent; what ends the tunnel is the upstream's own end.
    private func clientEndedTunnel(_ client: ClientRef, _ exchange: ExchangeRef, _ upstream: UpstreamRef) {
        client.pointee.sawEnd = true
        client.stopReading()
        setTunnelTimeout(client, exchange, silence: pointee.policy.timeouts.responseBody)
        if !upstream.pointee.hasOutput { sayEnd(upstream) }
    }

    /// Once: over TLS a second `SSL_shutdown` would take what the upstream still sends for its goodbye.
    private func sayEnd(_ upstream: UpstreamRef) {
        guard !upstream.pointee.hasSaidEnd else { return }
        upstream.pointee.hasSaidEnd = true
        upstream.finishWriting()
    }

    func tunnelFromUpstream(_ upstream: UpstreamRef, _ exchange: ExchangeRef, _ client: ClientRef) {
        let count = upstream.read(into: pointee.scratch.read, capacity: Scratch.readCapacity)
        switch count {
        case 1...:
            exchange.pointee.responseBytes += Int64(count)
            exchange.pointee.frames.pass(UnsafeBufferPointer(start: pointee.scratch.read, count: count).span)
            let silence =
                client.pointee.sawEnd ? pointee.policy.timeouts.responseBody : pointee.policy.timeouts.tunnelIdle
            setTunnelTimeout(client, exchange, silence: silence)
            sendToClient(client, pointee.scratch.read, count)
            if client.pointee.state == .tunnelling, exchange.pointee.endsAtFrame,
                exchange.pointee.frames.isBetweenFrames
            {
                sayGoodbye(client)
            }
        case ByteStream.wantsRead: return
        case ByteStream.wantsWrite: upstream.startWriting()
        case 0: endTunnel(client)
        default: breakTunnel(client)
        }
    }

    /// Both sides may go on reading; bytes that came before the 101 are passed on first.
    func resumeTunnel(_ client: ClientRef) {
        guard let exchange = client.pointee.exchange, let upstream = exchange.pointee.upstream else { return }
        if !client.pointee.input.isEmpty {
            var early = client.pointee.input
            client.pointee.input = Buffer()
            exchange.pointee.requestBytes += Int64(early.count)
            sendToUpstream(upstream, early.bytes, early.count)
            early.release(to: &pointee.connections.buffers)
        }
        guard client.pointee.state == .tunnelling else { return }
        if !upstream.pointee.hasOutput {
            if client.pointee.sawEnd { sayEnd(upstream) } else { client.startReading() }
        }
        if !client.pointee.hasOutput { upstream.startReading() }
    }

    /// One side has ended: the other gets what is on its way, then the end.
    func endTunnel(_ client: ClientRef) {
        guard let exchange = client.pointee.exchange else { return closeClient(client) }
        exchange.pointee.response.end()
        if let upstream = exchange.pointee.upstream {
            exchange.pointee.upstream = nil
            closeUpstream(upstream)
        }
        endExchange(exchange)
        client.stopReading()
        setTimeout(client.timeout, pointee.policy.timeouts.responseBody)
        // What the client is sending meanwhile must not reset the last frame away from it (RFC 6455 §7.1.1).
        client.pointee.lingers = true
        client.pointee.lingered = 0
        closeAfterOutput(client)
    }

    /// The upstream broke off: the client gets what is on its way, and then the same where its protocol can say so: a reset of
    /// its stream (RFC 8441 §5).
    func breakTunnel(_ client: ClientRef) {
        client.pointee.part.stream?.pointee.isBroken = true
        endTunnel(client)
    }

    /// The tunnel's time is over: 1008 between two frames, so that it is not read as content (RFC 6455 §7.4.1).
    func tunnelTimedOut(_ client: ClientRef) {
        guard let exchange = client.pointee.exchange else { return closeClient(client) }
        if exchange.pointee.frames.isBetweenFrames, !exchange.pointee.endsAtFrame { return sayGoodbye(client) }
        if exchange.pointee.endsAtFrame { return endTunnel(client) }
        exchange.pointee.endsAtFrame = true
        setTimeout(client.timeout, 1000)
    }

    /// The tunnel is to end, whoever says so and however often: at once between two frames, or in a second at most.
    func endSoon(_ client: ClientRef) {
        if client.pointee.exchange?.pointee.endsAtFrame != true { tunnelTimedOut(client) }
    }

    private func sayGoodbye(_ client: ClientRef) {
        let frame: [UInt8] = [0x88, 0x02, 0x03, 0xF0]
        frame.withUnsafeBufferPointer { frame in
            if let start = frame.baseAddress { sendToClient(client, start, frame.count) }
        }
        if client.pointee.state == .tunnelling { endTunnel(client) }
    }
}
