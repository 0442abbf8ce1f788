/// Reads one JSON text front to back, once.
///
/// What two readers could read differently is refused: duplicate names (one takes the first, another the last),
/// lone surrogates and overlong UTF-8 (one drops or replaces them), bytes after the value (one does not look).
struct JSONParser {
    var bytes: [UInt8]
    private let limits: JSONLimits
    /// The text ends here; decoded strings follow in `bytes`.
    let end: Int
    var position = 0
    private var nodes: [JSONNode] = []
    /// Hashes of the names of every object that is open, outermost first.
    ///
    /// Side by side, 256 of them are compared in the time that walking the nodes takes for a few: unsigned tokens
    /// are parsed too, and many members must not cost their sender less than us.
    private var nameHashes: [UInt32] = []

    init(_ bytes: consuming [UInt8], limits: JSONLimits) {
        self.end = bytes.count
        self.bytes = bytes
        self.limits = limits
        self.nodes.reserveCapacity(min(end / 6 + 4, 4096))
        self.nameHashes.reserveCapacity(16)
    }

    /// The whole text.
    mutating func parse() throws(JSONRefusal) -> JSONTape {
        if end >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { throw .byteOrderMark }
        skipWhitespace()
        try parseValue(depth: 0)
        skipWhitespace()
        guard position == end else { throw .trailingBytes }
        return JSONTape(bytes: bytes, nodes: nodes)
    }

    @inline(__always)
    private mutating func skipWhitespace() {
        // Compact texts have none.
        guard position < end, bytes[position] <= 0x20 else { return }
        position = Self.endOfWhitespace(in: bytes.span.extracting(first: end), from: position)
    }

    private static func endOfWhitespace(in text: Span<UInt8>, from start: Int) -> Int {
        var place = start
        while place < text.count {
            switch text[place] {
            case 0x20, 0x09, 0x0A, 0x0D: place &+= 1
            default: return place
            }
        }
        return place
    }

    @inline(__always)
    func peek() throws(JSONRefusal) -> UInt8 {
        guard position < end else { throw .unexpectedEnd }
        return bytes[position]
    }

