import Glibc

/// A listening Unix socket and the file that stands for it; removed by whoever made it, and never another's.
public struct UnixListener: Sendable, Equatable {
    /// The listening socket; copies of it (`Socket.duplicate`) take connections from the same queue.
    public let descriptor: Int32
    /// Where clients find it.
    public let path: String
    private let device: UInt64
    private let inode: UInt64

    /// Listens at `path` with these permissions, non-blocking and close-on-exec.
    ///
    /// A socket that a process left behind is replaced; one that somebody listens at, and a file of another kind, are
    /// not (`EADDRINUSE`). The permissions are set before anybody can connect. Wraps `socket`, `bind`, `chmod` and
    /// `listen`.
    public init(at path: String, permissions: UInt32, backlog: Int32 = 4096) throws(Socket.Failure) {
        guard let address = SocketAddress(unixPath: path) else {
            throw Socket.Failure(call: "bind", code: ENAMETOOLONG)
        }
        let descriptor = try UnixListener.makeSocket()
        self.descriptor = descriptor
        self.path = path
        do throws(Socket.Failure) {
            do throws(Socket.Failure) {
                try Socket.bind(descriptor, to: address)
            } catch {
                guard error.code == EADDRINUSE, UnixListener.removeAbandoned(address) else { throw error }
                try Socket.bind(descriptor, to: address)
            }
            // Between bind and listen whoever connects is refused, whatever the umask left of the permissions.
            guard chmod(path, permissions) == 0 else { throw Socket.Failure(call: "chmod", code: errno) }
            try Socket.listen(descriptor, backlog)
        } catch {
            close(descriptor)
            throw error
        }
        var status = stat()
        lstat(path, &status)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Lets others connect from now on, unless another socket stands there by now (`ENOENT`); wraps `chmod`.
    public func setPermissions(_ permissions: UInt32) throws(Socket.Failure) {
        guard isOurs else { throw Socket.Failure(call: "chmod", code: ENOENT) }
        guard chmod(path, permissions) == 0 else { throw Socket.Failure(call: "chmod", code: errno) }
    }

    /// Removes the file, unless another socket stands there by now; wraps `unlink`.
    ///
    /// To be called while the socket, or a copy of it, is open: only so long can no other file get the same inode.
    public func removeFile() {
        if isOurs { unlink(path) }
    }

    /// Whether the file is the one of this socket.
    private var isOurs: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }

    private static func makeSocket() throws(Socket.Failure) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw Socket.Failure(call: "socket", code: errno) }
        return descriptor
    }

    /// Removes a socket that refuses connections because nobody listens; says whether it did.
    private static func removeAbandoned(_ address: SocketAddress) -> Bool {
        var status = stat()
        guard lstat(address.unixPath, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        var address = address
        let probe = Socket.connect(to: &address)
        guard probe < 0 else {
            close(probe)
            return false
        }
        return errno == ECONNREFUSED && unlink(address.unixPath) == 0
    }
}
