/// The response of one stream of HTTP/2 as text like that of HTTP/1.1, read strictly on its way.
///
///     HTTP/2 200 ␍␊ fields ␍␊␍␊ content            with a Content-Length
///     HTTP/2 200 ␍␊ fields ␍␊␍␊ content in chunks    without one, where there may be content
///
/// The chunks are named by no field: the version says it.
struct ResponseText {
    private let method: String
    private let isTunnel: Bool
    private var hasHead = false
    private var left: Int?
    private var isChunked = false
    private var mayHaveContent = true
    /// Whether what follows the head are a tunnel's bytes.
    private(set) var isOpenTunnel = false

    init(method: String, isTunnel: Bool) {
        self.method = method
        self.isTunnel = isTunnel
    }

    /// The text of a header section; of trailers, none.
    mutating func head(_ fields: [HeaderField], ends: Bool) throws -> [UInt8] {
        guard !hasHead else {
            guard ends, !fields.contains(where: { $0.name.first == 0x3A }) else {
                throw WireFailure.malformed("a second head")
            }
            return try end()
        }
        guard let first = fields.first, first.name == Array(":status".utf8), first.value.count == 3,
            let status = Int(text(first.value)), status != 101
        else { throw WireFailure.malformed("no status: \(fields.map { text($0.name + [0x3A] + $0.value) })") }
        var lines: [[UInt8]] = [Array("HTTP/2 \(isTunnel && status == 200 ? 101 : status) ".utf8)]
        for field in fields.dropFirst() {
            try Self.check(field)
            lines.append(field.name + [0x3A, 0x20] + field.value)
        }
        let head = Array(lines.joined(separator: [0x0D, 0x0A])) + Array("\r\n\r\n".utf8)
        guard status >= 200 else {
            guard !ends else { throw WireFailure.malformed("an interim response ends its stream") }
            return head
        }
        hasHead = true
        isOpenTunnel = isTunnel && status == 200
        if isOpenTunnel { return head }
        mayHaveContent = method != "HEAD" && status != 204 && status != 304
        let lengths = fields.filter { $0.name == Array("content-length".utf8) }
        guard lengths.count < 2 else { throw WireFailure.malformed("two lengths") }
        if mayHaveContent {
            left = try lengths.first.map { field in
                guard let count = Int(text(field.value)) else { throw WireFailure.malformed("a length") }
                return count
            }
            isChunked = left == nil
        }
        return ends ? head + (try end()) : head
    }

    /// The text of content.
    mutating func content(_ bytes: [UInt8]) throws -> [UInt8] {
        guard hasHead else { throw WireFailure.malformed("content before a head") }
        guard !bytes.isEmpty else { return [] }
        guard mayHaveContent else { throw WireFailure.malformed("content where there is none") }
        if isChunked { return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A] }
        if let count = left {
            guard bytes.count <= count else { throw WireFailure.malformed("more content than the length says") }
            left = count - bytes.count
        }
        return bytes
    }

    /// The text of the stream's end.
    func end() throws -> [UInt8] {
        guard hasHead else { throw WireFailure.malformed("an end before a head") }
        guard left ?? 0 == 0 else { throw WireFailure.malformed("less content than the length says") }
        return isChunked ? Array("0\r\n\r\n".utf8) : []
    }

    /// RFC 9113 §8.2.1 and §8.2.2, for every response that any test reads.
    private static func check(_ field: HeaderField) throws {
        let name = text(field.name)
        guard !name.isEmpty, !name.hasPrefix(":"), name == name.lowercased(),
            !FieldBlock.namesOfConnections.contains(name),
            !field.value.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 })
        else { throw WireFailure.malformed("HTTP/2 has no such field: \(name): \(text(field.value))") }
    }
}
