import Bytes

/// What of a route's paths its upstream knows by another name (ECO-68); both are whole segments, without a slash at the end.
package struct PathRewriteSettings: Sendable, Hashable {
    /// What clients see before the rest of a path; empty where nothing is taken away.
    package var publicPrefix: String
    /// What the upstream gets in its place.
    package var upstreamPrefix: String
    /// Paths in `Location`, `Content-Location` and cookies are told to clients as they know them.
    package var mapsResponses = true

    package init(publicPrefix: String, upstreamPrefix: String, mapsResponses: Bool = true) {
        self.publicPrefix = publicPrefix
        self.upstreamPrefix = upstreamPrefix
        self.mapsResponses = mapsResponses
    }
}

/// What of a URL or path gives way to the public prefix.
package struct MappedReference: Equatable {
    /// How many bytes at its beginning stay: an origin that clients know.
    package var kept = 0
    /// Where the rest begins that stays too.
    package var rest: Int
    /// Whether the public prefix comes between the two.
    package var hasPrefix = true
}

/// The two prefixes of a route, ready to be compared: raw bytes, of which none is ever decoded.
package struct PathRewrite: ~Copyable, Sendable {
    package let publicPrefix: FixedBytes
    package let upstreamPrefix: FixedBytes
    /// The line that tells the upstream what was taken away; empty where nothing was.
    package let prefixLine: FixedBytes
    package let mapsResponses: Bool
    private let ignoresCase: Bool
    /// What an upstream calls itself where it does not go by what it is asked for.
    private let origins: TextList

    package init(_ settings: PathRewriteSettings, ignoresCase: Bool = false, upstream: UpstreamSettings) {
        publicPrefix = FixedBytes(settings.publicPrefix)
        upstreamPrefix = FixedBytes(settings.upstreamPrefix)
        prefixLine = FixedBytes(
            settings.publicPrefix.isEmpty ? "" : "X-Forwarded-Prefix: \(settings.publicPrefix)\r\n")
        mapsResponses = settings.mapsResponses
        self.ignoresCase = ignoresCase
        origins = TextList(upstream.origins)
    }

    /// Frees what was written out; nobody may use it any longer.
    package func destroy() {
        publicPrefix.destroy()
        upstreamPrefix.destroy()
        prefixLine.destroy()
    }

    /// Where the rest of a client's path begins, which goes on as it is; nil for a path that has the prefix in another
    /// spelling, or whose rest some reader would take for more than a path.
    ///
    /// `//host` names a server, and so does `/\host` to browsers. What is escaped counts as what it stands for, once or
    /// however often, for an upstream may decode before it looks.
    package func rest(of path: Span<UInt8>) -> Int? {
        let prefix = publicPrefix.span
        guard !prefix.isEmpty else { return 0 }
        guard path.count >= prefix.count else { return nil }
        var escape = 0
        for index in prefix.indices {
            // Digits of an escape have no case; all else has, unless the route says otherwise.
            if prefix[index] == 0x25 { escape = 3 }
            let isAlike =
                prefix[index] == path[index]
                || (ignoresCase || escape > 0) && prefix[index] == ASCII.lowercase(path[index])
                || escape > 0 && ASCII.lowercase(prefix[index]) == ASCII.lowercase(path[index])
            guard isAlike else { return nil }
            if escape > 0 { escape -= 1 }
        }
        guard path.count > prefix.count else { return prefix.count }
        guard path[prefix.count] == 0x2F else { return nil }
        let isEmpty = upstreamPrefix.span.isEmpty
        return isEmpty && PathRewrite.beginsAnew(path, behind: prefix.count + 1) ? nil : prefix.count
    }

    /// Whether a slash, a backslash or a semicolon is there, as it is or escaped.
    private static func beginsAnew(_ path: Span<UInt8>, behind start: Int) -> Bool {
        guard start < path.count else { return false }
        guard path[start] == 0x25 else { return isSeparator(path[start]) }
        var digits = start + 1
        while digits + 1 < path.count, path[digits] == 0x32, path[digits + 1] == 0x35 { digits += 2 }
        guard digits + 1 < path.count else { return false }
        let low = ASCII.lowercase(path[digits + 1])
        return switch path[digits] {
        case 0x32: low == UInt8(ascii: "f")
        case 0x33: low == UInt8(ascii: "b")
        case 0x35: low == UInt8(ascii: "c")
        default: false
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x5C || byte == 0x3B }

    // MARK: what an upstream says

    /// What of the URL in a `Location` or `Content-Location` gives way; nil where it is to stay as it is: it is relative,
    /// another origin's, behind none of the upstream's own paths, or has the public prefix already.
    ///
    /// `authorities` are the names by which clients reach the site: of a URL at one of these the path alone changes.
    package func mapped(reference: Span<UInt8>, authorities: borrowing TextList) -> MappedReference? {
        guard let authority = PathRewrite.authority(of: reference) else {
            return mapped(reference: reference, isOfSite: false)
        }
        return mapped(
            reference: reference, isOfSite: authorities.containsIgnoringCase(reference.extracting(authority)))
    }

    /// The same where it is known whether the URL's authority is a name of the site.
    func mapped(reference: Span<UInt8>, isOfSite: Bool) -> MappedReference? {
        guard !reference.isEmpty else { return nil }
        guard reference[0] != 0x2F else {
            guard !PathRewrite.beginsAnew(reference, behind: 1) else { return nil }
            return mapped(path: reference, from: 0, origin: .none)
        }
        guard let authority = PathRewrite.authority(of: reference) else { return nil }
        let end = authority.upperBound
        // A backslash ends an authority to browsers and to nobody else: whoever writes one is not understood.
        guard end == reference.count || reference[end] != 0x5C else { return nil }
        if origins.containsIgnoringCase(reference.extracting(0..<end)) {
            return mapped(path: reference, from: end, origin: .upstream)
        }
        return isOfSite ? mapped(path: reference, from: end, origin: .site) : nil
    }

    /// What of a cookie's `Path` gives way; nil where it stays.
    ///
    /// A path above the upstream's own tree is that tree as clients know it: no cookie reaches the routes beside it.
    package func mapped(cookiePath path: Span<UInt8>) -> MappedReference? {
        guard !path.isEmpty, path[0] == 0x2F else { return nil }
        // Without a slash at the end, which the prefix alone would not fit.
        if path.count == 1 { return MappedReference(rest: 1) }
        if let found = mapped(path: path, from: 0, origin: .none) { return found }
        guard !isPublic(path), PathRewrite.covers(upstreamPrefix.span, path) else { return nil }
        return MappedReference(rest: path.count)
    }

    private enum Origin { case none, upstream, site }

    private func mapped(path text: Span<UInt8>, from start: Int, origin: Origin) -> MappedReference? {
        let path = text.extracting(start..<text.count)
        let kept = origin == .site ? start : 0
        if isPublic(path) {
            return origin == .upstream ? MappedReference(rest: start, hasPrefix: false) : nil
        }
        let upstream = upstreamPrefix.span
        guard PathRewrite.covers(path, upstream) else { return nil }
        let rest = start + upstream.count
        // The prefix would be nothing, and what follows a server's name to somebody.
        if publicPrefix.span.isEmpty, kept == 0, rest < text.count, text[rest] == 0x2F {
            if rest + 1 < text.count, text[rest + 1] <= 0x20 || PathRewrite.isSeparator(text[rest + 1]) { return nil }
        }
        return MappedReference(kept: kept, rest: rest)
    }

    /// Whether an upstream wrote a path as clients know it: the longer prefix is looked for first.
    private func isPublic(_ path: Span<UInt8>) -> Bool {
        let prefix = publicPrefix.span
        return !prefix.isEmpty && prefix.count >= upstreamPrefix.span.count && PathRewrite.covers(path, prefix)
    }

    /// Whether a path is the one of the prefix, or below it.
    private static func covers(_ path: Span<UInt8>, _ prefix: Span<UInt8>) -> Bool {
        guard path.count >= prefix.count else { return false }
        for index in prefix.indices where prefix[index] != path[index] { return false }
        guard path.count > prefix.count else { return true }
        return path[prefix.count] == 0x2F || path[prefix.count] == 0x3F || path[prefix.count] == 0x23
    }

    /// Where the authority of an absolute URL of HTTP is; nil in any other text.
    static func authority(of reference: Span<UInt8>) -> Range<Int>? {
        guard let start = startOfAuthority(reference) else { return nil }
        var end = start
        while end < reference.count, !endsAuthority(reference[end]) { end += 1 }
        return start..<end
    }

    private static func startOfAuthority(_ reference: Span<UInt8>) -> Int? {
        for scheme in ["https://", "http://"] where reference.count > scheme.utf8.count {
            if ASCII.equalsIgnoringCase(reference.extracting(first: scheme.utf8.count), scheme) {
                return scheme.utf8.count
            }
        }
        return nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == 0x2F || byte == 0x3F || byte == 0x23 || byte == 0x5C
    }
}

extension PathRewrite {
    /// Where the rest of a path begins that was checked before.
    package func restChecked(of path: Span<UInt8>) -> Int {
        guard let rest = rest(of: path) else { preconditionFailure("a path is checked before it is written") }
        return rest
    }

    /// Such a path as the upstream knows it.
    package func rewritten(_ path: Span<UInt8>) -> [UInt8] {
        let whole =
            [UInt8](copying: upstreamPrefix.span)
            + [UInt8](copying: path.extracting(restChecked(of: path)..<path.count))
        return whole.isEmpty ? [UInt8(ascii: "/")] : whole
    }
}

extension AccessPolicy {
    /// What of an upstream's URL gives way, at a site that clients of a listener know by its names.
    package borrowing func mapped(
        _ reference: Span<UInt8>, by rewrite: FixedValue<PathRewrite>, ofSite site: Int?, atListener listener: Int
    ) -> MappedReference? {
        guard hasHosts else {
            return rewrite.pointee.mapped(reference: reference, authorities: authorities[listener])
        }
        guard let authority = PathRewrite.authority(of: reference) else {
            return rewrite.pointee.mapped(reference: reference, isOfSite: false)
        }
        // A name of another host leads to other routes, which know nothing of this prefix.
        let found = hosts[listener].site(of: reference.extracting(authority))
        return rewrite.pointee.mapped(reference: reference, isOfSite: found != nil && found == site)
    }
}

extension UpstreamSettings {
    /// The origins of its servers, with a default port and without.
    fileprivate var origins: [String] {
        servers.flatMap { server -> [String] in
            guard case .address(let host, let port) = server else { return [] }
            let origin = (tls ? "https://" : "http://") + (host.contains(":") ? "[\(host)]" : host)
            return ["\(origin):\(port)"] + (port == (tls ? 443 : 80) ? [origin] : [])
        }
    }
}

extension Route {
    /// Refuses a path that the upstream cannot get without its prefix (ECO-68).
    package func checkPrefix(of path: Span<UInt8>) throws(Refused) {
        guard let rewrite, rewrite.pointee.rest(of: path) == nil else { return }
        throw Refused(
            .pathAmbiguous,
            expected: "\(String(copying: rewrite.pointee.publicPrefix.span)) as it is written, and a path",
            found: .text(String(copying: path.extracting(first: 64))))
    }
}
