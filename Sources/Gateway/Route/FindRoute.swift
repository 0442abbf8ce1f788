import Access
import Bytes
import HTTPMessage
import Transport

extension WorkerRef {
    /// Checks the authority and the path, and finds the one route they lead to.
    ///
    /// The path is matched in canonical form but forwarded as received; where the two could be read differently the
    /// request is refused instead of rewritten (HTTP-55, decision D-11).
    func route(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) {
        try checkAuthority(exchange, bytes)
        let head = pointee.head
        var path = UnsafeBufferPointer(start: bytes + Int(head.pointee.path.start), count: Int(head.pointee.path.count))
        if path.isEmpty { path = rootPath }
        // Without a slash in doubt and without an escape, the path is its own canonical form.
        let shape = PathShape(path)
        let match = shape.isPlain ? pointee.routes.find(path) : try matchCanonical(path)
        guard case .route(let route) = match else { throw try refusal(of: path, leadingTo: match) }
        try checkPath(path, route.pointee.allowances)
        if !shape.isPlain || !route.pointee.allowances.isEmpty { try checkOtherReadings(of: path, route) }
        if shape.endsInSlash, path.count > 1 {
            // All of them: whoever merges slashes sees one.
            let without = withoutLastSlashes(path)
            let other = shape.isPlain ? pointee.routes.find(without) : try matchCanonical(without)
            guard other == .route(route) else {
                throw refuse(.pathMatchesTwoRoutes, "one route", "two by a trailing slash")
            }
        }
        exchange.pointee.route = route
    }

    /// Why a path that leads to no route is refused.
    ///
    /// Ambiguous paths are malformed whether or not a route knows them.
    private func refusal(
        of path: UnsafeBufferPointer<UInt8>, leadingTo match: RouteMatch
    ) throws(Refused) -> Refused {
        try checkPath(path, [])
        let text = String(decoding: path.prefix(64), as: UTF8.self)
        guard case .behind(let exact) = match else { return refuse(.routeUnknown, "a configured path", text) }
        return refuse(.pathBehindExactRoute, "a route for what is behind \(exact.pointee.settings.path)", text)
    }

    /// Refuses a path that another reader could take to another route.
    private func checkOtherReadings(
        of path: UnsafeBufferPointer<UInt8>, _ route: UnsafePointer<Route>
    ) throws(Refused) {
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
    ) throws(Refused) {
        try checkLoosestReading(of: path, route)
        // The loosest reading was held against other letters too, and is this one where no character is read loosely.
        if route.pointee.allowances.isEmpty || PathShape.mayBeReadLoosely(path) {
            try checkOtherLetters(of: path, route)
        }
        // It ends at an escaped `?` or `#` to whoever decodes before looking for the query: nginx that hands `$uri` on
        // sends `/admin%3Fx` to the next as `/admin?x`.
        guard let end = PathShape.firstEscapedEnd(in: path) else { return }
        let beginning = UnsafeBufferPointer(rebasing: path[0..<end])
        guard try leads(beginning, to: route) else {
            throw refuse(.pathMatchesTwoRoutes, "one route", "two by an escaped ? or #")
        }
        if route.pointee.allowances.isEmpty || PathShape.mayBeReadLoosely(beginning) {
            try checkOtherLetters(of: beginning, route)
        }
    }

    /// Whether a part of a path, with the slashes at its end and without, is this route's and not the gateway's own.
    private func leads(
        _ path: UnsafeBufferPointer<UInt8>, to route: UnsafePointer<Route>
    ) throws(Refused) -> Bool {
        guard ReservedPath(path) == nil, try matchCanonical(path) == .route(route) else { return false }
        let without = withoutLastSlashes(path)
        guard without.count < path.count else { return true }
        return try matchCanonical(without) == .route(route)
    }

    /// Refuses a path that leads to another route, or to none of them but ourselves, when all that the route lets through
    /// is read in the most liberal way; with and without a slash at the end, which such a character may stand for.
    private func checkLoosestReading(
        of path: UnsafeBufferPointer<UInt8>, _ route: UnsafePointer<Route>
    ) throws(Refused) {
        guard !route.pointee.allowances.isEmpty else { return }
        // There may be dozens of readings: of 8 KB, they would be work that a client could ask for.
        let beginning = UnsafeBufferPointer(rebasing: path.prefix(tellingLength))
        switch loosestReadings(of: beginning, isWhole: beginning.count == path.count, route) {
        case .here: return
        case .elsewhere:
            throw refuse(.pathMatchesTwoRoutes, "one route", "two by characters that the route lets through")
        case .open:
            throw refuse(
                .pathMatchesTwoRoutes, "one route",
                "none in \(beginning.count) bytes by characters that the route lets through")
        }
    }

