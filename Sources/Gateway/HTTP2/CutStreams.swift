import Access
import HTTP1
import HTTP2
import Telemetry

/// The last moment of a process whose time to drain is over: what is left is told of its end (H2-63).
extension WorkerRef {
    /// Ends the streams that are left, each in a way that its client knows, and says which were the last of each connection.
    func cutStreams() {
        let clients = pointee.connections.clients
        clients.forEachInUse { client in if let session = client.pointee.part.session { cutStreams(session) } }
    }

    private func cutStreams(_ session: SessionRef) {
        var left: [StreamRef] = []
        var next = session.pointee.streams
        while let stream = next {
            left.append(stream)
            next = stream.pointee.next
        }
        // Ending one takes none of the others out of its place.
        for stream in left { if let client = stream.pointee.client { cut(stream, client) } }
        if session.pointee.farewell == .none { endSoon(session, .shutdown) }
        sayLastStream(session)
        sendFrames(session)
    }

    private func cut(_ stream: StreamRef, _ client: ClientRef) {
        stream.pointee.code = .cancel
        guard let exchange = client.pointee.exchange else {
            // The answer is on its way; there is no more time for what is not.
            return closeClient(client)
        }
        let isCall = exchange.pointee.reader.call == .native
        if isCall, exchange.pointee.phase != .responding { return refuseCall(exchange) }
        exchange.pointee.truncation = .shutDown
        if client.pointee.state == .tunnelling { return cutTunnel(client, exchange) }
        if isCall { cutCall(stream, client) } else { closeClient(client) }
    }

    /// 1001 between two frames (RFC 6455 §7.4.1); within one nobody could tell it from content.
    private func cutTunnel(_ client: ClientRef, _ exchange: ExchangeRef) {
        guard exchange.pointee.frames.isBetweenFrames, !client.pointee.hasOutput else { return closeClient(client) }
        let frame: [UInt8] = [0x88, 0x02, 0x03, 0xE9]
        frame.withUnsafeBufferPointer { frame in
            if let start = frame.baseAddress { sendToClient(client, start, frame.count) }
        }
        if client.pointee.state == .tunnelling { endTunnel(client) }
    }

    /// A call of gRPC whose answer has begun ends with the status that has its client call again elsewhere.
    private func cutCall(_ stream: StreamRef, _ client: ClientRef) {
        guard stream.pointee.isHeadSent, !client.pointee.hasOutput,
            putStatus(.unavailable, "the gateway stops", behind: stream)
        else { return closeClient(client) }
        finish(stream)
    }

    /// One that has no answer yet gets the same as one of trailers alone.
    private func refuseCall(_ exchange: ExchangeRef) {
        if let upstream = exchange.pointee.upstream {
            exchange.pointee.upstream = nil
            closeUpstream(upstream)
        }
        let fields = [
            ("Content-Type", "application/grpc"), ("Grpc-Status", "\(GRPCStatus.unavailable.rawValue)"),
            ("Grpc-Message", "the gateway stops"),
        ]
        answer(exchange, status: 200, fields: fields, loggedAs: 503)
    }
}
