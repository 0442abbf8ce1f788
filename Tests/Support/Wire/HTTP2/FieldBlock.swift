internal import CNGHTTP2

/// A field of a header section as it is: in HTTP/2 nothing ends a name or a value but its length.
struct HeaderField: Equatable {
    let name: [UInt8]
    let value: [UInt8]

    init(_ name: [UInt8], _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(_ name: String, _ value: [UInt8]) { self.init(Array(name.utf8), value) }
}

/// Header sections as octets (RFC 7541).
enum FieldBlock {
    /// Fields that no message of HTTP/2 has.
    static let namesOfConnections: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings",
    ]

    /// Each field as a literal that enters no table and is not compressed: any octets can be sent, wrong ones too (§6.2.2).
    static func encode(_ fields: [HeaderField]) -> [UInt8] {
        var block: [UInt8] = []
        for field in fields {
            block.append(0)
            append(field.name, to: &block)
            append(field.value, to: &block)
        }
        return block
    }

    private static func append(_ octets: [UInt8], to block: inout [UInt8]) {
        var left = octets.count
        if left < 127 {
            block.append(UInt8(left))
        } else {
            block.append(127)
            left -= 127
            while left >= 128 {
                block.append(UInt8(left & 127 | 128))
                left >>= 7
            }
            block.append(UInt8(left))
        }
        block += octets
    }
}

/// Reads the header sections of one connection, whose table they share.
final class FieldBlockReader {
    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// The fields of a whole block.
    func fields(_ block: [UInt8]) throws -> [HeaderField] {
        var found: [HeaderField] = []
        var rest = block[...]
        while true {
            var field = nghttp2_nv()
            var flags: Int32 = 0
            let used = rest.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(inflater, &field, &flags, $0.baseAddress, $0.count, 1)
            }
            guard used >= 0 else { throw WireFailure.malformed("a header block: \(used)") }
            rest = rest.dropFirst(used)
            if UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
                found.append(
                    HeaderField(
                        Array(UnsafeBufferPointer(start: field.name, count: field.namelen)),
                        Array(UnsafeBufferPointer(start: field.value, count: field.valuelen))))
            }
            if UInt32(bitPattern: flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                return found
            }
            if used == 0, rest.isEmpty { throw WireFailure.malformed("a header block that does not end") }
        }
    }
}
