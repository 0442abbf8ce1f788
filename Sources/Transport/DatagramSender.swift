import Glibc

/// Sends datagrams to one Unix socket, without ever waiting for it.
public final class DatagramSender: Sendable {
    private let address: SocketAddress
    private let descriptor: Int32

    /// Sends to `address` from now on; wraps `socket`.
    public init(to address: SocketAddress) throws(Socket.Failure) {
        self.address = address
        descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Socket.Failure(call: "socket", code: errno) }
    }

    deinit { close(descriptor) }

    /// Sends one datagram.
    ///
    /// Throws `EAGAIN` where the receiver has no room for it at the moment. Wraps `sendto`.
    public func send(_ bytes: [UInt8]) throws(Socket.Failure) {
        let sent = withUnsafePointer(to: address.storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, address.length)
            }
        }
        guard sent >= 0 else { throw Socket.Failure(call: "sendto", code: errno) }
    }
}
