/// The text of HTTP/1.1 requests, read as it is written, for HTTP/2 to carry what it says.
///
/// Names and values go on as they are, in lower case; what ends a line in HTTP/1.1 and is none of CR LF is in HTTP/2 a
/// part of a name or a value. Of the framing, a length and the content remain, and chunks become content: a length or a
/// coding that is wrong goes on as a field, and all that was written with it as content.
struct RequestText {
    enum Step {
        /// A request's head; its stream ends with it where no content follows.
        case head(RequestHeadText, ends: Bool)
        case content([UInt8])
        /// The end of a request behind its content, with trailers.
        case end([HeaderField])
    }

    private enum Place {
        case head
        case content(left: Int)
        case chunkSize
        case chunk(left: Int)
        case trailers
        /// Whatever was written with the head is content, and nothing comes behind it.
        case rest
        case tunnel
    }

    let scheme: String
    private var text: [UInt8] = []
    private var place = Place.head

    /// Of a client that speaks this scheme.
    init(scheme: String) { self.scheme = scheme }

    /// Whether a request has begun and not ended.
    var isOpen: Bool {
        if case .head = place { return false }
        return true
    }

    /// What these further bytes say.
    mutating func take(_ bytes: [UInt8]) throws -> [Step] {
        text += bytes
        var steps: [Step] = []
        while let step = try next() { steps.append(step) }
        if case .rest = place {
            place = .head
            steps += [.content(text), .end([])]
            text = []
        }
        return steps
    }

    private mutating func next() throws -> Step? {
        switch place {
        case .head: return try head()
        case .content(let left):
            guard left > 0 else {
                place = .head
                return .end([])
            }
            guard !text.isEmpty else { return nil }
            let part = taken(min(left, text.count))
            place = .content(left: left - part.count)
            return .content(part)
        case .chunkSize: return try chunkSize()
        case .chunk(let left):
            guard left > 0 else {
                guard text.count >= 2 else { return nil }
                guard taken(2) == [0x0D, 0x0A] else { throw WireFailure.malformed("HTTP/2 has no chunks to break") }
                place = .chunkSize
                return .content([])
            }
            guard !text.isEmpty else { return nil }
            let part = taken(min(left, text.count))
            place = .chunk(left: left - part.count)
            return .content(part)
        case .trailers:
            guard let end = firstIndex(of: [0x0D, 0x0A], in: text) else { return nil }
            guard end > 0 else {
                _ = taken(2)
                place = .head
                return .end([])
            }
            guard let (lines, length) = headLines(of: text) else { return nil }
            _ = taken(length)
            place = .head
            return .end(lines.map(RequestHeadText.field))
        case .rest: return nil
        case .tunnel:
            guard !text.isEmpty else { return nil }
            return .content(taken(text.count))
        }
    }

    private mutating func taken(_ count: Int) -> [UInt8] {
        defer { text.removeFirst(count) }
        return Array(text[..<count])
    }

    private mutating func head() throws -> Step? {
        guard let (lines, length) = headLines(of: text) else { return nil }
        _ = taken(length)
        let head = try RequestHeadText(lines: lines, scheme: scheme)
        switch head.framing {
        case .none: return .head(head, ends: true)
        case .length(let count): place = .content(left: count)
        case .chunks: place = .chunkSize
        case .unclear: place = .rest
        case .tunnel: place = .tunnel
        }
        return .head(head, ends: false)
    }

    private mutating func chunkSize() throws -> Step? {
        guard let end = firstIndex(of: [0x0D, 0x0A], in: text) else { return nil }
        let line = TestSupport.text(Array(text[..<end]))
        let digits = line.prefix { $0 != ";" }
        guard digits.allSatisfy(\.isHexDigit), let count = Int(digits, radix: 16) else {
            throw WireFailure.malformed("HTTP/2 has no chunks to break: \(line)")
        }
        _ = taken(end + 2)
        place = count == 0 ? .trailers : .chunk(left: count)
        return .content([])
    }
}

