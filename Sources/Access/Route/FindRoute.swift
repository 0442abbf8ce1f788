import Bytes
package import HTTPMessage

/// The route that the canonical form of a path leads to, and what it lets through.
private struct FoundRoute {
    let number: Int
    let allowances: PathAllowances
}

extension PathPatterns {
    /// The one route that a path leads to, whoever reads it.
    ///
    /// The path is matched in canonical form but forwarded as received; where the two could be read differently the
    /// request is refused instead of rewritten (HTTP-55, decision D-11). `memory` is for other readings of the path: nobody
    /// reads what was in it.
    package func route(_ path: Span<UInt8>, memory: inout [UInt8]) throws(Refused) -> Int {
        guard !path.isEmpty else { return try route([UInt8(ascii: "/")].span, memory: &memory) }
        // Without a slash in doubt and without an escape, the path is its own canonical form.
        let shape = PathShape(path)
        let match = shape.isPlain ? find(path) : try matchCanonical(path, &memory)
        guard case .route(let number) = match else { throw try refusal(of: path, leadingTo: match) }
        let route = FoundRoute(number: number, allowances: allowances[number])
        try PathPatterns.checkPath(path, route.allowances)
        if !shape.isPlain || !route.allowances.isEmpty { try checkOtherReadings(of: path, route, &memory) }
        if shape.endsInSlash, path.count > 1 {
            // All of them: whoever merges slashes sees one.
            let without = PathPatterns.withoutLastSlashes(path)
            let other = shape.isPlain ? find(without) : try matchCanonical(without, &memory)
            guard other == match else {
                throw Refused(.pathMatchesTwoRoutes, expected: "one route", found: "two by a trailing slash")
            }
        }
        return number
    }

    /// Why a path that leads to no route is refused.
    ///
    /// Ambiguous paths are malformed whether or not a route knows them.
    private func refusal(
        of path: Span<UInt8>, leadingTo match: Match
    ) throws(Refused) -> Refused {
        try PathPatterns.checkPath(path, [])
        let text = String(copying: path.extracting(first: 64))
        guard case .behind(let exact) = match else {
            return Refused(.routeUnknown, expected: "a configured path", found: .text(text))
        }
        return Refused(
            .pathBehindExactRoute, expected: "a route for what is behind \(self.text(ofRoute: exact))",
            found: .text(text))
    }

    /// Refuses a path that another reader could take to another route.
    private func checkOtherReadings(
        of path: Span<UInt8>, _ route: FoundRoute, _ memory: inout [UInt8]
    ) throws(Refused) {
        try checkLiberalReadings(of: path, route, &memory)
        guard let behind = LoosestReading.behindAuthority(path) else { return }
        guard !behind.isEmpty else { return try checkRest(of: [UInt8(ascii: "/")].span, route, &memory) }
        try checkRest(of: path.extracting(behind), route, &memory)
    }

    /// The same of what stands behind an authority that some reader sees.
    private func checkRest(
        of path: Span<UInt8>, _ route: FoundRoute, _ memory: inout [UInt8]
    ) throws(Refused) {
        guard try leads(path, to: route, &memory) else {
            throw Refused(.pathMatchesTwoRoutes, expected: "one route", found: "two by slashes at the beginning")
        }
        try checkLiberalReadings(of: path, route, &memory)
    }

    /// Refuses a path that leads to another route to whoever takes its characters for more, or for others, than they are.
    private func checkLiberalReadings(
        of path: Span<UInt8>, _ route: FoundRoute, _ memory: inout [UInt8]
    ) throws(Refused) {
        try checkLoosestReading(of: path, route, &memory)
        // The loosest reading was held against other letters too, and is this one where no character is read loosely.
        if route.allowances.isEmpty || PathShape.mayBeReadLoosely(path) {
            try checkOtherLetters(of: path, route, &memory)
        }
        // It ends at an escaped `?` or `#` to whoever decodes before looking for the query: nginx that hands `$uri` on
        // sends `/admin%3Fx` to the next as `/admin?x`.
        guard let end = PathShape.firstEscapedEnd(in: path) else { return }
        let beginning = path.extracting(first: end)
        guard try leads(beginning, to: route, &memory) else {
            throw Refused(.pathMatchesTwoRoutes, expected: "one route", found: "two by an escaped ? or #")
        }
        if route.allowances.isEmpty || PathShape.mayBeReadLoosely(beginning) {
            try checkOtherLetters(of: beginning, route, &memory)
        }
    }

    /// Whether a part of a path, with the slashes at its end and without, is this route's and not the gateway's own.
    private func leads(
        _ path: Span<UInt8>, to route: FoundRoute, _ memory: inout [UInt8]
    ) throws(Refused) -> Bool {
        guard ReservedPath(path) == nil, try matchCanonical(path, &memory) == .route(route.number) else { return false }
        let without = PathPatterns.withoutLastSlashes(path)
        guard without.count < path.count else { return true }
        return try matchCanonical(without, &memory) == .route(route.number)
    }

    /// Refuses a path that leads to another route, or to none of them but ourselves, when all that the route lets through
    /// is read in the most liberal way; with and without a slash at the end, which such a character may stand for.
    private func checkLoosestReading(
        of path: Span<UInt8>, _ route: FoundRoute, _ memory: inout [UInt8]
    ) throws(Refused) {
        guard !route.allowances.isEmpty else { return }
        // There may be dozens of readings: of 8 KB, they would be work that a client could ask for.
        let beginning = path.extracting(first: tellingLength)
        switch loosestReadings(of: beginning, isWhole: beginning.count == path.count, route, &memory) {
        case .here: return
        case .elsewhere:
            throw Refused(
                .pathMatchesTwoRoutes, expected: "one route", found: "two by characters that the route lets through")
        case .open:
            throw Refused(
                .pathMatchesTwoRoutes, expected: "one route",
                found: "none in \(beginning.count) bytes by characters that the route lets through")
        }
    }

