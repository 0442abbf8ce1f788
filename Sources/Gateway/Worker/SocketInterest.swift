// SPDX-License-Identifier: Apache-2.0
import EventLoop
import Transport

/// What a connection waits for: told to the kernel only when it changes, for that is a system call.
extension ClientRef {
    func startReading() {
        guard arm(readEvent, &pointee.isReading) else { return }
        // What TLS holds already makes no socket readable.
        if pointee.stream.hasBufferedBytes { FileEvent.activate(readEvent, .read) }
    }

    func stopReading() { disarm(readEvent, &pointee.isReading) }

    func startWriting() { _ = arm(writeEvent, &pointee.isWriting) }

    func stopWriting() { disarm(writeEvent, &pointee.isWriting) }
}

extension UpstreamRef {
    func startReading() {
        guard arm(readEvent, &pointee.isReading) else { return }
        // What TLS holds already makes no socket readable.
        if pointee.stream.hasBufferedBytes { FileEvent.activate(readEvent, .read) }
    }

    func stopReading() { disarm(readEvent, &pointee.isReading) }

    func startWriting() { _ = arm(writeEvent, &pointee.isWriting) }

    func stopWriting() { disarm(writeEvent, &pointee.isWriting) }
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
