import Bytes

/// A request's head from a file: raw, as `curl -v` prints it, or as a browser's developer tools copy it.
package enum SavedRequest {
    /// The bytes that a client would have sent.
    ///
    /// Three things are mended that saving does to a request, and nothing else, for what is wrong with it is what we are
    /// asked to find: line ends become CR LF where no line of the file has them, `curl -v`'s `> ` is taken away, and
    /// the pseudo-header fields that tools show for HTTP/2 become a request line and Host. The empty line at the end may
    /// be missing.
    package static func head(_ file: [UInt8]) -> [UInt8] {
        var text = file
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        let hasCarriageReturns = zip(text, text.dropFirst()).contains { $0 == 0x0D && $1 == 0x0A }
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            hasCarriageReturns && line.last == 0x0D ? Array(line.dropLast()) : Array(line)
        }
        let isCurl = lines.contains { $0.starts(with: Array("> ".utf8)) }
        if isCurl {
            lines = lines.filter { $0.first == UInt8(ascii: ">") }.map { line in
                Array(line.dropFirst(line.starts(with: Array("> ".utf8)) ? 2 : 1)).filter { $0 != 0x0D }
            }
        }
        if let end = lines.firstIndex(where: \.isEmpty) { lines = Array(lines[..<end]) }
        if let first = lines.first, first.first == UInt8(ascii: ":") { lines = fromPseudoFields(lines) }
        return lines.flatMap { $0 + [0x0D, 0x0A] } + [0x0D, 0x0A]
    }

    /// `:method: GET` and its kind as a request line; tools put the value on the same line or on the next.
    private static func fromPseudoFields(_ lines: [[UInt8]]) -> [[UInt8]] {
        var values: [String: [UInt8]] = [:]
        var rest: [[UInt8]] = []
        for line in lines {
            guard line.first == UInt8(ascii: ":"), let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) else {
                rest.append(line)
                continue
            }
            let name = String(decoding: line[1..<colon], as: UTF8.self)
            values[name] = Array(line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 })
        }
        let space: [UInt8] = [0x20]
        let method: [UInt8] = values["method"] ?? Array("GET".utf8)
        let requestLine = method + space + (values["path"] ?? [0x2F]) + space + Array("HTTP/1.1".utf8)
        let host = Array("Host: ".utf8) + (values["authority"] ?? [])
        return [requestLine, host] + rest
    }
}
