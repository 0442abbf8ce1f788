/// One response as a strict client reads it.
package struct WireResponse: Sendable {
    /// How the body's end was known.
    package enum Ending: Sendable, Equatable {
        /// No body by rule: HEAD, 1xx, 204, 304.
        case noBody
        case length
        case lastChunk
        /// Neither a length nor chunks: the peer closed.
        case close
        /// The peer closed before the announced end.
        case truncated
    }

    package let status: Int
    package let reason: String
    package let version: String
    package let fields: WireFields
    package let body: [UInt8]
    package let ending: Ending
    /// Sizes of the chunks as they came.
    package let chunks: [Int]
    /// Head and body exactly as received.
    package let raw: [UInt8]

    /// Body bytes as text.
    package var bodyText: String { text(body) }
    /// The head as text.
    package var headText: String { headLines(of: raw).map { text(Array(raw[..<$0.length])) } ?? text(raw) }
    /// Whether the peer said that it will close.
    package var announcesClose: Bool {
        fields["connection"].contains { $0.lowercased().split(separator: ",").contains { $0.contains("close") } }
    }
}

/// Reads responses from bytes as they arrive.
struct WireResponseReader {
    private(set) var buffer: [UInt8] = []
    private(set) var hasEnded = false

    mutating func append(_ bytes: [UInt8]) { buffer += bytes }
    mutating func end() { hasEnded = true }
    mutating func takeAll() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }
    mutating func take(_ count: Int) -> [UInt8] {
        defer { buffer.removeFirst(min(count, buffer.count)) }
        return Array(buffer.prefix(count))
    }

    /// The next complete response; nil while bytes are missing.
    mutating func next(answering method: String) throws -> WireResponse? {
        guard let (lines, headLength) = headLines(of: buffer), let statusLine = lines.first else {
            if hasEnded { throw WireFailure.closed("no whole response head in \(text(buffer))") }
            return nil
        }
        let (version, status, reason) = try Self.parse(statusLine: statusLine)
        let fields = try WireFields(lines: Array(lines.dropFirst()))
        // Of HTTP/2 what has no length is in chunks here: its end was said, and by no field.
        let isFramed = version == WireProtocol.http2.version && !fields.contains("content-length")
        guard
            let body = try body(
                after: headLength, status: status, method: method, fields: fields, isChunked: isFramed)
        else { return nil }
        let raw = Array(buffer[..<(headLength + body.consumed)])
        buffer.removeFirst(raw.count)
        return WireResponse(
            status: status, reason: reason, version: version, fields: fields, body: body.bytes, ending: body.ending,
            chunks: body.chunks, raw: raw)
    }

    private static func parse(statusLine: [UInt8]) throws -> (String, Int, String) {
        let line = text(statusLine)
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasPrefix("HTTP/1.") || parts[0] == WireProtocol.http2.version,
            parts[1].utf8.count == 3, let status = Int(parts[1])
        else { throw WireFailure.malformed("status line: \(line)") }
        return (String(parts[0]), status, String(parts[2]))
    }

    private struct Body {
        var bytes: [UInt8] = []
        var consumed = 0
        var ending: WireResponse.Ending
        var chunks: [Int] = []
    }

    private func body(
        after head: Int, status: Int, method: String, fields: WireFields, isChunked: Bool
    ) throws -> Body? {
        let codings = fields["transfer-encoding"]
        let lengths = fields["content-length"]
        guard codings.isEmpty || lengths.isEmpty, lengths.count < 2, codings.count < 2 else {
            throw WireFailure.malformed("framed twice: \(codings) \(lengths)")
        }
        if method == "HEAD" || status < 200 || status == 204 || status == 304 { return Body(ending: .noBody) }
        let rest = buffer[head...]
        if isChunked { return try chunkedBody(from: head) }
        if let coding = codings.first {
            guard coding == "chunked" else { throw WireFailure.malformed("transfer coding \(coding)") }
            return try chunkedBody(from: head)
        }
        if let length = lengths.first {
            guard let count = Int(length), count >= 0, length.allSatisfy(\.isNumber) else {
                throw WireFailure.malformed("Content-Length: \(length)")
            }
            if rest.count >= count { return Body(bytes: Array(rest.prefix(count)), consumed: count, ending: .length) }
            return hasEnded ? Body(bytes: Array(rest), consumed: rest.count, ending: .truncated) : nil
        }
        return hasEnded ? Body(bytes: Array(rest), consumed: rest.count, ending: .close) : nil
    }

    private func chunkedBody(from head: Int) throws -> Body? {
        var body = Body(ending: .lastChunk)
        var position = head
        while let end = firstIndex(of: [0x0D, 0x0A], in: Array(buffer[position...].prefix(64))) {
            let size = text(Array(buffer[position..<(position + end)]))
            guard let count = Int(size, radix: 16), !size.hasPrefix("+"), !size.hasPrefix("-") else {
                throw WireFailure.malformed("chunk size \(size)")
            }
            let data = position + end + 2
            guard buffer.count >= data + count + 2 else {
                if hasEnded { body.bytes += buffer[data...].prefix(count) }
                break
            }
            guard buffer[data + count] == 0x0D, buffer[data + count + 1] == 0x0A else {
                throw WireFailure.malformed("no CRLF after a chunk")
            }
            position = data + count + 2
            if count == 0 {
                body.consumed = position - head
                return body
            }
            body.bytes += buffer[data..<(data + count)]
            body.chunks.append(count)
        }
        guard hasEnded else { return nil }
        body.ending = .truncated
        body.consumed = buffer.count - head
        return body
    }
}
