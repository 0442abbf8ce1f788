import HTTP1

/// A body in the chunked coding (RFC 9112 §7.1), with whatever stands behind it.
enum ChunkedFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let whole = decode([input])
        hold(decode([input]) == whole, "the same bytes are the same body")
        hold(decode(input.map { [$0] }) == whole, "the body does not depend on bytes coming one by one")
        let cutsAll = input.count <= 256
        for count in input.indices where cutsAll || count % 61 == 0 || input[count] < 0x20 {
            hold(
                decode([Array(input[..<count]), Array(input[count...])]) == whole,
                "the body does not depend on where bytes were cut")
        }
        let second = SecondChunkedReader.read(input)
        switch whole {
        case .ended(let content, let consumed):
            hold(second == .ended(content: content, consumed: consumed), "what is decoded is what stands there")
            return .accepted
        case .unfinished, .refused:
            hold(second == nil, "what is strictly a chunked body is taken")
            return .refused
        }
    }

    enum Body: Equatable {
        case ended(content: [UInt8], consumed: Int)
        /// What has come so far.
        case unfinished(content: [UInt8])
        case refused(HTTP1Refusal)
    }

    /// What the pieces, one after the other, are to the decoder.
    private static func decode(_ pieces: [[UInt8]]) -> Body {
        var decoder = ChunkedDecoder()
        var content: [UInt8] = []
        var consumed = 0
        for piece in pieces {
            var rest = piece
            while true {
                switch decoder.next(rest.span) {
                case .data(let offset, let count):
                    hold(count > 0 && offset + count <= rest.count, "content lies inside what arrived")
                    content += rest[offset..<(offset + count)]
                    consumed += offset + count
                    rest = Array(rest[(offset + count)...])
                    continue
                case .needMore(let used):
                    hold(used == rest.count, "more is wanted when all is used up")
                    consumed += used
                case .end(let used):
                    hold(used <= rest.count, "a body ends inside what arrived")
                    hold(decoder.next([0x30].span) == .end(consumed: 0), "behind the end nothing belongs to the body")
                    return .ended(content: content, consumed: consumed + used)
                case .refused(let refusal):
                    hold(decoder.next(rest.span) == .refused(refusal), "a refusal is final")
                    return .refused(refusal)
                }
                break
            }
        }
        return .unfinished(content: content)
    }
}

/// A second reader, which has the whole body before it, cuts it at line ends, and reads the lines by their grammar.
private enum SecondChunkedReader {
    /// The body that `bytes` begin with; nil when there is none, or not all of it.
    static func read(_ bytes: [UInt8]) -> ChunkedFuzzer.Body? {
        var content: [UInt8] = []
        var rest = bytes[...]
        var extensionBytes = 0
        while true {
            guard let line = takeLine(&rest), line.count <= 256, let size = size(line, &extensionBytes),
                extensionBytes <= 4096
            else { return nil }
            if size == 0 { break }
            guard size <= rest.count - 2 else { return nil }
            content += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard rest.starts(with: [0x0d, 0x0a]) else { return nil }
            rest = rest.dropFirst(2)
        }
        var fields = 0
        while true {
            guard let line = takeLine(&rest) else { return nil }
            if line.isEmpty { return .ended(content: content, consumed: rest.startIndex) }
            fields += 1
            guard fields <= 100, let colon = line.firstIndex(of: 0x3a), line[..<colon].allSatisfy(isToken),
                colon > line.startIndex
            else { return nil }
        }
    }

    /// The bytes before CR LF, among which there is no other control octet than HTAB.
    private static func takeLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0d), end + 1 < rest.endIndex, rest[end + 1] == 0x0a else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 2)...]
        return line.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) ? line : nil
    }

    private static func size(_ line: ArraySlice<UInt8>, _ extensionBytes: inout Int) -> Int? {
        let digits = line.prefix { Unicode.Scalar($0).properties.isASCIIHexDigit }
        guard (1...16).contains(digits.count), let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        extensionBytes += line.count - digits.count
        return areExtensions(line[digits.endIndex...]) ? Int(size) : nil
    }

    /// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`, RFC 9112 §7.1.1, where the first `;` follows
    /// the size at once and the line does not end with white space.
    private static func areExtensions(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        var isFirst = true
        while !rest.isEmpty {
            if !isFirst { dropBlanks(&rest) }
            isFirst = false
            guard rest.popFirst() == 0x3b else { return false }
            dropBlanks(&rest)
            guard takeToken(&rest) else { return false }
            var behind = rest
            dropBlanks(&behind)
            guard behind.first == 0x3d else { continue }
            rest = behind.dropFirst()
            dropBlanks(&rest)
            guard rest.first == 0x22 ? takeQuoted(&rest) : takeToken(&rest) else { return false }
        }
        return true
    }

    private static func dropBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let token = rest.prefix(while: isToken)
        rest = rest[token.endIndex...]
        return !token.isEmpty
    }

    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == 0x22 { return true }
            if byte == 0x5c, rest.popFirst() == nil { return false }
        }
        return false
    }

    private static func isToken(_ byte: UInt8) -> Bool { StrictHead.isToken(String(Unicode.Scalar(byte))) }
}
