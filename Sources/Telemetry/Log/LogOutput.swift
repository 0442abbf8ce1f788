import Glibc

/// A file descriptor that log bytes go to; used by one thread.
struct LogOutput {
    private var descriptor: Int32
    private let closesDescriptor: Bool
    /// The file's name, if it was opened by one.
    let path: String?
    /// The last write ended inside a line: the next one must not be glued to it.
    private var isTorn = false

    init(descriptor: Int32, closesDescriptor: Bool) {
        self.descriptor = descriptor
        self.closesDescriptor = closesDescriptor
        path = nil
    }

    private init(_ path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
        closesDescriptor = true
    }

    /// The file of that name, made (readable for its group) if it does not exist.
    static func appending(to path: String) throws(LogRefusal) -> LogOutput {
        LogOutput(path, descriptor: try open(path))
    }

    private static func open(_ path: String) throws(LogRefusal) -> Int32 {
        // Without O_NONBLOCK a named pipe that nobody reads would hold whoever opens it.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let descriptor = Glibc.open(path, flags, 0o640)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, errorNumber: errno) }
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        return descriptor
    }

    /// Goes on with a new file of the same name; keeps the one at hand, and says why, when there is none to be had.
    mutating func reopen() -> LogRefusal? {
        guard let path else { return nil }
        do throws(LogRefusal) {
            let next = try LogOutput.open(path)
            close()
            descriptor = next
            isTorn = false
            return nil
        } catch {
            return error
        }
    }

    /// Writes the chunk and returns how many of its lines were lost.
    mutating func write(_ chunk: LogChunk) -> Int {
        if isTorn, write([UInt8(ascii: "\n")], from: 0, to: 1) == 1 { isTorn = false }
        guard !isTorn else { return chunk.lines }
        let written = write(chunk.storage, from: 0, to: chunk.count)
        if written == chunk.count { return 0 }
        isTorn = written > 0 && chunk.storage[written - 1] != UInt8(ascii: "\n")
        return chunk.storage[written..<chunk.count].count { $0 == UInt8(ascii: "\n") }
    }

    /// Writes until all is written or the descriptor fails; returns the end of what was written.
    private func write(_ bytes: [UInt8], from start: Int, to end: Int) -> Int {
        var position = start
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            while position < end {
                let count = Glibc.write(descriptor, base + position, end - position)
                if count >= 0 {
                    position += count
                } else if errno == EAGAIN {
                    // Standard output may be non-blocking because somebody else who shares it said so.
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&entry, 1, 1000)
                } else if errno != EINTR {
                    return
                }
            }
        }
        return position
    }

    func close() {
        if closesDescriptor { Glibc.close(descriptor) }
    }
}
