import Access
import HTTP2
import Transport

/// From frames of an upstream to answers.
extension WorkerRef {
    /// Reads frames off the upstream's socket.
    func receiveFrames(_ session: UpstreamSessionRef) {
        let carrier = session.pointee.carrier
        let bytes = pointee.connections.http2.frames.bytes
        let count = carrier.pointee.stream.read(into: bytes, capacity: Frames.capacity)
        switch count {
        case 1...: receive(session, bytes, count)
        case ByteStream.wantsRead: break
        case ByteStream.wantsWrite: carrier.startWriting()
        default: sessionBroke(session)
        }
    }

    private func receive(_ session: UpstreamSessionRef, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        session.pointee.awaitsAnswer = false
        session.pointee.core.receive(UnsafeBufferPointer(start: bytes, count: count), now: clock.microseconds())
        guard followEvents(session) else { return }
        watch(session)
        guard session.pointee.core.fault == nil else { return sessionBroke(session) }
        sendRequestFrames(session)
    }

    /// Sees to what has happened; false when the connection was closed meanwhile.
    func followEvents(_ session: UpstreamSessionRef) -> Bool {
        session.pointee.isAtWork = true
        while let event = session.pointee.core.nextEvent() {
            follow(event, session)
            guard !session.pointee.isOver else { return false }
        }
        while let stream = session.pointee.toRead {
            session.pointee.toRead = stream.pointee.nextToRead
            stream.pointee.nextToRead = nil
            stream.pointee.isToRead = false
            readOn(stream)
            guard !session.pointee.isOver else { return false }
        }
        session.pointee.isAtWork = false
        return true
    }

    private func follow(_ event: ClientEvent, _ session: UpstreamSessionRef) {
        switch event {
        case .interim(_, let place, let head):
            session.pointee.noteAnswer()
            if let stream = stream(place) { takeHead(head, of: stream) }
        case .response(_, let place, let head, let hasBody):
            session.pointee.noteAnswer()
            guard let stream = stream(place) else { return }
            stream.pointee.hasHead = true
            stream.pointee.hasEnded = !hasBody
            session.pointee.hasServed = true
            takeHead(head, of: stream)
        case .malformed(_, let place, let fault):
            guard let stream = stream(place) else { return }
            stream.pointee.isReset = true
            if let upstream = stream.pointee.upstream { upstreamMalformed(upstream, fault.refused.1) }
        case .content(let number, let place, let content):
            session.pointee.noteAnswer()
            guard let stream = stream(place), stream.pointee.upstream != nil else {
                return session.pointee.core.taken(number, content.count)
            }
            take(content, of: stream)
        case .trailers(_, let place, let lines):
            guard let stream = stream(place), let start = lines.baseAddress else { return }
            _ = stream.pointee.trailers.append(start, lines.count, from: &pointee.connections.buffers)
        case .ended(_, let place):
            guard let stream = stream(place) else { return }
            stream.pointee.hasEnded = true
            readOn(stream)
        case .reset(_, let place, let code, let byPeer):
            if let stream = stream(place) { wasReset(stream, code, byPeer: byPeer) }
        case .closed(_, let place, _, let mayRepeat): if let stream = stream(place) { forget(stream, mayRepeat) }
        case .settings: serveWaiting(session.pointee.carrier.pointee.pool)
        case .pong: break
        case .goAway(let code): leaveSoon(session, toldBy: code)
        }
    }

    private func stream(_ place: UnsafeMutableRawPointer?) -> UpstreamStreamRef? {
        place?.assumingMemoryBound(to: UpstreamStream.self)
    }

    private func takeHead(_ head: UnsafeMutableBufferPointer<UInt8>, of stream: UpstreamStreamRef) {
        guard stream.pointee.upstream != nil else { return }
        stream.pointee.headLeft += head.count
        take(UnsafeBufferPointer(head), of: stream)
    }

