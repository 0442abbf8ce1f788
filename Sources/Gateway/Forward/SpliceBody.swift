import Access
import EventLoop
import Transport

/// Large bodies over plain TCP go from socket to socket inside the kernel, through a pipe that is borrowed meanwhile.
///
/// Only where nobody has to see the bytes: a length that was announced, or the end of a connection that ends a body for
/// HTTP/1.0. Chunks, TLS and tunnels are read. A connection holds a pipe as long as bytes are in it that it has not
/// taken; such a pipe is output that waits, behind what `output` holds, and its source is not read meanwhile.
extension WorkerRef {
    /// A rest of a body shorter than this is copied: for it the pipe costs more than it saves.
    static var worthSplicing: Int64 { 64 << 10 }

    /// What the readiness of one socket moves at most before others get their turn.
    static var spliceTurn: Int { 1 << 20 }

    /// Passes on what has arrived of a response's body; false when its bytes have to be read.
    func spliceResponse(_ upstream: UpstreamRef, _ exchange: ExchangeRef) -> Bool {
        let client = exchange.pointee.client
        guard isWorthSplicing(exchange.pointee.response, isFramed: exchange.pointee.sendsChunks),
            upstream.isSpliceable, client.isSpliceable, !client.pointee.hasOutput,
            var pipe = pointee.connections.pipes.take()
        else { return false }
        var moved = 0
        while moved < WorkerRef.spliceTurn {
            let count = pipe.fill(from: upstream.pointee.stream, atMost: exchange.pointee.response.spliceable)
            guard count > 0 else {
                pointee.connections.pipes.giveBack(pipe)
                return spliceStopped(upstream, exchange, count, hasMoved: moved > 0)
            }
            moved += count
            exchange.pointee.response.pass(count)
            exchange.pointee.responseBytes += Int64(count)
            switch pipe.drain(into: client.pointee.stream) {
            case .some(true): break
            case .some(false):
                client.pointee.pipe = pipe
                client.startWriting()
                upstream.stopReading()
                setTimeout(upstream.timeout, patience(of: exchange).responseBody)
                beginTaking(client)
                if exchange.pointee.response.isComplete { finishExchange(exchange) }
                return true
            case .none:
                pointee.connections.pipes.giveBack(pipe)
                abortClient(client)
                return true
            }
            guard exchange.pointee.response.isComplete else { continue }
            pointee.connections.pipes.giveBack(pipe)
            finishExchange(exchange)
            return true
        }
        pointee.connections.pipes.giveBack(pipe)
        setTimeout(upstream.timeout, patience(of: exchange).responseBody)
        return true
    }

    /// Nothing more of a response's body is there to move, for now or for ever; whether that is dealt with.
    private func spliceStopped(
        _ upstream: UpstreamRef, _ exchange: ExchangeRef, _ outcome: Int, hasMoved: Bool
    ) -> Bool {
        switch outcome {
        case ByteStream.wantsRead:
            if hasMoved { setTimeout(upstream.timeout, patience(of: exchange).responseBody) }
        case Pipe.unsupported:
            pointee.connections.pipes.giveUp()
            return false
        case 0 where exchange.pointee.response.kind == .untilClose:
            exchange.pointee.response.end()
            upstream.pointee.keepsAlive = false
            finishExchange(exchange)
        default: upstreamBroke(upstream)
        }
        return true
    }

    /// Passes on what has arrived of a request's body; false when its bytes have to be read.
    func spliceRequest(_ client: ClientRef, _ exchange: ExchangeRef) -> Bool {
        guard isWorthSplicing(exchange.pointee.request, isFramed: false), !exchange.pointee.holdsContent,
            client.isSpliceable,
            let upstream = exchange.pointee.upstream, upstream.pointee.state == .active,
            upstream.isSpliceable, !upstream.pointee.hasOutput, var pipe = pointee.connections.pipes.take()
        else { return false }
        var moved = 0
        while moved < WorkerRef.spliceTurn {
            let count = pipe.fill(from: client.pointee.stream, atMost: exchange.pointee.request.spliceable)
            guard count > 0 else {
                pointee.connections.pipes.giveBack(pipe)
                if count == Pipe.unsupported {
                    pointee.connections.pipes.giveUp()
                    return false
                }
                // RFC 9112 §8: an incomplete request must not reach the upstream as a complete one (HTTP-31).
                guard count == ByteStream.wantsRead else {
                    abortClient(client)
                    return true
                }
                break
            }
            moved += count
            exchange.pointee.request.pass(count)
            exchange.pointee.requestBytes += Int64(count)
            switch pipe.drain(into: upstream.pointee.stream) {
            case .some(true):
                if moved < WorkerRef.spliceTurn, !exchange.pointee.request.isComplete { continue }
                pointee.connections.pipes.giveBack(pipe)
            case .some(false):
                upstream.pointee.pipe = pipe
                upstream.startWriting()
            case .none:
                pointee.connections.pipes.giveBack(pipe)
                upstreamTakesNothing(upstream)
                return true
            }
            break
        }
        if moved > 0 { awaitResponse(exchange) }
        return true
    }

    private func isWorthSplicing(_ body: BodyCounter, isFramed: Bool) -> Bool {
        switch body.kind {
        case .length: body.remaining >= WorkerRef.worthSplicing
        case .untilClose: !isFramed
        case .complete, .chunked: false
        }
    }

    /// Sends on what waits in a client's pipe: whether that is all gone; a client that is gone itself is dealt with.
    func emptyPipe(of client: ClientRef) -> Bool {
        guard client.pointee.pipe.isOpen else { return true }
        let before = client.pointee.pipe.count
        switch client.pointee.pipe.drain(into: client.pointee.stream) {
        case .some(true):
            dropPipe(&client.pointee.pipe)
            return true
        case .some(false):
            let taken = before - client.pointee.pipe.count
            if taken > 0 { awaitTaking(client, taken: taken) }
        case .none: abortClient(client)
        }
        return false
    }

    /// Sends on what waits in an upstream's pipe: whether that is all gone; a broken connection is dealt with.
    func emptyPipe(of upstream: UpstreamRef) -> Bool {
        guard upstream.pointee.pipe.isOpen else { return true }
        let before = upstream.pointee.pipe.count
        switch upstream.pointee.pipe.drain(into: upstream.pointee.stream) {
        case .some(true):
            dropPipe(&upstream.pointee.pipe)
            return true
        case .some(false):
            upstream.startWriting()
            if upstream.pointee.pipe.count < before, let exchange = upstream.pointee.exchange {
                awaitResponse(exchange)
            }
        case .none: upstreamTakesNothing(upstream)
        }
        return false
    }

    /// Gives a connection's pipe back: to the next body when it is empty, else to nobody.
    func dropPipe(_ pipe: inout Pipe) {
        guard pipe.isOpen else { return }
        pointee.connections.pipes.giveBack(pipe)
        pipe = Pipe()
    }
}

extension BodyCounter {
    /// What may be moved unseen in one go: never a byte behind the body.
    fileprivate var spliceable: Int {
        kind == .length ? Int(min(remaining, Int64(PipePool.capacity))) : PipePool.capacity
    }
}
