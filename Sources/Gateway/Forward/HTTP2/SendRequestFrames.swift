import Glibc
import HTTP2
import Transport

/// From what requests have to send to frames, many of them in one write.
extension WorkerRef {
    /// Sends what there is to be sent, as much of it as the socket takes.
    func sendRequestFrames(_ session: UpstreamSessionRef) {
        let carrier = session.pointee.carrier
        guard carrier.pointee.state == .active else { return }
        session.pointee.isAtWork = true
        resumeStreams(session)
        let isOpen = writeFrames(session, carrier)
        session.pointee.isAtWork = false
        guard isOpen else { return sessionBroke(session) }
        tellSent(session)
        guard !session.pointee.isOver else { return }
        // Frames that left may have been the last of their streams.
        guard followEvents(session) else { return }
        if carrier.pointee.output.isEmpty, session.pointee.core.isOver { return sessionBroke(session) }
        // What was begun by the events above, such as the request of somebody who waited, is nobody else's to remember.
        let wantsMore = carrier.pointee.output.isEmpty && session.pointee.core.wantsToSend
        if wantsMore || session.pointee.toSend != nil || session.pointee.toRead != nil { queue(session) }
    }

    private func resumeStreams(_ session: UpstreamSessionRef) {
        while let stream = session.pointee.toSend {
            session.pointee.toSend = stream.pointee.nextToSend
            stream.pointee.nextToSend = nil
            stream.pointee.isToSend = false
            if !stream.pointee.isReset { session.pointee.core.resume(stream.pointee.number) }
        }
    }

    /// Writes frames until there are none or the socket is full; false when it is broken.
    private func writeFrames(_ session: UpstreamSessionRef, _ carrier: UpstreamRef) -> Bool {
        let core = session.pointee.core
        let output = withUnsafeMutablePointer(to: &carrier.pointee.output) { $0 }
        switch writeFrames(to: carrier.pointee.stream, output, { core.send(into: $0) }) {
        case .none: return false
        case .some: carrier.startWriting()
        case .all: carrier.stopWriting()
        }
        return true
    }

    /// Lets the clients go on of requests whose bytes are in frames.
    private func tellSent(_ session: UpstreamSessionRef) {
        while let stream = session.pointee.sent {
            session.pointee.sent = stream.pointee.nextSent
            stream.pointee.nextSent = nil
            stream.pointee.isSent = false
            guard let upstream = stream.pointee.upstream, upstream.pointee.output.isEmpty,
                let exchange = upstream.pointee.exchange
            else { continue }
            let client = exchange.pointee.client
            if client.pointee.state == .tunnelling { resumeTunnel(client) } else { goOn(client, exchange) }
        }
    }

    /// Remembers that bytes of the stream are in frames.
    fileprivate func note(_ stream: UpstreamStreamRef) {
        guard !stream.pointee.isSent else { return }
        stream.pointee.isSent = true
        stream.pointee.nextSent = stream.pointee.session.pointee.sent
        stream.pointee.session.pointee.sent = stream
    }
}

extension UpstreamStream {
    /// What a request has to send behind its head, as the core asks for it while it puts frames together.
    static var source: ContentSource { ContentSource(available: available, copy: copy) }

    private static func available(_ place: UnsafeMutableRawPointer, _ most: Int) -> AvailableContent {
        let stream = place.assumingMemoryBound(to: UpstreamStream.self)
        guard let upstream = stream.pointee.upstream, let exchange = upstream.pointee.exchange else { return .later }
        let isWhole = stream.pointee.isTunnel ? upstream.pointee.hasSaidEnd : exchange.pointee.request.isComplete
        let count = upstream.pointee.output.count
        let ends = isWhole && count <= most
        if ends { stream.pointee.isEndSent = true }
        if count == 0 { return ends ? .ended(trailersFollow: false) : .later }
        return .bytes(count, ends: ends)
    }

    private static func copy(_ place: UnsafeMutableRawPointer, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let stream = place.assumingMemoryBound(to: UpstreamStream.self)
        guard let upstream = stream.pointee.upstream else { return }
        let worker = upstream.pointee.worker
        memcpy(bytes, upstream.pointee.output.bytes, count)
        upstream.pointee.output.consume(count, to: &worker.pointee.connections.buffers)
        worker.note(stream)
    }
}
