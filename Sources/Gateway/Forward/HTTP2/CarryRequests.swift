import EventLoop
import Glibc
import HTTP2
import Transport

/// What a stream does for the connection that it stands for: what a socket does for any other one.
extension UpstreamRef {
    /// Reads up to `capacity` bytes as `ByteStream.read` does; 0 at the end of an answer.
    @inline(__always)
    func read(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        switch pointee.part {
        case .none, .check, .grpcCheck, .shared, .session: pointee.stream.read(into: bytes, capacity: capacity)
        case .stream(let stream): stream.read(into: bytes, capacity: capacity)
        case .waiting, .attempt: ByteStream.failed
        }
    }

    /// Has the connection's close look like a break, so that nobody takes what there is for all.
    func resetOnClose() {
        // A stream that is left before its request is whole is reset anyway.
        if !pointee.isShared { Socket.resetOnClose(pointee.stream.descriptor) }
    }

    /// Whether the kernel may move bytes between its socket and another one, unseen.
    var isSpliceable: Bool { pointee.stream.tls == nil && !pointee.isShared }

    /// Tells the upstream that nothing more follows, and goes on reading.
    func finishWriting() {
        guard let stream else { return pointee.stream.finishWriting() }
        pointee.worker.send(stream)
    }
}

extension UpstreamStreamRef {
    /// What is at hand of the answer, and room in our window for as much of its content again (H2-42).
    fileprivate func read(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        let kept = pointee.content
        if !kept.isEmpty {
            let count = Swift.min(kept.count, capacity)
            memcpy(bytes, kept.bytes, count)
            if let worker = pointee.upstream?.pointee.worker {
                pointee.content.consume(count, to: &worker.pointee.connections.buffers)
            }
            return taken(count)
        }
        if let start = pointee.arrived.baseAddress, pointee.arrived.count > 0 {
            let count = Swift.min(pointee.arrived.count, capacity)
            memcpy(bytes, start, count)
            pointee.arrived = UnsafeBufferPointer(rebasing: pointee.arrived.dropFirst(count))
            return taken(count)
        }
        return pointee.hasEnded ? 0 : ByteStream.wantsRead
    }

    private func taken(_ count: Int) -> Int {
        let ofHead = Swift.min(count, pointee.headLeft)
        pointee.headLeft -= ofHead
        guard count > ofHead, !pointee.isForgotten else { return count }
        pointee.session.pointee.core.taken(pointee.number, count - ofHead)
        pointee.upstream?.pointee.worker.queue(pointee.session)
        return count
    }
}

extension WorkerRef {
    /// Puts bytes behind what the request has to send; they leave at the end of the loop's turn, with those of others.
    func send(_ bytes: UnsafePointer<UInt8>, _ count: Int, on upstream: UpstreamRef) {
        // Nothing, with the request's end behind it, is something to be sent too.
        guard count == 0 || upstream.pointee.output.append(bytes, count, from: &pointee.connections.buffers) else {
            return upstreamBroke(upstream)
        }
        if let stream = upstream.stream { send(stream) }
        if let client = upstream.pointee.exchange?.pointee.client { regulate(client) }
    }

    /// Has the request's bytes, or its end, put in frames at the end of this turn.
    func send(_ stream: UpstreamStreamRef) {
        guard !stream.pointee.isToSend, !stream.pointee.isForgotten else { return }
        stream.pointee.isToSend = true
        stream.pointee.nextToSend = stream.pointee.session.pointee.toSend
        stream.pointee.session.pointee.toSend = stream
        queue(stream.pointee.session)
    }

    /// Has the exchange read, in this turn of the loop.
    func read(_ stream: UpstreamStreamRef) {
        // Of one that the core has forgotten nobody else would remind.
        guard !stream.pointee.isForgotten else { return readForgotten(stream) }
        guard !stream.pointee.isToRead else { return }
        stream.pointee.isToRead = true
        stream.pointee.nextToRead = stream.pointee.session.pointee.toRead
        stream.pointee.session.pointee.toRead = stream
        queue(stream.pointee.session)
    }