    /// Where a reading leads: to the route that was found, or not; open while what follows may decide it.
    private enum Lead { case here, elsewhere, open }

    /// Where all the loosest readings of a path lead, or of its beginning.
    private func loosestReadings(
        of path: UnsafeBufferPointer<UInt8>, isWhole: Bool, _ route: UnsafePointer<Route>
    ) -> Lead {
        let cuts = route.pointee.allowances.contains(.semicolon)
        var lead = Lead.here
        _ = LoosestReading.all(of: path.span, isWhole: isWhole, cuttingParameters: cuts) { decoded, isWhole in
            lead = loosestReading(decoded, isWhole: isWhole, route)
            return lead == .here
        }
        return lead
    }

    private func loosestReading(_ decoded: [UInt8], isWhole: Bool, _ route: UnsafePointer<Route>) -> Lead {
        var reading = borrowPathMemory()
        defer { swap(&reading, &pointee.pathMemory) }
        // Letters that become others may be shorter then.
        var limit = pointee.routes.ignoresCase ? 2 * settledLength : settledLength
        while true {
            reading.removeAll(keepingCapacity: true)
            LoosestReading.append(decoded: decoded.span, upTo: limit, to: &reading)
            let isCut = reading.count >= limit
            guard isWhole || reading.count >= settledLength else { return .open }
            guard leads(reading, to: route) else { return .elsewhere }
            guard replaceOtherLetters(in: &reading) else { return .here }
            if reading.count >= settledLength || isWhole && !isCut {
                return leads(reading, to: route) ? .here : .elsewhere
            }
            guard isCut else { return .open }
            limit = .max
        }
    }

    /// Refuses a path that leads to another route when letters outside ASCII are taken for those that they become in the
    /// other case, where some upstream takes no notice of case.
    private func checkOtherLetters(of path: UnsafeBufferPointer<UInt8>, _ route: UnsafePointer<Route>) throws(Refused) {
        guard pointee.routes.ignoresCase, CaseFolding.mayHaveLetters(in: path.span) else { return }
        var reading = borrowPathMemory()
        defer { swap(&reading, &pointee.pathMemory) }
        var limit = 4 * settledLength
        while true {
            reading.removeAll(keepingCapacity: true)
            PathPolicy.appendCanonical(path.span, mergingSlashes: true, upTo: limit, to: &reading)
            let isCut = reading.count >= limit
            guard replaceOtherLetters(in: &reading) else { return }
            if reading.count >= settledLength || !isCut { break }
            limit = .max
        }
        guard leads(reading, to: route) else {
            throw refuse(.pathMatchesTwoRoutes, "one route", "two by the case of letters outside ASCII")
        }
    }

    /// Memory for another reading of a path, empty; whoever borrows it swaps it back, and nobody reads what was in it.
    private func borrowPathMemory() -> [UInt8] {
        var memory: [UInt8] = []
        swap(&memory, &pointee.pathMemory)
        memory.removeAll(keepingCapacity: true)
        return memory
    }

    /// Bytes of a reading, its slashes merged, by which it is told where it leads: no pattern is longer.
    private var decidingLength: Int { max(64, pointee.routes.longestPattern &+ 2) }

    /// Bytes of the beginning of a reading by which it is told, whatever follows.
    private var settledLength: Int { decidingLength &+ LoosestReading.unsettled }

    /// Bytes of the beginning of a path that have to tell where it leads, when a route lets characters through of which some
    /// readers take no notice; more than as much of a name that decides takes with its escapes escaped.
    private var tellingLength: Int { max(800, 5 &* settledLength) }

    /// Replaces the letters that become others in the other case, as far as they decide; false when no upstream would.
    private func replaceOtherLetters(in reading: inout [UInt8]) -> Bool {
        pointee.routes.ignoresCase && CaseFolding.replaceLetters(in: &reading, upTo: settledLength)
    }

