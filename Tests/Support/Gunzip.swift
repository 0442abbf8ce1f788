import CZlib

/// What `coded` is in gzip, by zlib's own reader, which checks the sum and the length at the end; nil for what is no gzip,
/// has more behind it, or is longer than `limit`.
public func gunzip(_ coded: [UInt8], atMost limit: Int = 16 << 20) -> [UInt8]? {
    var stream = z_stream()
    guard portcullis_gunzip_begin(&stream) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var (coded, content) = (coded, [UInt8](repeating: 0, count: limit + 1))
    let result = coded.withUnsafeMutableBufferPointer { coded in
        content.withUnsafeMutableBufferPointer { content in
            stream.next_in = coded.baseAddress
            stream.avail_in = UInt32(coded.count)
            stream.next_out = content.baseAddress
            stream.avail_out = UInt32(content.count)
            return inflate(&stream, Z_FINISH)
        }
    }
    guard result == Z_STREAM_END, stream.avail_in == 0 else { return nil }
    return Array(content.dropLast(Int(stream.avail_out)))
}
