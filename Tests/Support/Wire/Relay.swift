internal import Foundation

/// A port that hands every connection on to another one of 127.0.0.1, and may read along.
///
/// It has its port before the server behind it has one: an address that is written into both ends' configurations.
package final class Relay: Sendable {
    /// One request and the answer to it, as they passed.
    package struct Exchange: Sendable {
        package let request: WireRequest
        package let response: WireResponse
    }

    package let port: UInt16
    private let listener: Socket
    private let destination = Watched<UInt16>(0)
    private let seen = Watched<[Exchange]>([])
    private let readsAlong: Bool

    /// Listens on a free port; connections that come before there is a destination are closed.
    package init(readsAlong: Bool = false) throws {
        (listener, port) = try Socket.listen()
        self.readsAlong = readsAlong
        Thread.detachNewThread { [listener, weak self] in
            while let socket = listener.accept() {
                guard let self else { return }
                self.carry(socket)
            }
        }
    }

    deinit { listener.stopListening() }

    /// Hands connections on to this port from now on.
    package func lead(to port: UInt16) { destination.withLock { $0 = port } }

    /// What passed so far, in the order of the answers; nothing unless it reads along.
    package var exchanges: [Exchange] { seen.now }

    /// Waits until what passed fulfils a condition.
    @discardableResult
    package func waits(within limit: Duration = Deadline.patience, until predicate: ([Exchange]) -> Bool) -> Bool {
        seen.wait(within: limit, until: predicate)
    }

    private func carry(_ client: Socket) {
        let port = destination.now
        guard port != 0, let server = try? Socket.connect(port: port) else { return client.close() }
        let record = readsAlong ? Watched(Conversation()) : nil
        // Both threads hold both sockets, which are closed when the last one has ended.
        Self.thread { Self.pump(client, server) { bytes in record?.withLock { $0.sent(bytes) } } }
        Self.thread { [seen] in
            Self.pump(server, client) { bytes in
                let whole = record?.withLock { $0.answered(bytes) } ?? []
                if !whole.isEmpty { seen.withLock { $0 += whole } }
            }
        }
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private static func pump(_ source: Socket, _ target: Socket, _ note: ([UInt8]) -> Void) {
        while let outcome = try? source.read(atMost: 64 * 1024, until: .after(.seconds(300))) {
            guard case .bytes(let bytes) = outcome else { break }
            // Noted before it arrives: who has seen the answer may look for it here.
            note(bytes)
            guard (try? target.write(bytes, until: .after(.seconds(60)))) != nil else { break }
        }
        source.shutdownBothWays()
        target.shutdownBothWays()
    }
}

/// The two directions of one connection, cut into messages.
private struct Conversation: Sendable {
    private var requestBytes: [UInt8] = []
    private var requests: [WireRequest] = []
    private var answers = WireResponseReader()

    mutating func sent(_ bytes: [UInt8]) {
        requestBytes += bytes
        while let (_, head) = headLines(of: requestBytes),
            var request = try? WireRequest(head: Array(requestBytes[..<head]), connection: 0)
        {
            let length = request.fields.only("content-length").flatMap { Int($0) } ?? 0
            guard requestBytes.count >= head + length else { return }
            request.body = Array(requestBytes[head..<(head + length)])
            request.bodyCount = length
            request.isComplete = true
            requests.append(request)
            requestBytes.removeFirst(head + length)
        }
    }

    /// The exchanges that these bytes complete.
    mutating func answered(_ bytes: [UInt8]) -> [Relay.Exchange] {
        answers.append(bytes)
        var whole: [Relay.Exchange] = []
        while let request = requests.first, let response = try? answers.next(answering: request.method) {
            whole.append(Relay.Exchange(request: request, response: response))
            if response.status >= 200 { requests.removeFirst() }
        }
        return whole
    }
}
