import Glibc

/// A listening socket that this process was started with.
public enum InheritedListener {
    /// Takes the socket at `descriptor` as one of this process's own: non-blocking, close-on-exec, without Nagle's delay
    /// for its connections; says what the descriptor is instead where that is no socket which listens for streams.
    ///
    /// Wraps `getsockopt` and `fcntl`.
    public static func adopt(_ descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return errno == EBADF ? "a descriptor that is not open" : String(cString: strerror(errno))
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return "no socket" }
        let family = Socket.localAddress(of: descriptor).family
        guard [AF_INET, AF_INET6, AF_UNIX].contains(family) else { return "a socket of another family" }
        guard option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else { return "a socket without streams" }
        guard option(SO_ACCEPTCONN, of: descriptor) == 1 else { return "a socket that does not listen" }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { return String(cString: strerror(errno)) }
        if family != AF_UNIX {
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        return nil
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
