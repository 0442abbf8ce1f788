import Glibc
import HTTP2
import Transport

/// From what streams have to send to frames, many of them in one write.
extension WorkerRef {
    /// Sends what there is to be sent, as much of it as the socket takes.
    func sendFrames(_ session: SessionRef) {
        let client = session.pointee.client
        guard client.pointee.state == .multiplexing else { return }
        guard putFrames(session, client) else { return closeClient(client) }
        // The library has told the peer of a rule that it broke.
        if session.pointee.core.fault != nil { stopTaking(session) }
        tellSent(session)
        // Frames that left may have been the last of their streams.
        followEvents(session)
        if client.pointee.output.isEmpty, session.pointee.core.isOver { return leave(session) }
        guard client.pointee.input.isEmpty, session.pointee.workLeft > 0 else {
            client.stopReading()
            return queue(session)
        }
        if !session.pointee.isEnding { client.startReading() }
        // What was begun by the events above is nobody else's to remember.
        let wantsMore = client.pointee.output.isEmpty && session.pointee.core.wantsToSend
        if wantsMore || session.pointee.toSend != nil || session.pointee.toRead != nil { queue(session) }
    }

    /// Sends what a stream has before it is broken off, as far as its window and the socket go.
    ///
    /// Its client gets what has come and then the reset, as it does over HTTP/1.1. An event of a stream of events would be lost else,
    /// because its server died behind it.
    func sendBeforeReset(_ stream: StreamRef) {
        let session = stream.pointee.session
        let client = session.pointee.client
        guard stream.pointee.isToSend, !stream.pointee.isGone, client.pointee.state == .multiplexing else { return }
        // Whoever aborts this stream may be at work for the connection: one that is broken is closed when that goes on, as what
        // follows of these frames is seen to.
        session.pointee.isBroken = !putFrames(session, client)
        queue(session)
    }

    /// Puts what streams have to send in frames, and writes as many as the socket takes; false when it is broken.
    ///
    /// Also between two events of the connection: what those are told with is not where frames are put together.
    private func putFrames(_ session: SessionRef, _ client: ClientRef) -> Bool {
        // What the socket has not taken of a frame is lost, and whatever came behind it would be read as something else.
        guard !session.pointee.isBroken else { return false }
        let wasAtWork = session.pointee.isAtWork
        session.pointee.isAtWork = true
        prepareHeads(session)
        let isOpen = sendFrames(session, client)
        session.pointee.isAtWork = wasAtWork
        return isOpen
    }

    /// Puts the heads of answers that have begun in the core's queue, and says of which streams there is more.
    private func prepareHeads(_ session: SessionRef) {
        while let stream = session.pointee.toSend {
            session.pointee.toSend = stream.pointee.nextToSend
            stream.pointee.nextToSend = nil
            stream.pointee.isToSend = false
            guard !stream.pointee.isGone else { continue }
            if stream.pointee.isHeadSent {
                session.pointee.core.resume(stream.pointee.number)
            } else if let client = stream.pointee.client {
                submitHeads(stream, client, session.pointee.core)
            }
            // Also for one of which nothing fits its window: its clock is to run.
            note(stream)
        }
    }

    /// The head of the answer, behind interim ones: what an exchange sends first.
    private func submitHeads(_ stream: StreamRef, _ client: ClientRef, _ core: ServerConnection) {
        while !stream.pointee.isHeadSent, !client.pointee.output.isEmpty {
            let output = UnsafeBufferPointer(
                start: UnsafePointer(client.pointee.output.bytes), count: client.pointee.output.count)
            // Heads are written in one piece.
            guard let head = OwnHead(at: output) else { return core.reset(stream.pointee.number, .internalError) }
            let bytes = head.bytes(in: output)
            let isWhole =
                head.length == output.count && client.pointee.closesAfterOutput && !stream.pointee.hasTrailers
                && !stream.pointee.isBroken
            let ends = !head.isInterim && isWhole
            guard core.submitHead(stream.pointee.number, bytes, ends: ends) else {
                return core.reset(stream.pointee.number, .internalError)
            }
            client.pointee.output.consume(head.length, to: &pointee.connections.buffers)
            guard !head.isInterim else { continue }
            if !head.isSwitch, stream.pointee.isTunnel {
                // A stream like any other from here on: none was opened.
                stream.pointee.isTunnel = false
                stream.pointee.code = .internalError
            }
            stream.pointee.isHeadSent = true
            stream.pointee.isEndSent = isWhole
            stream.pointee.session.pointee.movedAt = pointee.connections.wheel.now
        }
    }

