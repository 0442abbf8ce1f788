import HTTPMessage

/// A second reader of message heads, for holding the parsers to: it sees a head whole, knows no bounds, cuts it into lines
/// and words, and takes what RFC 9112 takes without any of the repairs that the RFC allows.
struct StrictHead {
    struct Field: Equatable {
        /// In lower case.
        let name: String
        /// Without the whitespace around it, as Latin-1.
        let value: String
    }

    /// The three parts of the first line.
    let first: [String]
    let fields: [Field]
    /// Bytes of the head with the empty lines before and behind it.
    let length: Int

    /// Reads what stands before the first empty line; nil when that is no head.
    init?(_ bytes: [UInt8], skippingEmptyLine: Bool) {
        let crlf: [UInt8] = [0x0d, 0x0a]
        let skipped = skippingEmptyLine && bytes.starts(with: crlf) ? 2 : 0
        guard let end = Self.endOfHead(bytes, from: skipped) else { return nil }
        length = end + 4
        // Latin-1: each byte is one character, so nothing is lost or joined.
        let text = String(String.UnicodeScalarView(bytes[skipped..<end].map { Unicode.Scalar($0) }))
        let scalars = text.unicodeScalars
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        var place = scalars.startIndex
        while place < scalars.endIndex {
            let next = scalars.index(after: place)
            let scalar = scalars[place]
            if scalar == "\r" {
                guard next < scalars.endIndex, scalars[next] == "\n" else { return nil }
                lines.append(String(line))
                line = String.UnicodeScalarView()
                place = scalars.index(after: next)
                continue
            }
            guard scalar.value >= 0x20 && scalar.value != 0x7f || scalar == "\t" else { return nil }
            line.append(scalar)
            place = next
        }
        lines.append(String(line))
        first = Self.split(lines[0], at: " ", most: 2)
        var fields: [Field] = []
        for line in lines.dropFirst() {
            let parts = Self.split(line, at: ":", most: 1)
            guard parts.count == 2, Self.isToken(parts[0]) else { return nil }
            fields.append(Field(name: Self.lowercase(parts[0]), value: Self.trimmed(parts[1])))
        }
        self.fields = fields
    }

    func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The members of all lines of a name, in lower case.
    func members(of name: String) -> [String] {
        values(of: name).flatMap { Self.split($0, at: ",", most: .max) }
            .map { Self.lowercase(Self.trimmed($0)) }.filter { !$0.isEmpty }
    }

    /// 0 or 1, of `HTTP/1.` and a digit.
    static func minorVersion(_ text: String) -> UInt8? {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count == 8, text.hasPrefix("HTTP/1."), ("0"..."9").contains(scalars[7]) else { return nil }
        return scalars[7] == "0" ? 0 : 1
    }

    /// Nil when there is no framing that has one reading; else what is declared, `.none` for nothing.
    func declaredFraming(minorVersion: UInt8) -> (BodyFraming, isDeclared: Bool)? {
        let lengths = values(of: "content-length"), codings = values(of: "transfer-encoding")
        switch (lengths.count, codings.count) {
        case (0, 0): return (.none, false)
        case (1, 0):
            guard lengths[0].unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }), let length = Int64(lengths[0])
            else { return nil }
            return (.length(length), true)
        case (0, 1): return Self.lowercase(codings[0]) == "chunked" && minorVersion > 0 ? (.chunked, true) : nil
        default: return nil
        }
    }

    /// Whether every member of Connection is a token.
    var connectionIsTokens: Bool { members(of: "connection").allSatisfy(Self.isToken) }

    static func isToken(_ text: String) -> Bool {
        let marks = "!#$%&'*+-.^_`|~".unicodeScalars
        return !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || marks.contains(scalar)
            }
    }

    /// ASCII letters alone: a Latin-1 capital is no letter here.
    static func lowercase(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    ("A"..."Z").contains($0) ? Unicode.Scalar(UInt8($0.value + 32)) : $0
                }))
    }

    /// By scalars: a character of Swift's may be several of them.
    static func split(_ text: String, at separator: Unicode.Scalar, most: Int) -> [String] {
        text.unicodeScalars.split(separator: separator, maxSplits: most, omittingEmptySubsequences: false)
            .map { String($0) }
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        let front = text.unicodeScalars.drop(while: isBlank)
        return String(String.UnicodeScalarView(front.reversed().drop(while: isBlank).reversed()))
    }

    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= start + 4 else { return nil }
        return (start...(bytes.count - 4)).first { Array(bytes[$0..<($0 + 4)]) == [0x0d, 0x0a, 0x0d, 0x0a] }
    }
}

