import CSocket
import Glibc

/// A pipe of the kernel's through which bytes go from one plain socket to another without entering this process.
///
/// A plain value; whoever holds it closes it exactly once with `close()`. One that holds bytes belongs to the connection
/// they are for: nothing of one exchange may come out in another.
public struct Pipe {
    private var readEnd: Int32 = -1
    private var writeEnd: Int32 = -1
    /// Bytes that went in and have not come out.
    public private(set) var count = 0

    /// No pipe.
    public init() {}

    /// A pipe that holds about `capacity` bytes, or as many as the kernel allows this user; nil when none is to be had.
    ///
    /// Wraps `pipe2` and `fcntl(F_SETPIPE_SZ)`. A user with many large pipes gets tiny ones (pipe(7)); those are no use
    /// and count as none.
    public init?(capacity: Int32) {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { portcullis_pipe($0) }
        }
        guard made == 0 else { return nil }
        (readEnd, writeEnd) = ends
        if portcullis_pipe_capacity(writeEnd, capacity) >= capacity { return }
        // Not even the size that every pipe has by default.
        guard portcullis_pipe_capacity(writeEnd, 64 << 10) >= 64 << 10 else {
            close()
            return nil
        }
    }

    /// Whether there is a pipe at all.
    public var isOpen: Bool { readEnd >= 0 }

    /// This kernel, or this kind of socket, cannot do it: copy instead.
    public static let unsupported = -4

    /// Moves up to `limit` bytes that wait at a plain connection into the pipe: how many, 0 at the peer's orderly end,
    /// one of the negative values of `ByteStream.read`, or `unsupported`.
    ///
    /// Only into an empty pipe, so that `wantsRead` means the socket and never a full pipe. Wraps `splice`.
    public mutating func fill(from stream: ByteStream, atMost limit: Int) -> Int {
        precondition(stream.tls == nil && count == 0, "only a plain socket's bytes, and only into an empty pipe")
        while true {
            let moved = portcullis_splice(stream.descriptor, writeEnd, limit)
            if moved >= 0 {
                count = moved
                return moved
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: return ByteStream.wantsRead
            case EINVAL, ENOSYS: return Pipe.unsupported
            default: return ByteStream.failed
            }
        }
    }

    /// Moves what the pipe holds to a plain connection, as far as that takes it: true when the pipe is empty, nil when
    /// the connection is broken.
    ///
    /// Wraps `splice`.
    public mutating func drain(into stream: ByteStream) -> Bool? {
        precondition(stream.tls == nil, "only to a plain socket")
        while count > 0 {
            let moved = portcullis_splice(readEnd, stream.descriptor, count)
            if moved > 0 {
                count -= moved
                continue
            }
            if moved < 0, errno == EINTR { continue }
            if moved < 0, errno == EAGAIN { return false }
            return nil
        }
        return true
    }

    /// Closes both ends; bytes inside are gone.
    public mutating func close() {
        if readEnd >= 0 { Glibc.close(readEnd) }
        if writeEnd >= 0 { Glibc.close(writeEnd) }
        readEnd = -1
        writeEnd = -1
        count = 0
    }
}
