import Access
import HTTP2
import Transport

/// How much memory of one worker has content of requests that may have to be sent to another server (ECO-73).
///
/// What slow clients send to slow servers would otherwise be kept without bound. Whoever comes when there is no room is served
/// like everybody else, and not sent again.
struct HeldContent {
    /// So much of one request is held; of one that brings more, nothing.
    static let mostOfOne = 64 << 10
    /// So much of all of them together.
    static let most = 16 << 20

    /// What is borrowed for it.
    private(set) var bytes = 0

    /// Whether there is room for so much more.
    func hasRoom(_ count: Int) -> Bool { bytes + count <= Self.most }

    /// Takes room for so much more; false, and nothing, where there is less.
    mutating func take(_ count: Int) -> Bool {
        guard hasRoom(count) else { return false }
        bytes += count
        return true
    }

    mutating func giveBack(_ count: Int) { bytes -= count }
}

/// Content that is held while a server may fail its request, and sent once more behind the same head.
extension WorkerRef {
    /// Keeps the head of a request with a body, and from now on its content; false where it may not be sent again.
    ///
    /// Only at upstreams with `retries`: nobody else pays for it.
    func beginHolding(
        _ exchange: ExchangeRef, _ head: HeadWriter, _ bytes: UnsafeMutablePointer<UInt8>, _ route: FixedValue<Route>
    ) -> Bool {
        guard pointee.upstreams.pools[route.pointee.upstream].pointee.settings.pool.retries,
            !exchange.pointee.offersWebSocket, isRepeatable(exchange, bytes, route)
        else { return false }
        let body = exchange.pointee.request
        let isLong = body.kind == .length
        guard !isLong || body.remaining <= Int64(HeldContent.mostOfOne),
            pointee.connections.held.hasRoom(BufferPool.size(atLeast: isLong ? Int(body.remaining) : 1)),
            // Both are sent again from one buffer, with the framing of one chunk.
            head.count + HeldContent.mostOfOne + HeldContent.framing <= BufferPool.largest,
            exchange.pointee.replay.append(head.base, head.count, from: &pointee.connections.buffers)
        else { return false }
        exchange.pointee.holdsContent = true
        exchange.pointee.isHeldInChunks = !isLong
        return true
    }

    /// Holds content that has just been taken; beyond the bounds nothing any more.
    func hold(_ exchange: ExchangeRef, _ content: UnsafeBufferPointer<UInt8>) {
        guard let start = content.baseAddress, content.count > 0 else { return }
        let held = exchange.pointee.held
        let count = held.count + content.count
        let more = held.room >= content.count ? 0 : BufferPool.size(atLeast: count) - held.capacity
        guard count <= HeldContent.mostOfOne, pointee.connections.held.take(more),
            exchange.pointee.held.append(start, content.count, from: &pointee.connections.buffers)
        else {
            exchange.pointee.mayRetry = false
            exchange.pointee.replay.release(to: &pointee.connections.buffers)
            return letGo(exchange)
        }
    }

    /// Forgets what is held of a request.
    func letGo(_ exchange: ExchangeRef) {
        exchange.pointee.holdsContent = false
        pointee.connections.held.giveBack(exchange.pointee.held.capacity)
        exchange.pointee.held.release(to: &pointee.connections.buffers)
    }

    /// What is sent once more: the head, and the content behind it, framed for HTTP/1.1 or as it is.
    func takeKept(_ exchange: ExchangeRef, framed: Bool) -> Buffer {
        var output = exchange.pointee.replay
        exchange.pointee.replay = Buffer()
        guard exchange.pointee.holdsContent else { return output }
        if framed { exchange.pointee.goesByHTTP2 = false }
        let held = exchange.pointee.held
        if !put(held, exchange, inChunks: framed && exchange.pointee.isHeldInChunks, behind: &output) {
            // There is always room (`beginHolding`); half a request would be worse than none.
            output.release(to: &pointee.connections.buffers)
        }
        letGo(exchange)
        return output
    }

    /// Frames for HTTP/1.1 what waits to be sent once more and turns out not to go by HTTP/2; false where that is not known.
    func frameHeld(_ upstream: UpstreamRef, _ exchange: ExchangeRef) -> Bool {
        guard exchange.pointee.isUnframed else { return false }
        guard exchange.pointee.isHeldInChunks else { return true }
        var kept = upstream.pointee.output
        upstream.pointee.output = Buffer()
        defer { kept.release(to: &pointee.connections.buffers) }
        let bytes = UnsafeBufferPointer(start: UnsafePointer(kept.bytes), count: kept.count)
        guard let length = OwnHead.length(of: bytes),
            upstream.pointee.output.append(kept.bytes, length, from: &pointee.connections.buffers)
        else { return false }
        kept.start += length
        return put(kept, exchange, inChunks: true, behind: &upstream.pointee.output)
    }

    /// Puts content behind a head, as one chunk where that is how it is framed, with the last one if the client's has come:
    /// to the second server it is one request, as it was to the first.
    private func put(_ content: Buffer, _ exchange: ExchangeRef, inChunks: Bool, behind output: inout Buffer) -> Bool {
        guard output.reserve(content.count + HeldContent.framing, from: &pointee.connections.buffers) else {
            return false
        }
        var writer = ContentWriter(HeadWriter(output.space, capacity: output.room), as: inChunks ? .chunk : .plain)
        if !content.isEmpty { writer.put(content.bytes, content.count) }
        output.end += writer.finish(isLast: exchange.pointee.request.isComplete).count
        return true
    }
}

extension HeldContent {
    /// What a chunk and the last one take beside their content, and more.
    fileprivate static let framing = 64
}
