import Transport

/// Requests to upstreams, a turn of the loop's together.
extension WorkerRef {
    /// How many requests wait for each other at most, and how long, in microseconds.
    private static var togetherAtMost: Int { 16 }
    private static var togetherFor: UInt64 { 500 }

    /// Has a request that is kept for a retry leave at the end of this turn, with those of others.
    ///
    /// An upstream on the same machine that is written to between the judgements of two requests is done with the first
    /// before the second comes, and has to be woken for it, which costs the writer more than the write.
    func sendTogether(_ upstream: UpstreamRef, _ exchange: ExchangeRef) {
        if pointee.upstreams.unsent == nil {
            awaitTurnEnd()
            pointee.upstreams.unsentSince = exchange.pointee.forwardedAt
        }
        upstream.pointee.isUnsent = true
        upstream.pointee.previous = pointee.upstreams.lastUnsent
        upstream.pointee.next = nil
        if let last = pointee.upstreams.lastUnsent {
            last.pointee.next = upstream
        } else {
            pointee.upstreams.unsent = upstream
        }
        pointee.upstreams.lastUnsent = upstream
        pointee.upstreams.unsentCount += 1
        if pointee.upstreams.unsentCount >= WorkerRef.togetherAtMost { sendRequests() }
    }

    /// Sends what waits since too long when another request is forwarded: what is judged between two of them may take long, for a
    /// signature is as much as ten requests.
    @inline(__always)
    func sendLateRequests(at microseconds: UInt64) {
        guard pointee.upstreams.unsent != nil,
            microseconds &- pointee.upstreams.unsentSince > WorkerRef.togetherFor
        else { return }
        sendRequests()
    }

    /// Sends what was kept for the end of the turn; also before something that takes long.
    func sendRequests() {
        while let upstream = pointee.upstreams.unsent {
            takeBack(upstream)
            guard upstream.pointee.state == .active, let exchange = upstream.pointee.exchange,
                !exchange.pointee.replay.isEmpty
            else { continue }
            // What has come before the request is no answer to it, and no proxy could tell later (HTTP-40).
            guard upstream.pointee.stream.isQuiet else {
                upstreamBroke(upstream)
                continue
            }
            sendToUpstream(upstream, exchange.pointee.replay.bytes, exchange.pointee.replay.count)
        }
    }

    /// Takes a connection out of those that have a request to send, if it is one.
    func takeBack(_ upstream: UpstreamRef) {
        guard upstream.pointee.isUnsent else { return }
        upstream.pointee.isUnsent = false
        if pointee.upstreams.lastUnsent == upstream { pointee.upstreams.lastUnsent = upstream.pointee.previous }
        upstream.unlink(from: &pointee.upstreams.unsent)
        pointee.upstreams.unsentCount -= 1
    }
}