/// Hosts with and without a port, read a second time.
enum StrictAuthority {
    /// Whether it is a name, an IPv4 address or an IPv6 address in brackets, and a port where one is wanted.
    static func isValid(_ text: String, needsPort: Bool = false) -> Bool {
        guard text.utf8.count <= 1024, text.unicodeScalars.allSatisfy(\.isASCII) else { return false }
        var host = text
        var port: String?
        if text.hasPrefix("[") {
            let parts = StrictHead.split(text, at: "]", most: 1)
            guard parts.count == 2, isIPv6(String(parts[0].dropFirst())) else { return false }
            guard parts[1].isEmpty || parts[1].hasPrefix(":") else { return false }
            port = parts[1].isEmpty ? nil : String(parts[1].dropFirst())
        } else {
            let parts = StrictHead.split(text, at: ":", most: 1)
            host = parts[0]
            port = parts.count == 2 ? parts[1] : nil
            guard isName(host) else { return false }
        }
        guard let port else { return !needsPort }
        return (1...5).contains(port.utf8.count) && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && Int(port) ?? .max <= 65_535
    }

    private static func isName(_ name: String) -> Bool {
        var labels = StrictHead.split(name, at: ".", most: .max)
        if labels.count > 1, labels.last == "" { labels.removeLast() }
        return name.utf8.count <= 255
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy { byte in
                        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                            || byte == 0x2d || byte == 0x5f
                    }
            }
    }

    /// RFC 3986 §3.2.2: groups before and behind one `::` that stands for at least one, or eight groups without it.
    static func isIPv6(_ text: String) -> Bool {
        var halves: [[String]] = []
        guard let gap = firstGap(in: text) else { return groups(text) == 8 }
        let (front, back) = gap
        halves = [front, back].map { $0.isEmpty ? [] : [$0] }
        guard let before = halves[0].isEmpty ? 0 : groups(front, mayEndInIPv4: false),
            let behind = halves[1].isEmpty ? 0 : groups(back)
        else { return false }
        return before + behind < 8
    }

    private static func firstGap(in text: String) -> (String, String)? {
        let bytes = Array(text.utf8)
        guard bytes.count > 1,
            let place = (0..<(bytes.count - 1)).first(where: { bytes[$0] == 0x3a && bytes[$0 + 1] == 0x3a })
        else { return nil }
        return (
            String(decoding: bytes[..<place], as: UTF8.self), String(decoding: bytes[(place + 2)...], as: UTF8.self)
        )
    }

    /// How many groups a text without a gap has; nil when one of them is none.
    private static func groups(_ text: String, mayEndInIPv4: Bool = true) -> Int? {
        let parts = StrictHead.split(text, at: ":", most: .max)
        var count = 0
        for (number, part) in parts.enumerated() {
            if number == parts.count - 1, mayEndInIPv4, part.utf8.contains(0x2e) {
                guard isIPv4(part) else { return nil }
                count += 2
            } else {
                guard (1...4).contains(part.utf8.count), part.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit)
                else { return nil }
                count += 1
            }
        }
        return count
    }

    /// Four numbers up to 255, each written in one way.
    static func isIPv4(_ text: String) -> Bool {
        let parts = StrictHead.split(text, at: ".", most: .max)
        // The number is written in one way: `012` is ten to some and twelve to others.
        return parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { "\($0)" == part } ?? false }
    }
}