    /// Writes frames until there are none or the socket is full; false when it is broken.
    private func sendFrames(_ session: SessionRef, _ client: ClientRef) -> Bool {
        let core = session.pointee.core
        let output = withUnsafeMutablePointer(to: &client.pointee.output) { $0 }
        switch writeFrames(to: client.pointee.stream, output, { core.send(into: $0) }) {
        case .none: return false
        case .some(let sent):
            client.startWriting()
            // Who was told to calm down has its second, whatever it takes.
            if !session.pointee.isEnding { awaitTaking(client, taken: sent) }
        case .all:
            guard client.pointee.writeEvent != nil else { return true }
            client.stopWriting()
            client.pointee.pace.stop()
            setClock(session)
        }
        return true
    }

    /// Tells the clients of streams whose bytes are in frames that they have room again, or are done.
    private func tellSent(_ session: SessionRef) {
        while let stream = session.pointee.sent {
            session.pointee.sent = stream.pointee.nextSent
            stream.pointee.nextSent = nil
            stream.pointee.isSent = false
            let count = stream.pointee.framed
            stream.pointee.framed = 0
            guard let client = stream.pointee.client else { continue }
            if client.pointee.output.isEmpty {
                outputTaken(client)
            } else {
                // No room, of the peer's or of the socket: its upstream waits, and nobody else's.
                client.pointee.exchange?.pointee.upstream?.stopReading()
                awaitMore(client, taken: count)
            }
        }
    }

    /// Remembers that bytes or the end of the stream are in frames.
    func note(_ stream: StreamRef) {
        guard !stream.pointee.isSent else { return }
        stream.pointee.isSent = true
        stream.pointee.nextSent = stream.pointee.session.pointee.sent
        stream.pointee.session.pointee.sent = stream
    }
}

extension HTTP2Stream {
    /// What a stream has to send, as the core asks for it while it puts frames together.
    static var source: ContentSource { ContentSource(available: available, copy: copy) }

    private static func available(_ place: UnsafeMutableRawPointer, _ most: Int) -> AvailableContent {
        let stream = place.assumingMemoryBound(to: HTTP2Stream.self)
        guard let client = stream.pointee.client else { return stream.pointee.mustEnd ? ended(stream) : .later }
        let count = client.pointee.output.count
        let isWhole = client.pointee.closesAfterOutput && count <= most && !stream.pointee.isBroken
        guard count > 0 else { return isWhole ? ended(stream) : .later }
        if isWhole { stream.pointee.isEndSent = true }
        return .bytes(count, ends: isWhole)
    }

    private static func ended(_ stream: StreamRef) -> AvailableContent {
        stream.pointee.isEndSent = true
        stream.pointee.mustEnd = false
        return .ended(trailersFollow: false)
    }

    private static func copy(_ place: UnsafeMutableRawPointer, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let stream = place.assumingMemoryBound(to: HTTP2Stream.self)
        guard let client = stream.pointee.client else { return }
        let worker = client.pointee.worker
        memcpy(bytes, client.pointee.output.bytes, count)
        client.pointee.output.consume(count, to: &worker.pointee.connections.buffers)
        stream.pointee.framed += count
        stream.pointee.session.pointee.movedAt = worker.pointee.connections.wheel.now
        worker.note(stream)
    }
}

/// A head that an exchange wrote for its client: where it ends, and whether another one follows it.
struct OwnHead {
    /// With the empty line behind it.
    let length: Int
    /// A final one comes later; 101 is the last of its stream.
    let isInterim: Bool
    /// It opens a tunnel.
    let isSwitch: Bool

    /// The head at the beginning of what is to be sent; nil where there is none.
    init?(at output: UnsafeBufferPointer<UInt8>) {
        // "HTTP/1.1 200" at least.
        guard output.count > 12, let length = OwnHead.length(of: output) else { return nil }
        self.length = length
        let isFirstClass = output[9] == UInt8(ascii: "1")
        isSwitch = isFirstClass && output[10] == UInt8(ascii: "0") && output[11] == UInt8(ascii: "1")
        isInterim = isFirstClass && !isSwitch
    }

    static func length(of output: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = output.baseAddress else { return nil }
        var position = 0
        // Each line ends with LF; an empty one with nothing but CR before it ends the head.
        while let found = memchr(start + position, 0x0A, output.count - position) {
            let next = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
            if next - position == 2 { return next }
            position = next
        }
        return nil
    }

    func bytes(in output: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: output.prefix(length))
    }
}
