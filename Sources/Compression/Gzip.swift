import CZlib

/// The gzip coding (RFC 1952), as `Content-Encoding: gzip` names it.
///
/// One way only: nothing that others send is decompressed here, so that no small message becomes a large one.
public enum Gzip {
    /// Bytes that are made at a time.
    private static let piece = 16 << 10
    /// Zlib's fastest.
    ///
    /// What is sent repeats itself so much that the others gain little for several times the work.
    private static let level: Int32 = 1

    /// `content` in the coding; nil where there is no memory for it.
    ///
    /// Takes a quarter of a megabyte while it works, whatever the content, beside the result.
    public static func encode(_ content: Span<UInt8>) -> [UInt8]? {
        var stream = unsafe z_stream()
        guard unsafe portcullis_gzip_begin(&stream, level) == Z_OK else { return nil }
        // Ends in every case: its memory is zlib's own.
        defer { unsafe deflateEnd(&stream) }
        var coded: [UInt8] = []
        var result = Z_OK
        unsafe content.withUnsafeBufferPointer { bytes in
            // `deflate` reads from there, and its type has no const.
            unsafe stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            unsafe stream.avail_in = UInt32(clamping: bytes.count)
            // More than four gigabytes are no message of ours.
            guard unsafe Int(stream.avail_in) == bytes.count else { return result = Z_DATA_ERROR }
            while result == Z_OK { result = unsafe appendPiece(of: &stream, to: &coded) }
        }
        return result == Z_STREAM_END ? coded : nil
    }

    private static func appendPiece(of stream: inout z_stream, to coded: inout [UInt8]) -> Int32 {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: piece) { room in
            unsafe stream.next_out = room.baseAddress
            unsafe stream.avail_out = UInt32(piece)
            let result = unsafe deflate(&stream, Z_FINISH)
            unsafe coded.append(contentsOf: UnsafeBufferPointer(rebasing: room[..<(piece - Int(stream.avail_out))]))
            return result
        }
    }
}
