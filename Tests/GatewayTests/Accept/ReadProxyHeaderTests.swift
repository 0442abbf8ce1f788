import Glibc
import TestTraits
import Testing
import Transport

@testable import Gateway

/// Row ECO-76 at one worker whose time the tests drive.
@Suite struct `a header of the PROXY protocol` {
    private static let line = Array("PROXY TCP4 203.0.113.9 198.51.100.1 4711 443\r\n".utf8)
    private static let block: [UInt8] =
        Array("\r\n\r\n\0\r\nQUIT\n".utf8) + [0x21, 0x11, 0, 12, 203, 0, 113, 9, 198, 51, 100, 1, 0x12, 0x67, 1, 0xBB]

    /// A connection that a worker has taken, and its other end.
    private struct Taken {
        let worker: WorkerRef
        let client: ClientRef
        let sender: Int32

        init(at worker: WorkerRef) throws {
            self.worker = worker
            sender = try Self.connect(to: worker)
            worker.acceptConnections(worker.pointee.listening.listeners)
            var found: ClientRef?
            let clients = worker.pointee.connections.clients
            clients.forEachInUse { found = $0 }
            client = try #require(found)
        }

        /// A connection that waits at a worker's only listener.
        static func connect(to worker: WorkerRef) throws -> Int32 {
            let listener = worker.pointee.listening.listeners[0].descriptor
            var address = Transport.Socket.localAddress(of: listener)
            let descriptor = Transport.Socket.connect(to: &address)
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            try #require(descriptor >= 0 && poll(&entry, 1, 20_000) == 1)
            return descriptor
        }

        /// Has the worker read these bytes as soon as they are there.
        func arrive(_ bytes: [UInt8]) throws {
            try #require(send(sender, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
            var entry = pollfd(fd: client.pointee.stream.descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&entry, 1, 20_000) == 1)
            worker.clientReadable(client)
        }

        /// A tenth of a second goes by.
        func tick() {
            worker.pointee.connections.wheel.tick()
            worker.endWhatIsOver()
        }

        func close() {
            worker.closeClient(client)
            worker.endClosedConnections()
            Glibc.close(sender)
        }
    }

    @Test(.holds("ECO-76"), arguments: [line, block]) func `is taken off the socket, and nothing behind it`(
        header: [UInt8]
    )
        throws
    {
        let idle = try IdleWorker(senders: ["127.0.0.1/32"])
        defer { withExtendedLifetime(idle) {} }
        let worker = idle.worker
        let own = Array("GET / HTTP/1.1\r\n".utf8)
        let network = (UInt64(UInt32(0xCB00_7109).bigEndian), UInt64(0))
        for cut in 0..<header.count {
            let taken = try Taken(at: worker)
            #expect(taken.client.pointee.state == .awaitingProxyHeader)
            #expect(!taken.client.pointee.isCounted && taken.client.pointee.peer.text == "127.0.0.1")
            if cut > 0 {
                try taken.arrive(Array(header[..<cut]))
                #expect(taken.client.pointee.state == .awaitingProxyHeader)
                #expect(taken.client.pointee.input.count == cut, "it is kept, and leaves the socket in peace")
            }
            try taken.arrive(Array(header[cut...]) + own)
            #expect(taken.client.pointee.state == .awaitingHead)
            #expect(taken.client.pointee.peer.text == "203.0.113.9")
            #expect(taken.client.pointee.isCounted && worker.pointee.connections.networks.count(of: network) == 1)
            #expect(taken.client.pointee.input.isEmpty)
            var seen = [UInt8](repeating: 0, count: 100)
            let count = taken.client.pointee.stream.peek(into: &seen, capacity: 100)
            #expect(count == own.count && seen.starts(with: own))
            taken.close()
            #expect(worker.pointee.connections.openClients == 0)
            #expect(worker.pointee.connections.networks.count(of: network) == 0)
        }
    }

    @Test(.refuses("ECO-76")) func `that comes byte by byte has three seconds`() throws {
        let idle = try IdleWorker(senders: ["127.0.0.1/32"])
        defer { withExtendedLifetime(idle) {} }
        let taken = try Taken(at: idle.worker)
        defer { close(taken.sender) }
        for byte in Self.line.prefix(29) {
            try taken.arrive([byte])
            taken.tick()
            #expect(idle.worker.pointee.connections.openClients == 1)
        }
        for _ in 0..<3 { taken.tick() }
        #expect(idle.worker.pointee.connections.openClients == 0)
    }

    @Test(.holds("ECO-76"), .refuses("ECO-76")) func `takes of the time for the first head, and gives none`() throws {
        let idle = try IdleWorker(senders: ["127.0.0.1/32"])
        defer { withExtendedLifetime(idle) {} }
        let worker = idle.worker
        let whole = UInt32(worker.pointee.policy.timeouts.requestHead / TimeoutWheel.tickMilliseconds)
        for waited in [0, 10, 29] {
            let taken = try Taken(at: worker)
            for _ in 0..<waited { taken.tick() }
            try taken.arrive(Self.block)
            #expect(taken.client.pointee.state == .awaitingHead)
            let left = taken.client.pointee.timeout.deadline - worker.pointee.connections.wheel.now
            #expect((whole...whole + 2).contains(left + UInt32(waited)), "\(left) after \(waited)")
            taken.close()
        }
    }

    @Test(.refuses("ECO-76")) func `is not read from elsewhere`() throws {
        let idle = try IdleWorker(senders: ["192.0.2.0/24"])
        defer { withExtendedLifetime(idle) {} }
        let sender = try Taken.connect(to: idle.worker)
        defer { close(sender) }
        #expect(send(sender, Self.line, Self.line.count, Int32(MSG_NOSIGNAL)) == Self.line.count)
        idle.worker.acceptConnections(idle.worker.pointee.listening.listeners)
        #expect(idle.worker.pointee.connections.openClients == 0)
        var byte: UInt8 = 0
        // Without a byte: an end, or a reset, for what was sent is not read.
        #expect(recv(sender, &byte, 1, 0) <= 0)
    }
}