    private func take(_ bytes: UnsafeBufferPointer<UInt8>, of stream: UpstreamStreamRef) {
        stream.pointee.arrived = bytes
        readOn(stream)
        let rest = stream.pointee.arrived
        stream.pointee.arrived = UnsafeBufferPointer(start: nil, count: 0)
        guard let first = rest.baseAddress, rest.count > 0, let upstream = stream.pointee.upstream else { return }
        if !stream.pointee.content.append(first, rest.count, from: &pointee.connections.buffers) {
            upstreamMalformed(upstream, "a head beyond limits")
        }
    }

    /// Has the exchange take what there is, as long as it wants to.
    private func readOn(_ stream: UpstreamStreamRef) {
        while let upstream = stream.pointee.upstream, upstream.pointee.isReading, stream.pointee.isReadable {
            upstreamReadable(upstream)
        }
    }

    /// The upstream has reset the stream, or the core for a fault of the upstream's (H2-80).
    private func wasReset(_ stream: UpstreamStreamRef, _ code: ErrorCode, byPeer: Bool) {
        stream.pointee.isReset = true
        // Behind a whole answer it only says that the rest of the request is not wanted; a refused stream closes, and may be
        // sent again.
        guard !stream.pointee.hasEnded, code != .refusedStream || stream.pointee.hasHead,
            let upstream = stream.pointee.upstream
        else { return }
        guard byPeer || stream.pointee.hasHead else {
            return upstreamMalformed(upstream, "a head that breaks HTTP/2")
        }
        // Who asked may be told that this was no fault of anybody's.
        if code == .cancel { upstream.pointee.exchange?.pointee.client.pointee.part.stream?.pointee.code = .cancel }
        let cause = code == .protocolError ? Refusal.upstreamMalformed : .upstreamClosed
        upstreamBroke(upstream, found: "a reset of the stream", callCause: cause)
    }

    /// The core has forgotten the stream.
    private func forget(_ stream: UpstreamStreamRef, _ mayRepeat: Bool) {
        let session = stream.pointee.session
        let pool = session.pointee.carrier.pointee.pool
        unlink(stream)
        stream.pointee.isForgotten = true
        if let upstream = stream.pointee.upstream {
            // Of a whole answer the rest is yet to be taken.
            if !stream.pointee.hasEnded {
                strand(upstream, stream)
                if mayRepeat {
                    // A stream that was refused was reset; one that its connection left out was not. A server in trouble is not to
                    // get its requests again and again.
                    sendElsewhere(upstream, wasLeftOut: !stream.pointee.isReset && !session.pointee.isTroubled)
                } else {
                    upstreamBroke(upstream, found: "a reset of the stream")
                }
            }
        } else {
            pointee.upstreams.http2.streams.retire(stream)
        }
        guard !session.pointee.isOver else { return }
        serveWaiting(pool)
        if session.pointee.isLeaving, session.pointee.streams == nil { closeUpstream(session.pointee.carrier) }
    }

    /// Takes its stream from a request, which has to go another way or end.
    func strand(_ upstream: UpstreamRef, _ stream: UpstreamStreamRef) {
        upstream.pointee.part = .waiting
        upstream.pointee.isReading = false
        stream.pointee.upstream = nil
        stream.pointee.session.pointee.attached -= 1
        drop(stream)
    }

    /// The upstream has not looked at the request: it is sent once more, whatever its method (RFC 9113 §8.7, H2-78).
    ///
    /// Not when more of its content was sent than is kept. Whoever refuses the stream will do so again: not a second time then. A
    /// connection that ends leaves out all that was on its way to it, and so may the next one a moment later: a few times then.
    private func sendElsewhere(_ upstream: UpstreamRef, wasLeftOut: Bool) {
        guard let exchange = upstream.pointee.exchange, !exchange.pointee.replay.isEmpty,
            exchange.pointee.holdsContent || exchange.pointee.replayedContent == exchange.pointee.requestBytes
        else { return upstreamBroke(upstream, found: "a refused stream") }
        let pool = upstream.pointee.pool
        exchange.pointee.upstream = nil
        closeUpstream(upstream)
        exchange.pointee.timesLeftOut &+= 1
        sendAgain(
            exchange, pool,
            keepsCopy: wasLeftOut && exchange.pointee.timesLeftOut < UpstreamSession.mostTimesLeftOut)
    }
}
