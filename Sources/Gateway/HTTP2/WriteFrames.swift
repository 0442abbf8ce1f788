import Glibc
import HTTP2
import Transport

/// Whether all frames of a connection have left.
enum FramesWritten {
    case all
    /// The socket is full, and has taken so many bytes of what was tried last.
    case some(Int)
    /// The connection is broken.
    case none
}

extension WorkerRef {
    /// Writes what waits in `output`, then frames until there are none or the socket is full.
    ///
    /// What the socket does not take of a frame waits in `output`: it cannot be given back to the core.
    ///
    /// - Parameter next: puts frames in the memory that it is given, and says how many bytes of them; 0 at the end.
    func writeFrames(
        to stream: ByteStream, _ output: UnsafeMutablePointer<Buffer>,
        _ next: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) -> FramesWritten {
        if !output.pointee.isEmpty {
            let sent = stream.write(output.pointee.bytes, count: output.pointee.count)
            if sent == ByteStream.failed { return .none }
            if sent > 0 { output.pointee.consume(sent, to: &pointee.connections.buffers) }
            guard output.pointee.isEmpty else { return .some(max(0, sent)) }
        }
        let bytes = pointee.connections.http2.frames.output
        while true {
            let count = next(UnsafeMutableBufferPointer(start: bytes, count: HTTP2Session.writeSize))
            guard count > 0 else { return .all }
            let sent = stream.write(bytes, count: count)
            if sent == count { continue }
            guard sent != ByteStream.failed,
                output.pointee.append(bytes + max(0, sent), count - max(0, sent), from: &pointee.connections.buffers)
            else { return .none }
            return .some(max(0, sent))
        }
    }
}
