import Crypto
import HTTP2
import Rates
import Telemetry

/// How long connections that speak HTTP/2 go on, and the clock of each.
extension WorkerRef {
    /// How long streams may be on their way that were begun before the peer could hear of the end, and how long answers may
    /// that were begun before it was told to calm down; in milliseconds.
    static var farewellTime: Int { 1000 }

    /// How long a peer may take to acknowledge our SETTINGS, in milliseconds (H.0).
    private static var settingsTime: Int { 10_000 }

    /// A client that was told to calm down is remembered for a minute (H.7).
    private static var calmRate: TokenRate { TokenRate(1, in: 60_000_000, burst: 1) }

    /// The session of a connection that begins to speak HTTP/2.
    func makeSession(_ client: ClientRef, _ core: ServerConnection, mostExchanges: Int) -> SessionRef {
        let random = RandomBytes.fill(16).reduce(into: (UInt64(0), UInt64(0))) { words, byte in
            words = (words.0 << 8 | words.1 >> 56, words.1 << 8 | UInt64(byte))
        }
        let session = HTTP2Session(
            client, core, identifier: random.0, ConnectionLife(begunAt: clock.microseconds(), random: random.1),
            tick: pointee.connections.wheel.now, mostExchanges: mostExchanges)
        pointee.journal.metrics.adjust(.http2Connections, by: 1)
        let place = pointee.connections.http2.sessions.take(session)
        place.pointee.settingsTime.place = UnsafeMutableRawPointer(place)
        setTimeout(place.settingsTime, WorkerRef.settingsTime)
        return place
    }

    /// The time is over in which the peer was to acknowledge our SETTINGS (RFC 9113 §6.5.3).
    func settingsTimedOut(_ session: SessionRef) {
        guard !session.pointee.isEnding else { return }
        session.pointee.core.endAcknowledgement()
        guard session.pointee.core.fault != nil else { return }
        stopTaking(session)
        sendFrames(session)
    }

    /// Counts a stream that was opened, and begins the connection's end with its last one (H2-59).
    ///
    /// Streams that are open go on: a WebSocket or a call that is open for hours is not cut off.
    func countStream(_ session: SessionRef) {
        session.pointee.hasServed = true
        pointee.journal.metrics.count(.http2Streams)
        pointee.journal.metrics.adjust(.http2OpenStreams, by: 1)
        if pointee.listening.isDraining {
            endSoon(session, .shutdown)
        } else if session.pointee.life.isSpent(byStreamAt: clock.microseconds()) {
            endSoon(session, .age)
        }
    }

    /// A connection waits from now on for what its clock is about.
    func beginWaiting(_ session: SessionRef) {
        session.pointee.waitsSince = pointee.connections.wheel.now
        setClock(session)
    }

    /// Sets the connection's clock by what it waits for, from when it began to: nothing else that the peer sends makes that
    /// longer (H2-61).
    func setClock(_ session: SessionRef) {
        let client = session.pointee.client
        // Of a peer that does not take what is there another clock runs.
        guard client.pointee.state == .multiplexing, !client.pointee.hasOutput else { return }
        func left(of most: Int, since tick: UInt32) -> Int {
            max(0, most - Int(pointee.connections.wheel.now &- tick) * TimeoutWheel.tickMilliseconds)
        }
        let own = patience(with: session).map { left(of: $0, since: session.pointee.waitsSince) }
        // A section makes no time longer that runs already.
        let section = session.pointee.sectionSince.map { left(of: pointee.policy.timeouts.requestHead, since: $0) }
        guard own != nil || section != nil else { return clearTimeout(client.timeout) }
        setTimeout(client.timeout, min(own ?? .max, section ?? .max))
    }

    /// A field section that is begun has the time of a head to be whole, whatever streams there are beside it: fed a byte at a
    /// time it would hold the connection's memory for as long as its peer likes (H2-57).
    func noteSection(_ session: SessionRef) {
        guard session.pointee.core.isInSection else {
            guard session.pointee.sectionSince != nil else { return }
            session.pointee.sectionSince = nil
            return setClock(session)
        }
        guard session.pointee.sectionSince == nil else { return }
        session.pointee.sectionSince = pointee.connections.wheel.now
        setClock(session)
    }

    /// How long the connection may wait, in milliseconds; nil while others have clocks: its streams.
    private func patience(with session: SessionRef) -> Int? {
        if session.pointee.isEnding || session.pointee.farewell == .announced { return WorkerRef.farewellTime }
        if session.pointee.streamCount > 0 { return nil }
        if session.pointee.farewell == .said { return WorkerRef.farewellTime }
        return session.pointee.hasServed || pointee.listening.isDraining
            ? keepAliveTimeout : pointee.policy.timeouts.requestHead
    }

    /// A stream's client took too little of its answer: the stream is reset and its upstream let go.
    ///
    /// Where no stream of the connection went on for as long, the connection comes to its end (H2-44).
    func stopStalled(_ stream: StreamRef, _ client: ClientRef) {
        let session = stream.pointee.session
        let ticks = TimeoutWheel.ticks(milliseconds: Int(client.pointee.patience))
        stream.pointee.code = .cancel
        closeClient(client)
        if pointee.connections.wheel.now &- session.pointee.movedAt >= ticks { endSoon(session, .stalled) }
    }

    // MARK: Clients that were told to calm down

    /// Whether the client was told to calm down a short while ago.
    func wasCalmed(_ client: ClientRef) -> Bool {
        client.pointee.isCounted
            && pointee.connections.networks.wait(
                client.pointee.peer.networkWords, .calms, at: clock.microseconds(), WorkerRef.calmRate) > 0
    }

    /// Remembers that the client was told to calm down; not of a proxy, whose connections are many clients'.
    func rememberCalmed(_ client: ClientRef) {
        guard client.pointee.isCounted else { return }
        _ = pointee.connections.networks.take(
            client.pointee.peer.networkWords, .calms, at: clock.microseconds(), WorkerRef.calmRate)
    }
}
