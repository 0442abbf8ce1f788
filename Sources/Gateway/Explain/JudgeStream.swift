import Access
import HTTP2

extension DryRun {
    /// Judges a request as one that came by HTTP/2.
    ///
    /// The frames go through the connection that serves clients, so that what it makes of them is what production makes of
    /// them; nothing that it would send is sent.
    func judgeStream(_ head: [UInt8], of carrier: ClientRef, _ circumstances: Circumstances) -> Outcome {
        guard let frames = RequestFrames(head), let memory = worker.pointee.connections.http2.frames.memory,
            case let limits = worker.limits(of: carrier),
            let core = ServerConnection(limits, memory: memory, source: HTTP2Stream.source)
        else { return .incomplete }
        let session = worker.makeSession(carrier, core, mostExchanges: limits.streams)
        // No turn of a loop follows in which it could be gone on with.
        session.pointee.isAtWork = true
        defer {
            worker.end(session)
            worker.endClosedConnections()
        }
        return frames.bytes.withUnsafeBufferPointer { bytes in
            core.receive(bytes, now: worker.clock.microseconds())
            while let event = core.nextEvent() {
                if let outcome = outcome(of: event, session, head.count, circumstances) { return outcome }
            }
            // What it would say to its client says what is wrong.
            var room = [UInt8](repeating: 0, count: 4096)
            room.withUnsafeMutableBufferPointer { room in while core.send(into: room) > 0 {} }
            return .judged(unreadable(head.count, circumstances), worker.verdict(unanswered(frames, core.fault)))
        }
    }

    private func outcome(
        of event: ServerEvent, _ session: SessionRef, _ size: Int, _ circumstances: Circumstances
    ) -> Outcome? {
        switch event {
        case .request(let number, let head, let hasBody, let isTunnel):
            guard let bytes = head.baseAddress else { return .incomplete }
            let client = worker.open(session, number, isOpen: hasBody || isTunnel)
            client.pointee.part.stream?.pointee.isTunnel = isTunnel
            return judge(bytes, head.count, of: client, circumstances)
        case .refused(_, let fault, _, _):
            return .judged(unreadable(size, circumstances), worker.verdict(worker.refused(fault)))
        case .malformed, .content, .trailers, .ended, .reset, .closed, .pong, .goAway: return nil
        }
    }

    /// What became of a request that was no event: its stream was reset, or the connection came to its end.
    private func unanswered(_ frames: RequestFrames, _ fault: ConnectionFault?) -> Refused {
        if let fault {
            return Refused(
                .headerSectionTooLarge, expected: "a head within limits",
                found: .text("one that ends the connection: \(fault.word)"))
        }
        return Refused(
            .malformedMessage, expected: "a message that every reader reads alike",
            found: .text("the stream is reset with PROTOCOL_ERROR, for \(frames.suspect)"))
    }
}
