import Access
import Crypto
import HTTPMessage
import TestSupport
import Testing

@testable import Gateway

@Suite struct `the room that an idle connection takes` {
    // Half a kilobyte for each of thousands of idle clients is promised. Of that libevent's tables take 45 bytes and the
    // slab's chain 8; what is left over is the margin, not room for another field.
    @Test func `is six lines of the processor's cache, with the slab's chain`() {
        #expect(MemoryLayout<ClientConnection>.stride <= 376)
    }

    @Test func `is no more for the two buffers than a pointer and three numbers each`() {
        #expect(MemoryLayout<Buffer>.size <= 20)
    }

    @Test func `is without the framing of a body that is read away as soon as that is over`() throws {
        let idle = try IdleWorker()
        defer { withExtendedLifetime(idle) {} }
        let worker = idle.worker
        let client = try #require(open(1, at: worker).first)
        worker.beginDiscarding(client, BodyCounter(.length(3)))
        #expect(worker.pointee.connections.discards.inUse == 1)
        #expect(receive("ab", client))
        // Not yet: a byte of the body is still to come.
        client.pointee.isReading = true
        worker.discardInput(client)
        #expect(worker.pointee.connections.discards.inUse == 1)
        #expect(client.pointee.part.discard?.pointee.remaining == 1)
        #expect(receive("c", client))
        worker.discardInput(client)
        #expect(worker.pointee.connections.discards.inUse == 0)
        #expect(client.pointee.part.discard == nil)
        #expect(client.pointee.state == .awaitingHead)
        client.pointee.isReading = false
        worker.closeClient(client)
    }

    @Test func `is without it and the certificate's digest once the connection is closed`() throws {
        let idle = try IdleWorker()
        defer { withExtendedLifetime(idle) {} }
        let worker = idle.worker
        let clients = open(3, at: worker)
        for client in clients {
            worker.beginDiscarding(client, BodyCounter(.chunked))
            client.pointee.keepCertificate(TokenRecords.digest(1))
            client.pointee.keepCertificate(TokenRecords.digest(2))
            #expect(client.pointee.certificate?.pointee == TokenRecords.digest(2))
        }
        #expect(worker.pointee.connections.discards.inUse == 3)
        for client in clients { worker.closeClient(client) }
        #expect(worker.pointee.connections.discards.inUse == 0)
        worker.endClosedConnections()
        // Whose place it is next must not have them.
        let next = open(3, at: worker)
        #expect(Set(next) == Set(clients))
        #expect(next.allSatisfy { $0.pointee.certificate == nil && $0.pointee.part.discard == nil })
        for client in next { worker.closeClient(client) }
    }

    private func receive(_ text: String, _ client: ClientRef) -> Bool {
        let worker = client.pointee.worker
        return text.withBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return client.pointee.input.append(start, bytes.count, from: &worker.pointee.connections.buffers)
        }
    }

    /// Connections without a socket.
    private func open(_ count: Int, at worker: WorkerRef) -> [ClientRef] {
        (0..<count).map { _ in
            let client = worker.takeClient()
            worker.pointee.connections.openClients += 1
            return client
        }
    }
}