    /// Whether a reading, with the slashes at its end and without, is this route's.
    private func leads(_ reading: borrowing [UInt8], to route: UnsafePointer<Route>) -> Bool {
        reading.withUnsafeBufferPointer { path in
            guard ReservedPath(path) == nil, pointee.routes.find(path) == .route(route) else { return false }
            let without = withoutLastSlashes(path)
            return without.count == path.count || pointee.routes.find(without) == .route(route)
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
    ) throws(Refused) {
        guard let reason = PathPolicy.refusal(of: path.span, allowing: allowances) else { return }
        throw refuse(.pathAmbiguous, "a path with one reading", CauseWords.of(reason))
    }

    /// Matches the canonical form, with and without merged slashes; both must lead to one route (HTTP-57).
    private func matchCanonical(_ path: UnsafeBufferPointer<UInt8>) throws(Refused) -> RouteMatch {
        // Without an escape the path is its own form, but for its slashes.
        let hasEscape = path.span.firstIndex(of: UInt8(ascii: "%"), from: 0, to: path.count) < path.count
        let separate = hasEscape ? matchCanonical(path, mergingSlashes: false) : pointee.routes.find(path)
        guard PathShape.hasDoubledSlash(path) else { return separate }
        let merged = matchCanonical(path, mergingSlashes: true)
        guard separate == merged else { throw refuse(.pathMatchesTwoRoutes, "one route", "two by doubled slashes") }
        return merged
    }

    private func matchCanonical(
        _ path: UnsafeBufferPointer<UInt8>, mergingSlashes: Bool
    ) -> RouteMatch {
        var reading = borrowPathMemory()
        defer { swap(&reading, &pointee.pathMemory) }
        PathPolicy.appendCanonical(path.span, mergingSlashes: mergingSlashes, upTo: decidingLength, to: &reading)
        return reading.withUnsafeBufferPointer { pointee.routes.find($0) }
    }

    /// Host (or the absolute-form's authority) must be one of the listener's, and agree with SNI (HTTP-21, HTTP-75).
    func checkAuthority(_ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>) throws(Refused) {
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
}

/// What a glance at a path tells: whether it is its own canonical form.
private struct PathShape {
    var isPlain = true
    var endsInSlash = false

    /// Where `%3F` or `%23` is, `?` or `#` to whoever decodes.
    static func firstEscapedEnd(in path: UnsafeBufferPointer<UInt8>) -> Int? {
        let span = path.span
        var index = 0
        while index + ByteVector.count + 2 <= span.count {
            let second = span.vector(at: index + 1)
            let third = span.vector(at: index + 2)
            let isQuery = (second .== vector("3")) .& ((third | SIMD16(repeating: 0x20)) .== vector("f"))
            let isFragment = (second .== vector("2")) .& (third .== vector("3"))
            let place = ((span.vector(at: index) .== vector("%")) .& (isQuery .| isFragment)).first
            if place < ByteVector.count { return index + place }
            index += ByteVector.count
        }
        while index + 2 < span.count {
            let isQuery = span[index + 1] == UInt8(ascii: "3") && ASCII.lowercase(span[index + 2]) == UInt8(ascii: "f")
            let isFragment = span[index + 1] == UInt8(ascii: "2") && span[index + 2] == UInt8(ascii: "3")
            if span[index] == UInt8(ascii: "%"), isQuery || isFragment { return index }
            index += 1
        }
        return nil
    }

    @inline(__always)
    private static func vector(_ character: Unicode.Scalar) -> SIMD16<UInt8> {
        SIMD16(repeating: UInt8(ascii: character))
    }

    /// Whether the loosest reading may be another one than the canonical form with its slashes merged; overlong forms of
    /// characters, which are refused everywhere, aside.
    static func mayBeReadLoosely(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        let (span, end) = (path.span, path.count)
        return span.firstIndex(of: UInt8(ascii: "%"), from: 0, to: end) < end
            || span.firstIndex(of: UInt8(ascii: "\\"), from: 0, to: end) < end
            || span.firstIndex(of: UInt8(ascii: ";"), from: 0, to: end) < end
    }

    static func hasDoubledSlash(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        let span = path.span
        var index = 0
        while index + ByteVector.count + 1 <= span.count {
            let slashes = (span.vector(at: index) .== vector("/")) .& (span.vector(at: index + 1) .== vector("/"))
            if slashes.first < ByteVector.count { return true }
            index += ByteVector.count
        }
        while index + 1 < span.count {
            if span[index] == UInt8(ascii: "/"), span[index + 1] == UInt8(ascii: "/") { return true }
            index += 1
        }
        return false
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
