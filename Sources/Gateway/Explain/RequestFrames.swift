/// The frames in which a client of HTTP/2 would send a request that is described as one of HTTP/1.1.
///
/// Names are in lower case, and Host is the authority. A WebSocket's handshake becomes an extended CONNECT (RFC 8441), as
/// browsers send it. All other fields stay, also those that HTTP/2 does not have: to say so is what an explanation is for.
struct RequestFrames {
    /// From the preface on.
    let bytes: [UInt8]
    private let fields: [(name: String, value: [UInt8])]

    /// Nil when the head has no end.
    init?(_ head: [UInt8]) {
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        guard let end = lines.firstIndex(where: \.isEmpty), end > 0 else { return nil }
        lines = Array(lines[..<end])
        let words = lines[0].split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        var fields = lines.dropFirst().map(Self.field)
        let isHandshake = fields.contains {
            $0.name == "upgrade" && String(decoding: $0.value, as: UTF8.self).lowercased() == "websocket"
        }
        var first: [(name: String, value: [UInt8])] = [(":method", Array(words[0]))]
        let isTunnel = isHandshake && words[0].elementsEqual("GET".utf8)
        if isTunnel {
            first = [(":method", Array("CONNECT".utf8)), (":protocol", Array("websocket".utf8))]
            fields.removeAll { ["connection", "upgrade", "sec-websocket-key"].contains($0.name) }
        }
        // The scheme is no part of the description: what a connection without TLS may say is right.
        first.append((":scheme", Array("http".utf8)))
        first.append((":path", words.count > 1 ? Array(words[1]) : []))
        if let host = fields.firstIndex(where: { $0.name == "host" }) {
            first.append((":authority", fields.remove(at: host).value))
        }
        self.fields = fields
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.frame(4, flags: 0, stream: 0, [])
        var block: [UInt8] = []
        for field in first + fields {
            // A literal that enters no table (RFC 7541 §6.2.2).
            block.append(0)
            block += Self.text(Array(field.name.utf8)) + Self.text(field.value)
        }
        let endsStream: UInt8 = isTunnel || Self.announcesContent(fields) ? 0 : 1
        bytes = preface + Self.section(block[...], flags: endsStream)
    }

    /// What of it the library refuses without a word.
    var suspect: String {
        let names = fields.map(\.name)
        let ofConnection = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
        if let name = names.first(where: ofConnection.contains) { return "\(name), which HTTP/2 does not have" }
        if names.contains("te") { return "te, which may be trailers alone" }
        if names.contains("content-length") { return "content-length, which must be one number" }
        return "a method, path or authority that is none"
    }

    private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: [UInt8]) {
        let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var value = line[colon...].dropFirst().drop(while: isSpace)
        while let last = value.last, isSpace(last) { value.removeLast() }
        return (name, Array(value))
    }

    /// Whether something follows the head: what has a length, or messages of gRPC.
    private static func announcesContent(_ fields: [(name: String, value: [UInt8])]) -> Bool {
        fields.contains { field in
            switch field.name {
            case "content-length": !field.value.elementsEqual("0".utf8)
            case "content-type": field.value.starts(with: "application/grpc".utf8)
            default: field.name == "transfer-encoding"
            }
        }
    }

    /// HEADERS, and CONTINUATION as often as it takes (RFC 9113 §4.3).
    private static func section(_ block: ArraySlice<UInt8>, flags: UInt8) -> [UInt8] {
        let most = 16_384
        var (frames, rest): ([UInt8], ArraySlice<UInt8>) = ([], block)
        repeat {
            let endsSection: UInt8 = rest.count <= most ? 4 : 0
            let type: UInt8 = frames.isEmpty ? 1 : 9
            frames += frame(
                type, flags: endsSection | (frames.isEmpty ? flags : 0), stream: 1, Array(rest.prefix(most)))
            rest = rest.dropFirst(most)
        } while !rest.isEmpty
        return frames
    }

    private static func frame(_ type: UInt8, flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let size = payload.count
        return [UInt8(size >> 16), UInt8(size >> 8 & 0xff), UInt8(size & 0xff), type, flags, 0, 0, 0, stream] + payload
    }

    /// Text as it is, behind its length (RFC 7541 §5).
    private static func text(_ text: [UInt8]) -> [UInt8] {
        guard text.count >= 127 else { return [UInt8(text.count)] + text }
        var (length, left): ([UInt8], Int) = ([127], text.count - 127)
        while left >= 128 {
            length.append(UInt8(left & 127 | 128))
            left >>= 7
        }
        return length + [UInt8(left)] + text
    }
}
