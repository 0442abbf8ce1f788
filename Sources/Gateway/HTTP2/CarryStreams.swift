import Access
import Glibc
import HTTP2
import Transport

/// What a stream does for the connection that it stands for: what a socket does for any other one.
extension ClientRef {
    /// Reads up to `capacity` bytes as `ByteStream.read` does; 0 at the end of a stream.
    @inline(__always)
    func read(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        guard let stream = pointee.part.stream else { return pointee.stream.read(into: bytes, capacity: capacity) }
        return stream.read(into: bytes, capacity: capacity)
    }

    /// Has the connection's close look like a break, so that nobody takes what there is for all.
    func resetOnClose() {
        // A stream that is left before its answer is whole is reset anyway.
        if !pointee.part.isStream { Socket.resetOnClose(pointee.stream.descriptor) }
    }

    /// Whether the kernel may move bytes between its socket and another one, unseen.
    var isSpliceable: Bool { pointee.stream.tls == nil && !pointee.part.isStream }

    /// Bytes that were handed over for it and that it has not taken.
    var untakenBytes: Int {
        pointee.part.isStream ? 0 : Socket.unacknowledgedBytes(pointee.stream.descriptor)
    }

    /// Has what the stream has, and what comes, be read.
    func startReading(_ stream: StreamRef) {
        guard !pointee.isReading else { return }
        pointee.isReading = true
        if stream.pointee.isReadable { pointee.worker.read(stream) }
    }
}

extension StreamRef {
    /// The content at hand, and room in the peer's window for as much again (H2-42).
    fileprivate func read(into bytes: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
        let capacity = Swift.min(capacity, pointee.readableAtMost)
        guard capacity > 0 else { return ByteStream.wantsRead }
        guard !pointee.content.isEmpty else { return pointee.hasEnded ? 0 : ByteStream.wantsRead }
        let count = Swift.min(pointee.content.count, capacity)
        memcpy(bytes, pointee.content.bytes, count)
        pointee.content.consume(count, to: &pointee.connection.pointee.worker.pointee.connections.buffers)
        tookContent(count)
        return count
    }

    /// All of the content at hand, whose memory is the caller's from now on.
    fileprivate func takeContent() -> Buffer {
        let content = pointee.content
        pointee.content = Buffer()
        tookContent(content.count)
        return content
    }

    /// Gives the peer room for as much again.
    private func tookContent(_ count: Int) {
        let core = pointee.session.pointee.core
        core.taken(pointee.number, count)
        pointee.taken += count
        if isToBeAdmitted {
            pointee.isAdmitted = true
            core.admit(pointee.number)
        }
        pointee.connection.pointee.worker.queue(pointee.session)
    }

    /// Whether much comes of it that an upstream takes.
    private var isToBeAdmitted: Bool {
        !pointee.isAdmitted && pointee.taken >= HTTP2Session.admittedAfter && !pointee.hasEnded
            && pointee.client?.pointee.exchange?.pointee.upstream != nil
    }
}

extension WorkerRef {
    /// Sends what has come of a stream's content on from where it is, if that is how it goes on; false when it has to be read.
    func passContent(_ client: ClientRef, _ exchange: ExchangeRef) -> Bool {
        // Not where the last byte has to wait for the stream's end.
        guard let stream = client.pointee.part.stream, !stream.pointee.content.isEmpty,
            stream.pointee.content.count <= stream.pointee.readableAtMost,
            exchange.pointee.request.kind == .length, let upstream = exchange.pointee.upstream,
            !upstream.pointee.hasOutput
        else { return false }
        var content = stream.takeContent()
        defer { content.release(to: &pointee.connections.buffers) }
        let count = exchange.pointee.request.pass(content.count)
        exchange.pointee.requestBytes += Int64(count)
        let limit = patience(of: exchange).bodyLimit
        guard exchange.pointee.requestBytes <= limit else {
            bodyRefused(client, exchange, bodyTooLarge(limit))
            return true
        }
        if exchange.pointee.holdsContent {
            hold(exchange, UnsafeBufferPointer(start: content.bytes, count: count))
        } else if exchange.pointee.goesByHTTP2 {
            keepForRepeat(exchange, content.bytes, count)
        }
        sendToUpstream(upstream, content.bytes, count)
        if client.pointee.exchange == exchange { goOn(client, exchange) }
        return true
    }

