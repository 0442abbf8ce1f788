import Access
import EventLoop
import Glibc
import Transport

extension WorkerRef {
    /// Lets exchanges in progress end and takes no new connection (SIGTERM).
    ///
    /// Losing none takes a moment: new connections are turned away while those on their way here are taken, and each
    /// client hears with its next answer that the connection ends. One that has nothing to ask is closed in a while.
    /// At a socket that was handed over, new connections wait for the process that gets it next.
    func drain() {
        guard !pointee.listening.isDraining else { return }
        pointee.listening.isDraining = true
        pointee.listening.ticksToClosing = Listening.closingTicks
        for index in 0..<pointee.listening.count { turnAway(index) }
        let clients = pointee.connections.clients
        clients.forEachInUse { client in
            if client.pointee.state == .awaitingHead, client.pointee.input.isEmpty, !client.pointee.hasOutput {
                setTimeout(client.timeout, Listening.drainedIdleTimeout)
            }
        }
        for index in 0..<pointee.upstreams.poolCount {
            while let idle = pointee.upstreams.pools[index].pointee.idle { closeUpstream(idle) }
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

    /// Closes the listening sockets of a draining worker once what was on its way to them has arrived; at each tick.
    func goOnDraining() {
        guard pointee.listening.ticksToClosing > 0 else { return }
        pointee.listening.ticksToClosing -= 1
        guard pointee.listening.ticksToClosing == 0 else { return }
        for index in 0..<pointee.listening.count {
            if !pointee.listening.listeners[index].isHandedOver { acceptLast(pointee.listening.listeners + index) }
            FileEvent.remove(event(of: index))
            close(pointee.listening.listeners[index].descriptor)
        }
        if pointee.connections.openClients == 0 { sayDrained() }
    }

    /// Said once.
    func sayDrained() {
        guard !pointee.listening.hasSaidDrained else { return }
        pointee.listening.hasSaidDrained = true
        pointee.listening.onDrained()
    }
}
