/// Where a browser goes that is told a URL, as the URL standard of the WHATWG has it: a second reader of return targets.
///
/// Only what decides about the origin and the path is here: an address of another scheme, a host that cannot be, and a
/// name of another script are all somewhere else.
package struct BrowserURL: Equatable {
    package var scheme: String
    package var host: String
    package var path: String

    static let special: Set<String> = ["http", "https", "ws", "wss", "ftp", "file"]

    /// Where `text` leads from a page at `base`; `nil` for what is no address.
    package init?(_ text: String, from base: BrowserURL) {
        let dropped: Set<Unicode.Scalar> = ["\t", "\n", "\r"]
        var scalars = Array(text.unicodeScalars)
        while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        var rest = scalars.filter { !dropped.contains($0) }[...]

        self = base
        if let scheme = Self.scheme(of: rest) {
            rest = rest.dropFirst(scheme.unicodeScalars.count + 1)
            self.scheme = scheme.lowercased()
            guard Self.special.contains(self.scheme) else {
                (host, path) = ("", Self.text(rest))
                return
            }
            // The base's own scheme without two slashes is read as if it were not there.
            guard self.scheme == base.scheme, !rest.starts(with: "//".unicodeScalars) else {
                guard readAuthority(rest.drop(while: Self.isSlash)) else { return nil }
                return
            }
        }
        if rest.prefix(2).count(where: Self.isSlash) == 2 {
            guard readAuthority(rest.drop(while: Self.isSlash)) else { return nil }
        } else {
            readPath(rest, isAbsolute: rest.first.map(Self.isSlash) == true)
        }
    }

    package init(scheme: String, host: String, path: String) {
        (self.scheme, self.host, self.path) = (scheme, host, path)
    }

    private static func isSlash(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    private static func scheme(of text: ArraySlice<Unicode.Scalar>) -> String? {
        guard let end = text.firstIndex(of: ":"), let first = text.first, first.isASCII, first.properties.isAlphabetic
        else { return nil }
        let name = text[..<end]
        guard
            name.allSatisfy({
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
            })
        else { return nil }
        return Self.text(name)
    }

    /// Reads a host, which ends where the path, query or fragment begins; false for one that cannot be.
    private mutating func readAuthority(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        let end = text.firstIndex { Self.isSlash($0) || $0 == "?" || $0 == "#" } ?? text.endIndex
        let authority = text[..<end]
        let named = authority.lastIndex(of: "@").map { authority[($0 + 1)...] } ?? authority
        let isLiteral = named.first == "["
        let colon = named.lastIndex(of: ":").flatMap {
            isLiteral && !named[$0...].contains("]") ? $0 : isLiteral ? nil : $0
        }
        host = Self.text(named[..<(colon ?? named.endIndex)]).removingEscapes.lowercased()
        let forbidden = Set("\u{0}\t\n\r #/<>?@\\^|%".unicodeScalars)
        guard !host.isEmpty, !host.unicodeScalars.contains(where: { forbidden.contains($0) || $0.value < 0x20 }) else {
            return false
        }
        readPath(text[end...], isAbsolute: true)
        return true
    }

    /// Reads a path, with what its dots and backslashes come to.
    private mutating func readPath(_ text: ArraySlice<Unicode.Scalar>, isAbsolute: Bool) {
        let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        guard isAbsolute || end > text.startIndex else { return }
        var segments = isAbsolute ? [] : path.split(separator: "/").dropLast().map { String($0) }
        let given = text[..<end]
        let pieces = (isAbsolute ? given.dropFirst() : given).split(
            omittingEmptySubsequences: false, whereSeparator: Self.isSlash)
        for (index, piece) in pieces.enumerated() {
            let segment = Self.text(piece)
            let dots = segment.lowercased().replacing("%2e", with: ".")
            if dots == ".." { segments = segments.dropLast() }
            if dots == "." || dots == ".." {
                if index == pieces.count - 1 { segments.append("") }
            } else {
                segments.append(segment)
            }
        }
        path = "/" + segments.joined(separator: "/")
    }
}

extension String {
    /// The text with each escape that is whole decoded once, and what is not UTF-8 then as replacement characters.
    package var removingEscapes: String {
        var decoded: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
