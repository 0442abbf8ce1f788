import EventLoop
import Glibc
import HTTP2
import TestSupport
import TestTraits
import Testing
import Transport

@testable import Gateway

/// What leaves of a stream of HTTP/2 that the gateway breaks off, and what becomes of its connection.
@Suite struct `a stream of HTTP/2 that is broken off` {
    /// A connection by hand, with one request whose content is still to come.
    private final class Rig {
        private static let opening: [UInt8] =
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
            + [0, 0, 14, 1, 4, 0, 0, 0, 1, 0x82, 0x84, 0x86, 0x41, 0x09] + Array("gatewayxx".utf8)

        let idle: IdleWorker
        let carrier: ClientRef
        let session: SessionRef
        let client: ClientRef
        let descriptor: Int32
        private let peer: Transport.ByteStream

        var worker: WorkerRef { idle.worker }

        init() throws {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            (descriptor, peer) = (ends[0], Transport.ByteStream(descriptor: ends[1]))
            idle = try IdleWorker()
            let worker = idle.worker
            // No loop turns here: what waits for a turn's end is called by hand.
            worker.pointee.loop.isTurnEndDue = true
            carrier = worker.takeClient()
            carrier.pointee.stream = Transport.ByteStream(descriptor: descriptor)
            FileEvent.assign(
                carrier.readEvent, worker.pointee.loop.base, descriptor, [.read, .persistent], onClientReadable,
                carrier)
            let memory = try #require(worker.pointee.connections.http2.frames.memory)
            let core = try #require(
                ServerConnection(worker.limits(of: carrier), memory: memory, source: HTTP2Stream.source))
            let made = worker.makeSession(carrier, core, mostExchanges: 8)
            session = made
            carrier.pointee.part = .session(made)
            carrier.pointee.state = .multiplexing
            var stream: ClientRef?
            Rig.opening.withUnsafeBufferPointer { bytes in
                core.receive(bytes, now: 1)
                while let event = core.nextEvent() {
                    if case .request(let number, _, _, _) = event {
                        stream = worker.open(made, number, isOpen: true)
                    }
                }
            }
            client = try #require(stream)
            worker.sendFrames(made)
            #expect(received()?.isEmpty == false, "SETTINGS")
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nbegun".withBytes { bytes in
                if let first = bytes.baseAddress { worker.sendToClient(client, first, bytes.count) }
            }
        }

        deinit { close(peer.descriptor) }

        /// What there is to be read; nil at the end.
        func received() -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 1000)
            let count = bytes.withUnsafeMutableBufferPointer { bytes in
                bytes.baseAddress.map { peer.read(into: $0, capacity: 1000) } ?? -1
            }
            return count == 0 ? nil : Array(bytes.prefix(max(0, count)))
        }
    }

    /// The types of the frames of stream 1.
    private func types(_ bytes: [UInt8]) -> [UInt8] {
        var (types, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            if head[8] == 1 { types.append(head[3]) }
            rest = rest.dropFirst(9 + (Int(head[0]) << 16) + (Int(head[1]) << 8) + Int(head[2]))
        }
        return types
    }

    @Test(.holds("H2-34"), arguments: [false, true])
    func `sends what has come of its answer before its reset, though events of its connection are seen to`(
        isAtWork: Bool
    ) throws {
        let rig = try Rig()
        rig.session.pointee.isAtWork = isAtWork
        rig.worker.abortClient(rig.client)
        #expect(rig.session.pointee.isAtWork == isAtWork)
        rig.session.pointee.isAtWork = false
        rig.worker.sendFrames(rig.session)
        // HEADERS, DATA, RST_STREAM.
        #expect(types(try #require(rig.received())) == [1, 0, 3])
        rig.worker.closeClient(rig.carrier)
    }

    /// Frames are taken from the core once: what a broken socket did not take is missing from the connection's table of fields,
    /// and whatever came behind it would be read as something else.
    @Test func `has nothing more written to a socket that is broken, and the connection closed when it goes on`() throws
    {
        let rig = try Rig()
        // It fails once and no more, as a write does for which there is no memory.
        rig.carrier.pointee.stream.descriptor = -1
        rig.worker.abortClient(rig.client)
        rig.carrier.pointee.stream.descriptor = rig.descriptor
        #expect(
            rig.carrier.pointee.state == .multiplexing, "whoever aborts a stream goes on with its connection behind it")
        rig.worker.goOnWithClients()
        #expect(rig.carrier.pointee.state == .closed)
        #expect(rig.received() == nil)
    }
}
