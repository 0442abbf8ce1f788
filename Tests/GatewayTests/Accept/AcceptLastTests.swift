import Access
import Glibc
import TestTraits
import Testing
import Transport

@testable import Gateway

@Suite struct `a listening socket that is to be closed` {
    /// Connections that wait at the only listener of a worker.
    private func waiting(_ count: Int, at worker: WorkerRef) throws -> [Int32] {
        let address = Transport.Socket.localAddress(of: worker.pointee.listening.listeners[0].descriptor)
        return try (0..<count).map { _ in
            var address = address
            let descriptor = Transport.Socket.connect(to: &address)
            try #require(descriptor >= 0)
            return descriptor
        }
    }

    /// Until as many have arrived at the listener: loopback takes no time worth a name, but some.
    private func settle(_ descriptors: [Int32]) {
        for descriptor in descriptors {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&entry, 1, 5000)
        }
    }

    @Test(.holds("OPS-08")) func `is emptied first, however many wait there`() throws {
        let idle = try IdleWorker()
        defer { withExtendedLifetime(idle) {} }
        let worker = idle.worker
        let clients = try waiting(150, at: worker)
        defer { for client in clients { close(client) } }
        settle(clients)
        #expect(worker.acceptConnections(worker.pointee.listening.listeners))
        #expect(worker.pointee.connections.openClients == 64)
        worker.acceptLast(worker.pointee.listening.listeners)
        #expect(worker.pointee.connections.openClients == 150)
        #expect(!worker.acceptConnections(worker.pointee.listening.listeners))
    }

    @Test(.holds("OPS-08")) func `is tried again at each tick until then, when there was no room for a moment`() throws
    {
        let idle = try IdleWorker()
        defer { withExtendedLifetime(idle) {} }
        let worker = idle.worker
        worker.drain()
        worker.pauseAccepting()
        #expect(worker.pointee.listening.isAcceptPaused)
        worker.resumeAccepting()
        #expect(!worker.pointee.listening.isAcceptPaused)
        for _ in 0..<Listening.closingTicks { worker.goOnDraining() }
        // Nothing listens any more: there is nothing to go on with.
        worker.pauseAccepting()
        worker.resumeAccepting()
        #expect(worker.pointee.listening.isAcceptPaused)
    }
}
