import Access
import EventLoop
import Glibc
import Telemetry
import Transport

extension WorkerRef {
    /// Lets exchanges in progress end and turns new connections away, but at sockets that were handed over (SIGTERM).
    ///
    /// Losing none takes a moment: new connections are turned away while those on their way here are taken, and each
    /// client hears with its next answer that the connection ends. One that has nothing to ask is closed in a while.
    ///
    /// At a socket that was handed over nobody else accepts until this process has ended: `LateClients` says how long this
    /// one does, one answer for each connection. Then new connections wait for the process that gets the socket next.
    func drain() {
        guard !pointee.listening.isDraining else { return }
        pointee.listening.isDraining = true
        pointee.listening.ticksToClosing = Listening.closingTicks
        for index in 0..<pointee.listening.count { turnAway(index) }
        closeIdleClients()
        takeLateClients()
        for index in 0..<pointee.upstreams.poolCount {
            while let idle = pointee.upstreams.pools[index].pointee.idle { closeUpstream(idle) }
        }
    }

    /// Gives clients that have asked nothing a moment, and no more.
    private func closeIdleClients() {
        let clients = pointee.connections.clients
        clients.forEachInUse { client in
            if let session = client.pointee.part.session { return endSoon(session, .shutdown) }
            if client.pointee.state == .awaitingHead, client.pointee.input.isEmpty, !client.pointee.hasOutput {
                setTimeout(client.timeout, Listening.drainedIdleTimeout)
            }
        }
    }

    /// Lets no client begin a connection any more that is not on its way already.
    func turnAway(_ index: Int) {
        let listener = pointee.listening.listeners + index
        if listener.pointee.isHandedOver {
            // Not by a filter: that would be the next process's too.
            FileEvent.remove(event(of: index))
        } else if let file = listener.pointee.unixFile {
            file.removeFile()
        } else {
            Socket.refuseConnections(at: listener.pointee.descriptor)
        }
    }

    /// Takes who comes to sockets that were handed over, and says when no client of now is left.
    func takeLateClients() {
        let handedOver = (0..<pointee.listening.count).filter { pointee.listening.listeners[$0].isHandedOver }
        guard !handedOver.isEmpty else { return }
        // It has ended its part, and keeps nobody waiting.
        guard !pointee.listening.hasSaidDrained else { return pointee.listening.onEarlyClientsGone() }
        pointee.listening.takesLateClients = true
        pointee.listening.earlyClients = pointee.connections.openClients
        let clients = pointee.connections.clients
        clients.forEachInUse { $0.pointee.isLate = false }
        if !pointee.listening.isAcceptPaused { for index in handedOver { FileEvent.add(event(of: index)) } }
        if pointee.listening.earlyClients == 0 { pointee.listening.onEarlyClientsGone() }
    }

    /// Takes nobody there, until it is told to again; the sockets end with the process.
    func leaveLateClients() {
        guard pointee.listening.takesLateClients else { return }
        pointee.listening.takesLateClients = false
        closeIdleClients()
        for index in 0..<pointee.listening.count where pointee.listening.listeners[index].isHandedOver {
            FileEvent.remove(event(of: index))
        }
        if hasDrained { sayDrained() }
    }

    /// Closes the listening sockets of a draining worker once what was on its way to them has arrived; at each tick.
    func goOnDraining() {
        guard pointee.listening.ticksToClosing > 0 else { return }
        pointee.listening.ticksToClosing -= 1
        guard pointee.listening.ticksToClosing == 0 else { return }
        for index in 0..<pointee.listening.count where !pointee.listening.listeners[index].isHandedOver {
            acceptLast(pointee.listening.listeners + index)
            FileEvent.remove(event(of: index))
            close(pointee.listening.listeners[index].descriptor)
        }
        if hasDrained { sayDrained() }
    }

    /// A client of a draining worker is gone.
    func drainedClient(_ client: ClientRef) {
        if !client.pointee.isLate {
            pointee.listening.earlyClients -= 1
            if pointee.listening.takesLateClients, pointee.listening.earlyClients == 0 {
                pointee.listening.onEarlyClientsGone()
            }
        }
        if hasDrained { sayDrained() }
    }

    /// Whether nobody is there and nobody comes.
    private var hasDrained: Bool {
        pointee.connections.openClients == 0 && pointee.listening.ticksToClosing == 0
            && !pointee.listening.takesLateClients
    }

    /// Said once.
    private func sayDrained() {
        guard !pointee.listening.hasSaidDrained else { return }
        pointee.listening.hasSaidDrained = true
        pointee.listening.onDrained()
    }
}