    /// Where a reading leads: to the route that was found, or not; open while what follows may decide it.
    private enum Lead { case here, elsewhere, open }

    /// Where all the loosest readings of a path lead, or of its beginning.
    private func loosestReadings(
        of path: Span<UInt8>, isWhole: Bool, _ route: FoundRoute, _ memory: inout [UInt8]
    ) -> Lead {
        let cuts = route.allowances.contains(.semicolon)
        var lead = Lead.here
        _ = LoosestReading.all(of: path, isWhole: isWhole, cuttingParameters: cuts) { decoded, isWhole in
            lead = loosestReading(decoded, isWhole: isWhole, route, &memory)
            return lead == .here
        }
        return lead
    }

    private func loosestReading(
        _ decoded: [UInt8], isWhole: Bool, _ route: FoundRoute, _ reading: inout [UInt8]
    ) -> Lead {
        // Letters that become others may be shorter then.
        var limit = ignoresCase ? 2 * settledLength : settledLength
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
    private func checkOtherLetters(
        of path: Span<UInt8>, _ route: FoundRoute, _ reading: inout [UInt8]
    ) throws(Refused) {
        guard ignoresCase, CaseFolding.mayHaveLetters(in: path) else { return }
        var limit = 4 * settledLength
        while true {
            reading.removeAll(keepingCapacity: true)
            PathPolicy.appendCanonical(path, mergingSlashes: true, upTo: limit, to: &reading)
            let isCut = reading.count >= limit
            guard replaceOtherLetters(in: &reading) else { return }
            if reading.count >= settledLength || !isCut { break }
            limit = .max
        }
        guard leads(reading, to: route) else {
            throw Refused(
                .pathMatchesTwoRoutes, expected: "one route", found: "two by the case of letters outside ASCII")
        }
    }

    /// Bytes of a reading, its slashes merged, by which it is told where it leads: no pattern is longer.
    ///
    /// Beside wildcards the whole path decides.
    private var decidingLength: Int { hasWildcards ? 1 << 32 : max(64, longestPattern &+ 2) }

    /// Bytes of the beginning of a reading by which it is told, whatever follows.
    private var settledLength: Int { decidingLength &+ LoosestReading.unsettled }

    /// Bytes of the beginning of a path that have to tell where it leads, when a route lets characters through of which some
    /// readers take no notice; more than as much of a name that decides takes with its escapes escaped.
    ///
    /// Beside wildcards a longer path is not told at all: all readings of it would be work that a client could ask for.
    private var tellingLength: Int { hasWildcards ? 1024 : max(800, 5 &* settledLength) }

    /// Replaces the letters that become others in the other case, as far as they decide; false when no upstream would.
    private func replaceOtherLetters(in reading: inout [UInt8]) -> Bool {
        ignoresCase && CaseFolding.replaceLetters(in: &reading, upTo: settledLength)
    }

    /// Whether a reading, with the slashes at its end and without, is this route's.
    private func leads(_ reading: borrowing [UInt8], to route: FoundRoute) -> Bool {
        let path = reading.span
        guard ReservedPath(path) == nil, find(path) == .route(route.number) else { return false }
        let without = PathPatterns.withoutLastSlashes(path)
        return without.count == path.count || find(without) == .route(route.number)
    }

    /// Refuses a path that two readers could read differently, but for what the route lets through.
    package static func checkPath(_ path: Span<UInt8>, _ allowances: PathAllowances) throws(Refused) {
        guard let reason = PathPolicy.refusal(of: path, allowing: allowances) else { return }
        throw Refused(.pathAmbiguous, expected: "a path with one reading", found: .text(reason.found))
    }

    /// The path without the slashes at its end; `/` stays.
    @_lifetime(copy path)
    private static func withoutLastSlashes(_ path: Span<UInt8>) -> Span<UInt8> {
        var end = path.count
        while end > 1, path[end - 1] == UInt8(ascii: "/") { end -= 1 }
        return path.extracting(first: end)
    }

    /// Matches the canonical form, with and without merged slashes; both must lead to one route (HTTP-57).
    private func matchCanonical(_ path: Span<UInt8>, _ memory: inout [UInt8]) throws(Refused) -> Match {
        // Without an escape the path is its own form, but for its slashes.
        let separate = PathShape.hasEscape(path) ? matchCanonical(path, mergingSlashes: false, &memory) : find(path)
        guard PathShape.hasDoubledSlash(path) else { return separate }
        let merged = matchCanonical(path, mergingSlashes: true, &memory)
        guard separate == merged else {
            throw Refused(.pathMatchesTwoRoutes, expected: "one route", found: "two by doubled slashes")
        }
        return merged
    }

    private func matchCanonical(_ path: Span<UInt8>, mergingSlashes: Bool, _ reading: inout [UInt8]) -> Match {
        reading.removeAll(keepingCapacity: true)
        PathPolicy.appendCanonical(path, mergingSlashes: mergingSlashes, upTo: decidingLength, to: &reading)
        return find(reading.span)
    }
}