    private mutating func parseValue(depth: Int) throws(JSONRefusal) {
        switch try peek() {
        case UInt8(ascii: "{"): try parseObject(depth: depth + 1)
        case UInt8(ascii: "["): try parseArray(depth: depth + 1)
        case UInt8(ascii: "\""): try parseString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber()
        case UInt8(ascii: "t"): try parseWord("true", kind: .bool, count: 1)
        case UInt8(ascii: "f"): try parseWord("false", kind: .bool, count: 0)
        case UInt8(ascii: "n"): try parseWord("null", kind: .null, count: 0)
        case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "N"), UInt8(ascii: "I"): throw .invalidNumber
        default: throw .unexpectedByte
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONRefusal) {
        guard depth <= limits.depth else { throw .tooDeep }
        let opening = open(.object)
        let firstName = nameHashes.count
        skipWhitespace()
        var count = 0
        if try peek() == UInt8(ascii: "}") {
            position += 1
            return close(opening, count: 0)
        }
        while true {
            guard try peek() == UInt8(ascii: "\"") else { throw .unexpectedByte }
            guard count < limits.members else { throw .tooManyMembers }
            let name = nodes.count
            try parseString()
            if hasHash(nodes[name].hash, from: firstName) {
                try refuseDuplicate(of: name, in: opening, count: count)
            }
            nameHashes.append(nodes[name].hash)
            skipWhitespace()
            guard try peek() == UInt8(ascii: ":") else { throw .unexpectedByte }
            position += 1
            skipWhitespace()
            try parseValue(depth: depth)
            count += 1
            if try parseSeparator(orClosing: UInt8(ascii: "}")) { continue }
            nameHashes.removeLast(count)
            return close(opening, count: count)
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONRefusal) {
        guard depth <= limits.depth else { throw .tooDeep }
        let opening = open(.array)
        skipWhitespace()
        var count = 0
        if try peek() == UInt8(ascii: "]") {
            position += 1
            return close(opening, count: 0)
        }
        while true {
            guard count < limits.elements else { throw .tooManyElements }
            try parseValue(depth: depth)
            count += 1
            guard try parseSeparator(orClosing: UInt8(ascii: "]")) else { return close(opening, count: count) }
        }
    }

    /// Whether another member or element follows.
    @inline(__always)
    private mutating func parseSeparator(orClosing bracket: UInt8) throws(JSONRefusal) -> Bool {
        skipWhitespace()
        let byte = try peek()
        position += 1
        if byte == bracket { return false }
        guard byte == UInt8(ascii: ",") else { throw .unexpectedByte }
        skipWhitespace()
        return true
    }

    @inline(__always)
    private mutating func open(_ kind: JSONValue.Kind) -> Int {
        position += 1
        nodes.append(JSONNode(kind: kind, start: 0, count: 0, end: 0, hash: 0))
        return nodes.count - 1
    }

    @inline(__always)
    private mutating func close(_ opening: Int, count: Int) {
        nodes[opening].count = UInt32(count)
        nodes[opening].end = UInt32(nodes.count)
    }

    @inline(__always)
    mutating func append(_ kind: JSONValue.Kind, start: Int, count: Int, hash: UInt32 = 0) {
        let end = UInt32(nodes.count + 1)
        nodes.append(JSONNode(kind: kind, start: UInt32(start), count: UInt32(count), end: end, hash: hash))
    }

    private func hasHash(_ hash: UInt32, from first: Int) -> Bool {
        let hashes = nameHashes.span.extracting(first..<nameHashes.count)
        var different: UInt32 = 1
        // No early end: a loop without one compares several at once.
        for index in hashes.indices { different &= hashes[index] == hash ? 0 : 1 }
        return different == 0
    }

    private func refuseDuplicate(of name: Int, in object: Int, count: Int) throws(JSONRefusal) {
        let candidate = nodes[name]
        var position = object + 1
        for _ in 0..<count {
            let other = nodes[position]
            if other.hash == candidate.hash, other.count == candidate.count, haveEqualBytes(other, candidate) {
                throw .duplicateMember
            }
            position = Int(nodes[position + 1].end)
        }
    }

    private func haveEqualBytes(_ one: JSONNode, _ other: JSONNode) -> Bool {
        for offset in 0..<Int(one.count)
        where bytes[Int(one.start) + offset] != bytes[Int(other.start) + offset] {
            return false
        }
        return true
    }

    private mutating func parseWord(
        _ word: StaticString, kind: JSONValue.Kind, count: Int
    ) throws(JSONRefusal) {
        let letters = "\(word)".utf8
        for letter in letters {
            guard try peek() == letter else { throw .unexpectedByte }
            position += 1
        }
        append(kind, start: 0, count: count)
    }

    private mutating func parseNumber() throws(JSONRefusal) {
        let start = position
        position = try Self.endOfNumber(in: bytes.span.extracting(first: end), from: start)
        append(.number, start: start, count: position - start)
    }

    private static func endOfNumber(in text: Span<UInt8>, from start: Int) throws(JSONRefusal) -> Int {
        var place = start
        if text[place] == UInt8(ascii: "-") { place &+= 1 }
        guard place < text.count else { throw .unexpectedEnd }
        if text[place] == UInt8(ascii: "0") {
            place &+= 1
        } else {
            place = try endOfDigits(in: text, from: place)
        }
        if place < text.count, text[place] == UInt8(ascii: ".") {
            place = try endOfDigits(in: text, from: place &+ 1)
        }
        if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
            place &+= 1
            if place < text.count, text[place] == UInt8(ascii: "+") || text[place] == UInt8(ascii: "-") { place &+= 1 }
            place = try endOfDigits(in: text, from: place)
        }
        // `01`, `1.2.3`, `0x1`: something of a number is left over.
        if place < text.count, continuesNumber(text[place]) { throw .invalidNumber }
        return place
    }

    @inline(__always)
    private static func endOfDigits(in text: Span<UInt8>, from start: Int) throws(JSONRefusal) -> Int {
        var place = start
        while place < text.count, text[place] &- 0x30 < 10 { place &+= 1 }
        guard place > start else { throw .invalidNumber }
        return place
    }

    @inline(__always)
    private static func continuesNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
