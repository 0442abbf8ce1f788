// SPDX-License-Identifier: Apache-2.0
import Bytes
import HTTPMessage
import Transport

extension WorkerRef {
    /// Checks the authority and the path, and finds the one route they lead to.
    ///
    /// The path is matched in canonical form but forwarded as received; where the two could be read differently the
    /// request is refused instead of rewritten (HTTP-55, decision D-11).
    func route(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refusal) {
        try checkAuthority(exchange, bytes)
        let head = pointee.head
        var path = UnsafeBufferPointer(start: bytes + Int(head.pointee.path.start), count: Int(head.pointee.path.count))
        if path.isEmpty { path = rootPath }
        // Without a slash in doubt and without an escape, the path is its own canonical form.
        let shape = PathShape(path)
        guard let route = shape.isPlain ? pointee.routes.match(path) : try matchCanonical(path) else {
            // Ambiguous paths are malformed whether or not a route knows them.
            try checkPath(path, [])
            throw refuse(.routeUnknown, "a configured path", String(decoding: path.prefix(64), as: UTF8.self))
        }
        try checkPath(path, route.pointee.allowances)
        if !shape.isPlain || !route.pointee.allowances.isEmpty { try checkOtherReadings(of: path, route) }
        if shape.endsInSlash, path.count > 1 {
            // All of them: whoever merges slashes sees one.
            let without = withoutLastSlashes(path)
            let other = shape.isPlain ? pointee.routes.match(without) : try matchCanonical(without)
            guard other == route else { throw refuse(.pathMatchesTwoRoutes, "one route", "two by a trailing slash") }
        }
        exchange.pointee.route = route
    }

    /// Refuses a path that another reader could take to another route.
    private func checkOtherReadings(
        of path: UnsafeBufferPointer<UInt8>, _ route: UnsafePointer<Route>
    ) throws(Refusal) {
        try checkLiberalReadings(of: path, route)
        guard let behind = LoosestReading.behindAuthority(path) else { return }
        let rest = behind.isEmpty ? rootPath : UnsafeBufferPointer(rebasing: behind)
        guard try leads(rest, to: route) else {
            throw refuse(.pathMatchesTwoRoutes, "one route", "two by slashes at the beginning")
        }
        try checkLiberalReadings(of: rest, route)
    }

    /// Refuses a path that leads to another route to whoever takes its characters for more, or for others, than they are.
    private func checkLiberalReadings(
        of path: UnsafeBufferPointer<UInt8>, _ route: UnsafePointer<Route>
    ) throws(Refusal) {
        try checkLoosestReading(of: path, route)
        try checkOtherLetters(of: path, route)
        // It ends at an escaped `?` or `#` to whoever decodes before looking for the query: nginx that hands `$uri` on
        // sends `/admin%3Fx` to the next as `/admin?x`.
        guard let end = PathShape.firstEscapedEnd(in: path) else { return }
        let beginning = UnsafeBufferPointer(rebasing: path[0..<end])
        guard try leads(beginning, to: route) else {
            throw refuse(.pathMatchesTwoRoutes, "one route", "two by an escaped ? or #")
        }
        try checkOtherLetters(of: beginning, route)
    }

    /// Whether a part of a path, with the slashes at its end and without, is this route's and not the gateway's own.
    private func leads(
        _ path: UnsafeBufferPointer<UInt8>, to route: UnsafePointer<Route>
    ) throws(Refusal) -> Bool {
        guard ReservedPath(path) == nil, try matchCanonical(path) == route else { return false }
        return try matchCanonical(withoutLastSlashes(path)) == route
    }

    /// Refuses a path that leads to another route, or to none of them but ourselves, when all that the route lets through
    /// is read in the most liberal way; with and without a slash at the end, which such a character may stand for.
    private func checkLoosestReading(
        of path: UnsafeBufferPointer<UInt8>, _ route: UnsafePointer<Route>
    ) throws(Refusal) {
        guard !route.pointee.allowances.isEmpty else { return }
        let cuts = route.pointee.allowances.contains(.semicolon)
        guard loosestReadingLeads(from: path.span, to: route),
            LoosestReading.others(of: path.span, cuttingParameters: cuts)
                .allSatisfy({ loosestReadingLeads(from: $0.span, to: route) })
        else {
            throw refuse(.pathMatchesTwoRoutes, "one route", "two by characters that the route lets through")
        }
    }

    private func loosestReadingLeads(from path: Span<UInt8>, to route: UnsafePointer<Route>) -> Bool {
        pointee.canonicalPath.removeAll(keepingCapacity: true)
        LoosestReading.append(path, to: &pointee.canonicalPath)
        guard canonicalPathLeads(to: route) else { return false }
        return !canonicalPathHasOtherLetters() || canonicalPathLeads(to: route)
    }

    /// Refuses a path that leads to another route when letters outside ASCII are taken for those that they become in the
    /// other case, where some upstream takes no notice of case.
    private func checkOtherLetters(of path: UnsafeBufferPointer<UInt8>, _ route: UnsafePointer<Route>) throws(Refusal) {
        guard pointee.routes.ignoresCase else { return }
        pointee.canonicalPath.removeAll(keepingCapacity: true)
        PathPolicy.appendCanonical(path.span, mergingSlashes: true, to: &pointee.canonicalPath)
        guard !canonicalPathHasOtherLetters() || canonicalPathLeads(to: route) else {
            throw refuse(.pathMatchesTwoRoutes, "one route", "two by the case of letters outside ASCII")
        }
    }

