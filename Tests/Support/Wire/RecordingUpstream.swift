internal import Foundation

/// A real HTTP/1.1 server that records every byte it receives and answers as scripted.
///
/// One thread accepts; one thread serves each connection. Requests without a script get `fallback`.
package final class RecordingUpstream: Sendable {
    /// Everything recorded since the last `forget()`.
    package struct Record: Sendable {
        package var requests: [WireRequest] = []
        /// Raw bytes received, by connection; only the first megabytes of each.
        package var rawBytes: [Int: [UInt8]] = [:]
        /// Bytes received on all connections.
        package var receivedCount = 0
        /// Pattern bytes that the kernel took for sending.
        package var sentCount = 0
        /// What no strict server would take for a request.
        package var malformed: [String] = []
        /// Connections opened since the upstream started.
        package var connectionCount = 0
        /// Connections that the peer closed.
        package var endedConnections: [Int] = []
        /// Connections that the peer cut with RST.
        package var resetConnections: [Int] = []
        /// TLS handshakes that failed.
        package var failedHandshakes: [String] = []
        /// Names asked for by TLS clients.
        package var serverNames: [String] = []
        /// Common names of TLS clients' certificates, by connection.
        package var clientNames: [Int: String] = [:]
    }

    package let port: UInt16
    let record = Watched(Record())
    private let listener: Socket
    private let scripts = Watched<[String: WireScript]>([:])
    private let fallback: Watched<WireScript>
    private let open = Watched<[Int: Socket]>([:])
    private let identity: TestCertificate?
    private let asksForCertificate: Bool
    private let isAccepting = Watched(true)

    /// Listens on a free port of 127.0.0.1 (or on `port`, at another address), over TLS when it has a certificate.
    package convenience init(
        port: UInt16 = 0, at host: String = "127.0.0.1", identity: TestCertificate? = nil,
        asksForCertificate: Bool = false,
        fallback: WireScript = .echo
    ) throws {
        let (listener, port) = try Socket.listen(port: port, at: host)
        self.init(listener, port, identity, asksForCertificate, fallback)
    }

    /// Listens at a Unix socket.
    package convenience init(unixPath path: String) throws {
        self.init(try Socket.listen(unixPath: path), 0, nil, false, .echo)
    }

    private init(
        _ listener: Socket, _ port: UInt16, _ identity: TestCertificate?, _ asksForCertificate: Bool,
        _ fallback: WireScript
    ) {
        (self.listener, self.port) = (listener, port)
        self.identity = identity
        self.asksForCertificate = asksForCertificate
        self.fallback = Watched(fallback)
        Thread.detachNewThread { [listener, isAccepting, weak self] in
            defer { isAccepting.withLock { $0 = false } }
            while let socket = listener.accept() {
                guard let self else { return }
                self.serve(socket)
            }
        }
    }

    deinit { listener.stopListening() }

    /// The URL to write into a configuration.
    package var url: String { "\(identity == nil ? "http" : "https")://127.0.0.1:\(port)" }
    /// The record now.
    package var now: Record { record.now }
    /// Requests in the order in which their heads arrived.
    package var requests: [WireRequest] { record.now.requests }
    /// Connections opened so far.
    package var connectionCount: Int { record.now.connectionCount }
    /// Bytes received on all connections since the last `forget()`.
    package var receivedCount: Int { record.now.receivedCount }

    /// Every byte received since the last `forget()`, connections one after the other.
    package var allBytes: [UInt8] {
        record.withLock { record in record.rawBytes.keys.sorted().flatMap { record.rawBytes[$0] ?? [] } }
    }

    /// What requests for this path (without query) get from now on.
    package func answer(_ path: String, with script: WireScript) { scripts.withLock { $0[path] = script } }

    /// What requests without a script of their own get from now on.
    package func answerAll(with script: WireScript) { fallback.withLock { $0 = script } }

    /// Forgets what was recorded and scripted; connections stay.
    package func forget() {
        record.withLock { record in
            let connections = record.connectionCount
            record = Record()
            record.connectionCount = connections
        }
        scripts.withLock { $0 = [:] }
        fallback.withLock { $0 = .echo }
    }

    /// Waits until the record fulfils a condition.
    @discardableResult
    package func waits(within limit: Duration = Deadline.patience, until predicate: (Record) -> Bool) -> Bool {
        record.wait(within: limit, until: predicate)
    }

    /// The one request for this path, waiting for it; nil when none or several came.
    package func onlyRequest(for path: String, within limit: Duration = Deadline.patience) -> WireRequest? {
        waits(within: limit) { $0.requests.contains { $0.path == path } }
        let found = requests.filter { $0.path == path }
        return found.count == 1 ? found[0] : nil
    }

    /// Sends FIN on every open connection: what an upstream does with connections that idle too long.
    ///
    /// The peer's kernel has it then, so that who looks before using such a connection sees it.
    package func closeConnections() {
        // A connection that is made meanwhile is none of those.
        let closing = open.now
        for socket in closing.values { socket.shutdownUntilSeen() }
        _ = open.wait { open in closing.keys.allSatisfy { open[$0] == nil } }
    }

    /// Closes every connection, those that it has not even accepted yet among them, and waits until all that came on them is
    /// recorded; nothing of theirs comes after that.
    ///
    /// The peer may be long gone when this server's threads get to what it sent.
    package func settle() throws {
        let path = "/settle-\(UInt64.random(in: 0...UInt64.max))"
        // Connections are accepted in the order in which they were made: this one is the last of them.
        let client = try RawClient(port: port)
        try client.send("GET \(path) HTTP/1.1\r\nHost: \(path)\r\n\r\n")
        _ = try client.response()
        client.close()
        closeConnections()
        record.withLock { $0.requests.removeAll { $0.path == path } }
    }

    /// Stops accepting and closes everything; the port is kept for another server of this kind.
    package func stop() {
        if port > 0 { try? Socket.reserve(port: port) }
        listener.stopListening()
        // One that was accepted last is among those that are closed.
        _ = isAccepting.wait { !$0 }
        closeConnections()
    }

    /// Lets another server have the port of this one, which was stopped.
    package func releasePort() {
        // The thread that accepts would go on at the number of somebody else's listener.
        _ = isAccepting.wait { !$0 }
        listener.close()
    }

    func script(for path: String) -> WireScript { scripts.now[path] ?? fallback.now }

    private func serve(_ socket: Socket) {
        // Only the thread that accepts counts them. Who has seen the count may close what is open, this one among it.
        let number = record.withLock { $0.connectionCount }
        open.withLock { $0[number] = socket }
        record.withLock { $0.connectionCount += 1 }
        let thread = Thread { [self, identity, asksForCertificate] in
            defer { open.withLock { $0[number] = nil } }
            let stream: any ByteStream
            do {
                stream =
                    try identity.map {
                        try TLSServerStream(over: socket, identity: $0, asksForCertificate: asksForCertificate)
                    } ?? socket
            } catch {
                record.withLock { $0.failedHandshakes.append("\(error)") }
                return socket.close()
            }
            if let name = (stream as? TLSServerStream)?.clientName {
                record.withLock { $0.clientNames[number] = name }
            }
            if let name = (stream as? TLSServerStream)?.serverName { record.withLock { $0.serverNames.append(name) } }
            UpstreamConnection(stream: stream, number: number, upstream: self).run()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }
}
