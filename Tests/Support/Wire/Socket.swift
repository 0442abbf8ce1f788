internal import Glibc

/// Why a socket of a test did not do what the test asked.
package enum WireFailure: Error, CustomStringConvertible {
    case system(String, Int32)
    case timedOut(String)
    case closed(String)
    case malformed(String)
    case tls(String)

    package var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .timedOut(let what): "timed out: \(what)"
        case .closed(let what): "closed by the peer: \(what)"
        case .malformed(let what): "malformed: \(what)"
        case .tls(let what): "TLS: \(what)"
        }
    }
}

/// What one read brought.
package enum ReadOutcome: Sendable, Equatable {
    case bytes([UInt8])
    /// An orderly end: FIN, or close_notify over TLS.
    case end
    /// RST, or a TLS connection cut without close_notify.
    case reset
    case nothingYet
}

/// A connected stream of bytes: plain or TLS.
package protocol ByteStream: AnyObject {
    func read(atMost count: Int, until deadline: Deadline) throws -> ReadOutcome
    func write(_ bytes: [UInt8], until deadline: Deadline) throws
    func shutdownWriting()
    func close()
    func reset()
}

/// A TCP socket on the loopback interface, closed when it goes away.
package final class Socket: ByteStream, @unchecked Sendable {
    package let descriptor: Int32
    private let isOpen = Watched(true)

    /// Takes over an open descriptor.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close() }

    /// Connects to a port of 127.0.0.1, or of another address of this machine's own; a small receive buffer makes back-pressure
    /// visible early.
    package static func connect(
        port: UInt16, at host: String = "127.0.0.1", receiveBuffer: Int32? = nil, from source: String? = nil
    ) throws -> Socket {
        let descriptor = try make()
        let result = Socket(descriptor: descriptor)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if let source {
            var own = loopback(port: 0)
            inet_pton(AF_INET, source, &own.sin_addr)
            guard withAddress(&own, { bind(descriptor, $0, $1) }) == 0 else { throw WireFailure.system("bind", errno) }
        }
        var address = loopback(port: port)
        inet_pton(AF_INET, host, &address.sin_addr)
        let status = withAddress(&address) { Glibc.connect(descriptor, $0, $1) }
        guard status == 0 else { throw WireFailure.system("connect", errno) }
        return result
    }

    /// Listens on a port of 127.0.0.1, or of another address of this machine's own, (0: any) and says which.
    package static func listen(port: UInt16 = 0, backlog: Int32 = 512, at host: String = "127.0.0.1") throws -> (
        socket: Socket, port: UInt16
    ) {
        let descriptor = try make()
        let result = Socket(descriptor: descriptor)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        // For `reserve`.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port: port)
        inet_pton(AF_INET, host, &address.sin_addr)
        guard withAddress(&address, { bind(descriptor, $0, $1) }) == 0 else { throw WireFailure.system("bind", errno) }
        guard Glibc.listen(descriptor, backlog) == 0 else { throw WireFailure.system("listen", errno) }
        var bound = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &bound) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (result, UInt16(bigEndian: bound.sin_port))
    }

    /// Keeps a port that `listen` was given from everybody but `listen`, until this process ends; connections to it are
    /// refused as ever while nobody listens.
    ///
    /// A port that is free for a moment only is somebody else's by chance.
    package static func reserve(port: UInt16) throws {
        let descriptor = try make()
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port: port)
        guard withAddress(&address, { bind(descriptor, $0, $1) }) == 0 else { throw WireFailure.system("bind", errno) }
    }

    /// Connects to a Unix socket.
    package static func connect(unixPath path: String) throws -> Socket {
        let result = Socket(descriptor: try make(AF_UNIX))
        let status = withUnixAddress(path) { Glibc.connect(result.descriptor, $0, $1) }
        guard status == 0 else { throw WireFailure.system("connect", errno) }
        return result
    }

    /// Listens at a path.
    package static func listen(unixPath path: String, backlog: Int32 = 512) throws -> Socket {
        let result = Socket(descriptor: try make(AF_UNIX))
        let status = withUnixAddress(path) { bind(result.descriptor, $0, $1) }
        guard status == 0 else { throw WireFailure.system("bind", errno) }
        guard Glibc.listen(result.descriptor, backlog) == 0 else { throw WireFailure.system("listen", errno) }
        return result
    }

    /// Waits for the next connection; nil once the listening socket is closed.
    package func accept() -> Socket? {
        while true {
            guard (try? isReady(for: Int16(POLLIN), until: .after(.seconds(3600)))) == true else { return nil }
            let connection = Inheritance.whileNothingIsSpawned {
                let connection = Glibc.accept(descriptor, nil, nil)
                if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
                return connection
            }
            if connection >= 0 { return Socket(descriptor: connection) }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    package func read(atMost count: Int, until deadline: Deadline) throws -> ReadOutcome {
        guard try isReady(for: Int16(POLLIN), until: deadline) else { return .nothingYet }
        var buffer = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &buffer, count, 0)
        switch received {
        case 0: return .end
        case 1...: return .bytes(Array(buffer[..<received]))
        default:
            if errno == ECONNRESET || errno == EPIPE { return .reset }
            throw WireFailure.system("recv", errno)
        }
    }

    /// Has the kernel send these few bytes with whatever is written next.
    func hold(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_MORE)
        guard send(descriptor, bytes, bytes.count, flags) == bytes.count else {
            throw WireFailure.system("send", errno)
        }
    }

    package func write(_ bytes: [UInt8], until deadline: Deadline) throws {
        var sent = 0
        while sent < bytes.count {
            guard try isReady(for: Int16(POLLOUT), until: deadline) else {
                throw WireFailure.timedOut("wrote \(sent) of \(bytes.count) bytes")
            }
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = bytes.withUnsafeBytes { space in
                send(descriptor, space.baseAddress.map { $0 + sent }, bytes.count - sent, flags)
            }
            if count >= 0 {
                sent += count
            } else if errno != EAGAIN && errno != EINTR {
                throw WireFailure.closed("send: \(String(cString: strerror(errno)))")
            }
        }
    }

    package func shutdownWriting() { whileOpen { shutdown($0, Int32(SHUT_WR)) } }

    /// Ends both directions but keeps the descriptor, so that a thread that still uses it cannot meet a stranger's.
    package func shutdownBothWays() { whileOpen { shutdown($0, Int32(SHUT_RDWR)) } }

    /// The same, and the kernel of the peer has been told when this returns, whatever the peer itself does.
    ///
    /// On a busy machine a segment reaches the other end of the loopback some time after the call that sent it.
    func shutdownUntilSeen() {
        // The thread that serves the connection may close the descriptor as soon as it is shut down: this is another.
        var copy: Int32 = -1
        whileOpen { copy = fcntl($0, F_DUPFD_CLOEXEC, 0) }
        shutdownBothWays()
        guard copy >= 0 else { return }
        defer { Glibc.close(copy) }
        // Not longer where the peer leaves no room for what is to be sent before the end.
        _ = eventually(within: .seconds(10)) {
            var state: UInt8 = 0
            var length = socklen_t(1)
            // The first byte of `tcp_info`; a Unix socket has none, and its peer sees an end at once.
            guard getsockopt(copy, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 else { return true }
            // TCP_ESTABLISHED, TCP_FIN_WAIT1, TCP_LAST_ACK and TCP_CLOSING: the end is not acknowledged.
            return ![1, 4, 9, 11].contains(state)
        }
    }

    /// Wakes the thread that waits in `accept()`; the descriptor is closed when the socket goes away.
    ///
    /// Until then nobody else is given its port: whoever still asks there must not meet another test's server.
    package func stopListening() {
        whileOpen { descriptor in
            var zero: Int32 = 0
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &zero, socklen_t(MemoryLayout<Int32>.size))
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// Whether its descriptor is closed.
    var isClosed: Bool { !isOpen.now }

    package func close() {
        isOpen.withLock { open in
            guard open else { return }
            open = false
            Glibc.close(descriptor)
        }
    }

    /// Closes with RST instead of FIN.
    package func reset() {
        isOpen.withLock { open in
            guard open else { return }
            open = false
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            Glibc.close(descriptor)
        }
    }

    /// Nothing once it is closed: its number may be another test's by then, whose listener this would end.
    private func whileOpen(_ body: (Int32) -> Void) {
        isOpen.withLock { open in
            if open { body(descriptor) }
        }
    }

    private func isReady(for events: Int16, until deadline: Deadline) throws -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let count = poll(&entry, 1, deadline.milliseconds)
            if count > 0 { return true }
            if count == 0 { return false }
            guard errno == EINTR else { throw WireFailure.system("poll", errno) }
        }
    }

    private static func make(_ family: Int32 = AF_INET) throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw WireFailure.system("socket", errno) }
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withUnixAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { space in space.copyBytes(from: path.utf8.prefix(107)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func withAddress(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
