import HTTP2
import Telemetry

/// The end of connections that speak HTTP/2.
extension WorkerRef {
    /// How long streams may be on their way that were begun before the peer could hear of the end, in milliseconds.
    private static var farewellTime: Int { 1000 }

    /// Takes no more streams than those that are on their way; the connection ends with the last of them (RFC 9113 §6.8).
    func endSoon(_ session: SessionRef) {
        guard session.pointee.farewell == .none else { return }
        session.pointee.farewell = .announced
        session.pointee.core.end(.announced)
        setTimeout(session.pointee.client.timeout, WorkerRef.farewellTime)
        queue(session)
    }

    /// The peer broke a rule of the connection, or did too much of what costs it nothing: the operator is told what.
    ///
    /// Answers that have begun may end. Streams without an end would else keep the connection, whose frames are read and dropped.
    func sayEnded(_ session: SessionRef) {
        guard !session.pointee.isEnding, let fault = session.pointee.core.fault else { return }
        session.pointee.isEnding = true
        setTimeout(session.pointee.client.timeout, WorkerRef.farewellTime)
        guard pointee.journal.operatorLog.writes(.info),
            let suppressed = admitLine(of: LineRateLimits.Event.streamsEnded)
        else { return }
        let fields = [
            LogField(.client, session.pointee.client.pointee.peer.text), LogField(.reason, fault.word),
        ]
        pointee.journal.operatorLog.write(.info, .streamsEnded, fields.with(suppressed: suppressed))
    }

    /// A time of the connection is over: for its next request, for taking what it asked for, or for streams on their way.
    func multiplexingTimedOut(_ client: ClientRef) {
        guard let session = client.pointee.part.session else { return closeClient(client) }
        guard session.pointee.farewell != .said else { return closeClient(client) }
        session.pointee.farewell = .said
        session.pointee.core.end(.final(.noError))
        sendFrames(session)
    }

    /// The connection is closed: so are those that its streams stand for.
    func end(_ session: SessionRef) {
        let client = session.pointee.client
        while let stream = session.pointee.streams {
            stream.pointee.isGone = true
            if let client = stream.pointee.client { closeClient(client) }
            unlink(stream)
            pointee.connections.http2.streams.retire(stream)
        }
        leaveQueue(session)
        session.pointee.core.destroy()
        client.pointee.part = .none
        pointee.connections.http2.sessions.retire(session)
    }

    private func leaveQueue(_ session: SessionRef) {
        guard session.pointee.isQueued else { return }
        if pointee.connections.http2.queued == session {
            pointee.connections.http2.queued = session.pointee.nextQueued
            return
        }
        var one = pointee.connections.http2.queued
        while let before = one {
            if before.pointee.nextQueued == session { before.pointee.nextQueued = session.pointee.nextQueued }
            one = before.pointee.nextQueued
        }
    }
}

extension ConnectionFault {
    /// What logs call it.
    var word: String {
        switch self {
        case .calm(let cause): cause.rawValue
        case .sectionTooLarge: "h2_section_too_large"
        case .streamNumber, .pushPromise, .library: "h2_protocol"
        }
    }
}
