import CSocket
import Glibc

/// The socket calls that the gateway makes, all non-blocking and close-on-exec.
public enum Socket {
    /// Why a socket call failed: the call and its errno.
    public struct Failure: Error, Sendable, Equatable {
        /// The C function.
        public var call: String
        /// Its errno.
        public var code: Int32

        /// Names the call and its errno.
        public init(call: String, code: Int32) {
            self.call = call
            self.code = code
        }

        /// The C library's sentence for the errno.
        public var reason: String { String(cString: strerror(code)) }
    }

    /// A listening TCP socket at `address`; several workers may each have one there (`SO_REUSEPORT`).
    ///
    /// Wraps `socket`, `bind` and `listen`.
    public static func listen(at address: SocketAddress, backlog: Int32 = 4096) throws(Failure) -> Int32 {
        let descriptor = Glibc.socket(
            address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
            0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
        // Accepted sockets inherit it: one system call less for each connection.
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        do throws(Failure) {
            try bind(descriptor, to: address)
            try listen(descriptor, backlog)
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Throws `EADDRINUSE` where any process listens at `address` already.
    ///
    /// `listen(at:)` cannot tell: `SO_REUSEPORT`, by which workers share an address, lets a second process of the same
    /// user have its part of the connections too. Without that option the kernel says who was first. Connections of a
    /// process that has ended, which the kernel still waits for, are nobody's (`SO_REUSEADDR`). Wraps `socket` and `bind`.
    public static func refuseTaken(_ address: SocketAddress) throws(Failure) {
        let descriptor = Glibc.socket(
            address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        defer { close(descriptor) }
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        try bind(descriptor, to: address)
    }

    static func bind(_ descriptor: Int32, to address: SocketAddress) throws(Failure) {
        let bound = withUnsafePointer(to: address.storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, address.length) }
        }
        if bound != 0 { throw Failure(call: "bind", code: errno) }
    }

    static func listen(_ descriptor: Int32, _ backlog: Int32) throws(Failure) {
        if Glibc.listen(descriptor, backlog) != 0 { throw Failure(call: "listen", code: errno) }
    }

    /// Another descriptor of the same socket, close-on-exec; wraps `fcntl(F_DUPFD_CLOEXEC)`.
    public static func duplicate(_ descriptor: Int32) throws(Failure) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw Failure(call: "fcntl", code: errno) }
        return copy
    }

    /// The address a socket is bound to; wraps `getsockname`.
    public static func localAddress(of descriptor: Int32) -> SocketAddress {
        var address = SocketAddress()
        address.length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &address.storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &address.length)
            }
        }
        return address
    }

    /// The next connection of a listening socket, or -1 with errno; wraps `accept4`.
    public static func accept(from listener: Int32, peer: UnsafeMutablePointer<SocketAddress>) -> Int32 {
        peer.pointee.length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &peer.pointee.storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                portcullis_accept(listener, $0, &peer.pointee.length)
            }
        }
    }

    /// Begins to connect; the socket is writable when that has ended, well or not.
    ///
    /// Wraps `socket` and `connect`. Returns -1 when it failed at once.
    public static func connect(to address: UnsafePointer<SocketAddress>) -> Int32 {
        let descriptor = Glibc.socket(
            address.pointee.family,
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        if !address.pointee.isUnix { setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        let length = address.pointee.length
        let started = withUnsafePointer(to: address.pointee.storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        guard started == 0 || errno == EINPROGRESS else {
            let code = errno
            close(descriptor)
            errno = code
            return -1
        }
        return descriptor
    }

    /// The errno of a connection attempt that has ended, 0 when it succeeded; wraps `getsockopt(SO_ERROR)`.
    public static func pendingError(of descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    /// Bytes that were written and that the peer's system has not acknowledged yet; wraps `ioctl(TIOCOUTQ)`, 0 where
    /// that fails.
    public static func unacknowledgedBytes(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Has the kernel notice within seconds that the peer of a TCP connection is gone without a word.
    ///
    /// What was written and not acknowledged for two seconds breaks the connection, and so do three seconds of silence in
    /// which two probes were not acknowledged. Without it the kernel tries for a quarter of an hour. Wraps
    /// `setsockopt(TCP_USER_TIMEOUT, SO_KEEPALIVE)`.
    public static func noticeDeadPeer(_ descriptor: Int32) {
        let tcp = Int32(IPPROTO_TCP)
        setOption(descriptor, tcp, TCP_USER_TIMEOUT, 2000)
        setOption(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        setOption(descriptor, tcp, TCP_KEEPIDLE, 1)
        setOption(descriptor, tcp, TCP_KEEPINTVL, 1)
        setOption(descriptor, tcp, TCP_KEEPCNT, 2)
    }

    /// Makes `close` reset the connection instead of ending it in order.
    ///
    /// A peer that must not take a cut-off message for a complete one sees an error, not an end (HTTP-31, HTTP-41).
    public static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Lets a listening TCP socket take no new connection, while those whose handshake is under way still arrive.
    ///
    /// A client's SYN is dropped: its system sends it again, to another listener of that address, or learns when this one
    /// is closed that nobody is there. Closing at once would reset connections that a client takes for open already.
    /// Wraps `setsockopt(SO_ATTACH_FILTER)`; without effect where the kernel does not know it.
    public static func refuseConnections(at listener: Int32) {
        portcullis_refuse_connections(listener)
    }

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
