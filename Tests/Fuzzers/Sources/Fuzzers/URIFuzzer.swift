import HTTPMessage
@testable import OAuth

/// A URL as configurations and metadata have it; or three lines, a route's public URL, a proof's `htu` and the path that a
/// request has, which is taken when the proof is for this request (RFC 9449 §4.3).
enum URIFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        let lines = input.split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
        if lines.count == 3 { return compare(lines[0], htu: lines[1], path: lines[2]) }
        let text = String(decoding: input, as: UTF8.self)
        guard let uri = URI(text) else {
            hold(TargetBase(text) == nil, "what is no URL is no base of URLs")
            return .refused
        }
        checkParts(uri, of: text)
        checkBase(TargetBase(text), of: uri)
        return .accepted
    }

    /// RFC 3986 appendix B, which finds the parts of any reference without asking whether they are good.
    private static func checkParts(_ uri: URI, of text: String) {
        hold(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "a URL is visible ASCII")
        hold(URI(text) == uri, "the same text is the same URL")
        let (front, fragment) = cut(text, at: "#")
        let (hierarchy, query) = cut(front, at: "?")
        let (scheme, rest) = cut(hierarchy, at: ":")
        hold(uri.fragment == fragment && uri.query == query, "query and fragment are what is behind ? and #")
        hold(uri.scheme == scheme.lowercased() && rest?.hasPrefix("//") == true, "a scheme is before the first :")
        let (authority, path) = cut(String(rest?.dropFirst(2) ?? ""), at: "/")
        hold(uri.path == (path.map { "/" + $0 } ?? ""), "a path is behind the authority")
        hold(StrictAuthority.isValid(authority), "an authority is a host and perhaps a port, without userinfo")
        let (_, port) = authority.hasPrefix("[") ? cut(authority, at: "]") : cut(authority, at: ":")
        let digits = port.map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 } ?? ""
        hold(uri.port == UInt16(digits), "a port is behind the host")
        hold(!uri.host.isEmpty && uri.host == uri.host.lowercased(), "a host is there, in lower case")
        // Put together again: what leads a person and a client to two hosts must show here.
        let whole =
            "\(uri.scheme)://\(uri.authority)\(uri.path)" + (uri.query.map { "?" + $0 } ?? "")
            + (uri.fragment.map { "#" + $0 } ?? "")
        hold(URI(whole) == uri, "a URL is its parts")
    }

    private static func checkBase(_ base: TargetBase?, of uri: URI) {
        let isBase = ["http", "https"].contains(uri.scheme) && uri.query == nil && uri.fragment == nil
        hold((base != nil) == isBase, "a base is a URL of the web without query and fragment")
        guard let base else { return }
        // One last `/` is no part of a base; of several, the others are.
        hold(base.url.hasSuffix("/") || TargetBase(base.url) == base, "a base says of itself what it is")
        let path = Array("/orders/7".utf8)
        hold(matches(base, Array(base.url.utf8) + path, path), "a base and a path are a target")
        hold(!matches(base, Array((base.url + "/orders/8").utf8), path), "another path is another target")
    }

    private static func compare(_ first: [UInt8], htu: [UInt8], path: [UInt8]) -> Outcome {
        let asked = Array(path.prefix { $0 != 0x3f })
        // No other path reaches a comparison.
        guard let base = TargetBase(String(decoding: first, as: UTF8.self)), asked.first == 0x2f,
            PathPolicy.refusal(of: asked.span, allowing: []) == nil
        else { return .refused }
        let isMatch = matches(base, htu, path)
        hold(isMatch == matches(base, htu, path), "the same proof is for the same request")
        hold(isMatch == matches(base, htu + Array("?a=b#c".utf8), asked), "a query makes no difference")
        guard isMatch else { return .refused }
        checkMatch(base, htu: htu, path: asked)
        return .accepted
    }

    private static func matches(_ base: TargetBase, _ htu: [UInt8], _ path: [UInt8]) -> Bool {
        base.matches(htu.span, path: path.span)
    }

    /// A proof is for one origin and one path, whoever reads the two.
    private static func checkMatch(_ base: TargetBase, htu: [UInt8], path: [UInt8]) {
        let claimed = cut(cut(String(decoding: htu, as: UTF8.self), at: "#").0, at: "?").0
        let uri = URI(claimed), published = URI(base.url)
        hold(uri != nil && published != nil, "what is for a request is a URL")
        guard let uri, let published else { return }
        hold(
            uri.scheme == published.scheme && uri.host == published.host
                && uri.effectivePort == published.effectivePort, "a proof is for one origin")
        let asked = Array(published.path.utf8) + path
        hold(segments(Array(uri.path.utf8)) == segments(asked), "a proof is for one path")
        hold(!matches(base, htu, path + Array("/x".utf8)), "a proof is for no other path")
    }

    /// What a server makes of a path: escapes decoded but for `%2F`, then dot segments followed.
    private static func segments(_ path: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        let parts = path.split(separator: 0x2f, omittingEmptySubsequences: false).dropFirst().map { decoded($0) }
        for (number, part) in parts.enumerated() {
            let isDot = part == [0x2e], isDouble = part == [0x2e, 0x2e]
            if isDouble, !found.isEmpty { found.removeLast() }
            if !isDot, !isDouble { found.append(part) } else if number == parts.count - 1 { found.append([]) }
        }
        return found.isEmpty ? [[]] : found
    }

    private static func decoded(_ segment: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var rest = segment
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == 0x25, digits.utf8.count == 2, digits != "2F", digits != "2f",
                let value = UInt8(digits, radix: 16)
            {
                output.append(value)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return output
    }

    private static func cut(_ text: String, at separator: Unicode.Scalar) -> (String, String?) {
        let parts = StrictHead.split(text, at: separator, most: 1)
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }
}