/// The head of an HTTP/1.1 request as the fields of one of HTTP/2.
struct RequestHeadText {
    enum Framing {
        case none
        case length(Int)
        case chunks
        /// What follows cannot be told from the head.
        case unclear
        /// A WebSocket's handshake (RFC 8441).
        case tunnel
    }

    let method: String
    let fields: [HeaderField]
    let framing: Framing

    init(lines: [[UInt8]], scheme: String) throws {
        let first = lines.first ?? []
        guard let methodEnd = first.firstIndex(of: 0x20), first.suffix(9) == Array(" HTTP/1.1".utf8)[...],
            methodEnd + 1 < first.count - 9
        else { throw WireFailure.malformed("HTTP/2 has no such request line: \(text(first))") }
        let name = Array(first[..<methodEnd])
        method = text(name)
        let target = Array(first[(methodEnd + 1)..<(first.count - 9)])
        let sent = lines.dropFirst().map(Self.field)
        framing = Self.framing(sent)
        var pseudo = [HeaderField(":method", name)]
        var rest = sent
        if case .tunnel = framing {
            pseudo = [HeaderField(":method", Array("CONNECT".utf8)), HeaderField(":protocol", Array("websocket".utf8))]
            rest.removeAll { ["connection", "upgrade", "sec-websocket-key"].contains(text($0.name)) }
        }
        // Of several, none is the authority: they go on as the fields that they are.
        let hosts = rest.indices.filter { rest[$0].name == Array("host".utf8) }
        let host = hosts.count == 1 ? hosts.first : nil
        if let whole = Self.absolute(target) {
            pseudo += [HeaderField(":scheme", whole.scheme), HeaderField(":authority", whole.authority)]
            pseudo.append(HeaderField(":path", whole.path))
        } else if method == "CONNECT" {
            pseudo.append(HeaderField(":authority", target))
            if let host { rest.remove(at: host) }
        } else {
            pseudo.append(HeaderField(":scheme", Array(scheme.utf8)))
            if let host { pseudo.append(HeaderField(":authority", rest.remove(at: host).value)) }
            pseudo.append(HeaderField(":path", target))
        }
        if case .chunks = framing { rest.removeAll { $0.name == Array("transfer-encoding".utf8) } }
        fields = pseudo + rest
    }

    /// A line as a field; one without a colon is all name.
    static func field(_ line: [UInt8]) -> HeaderField {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        let name = line[..<colon].map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
        var value = line.dropFirst(colon + 1)
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        return HeaderField(name, Array(value))
    }

    private static func framing(_ fields: [HeaderField]) -> Framing {
        func values(_ name: String) -> [String] { fields.filter { $0.name == Array(name.utf8) }.map { text($0.value) } }
        let (lengths, codings) = (values("content-length"), values("transfer-encoding"))
        if lengths.isEmpty, codings.isEmpty {
            let isHandshake =
                values("connection").map { $0.lowercased() } == ["upgrade"]
                && values("upgrade").map { $0.lowercased() } == ["websocket"] && values("sec-websocket-key").count == 1
            return isHandshake ? .tunnel : .none
        }
        if codings.isEmpty, lengths.count == 1, lengths[0].allSatisfy(\.isNumber), let count = Int(lengths[0]) {
            return .length(count)
        }
        return lengths.isEmpty && codings.map { $0.lowercased() } == ["chunked"] ? .chunks : .unclear
    }

    private static func absolute(_ target: [UInt8]) -> (scheme: [UInt8], authority: [UInt8], path: [UInt8])? {
        guard target.first != 0x2F, let mark = firstIndex(of: Array("://".utf8), in: target) else { return nil }
        let rest = target[(mark + 3)...]
        let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
        return (Array(target[..<mark]), Array(rest[..<end]), Array(rest[end...]))
    }
}