    /// The rest of a whole answer whose connection has gone on, or away: read when its client takes more.
    private func readForgotten(_ stream: UpstreamStreamRef) {
        guard let upstream = stream.pointee.upstream else { return }
        if !stream.pointee.isToRead {
            stream.pointee.isToRead = true
            FileEvent.assign(upstream.readEvent, pointee.loop.base, -1, [], onUpstreamReadable, upstream)
        }
        FileEvent.activate(upstream.readEvent, .read)
    }

    /// Has the rest be read of an answer whose stream the core has forgotten, part by part.
    func readRest(_ upstream: UpstreamRef) {
        guard let stream = upstream.stream, stream.pointee.isForgotten, stream.pointee.isReadable else { return }
        readForgotten(stream)
    }

    /// Has the loop come back to a connection at the end of this turn.
    func queue(_ session: UpstreamSessionRef) {
        guard !session.pointee.isQueued, !session.pointee.isAtWork, !session.pointee.isOver else { return }
        session.pointee.isQueued = true
        session.pointee.nextQueued = pointee.upstreams.http2.queued
        awaitTurnEnd()
        pointee.upstreams.http2.queued = session
    }

    /// Goes on with the connections to upstreams that asked for it in this turn of the loop.
    func goOnWithUpstreams() {
        while let session = pointee.upstreams.http2.queued {
            pointee.upstreams.http2.queued = session.pointee.nextQueued
            session.pointee.nextQueued = nil
            session.pointee.isQueued = false
            guard !session.pointee.isAtWork, followEvents(session) else { continue }
            sendRequestFrames(session)
        }
    }

    /// The connection that the stream stood for is closed.
    func leave(_ stream: UpstreamStreamRef, _ upstream: UpstreamRef) {
        stream.pointee.upstream = nil
        let session = stream.pointee.session
        guard !stream.pointee.isForgotten else {
            if stream.pointee.isToRead { FileEvent.remove(upstream.readEvent) }
            return drop(stream)
        }
        session.pointee.attached -= 1
        if session.pointee.attached == 0 { watch(session) }
        giveWindowBack(stream)
        stream.pointee.trailers.release(to: &pointee.connections.buffers)
        let isDone = stream.pointee.isEndSent && (stream.pointee.hasEnded || stream.pointee.isAnswered)
        // Somebody has left, or what is still to come is nobody's (RFC 9113 §8.1).
        if !isDone, !stream.pointee.isReset {
            session.pointee.core.reset(stream.pointee.number, .cancel)
        }
        queue(session)
    }

    private func giveWindowBack(_ stream: UpstreamStreamRef) {
        let count = stream.pointee.content.count + stream.pointee.arrived.count - stream.pointee.headLeft
        stream.pointee.content.release(to: &pointee.connections.buffers)
        stream.pointee.arrived = UnsafeBufferPointer(start: nil, count: 0)
        stream.pointee.headLeft = 0
        if count > 0 { stream.pointee.session.pointee.core.taken(stream.pointee.number, count) }
    }

    /// Forgets a stream that nobody points at any more.
    func drop(_ stream: UpstreamStreamRef) {
        stream.pointee.content.release(to: &pointee.connections.buffers)
        stream.pointee.trailers.release(to: &pointee.connections.buffers)
        pointee.upstreams.http2.streams.retire(stream)
    }

    // MARK: chains

    func link(_ stream: UpstreamStreamRef) {
        let session = stream.pointee.session
        stream.pointee.next = session.pointee.streams
        session.pointee.streams?.pointee.previous = stream
        session.pointee.streams = stream
    }

    /// Takes the stream out of all chains of its session.
    func unlink(_ stream: UpstreamStreamRef) {
        let session = stream.pointee.session
        if let previous = stream.pointee.previous {
            previous.pointee.next = stream.pointee.next
        } else {
            session.pointee.streams = stream.pointee.next
        }
        stream.pointee.next?.pointee.previous = stream.pointee.previous
        if stream.pointee.isToSend { session.pointee.toSend = without(stream, session.pointee.toSend, \.nextToSend) }
        if stream.pointee.isToRead { session.pointee.toRead = without(stream, session.pointee.toRead, \.nextToRead) }
        if stream.pointee.isSent { session.pointee.sent = without(stream, session.pointee.sent, \.nextSent) }
        (stream.pointee.isToSend, stream.pointee.isToRead, stream.pointee.isSent) = (false, false, false)
    }
}
