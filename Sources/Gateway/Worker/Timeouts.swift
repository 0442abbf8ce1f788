import Telemetry
import EventLoop
import Transport

extension WorkerRef {
    /// One tick of the wheel: connections whose time is over, and what is done ten times a second.
    func ticked() {
        endClosedConnections()
        keepDate()
        pointee.connections.wheel.tick()
        endWhatIsOver()
        resumeAccepting()
        goOnDraining()
        releaseRetired()
        sweepCaches()
        if pointee.connections.bursts.isOver(connections: pointee.connections.openClients) {
            pointee.connections.onBurstOver()
        }
        pointee.connections.networks.forgetRecovered(at: WorkerClock().microseconds())
        endCounting()
        if pointee.upstreams.hasNames { refreshNames() }
        if pointee.upstreams.asksServers { checkServers() }
        showResets()
        showTrailers()
        pointee.journal.log?.pointee.flush()
        pointee.journal.spans?.pointee.flush(at: Int64(WorkerClock().microseconds() / 1000))
        observeLag()
    }

    /// Sees to connections whose time is over, some at a time.
    ///
    /// Thousands that came together are over together (slowloris, T-42): answering them all at once would keep everybody
    /// else waiting for as long as that takes.
    func endWhatIsOver() {
        for _ in 0..<Connections.timeoutsAtOnce {
            guard let timeout = pointee.connections.wheel.nextDue() else { return }
            guard let place = timeout.pointee.place else { continue }
            switch timeout.pointee.owner {
            case .client: clientTimedOut(place.assumingMemoryBound(to: ClientConnection.self))
            case .upstream: upstreamTimedOut(place.assumingMemoryBound(to: UpstreamConnection.self))
            case .call: callTimedOut(place.assumingMemoryBound(to: HTTP2Stream.self))
            case .settings: settingsTimedOut(place.assumingMemoryBound(to: HTTP2Session.self))
            }
        }
        FileEvent.activate(pointee.loop.timeoutsLeft)
    }

    private func clientTimedOut(_ client: ClientRef) {
        if client.pointee.part.session?.pointee.isEnding == true { return closeClient(client) }
        // What is there is to be taken first, whatever comes next.
        if client.pointee.hasOutput, client.pointee.state != .tunnelling { return takingTimedOut(client) }
        switch client.pointee.state {
        case .closed: return
        case .awaitingProxyHeader: proxyHeaderTimedOut(client)
        case .awaitingHead:
            if client.pointee.stream.isHandshaking { handshakeFailed(client, .timedOut) }
            // An idle connection is closed in silence; one with part of a head is told (HTTP-66).
            guard client.pointee.isHeadTimed, !client.pointee.input.isEmpty else { return abortClient(client) }
            headTimedOut(client)
        case .exchanging:
            // The rest of its answer is nobody's, and is not left to the kernel to keep either.
            guard let exchange = client.pointee.exchange else { return abortClient(client) }
            if exchange.pointee.phase == .parked { return waitTimedOut(exchange) }
            if exchange.pointee.phase == .held { return answerHeld(exchange) }
            guard !exchange.pointee.request.isComplete else { return abortClient(client) }
            // A call may be open and say nothing.
            guard !isCall(exchange) else { return }
            // What the upstream does not take cannot be the client's slowness.
            if let upstream = exchange.pointee.upstream, upstream.pointee.hasOutput {
                return upstreamTimedOut(upstream)
            }
            bodyTimedOut(client, exchange)
        case .discardingBody, .lingering: closeClient(client)
        case .tunnelling: tunnelTimedOut(client)
        case .multiplexing: multiplexingTimedOut(client)
        }
    }

    /// Frees the places of connections that were closed, of which functions further up the stack might have asked whether
    /// they are: at the start of a turn of the loop, and as often as there are new ones.
    func endClosedConnections() {
        pointee.connections.clients.endRetired()
        pointee.connections.http2.streams.endRetired()
        pointee.connections.http2.sessions.endRetired()
        pointee.upstreams.connections.endRetired()
        pointee.upstreams.http2.endRetired()
    }

    private func observeLag() {
        let now = WorkerClock().microseconds()
        let expected = pointee.loop.lastTick &+ UInt64(TimeoutWheel.tickMilliseconds) * 1000
        pointee.journal.metrics.set(
            .loopLag, to: pointee.loop.lastTick == 0 || now < expected ? 0 : Int(now - expected))
        pointee.loop.lastTick = now
    }
}

// The worker's timer, on its own thread; the context is the worker's place, which outlives the loop's run.
let onTick: FileEvent.Callback = { _, _, context in
    CallbackContext.place(context, of: Worker.self).ticked()
}

// The same thread, the same context.
let onTimeoutsLeft: FileEvent.Callback = { _, _, context in
    CallbackContext.place(context, of: Worker.self).endWhatIsOver()
}
