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
    /// So much of all of them together, and so much of one client's, heads included.
    static let most = 16 << 20
    static let share = ClientShare(most: most / 2)

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
        exchange.pointee.heldBy = countedNetwork(exchange)
        guard account(exchange, exchange.pointee.replay.capacity) else {
            exchange.pointee.replay.release(to: &pointee.connections.buffers)
            return false
        }
        exchange.pointee.holdsContent = true
        exchange.pointee.isHeldInChunks = !isLong
        return true
    }

    /// Takes room for so much more of a request; false where there is none, or its client has its share.
    private func account(_ exchange: ExchangeRef, _ count: Int) -> Bool {
        guard count > 0 else { return true }
        let network = exchange.pointee.heldBy
        if let network {
            let (own, all) = (pointee.connections.networks.count(of: network, .held), pointee.connections.held.bytes)
            guard HeldContent.share.hasRoom(held: own + count, free: HeldContent.most - all) else { return false }
        }
        guard pointee.connections.held.take(count) else { return false }
        if let network { pointee.connections.networks.add(network, .held, count) }
        exchange.pointee.heldBytes += count
        return true
    }

    /// Holds content that has just been taken; beyond the bounds nothing any more.
    func hold(_ exchange: ExchangeRef, _ content: UnsafeBufferPointer<UInt8>) {
        guard let start = content.baseAddress, content.count > 0 else { return }
        let held = exchange.pointee.held
        let count = held.count + content.count
        let more = held.room >= content.count ? 0 : BufferPool.size(atLeast: count) - held.capacity
        guard count <= HeldContent.mostOfOne, account(exchange, more),
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
        pointee.connections.held.giveBack(exchange.pointee.heldBytes)
        if let network = exchange.pointee.heldBy {
            pointee.connections.networks.remove(network, .held, exchange.pointee.heldBytes)
        }
        exchange.pointee.heldBytes = 0
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

    /// Frames for HTTP/1.1 what waits unframed to be sent once more; false where there is no memory for it.
    func frameHeld(_ upstream: UpstreamRef, _ exchange: ExchangeRef) -> Bool {
        exchange.pointee.isUnframed = false
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