    /// Replaces in `canonicalPath` the letters that become others in the other case; false when no upstream would.
    private func canonicalPathHasOtherLetters() -> Bool {
        pointee.routes.ignoresCase && CaseFolding.replaceLetters(in: &pointee.canonicalPath)
    }

    /// Whether `canonicalPath`, with the slashes at its end and without, is this route's.
    private func canonicalPathLeads(to route: UnsafePointer<Route>) -> Bool {
        pointee.canonicalPath.withUnsafeBufferPointer { path in
            ReservedPath(path) == nil && pointee.routes.match(path) == route
                && pointee.routes.match(withoutLastSlashes(path)) == route
        }
    }

    /// The path without the slashes at its end; `/` stays.
    private func withoutLastSlashes(_ path: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var end = path.count
        while end > 1, path[end - 1] == UInt8(ascii: "/") { end -= 1 }
        return UnsafeBufferPointer(rebasing: path[0..<end])
    }

    func checkPath(
        _ path: UnsafeBufferPointer<UInt8>, _ allowances: PathAllowances
    ) throws(Refusal) {
        guard let reason = PathPolicy.refusal(of: path.span, allowing: allowances) else { return }
        throw refuse(.pathAmbiguous, "a path with one reading", CauseWords.of(reason))
    }

    /// Matches the canonical form, with and without merged slashes; both must lead to one route (HTTP-57).
    private func matchCanonical(_ path: UnsafeBufferPointer<UInt8>) throws(Refusal) -> UnsafePointer<Route>? {
        let separate = matchCanonical(path, mergingSlashes: false)
        let merged = matchCanonical(path, mergingSlashes: true)
        guard separate == merged else { throw refuse(.pathMatchesTwoRoutes, "one route", "two by doubled slashes") }
        return merged
    }

    private func matchCanonical(
        _ path: UnsafeBufferPointer<UInt8>, mergingSlashes: Bool
    ) -> UnsafePointer<Route>? {
        pointee.canonicalPath.removeAll(keepingCapacity: true)
        PathPolicy.appendCanonical(path.span, mergingSlashes: mergingSlashes, to: &pointee.canonicalPath)
        return pointee.canonicalPath.withUnsafeBufferPointer { pointee.routes.match($0) }
    }

    /// Host (or the absolute-form's authority) must be one of the listener's, and agree with SNI (HTTP-21, HTTP-75).
    func checkAuthority(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refusal) {
        let client = exchange.pointee.client.unsafelyUnwrapped
        let listener = pointee.listeners + Int(client.pointee.listener)
        let range = pointee.head.pointee.authority
        let authority = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        // HTTP/1.0 may do without Host; there is but one resource it can mean.
        var isKnown = authority.isEmpty
        for index in 0..<listener.pointee.authorityCount
        where ASCII.equalsIgnoringCase(authority.span, listener.pointee.authorities[index].buffer.span) {
            isKnown = true
            break
        }
        guard isKnown else {
            throw refuse(
                .authorityUnknown, "an authority of this listener",
                String(decoding: authority.prefix(128), as: UTF8.self))
        }
        if client.pointee.stream.tls != nil {
            let host = hostWithoutPort(authority)
            guard client.pointee.stream.serverNameAgrees(with: host) else {
                throw refuse(
                    .serverNameDisagrees, "the name of the TLS handshake", String(decoding: host, as: UTF8.self))
            }
        }
    }

    private func hostWithoutPort(_ authority: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var end = authority.count
        while end > 0, ASCII.isDigit(authority[end - 1]) { end -= 1 }
        guard end > 0, authority[end - 1] == UInt8(ascii: ":") else { return authority }
        return UnsafeBufferPointer(rebasing: authority[0..<(end - 1)])
    }

    var rootPath: UnsafeBufferPointer<UInt8> {
        let root: StaticString = "/"
        return UnsafeBufferPointer(start: root.utf8Start, count: 1)
    }

    /// A refusal with what the operator should read beside it.
    func refuse(_ refusal: Refusal, _ expected: String, _ found: String) -> Refusal {
        pointee.refusalDetail = RefusalDetail(expected: expected, found: found)
        return refusal
    }
}

/// What a glance at a path tells: whether it is its own canonical form.
private struct PathShape {
    var isPlain = true
    var endsInSlash = false

    /// Where `%3F` or `%23` is, `?` or `#` to whoever decodes.
    static func firstEscapedEnd(in path: UnsafeBufferPointer<UInt8>) -> Int? {
        path.indices.dropLast(2).first { index in
            guard path[index] == UInt8(ascii: "%") else { return false }
            let isQuery = path[index + 1] == UInt8(ascii: "3") && ASCII.lowercase(path[index + 2]) == UInt8(ascii: "f")
            return isQuery || (path[index + 1] == UInt8(ascii: "2") && path[index + 2] == UInt8(ascii: "3"))
        }
    }

    init(_ path: UnsafeBufferPointer<UInt8>) {
        var previous: UInt8 = 0
        for byte in path {
            if byte == UInt8(ascii: "%") || (byte == UInt8(ascii: "/") && previous == UInt8(ascii: "/")) {
                isPlain = false
            }
            previous = byte
        }
        endsInSlash = previous == UInt8(ascii: "/")
    }
}
