import Foundation
import TestSupport

/// A server of HTTP/2 whose test sends each frame: the other end of a `FrameClient`.
final class FrameServer: Sendable {
    let port: UInt16
    private let listener: Socket
    private let accepted = Watched<[Socket]>([])

    init() throws {
        (listener, port) = try Socket.listen()
        Thread.detachNewThread { [listener, accepted] in
            while let socket = listener.accept() { accepted.withLock { $0.append(socket) } }
        }
    }

    deinit { listener.stopListening() }

    /// How many connections were made and not taken.
    var connectionCount: Int { accepted.now.count }

    /// As a route's `upstream` names it.
    var upstream: String { "{ url: \"http://127.0.0.1:\(port)\", protocol: h2 }" }

    /// The connection that was made first of those that were not taken, waiting for it; `streams` says how many it may have at
    /// once, and `takesTunnels` that it takes extended CONNECT.
    func connection(streams: UInt32? = nil, takesTunnels: Bool = false) throws -> FrameClient {
        guard accepted.wait(until: { !$0.isEmpty }) else { throw WireFailure.timedOut("a connection to the server") }
        return try FrameClient(
            serving: accepted.withLock { $0.removeFirst() }, streams: streams, takesTunnels: takesTunnels)
    }
}
