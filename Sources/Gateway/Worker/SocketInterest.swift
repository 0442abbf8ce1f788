import EventLoop
import Transport

/// What a connection waits for: told to the kernel only when it changes, for that is a system call.
extension ClientRef {
    func startReading() {
        if let stream = pointee.part.stream { return startReading(stream) }
        guard arm(readEvent, &pointee.isReading) else { return }
        // What TLS holds already makes no socket readable.
        if pointee.stream.hasBufferedBytes { FileEvent.activate(readEvent, .read) }
    }

    func stopReading() {
        if pointee.part.isStream { return pointee.isReading = false }
        disarm(readEvent, &pointee.isReading)
    }

    func startWriting() {
        // What a stream has to send leaves with its connection's frames.
        guard pointee.writeEvent == nil, !pointee.part.isStream else { return }
        let worker = pointee.worker
        let event = worker.pointee.connections.writeEvents.take(FileEvent())
        FileEvent.assign(
            event, worker.pointee.loop.base, pointee.stream.descriptor, [.write, .persistent], onClientWritable, self)
        FileEvent.add(event)
        pointee.writeEvent = event
    }

    func stopWriting() {
        guard let event = pointee.writeEvent else { return }
        FileEvent.remove(event)
        pointee.writeEvent = nil
        pointee.worker.pointee.connections.writeEvents.giveBack(event)
    }
}

extension UpstreamRef {
    func startReading() {
        if pointee.isShared { return startReadingShared() }
        guard arm(readEvent, &pointee.isReading) else { return }
        // What TLS holds already makes no socket readable.
        if pointee.stream.hasBufferedBytes { FileEvent.activate(readEvent, .read) }
    }

    func stopReading() {
        if pointee.isShared { return pointee.isReading = false }
        disarm(readEvent, &pointee.isReading)
    }

    func startWriting() {
        // What a request has to send leaves with its connection's frames.
        if !pointee.isShared { _ = arm(writeEvent, &pointee.isWriting) }
    }

    func stopWriting() { disarm(writeEvent, &pointee.isWriting) }

    private func startReadingShared() {
        guard !pointee.isReading else { return }
        pointee.isReading = true
        if let stream, stream.pointee.isReadable { pointee.worker.read(stream) }
    }
}

/// Adds an event unless it is added; whether it was not.
private func arm(_ event: UnsafeMutablePointer<FileEvent>, _ isArmed: inout Bool) -> Bool {
    guard !isArmed else { return false }
    isArmed = true
    FileEvent.add(event)
    return true
}

/// Removes an event if it is added.
private func disarm(_ event: UnsafeMutablePointer<FileEvent>, _ isArmed: inout Bool) {
    guard isArmed else { return }
    isArmed = false
    FileEvent.remove(event)
}

// C callbacks of libevent, on the worker's thread. The context is the connection's place in its slab, which outlives its
// events: they are removed before the place is given back.
let onClientReadable: FileEvent.Callback = { _, _, context in
    let client = CallbackContext.place(context, of: ClientConnection.self)
    client.pointee.worker.clientReadable(client)
}

let onClientWritable: FileEvent.Callback = { _, _, context in
    let client = CallbackContext.place(context, of: ClientConnection.self)
    client.pointee.worker.clientWritable(client)
}

let onUpstreamReadable: FileEvent.Callback = { _, _, context in
    let upstream = CallbackContext.place(context, of: UpstreamConnection.self)
    upstream.pointee.worker.upstreamReadable(upstream)
}

let onUpstreamWritable: FileEvent.Callback = { _, _, context in
    let upstream = CallbackContext.place(context, of: UpstreamConnection.self)
    let worker = upstream.pointee.worker
    worker.endClosedConnections()
    worker.upstreamWritable(upstream)
}
