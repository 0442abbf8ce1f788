import Bytes
import HTTPMessage

/// A public URL under which a resource server is reached, for comparing `htu` with the request's target URI.
///
/// The target is this and the path as received. It never comes from Host or forwarded headers: whoever could choose
/// it could have a proof for one server accepted by another (DPOP-09).
public struct TargetBase: Sendable, Equatable {
    /// Scheme, authority without a default port, and path without a last `/`; a target as most clients write it
    /// begins with exactly these bytes.
    private let text: [UInt8]
    private let origin: Origin
    private let path: [UInt8]

    /// Scheme, host and port, which say the same however they are spelt (RFC 3986 §6.2.2.1, §6.2.3).
    private struct Origin: Sendable, Equatable {
        let scheme: String
        let host: String
        let port: UInt16?

        init?(_ uri: URI) {
            guard uri.scheme == "https" || uri.scheme == "http" else { return nil }
            scheme = uri.scheme
            host = uri.host
            port = uri.effectivePort
        }

        static func == (one: Self, other: Self) -> Bool {
            one.scheme == other.scheme && one.port == other.port && one.host.utf8.elementsEqual(other.host.utf8)
        }
    }

    /// Reads `https://host[:port][/path]`; nil for userinfo, a query, a fragment or another scheme than http and https.
    public init?(_ url: String) {
        guard let uri = URI(url), uri.query == nil, uri.fragment == nil, let origin = Origin(uri) else { return nil }
        self.origin = origin
        var path = Array(uri.path.utf8)
        if path.last == UInt8(ascii: "/") { path.removeLast() }
        self.path = path
        let isDefault = uri.port == (uri.scheme == "https" ? 443 : 80)
        let host = uri.host.utf8.contains(UInt8(ascii: ":")) ? "[\(uri.host)]" : uri.host
        let authority = isDefault ? host : uri.authority
        text = Array("\(uri.scheme)://\(authority)".utf8) + path
    }

    /// The public URL as it was understood.
    public var url: String { String(decoding: text, as: UTF8.self) }

    /// Whether `target` is the URI of a request for `requestPath` under this base, queries and fragments left out.
    ///
    /// Compared as bytes; where these differ, after the normalisation of RFC 3986 §6.2.2 and §6.2.3 (DPOP-08).
    func matches(_ target: Span<UInt8>, path requestPath: Span<UInt8>) -> Bool {
        let target = target.extracting(first: TargetPath.length(in: target))
        let requestPath = requestPath.extracting(first: TargetPath.length(in: requestPath))
        if target.count == text.count + requestPath.count, Self.equal(target.extracting(first: text.count), text.span),
            Self.equal(target.extracting(last: requestPath.count), requestPath)
        {
            return true
        }
        // Userinfo, another scheme and what is no URI at all end here.
        guard let uri = URI(String(copying: target)), Origin(uri) == origin else { return false }
        var received = path
        received.append(copying: requestPath)
        let claimed = Array(uri.path.utf8)
        return TargetPath.normalized(claimed.span) == TargetPath.normalized(received.span)
    }

    private static func equal(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}

/// The path of a target URI.
enum TargetPath {
    /// Bytes before a query or fragment.
    static func length(in text: Span<UInt8>) -> Int {
        for index in text.indices where text[index] == UInt8(ascii: "?") || text[index] == UInt8(ascii: "#") {
            return index
        }
        return text.count
    }

    /// The path after the normalisation of RFC 3986 §6.2.2.2, §6.2.2.3 and §6.2.3: unreserved characters plain, other
    /// escapes in upper case, no dot segments, and `/` for none.
    ///
    /// Case, `%2F` and a last `/` keep their meaning. An escape that is none stays as it is.
    static func normalized(_ path: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(path.count + 1)
        var start = 0
        while start < path.count {
            var end = start
            while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
            if start > 0 || end > 0 {
                append(decoded(path.extracting(start..<end)), isLast: end == path.count, &output)
            }
            start = end + 1
            // A path that ends with `/` ends with an empty segment.
            if start == path.count { append([], isLast: true, &output) }
        }
        return output.isEmpty ? [UInt8(ascii: "/")] : output
    }

    /// Adds `/segment`; `.` adds nothing and `..` takes the segment before it away (RFC 3986 §5.2.4).
    private static func append(_ segment: [UInt8], isLast: Bool, _ output: inout [UInt8]) {
        let dot = UInt8(ascii: "."), slash = UInt8(ascii: "/")
        if segment == [dot, dot] {
            while let byte = output.popLast(), byte != slash {}
        }
        if segment == [dot] || segment == [dot, dot] {
            if isLast { output.append(slash) }
            return
        }
        output.append(slash)
        output.append(contentsOf: segment)
    }

    private static func decoded(_ segment: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var index = 0
        while index < segment.count {
            let byte = segment[index]
            guard byte == UInt8(ascii: "%"), index + 2 < segment.count, let high = ASCII.hexValue(segment[index + 1]),
                let low = ASCII.hexValue(segment[index + 2])
            else {
                output.append(byte)
                index += 1
                continue
            }
            let value = high << 4 | low
            if ASCII.isUnreserved(value) {
                output.append(value)
            } else {
                PercentEncoding.appendEscape(value, to: &output)
            }
            index += 3
        }
        return output
    }
}
