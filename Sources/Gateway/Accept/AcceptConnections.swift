import Access
import HTTP1
import HTTPMessage
import EventLoop
import Glibc
import Telemetry
import Transport

extension WorkerRef {
    /// Takes the connections that wait at a listening socket, a bounded number at a time; whether more may wait.
    @discardableResult
    func acceptConnections(_ listener: UnsafeMutablePointer<ListenerSocket>) -> Bool {
        var peer = SocketAddress()
        for _ in 0..<64 {
            let descriptor = Socket.accept(from: listener.pointee.descriptor, peer: &peer)
            if descriptor < 0 {
                let code = errno
                if code == EAGAIN || code == ECONNABORTED || code == EINTR { return code != EAGAIN }
                // Out of descriptors or memory: the backlog would wake us for ever. Let the next tick try again.
                pointee.journal.operatorLog.write(
                    .error, .acceptFailed, LogField(.errorNumber, Int(code)),
                    LogField(.reason, String(cString: strerror(code))))
                pauseAccepting()
                return false
            }
            open(descriptor, PeerAddress(peer), at: listener)
        }
        return true
    }

    /// Takes all connections that wait at a listening socket which is about to be closed: that would reset them.
    ///
    /// No more than a backlog of them, should the system still let new ones come.
    func acceptLast(_ listener: UnsafeMutablePointer<ListenerSocket>) {
        for _ in 0..<128 where !acceptConnections(listener) { return }
    }

    private func open(_ descriptor: Int32, _ peer: PeerAddress, at listener: UnsafeMutablePointer<ListenerSocket>) {
        var stream = ByteStream(descriptor: descriptor)
        guard !listener.pointee.awaitsProxyHeader else { return awaitProxyHeader(stream, of: peer, at: listener) }
        if let refusal = refusal(of: peer, at: listener) ?? refusalForWantOfRoom(peer) {
            sayWithoutRoom(stream, refusal, at: listener)
            return stream.close()
        }
        var connection = connection(over: stream, of: peer, at: listener)
        guard begin(&connection, isCounted: isCounted(peer, at: listener), at: listener) else { return stream.close() }
        watch(connection, within: pointee.policy.timeouts.requestHead)
    }

    /// What is known of a connection when it is taken.
    func connection(
        over stream: ByteStream, of peer: PeerAddress, at listener: UnsafeMutablePointer<ListenerSocket>
    ) -> ClientConnection {
        var connection = ClientConnection(self, stream, of: peer, at: listener.pointee.index)
        if listener.pointee.speaksHTTP2 { connection.part = .undecided }
        connection.clearText = listener.pointee.redirects ? .redirected : .served
        connection.patience = Int32(clamping: pointee.policy.timeouts.responseBody)
        connection.isLate = pointee.listening.isDraining
        return connection
    }

    /// From here on a connection's bytes are its client's, who is known and has a place; false where there is no memory.
    func begin(
        _ connection: inout ClientConnection, isCounted: Bool, at listener: UnsafeMutablePointer<ListenerSocket>
    ) -> Bool {
        if let tls = listener.pointee.tls {
            guard let secured = tls.open(connection.stream.descriptor) else { return false }
            connection.stream = secured
        }
        let network = connection.peer.networkWords
        connection.isCounted = isCounted
        if isCounted { pointee.connections.networks.add(network) }
        connection.isHandshaking = isCounted && connection.stream.tls != nil
        if connection.isHandshaking { pointee.connections.networks.add(network, .handshakes) }
        return true
    }

    /// Gives a connection its place, and it a time until which it must have asked for something.
    func watch(_ connection: ClientConnection, within milliseconds: Int) {
        let client = pointee.connections.clients.take(connection)
        client.timeout.pointee.place = UnsafeMutableRawPointer(client)
        FileEvent.assign(
            client.readEvent, pointee.loop.base, connection.stream.descriptor, [.read, .persistent], onClientReadable,
            client)
        client.startReading()
        pointee.connections.openClients += 1
        pointee.journal.metrics.adjust(.clientConnections, by: 1)
        setTimeout(client.timeout, milliseconds)
    }

    /// Counts a connection that gets no place, and tells its client where that can read it.
    func sayWithoutRoom(
        _ stream: ByteStream, _ refusal: Refusal, at listener: UnsafeMutablePointer<ListenerSocket>
    ) {
        pointee.journal.metrics.countRefusal(route: UnroutedRequests.none.slot, cause: Int(refusal.rawValue))
        // Over TLS nobody could read an answer before a handshake, which is what there is no room for.
        if listener.pointee.tls == nil { answerWithoutRoom(stream, refusal) }
    }

    /// The whole of an answer for a connection that gets no place.
    private func answerWithoutRoom(_ stream: ByteStream, _ refusal: Refusal) {
        var writer = HeadWriter(pointee.scratch.write, capacity: Scratch.writeCapacity)
        writer.put(text: "HTTP/1.1 \(refusal.status) \(Status.reason(refusal.status))\r\n")
        writer.put(pointee.loop.date)
        writer.put("Content-Length: 0\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n")
        if let seconds = refusal.retryAfterSeconds { writer.put(text: "Retry-After: \(seconds)\r\n") }
        writer.put("Connection: close\r\nX-Request-Id: ")
        pointee.journal.told.identifiers.next().write(into: writer.space)
        writer.advance(32)
        writer.put("\r\n\r\n")
        _ = stream.write(writer.base, count: writer.count)
    }

    /// Stops taking connections until the next tick.
    func pauseAccepting() {
        guard !pointee.listening.isAcceptPaused else { return }
        pointee.listening.isAcceptPaused = true
        for index in 0..<pointee.listening.count { FileEvent.remove(event(of: index)) }
    }

    func resumeAccepting() {
        guard pointee.listening.isAcceptPaused else { return }
        let indices = (0..<pointee.listening.count).filter(takesConnections)
        guard !indices.isEmpty else { return }
        pointee.listening.isAcceptPaused = false
        for index in indices { FileEvent.add(event(of: index)) }
    }

    /// Whether a listening socket is still to be accepted from.
    private func takesConnections(at index: Int) -> Bool {
        let listening = pointee.listening
        guard listening.isDraining else { return true }
        // A draining worker takes what is on its way to its own sockets until these are closed.
        return listening.listeners[index].isHandedOver ? listening.takesLateClients : listening.ticksToClosing > 0
    }

    func event(of listener: Int) -> UnsafeMutablePointer<FileEvent> {
        withUnsafeMutablePointer(to: &pointee.listening.listeners[listener].event) { $0 }
    }
}

// A C callback of libevent, on the worker's thread. The context is the listener's place among the worker's, which outlives
// its event.
let onListenerReadable: FileEvent.Callback = { _, _, context in
    let listener = CallbackContext.place(context, of: ListenerSocket.self)
    let worker = listener.pointee.worker
    worker.endClosedConnections()
    worker.acceptConnections(listener)
}
