import HTTP2
import Telemetry

/// The end of connections that speak HTTP/2.
extension WorkerRef {
    /// Takes no more streams than those that are on their way; the connection ends with the last of them (RFC 9113 §6.8).
    ///
    /// What was begun before the peer could hear of it has come when it has answered our ping, or is not waited for.
    func endSoon(_ session: SessionRef, _ cause: GoAwayCause) {
        guard session.pointee.farewell == .none, !session.pointee.isEnding else { return }
        session.pointee.farewell = .announced
        pointee.journal.metrics.count(cause)
        session.pointee.core.end(.announced)
        session.pointee.core.ping()
        beginWaiting(session)
        queue(session)
    }

    /// The peer has heard that the connection ends: which stream was the last is certain now.
    func sayLastStream(_ session: SessionRef) {
        guard session.pointee.farewell == .announced, !session.pointee.isEnding else { return }
        session.pointee.farewell = .said
        session.pointee.core.end(.final(.noError))
        beginWaiting(session)
        queue(session)
    }

    /// The peer broke a rule of the connection, or did too much of what costs it nothing: the operator is told what.
    ///
    /// Answers that have begun may end. Streams without an end would else keep the connection, whose frames are read and dropped.
    func sayEnded(_ session: SessionRef) {
        guard !session.pointee.isEnding, let fault = session.pointee.core.fault else { return }
        session.pointee.isEnding = true
        countEnd(session, by: fault)
        session.pointee.waitsSince = pointee.connections.wheel.now
        setTimeout(session.pointee.client.timeout, WorkerRef.farewellTime)
        guard pointee.journal.operatorLog.writes(.info),
            let suppressed = admitLine(of: LineRateLimits.Event.streamsEnded)
        else { return }
        let fields = [
            LogField(.client, session.pointee.client.pointee.peer.text), LogField(.reason, fault.word),
        ]
        pointee.journal.operatorLog.write(.info, .streamsEnded, fields.with(suppressed: suppressed))
    }

    /// A head that breaks a rule of HTTP/2 was answered with a reset, and never became a request: the operator is told, so
    /// often and no more (H2-35).
    func sayMalformed(_ stream: Int32, _ session: SessionRef) {
        guard pointee.journal.operatorLog.writes(.info),
            let suppressed = admitLine(of: LineRateLimits.Event.streamMalformed)
        else { return }
        let fields = [
            LogField(.client, session.pointee.client.pointee.peer.text), LogField(.stream, Int(stream)),
            LogField(.found, "a head that HTTP/2 does not allow"),
        ]
        pointee.journal.operatorLog.write(.info, .streamMalformed, fields.with(suppressed: suppressed))
    }

    /// A time of the connection is over: for its next request, for taking what it asked for, or for streams on their way.
    func multiplexingTimedOut(_ client: ClientRef) {
        guard let session = client.pointee.part.session else { return closeClient(client) }
        guard !session.pointee.isEnding, session.pointee.farewell != .said else { return closeClient(client) }
        if session.pointee.farewell == .none {
            session.pointee.farewell = .announced
            pointee.journal.metrics.count(GoAwayCause.idle)
        }
        sayLastStream(session)
    }

    /// Everything is said on both sides: what the peer still sends is read away for a moment, so that the close does not
    /// reset what it has not read yet (RFC 9112 §9.6).
    func leave(_ session: SessionRef) {
        let client = session.pointee.client
        end(session)
        client.pointee.pace.stop()
        client.pointee.lingers = true
        endClient(client)
    }

    /// Counts a peer that the core has asked to end, for its resets.
    ///
    /// It is not led to the end: who goes on is to spend what is left, and to be told to calm down.
    func followBudget(_ session: SessionRef) {
        guard session.pointee.core.isNearlySpent, !session.pointee.isWarned else { return }
        session.pointee.isWarned = true
        pointee.journal.metrics.count(GoAwayCause.resets)
    }

    private func countEnd(_ session: SessionRef, by fault: ConnectionFault) {
        guard case .calm(let cause) = fault else { return pointee.journal.metrics.count(fault.cause) }
        pointee.journal.metrics.count(GoAwayCause.calm)
        pointee.journal.metrics.count(cause.metric)
        rememberCalmed(session.pointee.client)
    }

    /// The connection is closed: so are those that its streams stand for.
    func end(_ session: SessionRef) {
        let client = session.pointee.client
        while let stream = session.pointee.streams {
            stream.pointee.isGone = true
            if let client = stream.pointee.client { closeClient(client) }
            unlink(stream)
            pointee.journal.metrics.adjust(.http2OpenStreams, by: -1)
            pointee.connections.http2.streams.retire(stream)
        }
        pointee.journal.metrics.adjust(.http2Connections, by: -1)
        let queued = pointee.connections.http2.queued
        if session.pointee.isQueued { pointee.connections.http2.queued = without(session, queued, \.nextQueued) }
        pointee.connections.wheel.remove(session.settingsTime)
        session.pointee.core.destroy()
        client.pointee.part = .none
        pointee.connections.http2.sessions.retire(session)
    }
}

extension CalmCause {
    /// What the metric calls it.
    fileprivate var metric: CalmReason {
        switch self {
        case .resets: .resets
        case .cheapFrames: .cheapFrames
        case .oversizedHeads: .oversizedHeads
        case .sectionTooLarge: .sectionTooLarge
        }
    }
}

extension ConnectionFault {
    /// What the metric calls it: whose fault it is must show.
    fileprivate var cause: GoAwayCause {
        switch self {
        case .calm: .calm
        case .settingsTimeout: .settings
        case .streamNumber, .pushPromise, .told, .library: isOwn ? .own : .fault
        }
    }

    /// What logs call it.
    var word: String {
        switch self {
        case .calm(let cause): cause.rawValue
        case .settingsTimeout: "h2_settings_timeout"
        case .streamNumber, .pushPromise, .told, .library: isOwn ? "h2_internal" : "h2_protocol"
        }
    }
}