    /// Puts bytes behind what the stream has to send; they leave at the end of the loop's turn, with those of its siblings.
    func send(_ bytes: UnsafePointer<UInt8>, _ count: Int, on stream: StreamRef, _ client: ClientRef) {
        guard client.pointee.output.append(bytes, count, from: &pointee.connections.buffers) else {
            return abortClient(client)
        }
        send(stream)
        guard client.pointee.output.count >= HTTP2Session.streamBuffer else { return }
        client.pointee.exchange?.pointee.upstream?.stopReading()
    }

    /// The exchange is over and its answer whole: the stream ends behind it.
    func finish(_ stream: StreamRef) {
        guard let client = stream.pointee.client else { return }
        // What was broken off is reset, as it is left.
        guard !stream.pointee.isBroken else { return closeClient(client) }
        stream.pointee.mustEnd = stream.pointee.isHeadSent && !stream.pointee.isEndSent
        if stream.pointee.mustEnd { send(stream) }
        closeClient(client)
        awaitEnd(stream)
    }

    /// How long a client has to end its side of a tunnel that is over, in milliseconds (H2-40).
    private static var tunnelEndTime: Int { 1000 }

    /// Gives the client of a tunnel a moment to end its side; a stream that stays open would keep its connection for ever.
    private func awaitEnd(_ stream: StreamRef) {
        guard stream.pointee.isTunnel, !stream.pointee.hasEnded, !stream.pointee.isGone else { return }
        stream.pointee.callTime.place = UnsafeMutableRawPointer(stream)
        setTimeout(stream.callTime, WorkerRef.tunnelEndTime)
    }

    /// The client of a tunnel that is over has not ended its side; behind a full socket it does not know that it is over.
    func tunnelEndTimedOut(_ stream: StreamRef) {
        guard stream.pointee.isEndSent else { return awaitEnd(stream) }
        stream.pointee.session.pointee.core.reset(stream.pointee.number, .cancel)
        queue(stream.pointee.session)
    }

    /// The connection that the stream stood for is closed.
    func leave(_ stream: StreamRef, _ client: ClientRef) {
        client.pointee.part = .none
        pointee.connections.clients.retire(client)
        stream.pointee.client = nil
        if stream.pointee.callTime.place != nil { pointee.connections.wheel.remove(stream.callTime) }
        stream.pointee.session.pointee.exchanges -= 1
        giveWindowBack(stream)
        guard !stream.pointee.isGone, !stream.pointee.mustEnd else { return }
        // It is answered, and the answer may still wait for the socket. What comes of the request is nobody's: the core resets the
        // stream behind the answer's end (H2-17), where a reset from here would take the place of what waits.
        guard !stream.pointee.isEndSent else { return awaitEnd(stream) }
        // An answer that is not whole must not look as if it were (RFC 9113 §8.1).
        stream.pointee.session.pointee.core.reset(stream.pointee.number, stream.pointee.code)
        queue(stream.pointee.session)
    }

    /// What came for a stream that nobody reads any more counts no longer against the connection's window.
    func giveWindowBack(_ stream: StreamRef) {
        let count = stream.pointee.content.count
        stream.pointee.content.release(to: &pointee.connections.buffers)
        if count > 0 { stream.pointee.session.pointee.core.taken(stream.pointee.number, count) }
    }

    /// Has the stream's client read, in this turn of the loop.
    func read(_ stream: StreamRef) {
        guard !stream.pointee.isToRead else { return }
        stream.pointee.isToRead = true
        stream.pointee.nextToRead = stream.pointee.session.pointee.toRead
        stream.pointee.session.pointee.toRead = stream
        queue(stream.pointee.session)
    }

    /// Has the stream's bytes, or its end, put in frames at the end of this turn.
    func send(_ stream: StreamRef) {
        guard !stream.pointee.isToSend else { return }
        stream.pointee.isToSend = true
        stream.pointee.nextToSend = stream.pointee.session.pointee.toSend
        stream.pointee.session.pointee.toSend = stream
        queue(stream.pointee.session)
    }

    /// Has the loop come back to a connection at the end of this turn.
    func queue(_ session: SessionRef) {
        guard !session.pointee.isQueued, !session.pointee.isAtWork else { return }
        session.pointee.isQueued = true
        session.pointee.nextQueued = pointee.connections.http2.queued
        awaitTurnEnd()
        pointee.connections.http2.queued = session
    }

    /// Goes on with the clients' connections that asked for it in this turn of the loop.
    func goOnWithClients() {
        var next = pointee.connections.http2.queued
        pointee.connections.http2.queued = nil
        while let session = next {
            next = session.pointee.nextQueued
            session.pointee.nextQueued = nil
            session.pointee.isQueued = false
            goOn(session)
        }
    }
}
