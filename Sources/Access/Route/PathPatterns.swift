import Bytes
package import HTTPMessage

/// The paths of a configuration's routes, searched without allocating or counting a reference.
///
/// A pattern that ends with `/` matches its whole subtree and its own path without that slash; any other pattern
/// matches one path. The longest pattern wins. The cost depends on the number of segments in the path, not on the
/// number of routes: the hash of each prefix that ends at a `/` is looked up in one table.
///
/// Patterns that fit in any case are in lower case, and beneath them are none that fit in one case alone (HTTP-57).
///
/// What a server may take for an argument of a guarded path is a pattern too, of no route: a sealed one.
///
/// Where a path has `*` in the place of a segment, all of them are searched by `WildcardPaths`, whose order is the same where
/// there is none.
package struct PathPatterns: ~Copyable, Sendable {
    /// Whether some route's upstream takes paths that differ in case for one.
    package let ignoresCase: Bool
    /// Bytes of the longest pattern: where a path leads is decided by as many of its own, and one more.
    package let longestPattern: Int

    /// Some path has a wildcard: how many bytes of a request's path decide is not known then.
    let hasWildcards: Bool

    /// All of them where some have wildcards; else none.
    private let wildcards: WildcardPaths
    /// Most tables have neither wildcards nor paths that fit in any case, and ask no more than whether that is so.
    private let isIntricate: Bool
    private let patterns: [Entry]
    /// The paths of all patterns one behind the other, without the slash that a subtree's ends with.
    private let texts: [UInt8]
    private let slots: [Int32]
    private let mask: Int
    /// What each route lets through, by its number.
    let allowances: [PathAllowances]

    /// A path that a configuration gives to a route.
    package struct Pattern: Sendable {
        let path: String
        let route: Int
        let ignoresCase: Bool
        let isSealed: Bool

        /// The pattern of the route with this number.
        ///
        /// A sealed one stands for what is behind the path of an exact route, which leads nowhere.
        package init(_ path: String, route: Int, ignoresCase: Bool = false, isSealed: Bool = false) {
            self.path = path
            self.route = route
            self.ignoresCase = ignoresCase
            self.isSealed = isSealed
        }

        var hasWildcard: Bool { SegmentedPath(path).hasWildcard }
    }

    /// What a path leads to.
    package enum Match: Equatable, Sendable {
        /// To no route.
        case none
        /// To the route with this number.
        case route(Int)
        /// Into the sealed subtree of the exact route with this number.
        case behind(Int)
    }

    private struct Entry {
        let hash: UInt64
        let start: Int32
        let count: Int32
        let route: Int32
        let isSubtree: Bool
        let ignoresCase: Bool
        let isSealed: Bool
    }

    /// Holds all patterns; `allowances` says what each route lets through, by its number.
    package init(_ list: [Pattern], allowances: [PathAllowances]) {
        var patterns: [Entry] = []
        var texts: [UInt8] = []
        for pattern in list {
            let endsInSlash = pattern.path.utf8.last == UInt8(ascii: "/")
            let text = endsInSlash ? Array(pattern.path.utf8.dropLast()) : Array(pattern.path.utf8)
            patterns.append(
                Entry(
                    hash: PathPatterns.hash(text), start: Int32(texts.count), count: Int32(text.count),
                    route: Int32(pattern.route), isSubtree: endsInSlash || pattern.isSealed,
                    ignoresCase: pattern.ignoresCase, isSealed: pattern.isSealed))
            texts += text
        }
        var size = 16
        while size < patterns.count * 4 { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        for (index, pattern) in patterns.enumerated() {
            var slot = Int(truncatingIfNeeded: pattern.hash) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(index)
        }
        let (hasCases, isWild) = (list.contains(where: \.ignoresCase), list.contains(where: \.hasWildcard))
        ignoresCase = hasCases
        hasWildcards = isWild
        isIntricate = hasCases || isWild
        wildcards = WildcardPaths(list, isEmpty: !isWild)
        longestPattern = patterns.reduce(0) { max($0, Int($1.count)) }
        mask = size - 1
        self.allowances = allowances
        self.patterns = patterns
        self.texts = texts
        self.slots = slots
    }

    /// What a canonical path leads to.
    package func find(_ path: Span<UInt8>) -> Match {
        guard !isIntricate else { return findIntricately(path) }
        return match(search(path, ignoringCase: false))
    }

    private func findIntricately(_ path: Span<UInt8>) -> Match {
        guard !hasWildcards else { return wildcards.find(path) }
        let found = search(path, ignoringCase: false)
        let other = search(path, ignoringCase: true)
        return match(other >= 0 && (found < 0 || isLonger(Int(other), than: Int(found))) ? other : found)
    }

    @inline(__always)
    private func match(_ found: Int32) -> Match {
        guard found >= 0 else { return .none }
        let route = Int(patterns[Int(found)].route)
        return patterns[Int(found)].isSealed ? .behind(route) : .route(route)
    }

    /// The path of a sealed subtree or of another pattern of this route, for the operator.
    func text(ofRoute route: Int) -> String {
        guard let pattern = patterns.first(where: { $0.route == Int32(route) }) else { return "" }
        let start = Int(pattern.start)
        return String(decoding: texts[start..<(start + Int(pattern.count))], as: UTF8.self)
    }

    /// Which pattern of those that fit in one case, or of those that fit in any.
    @inline(__always)
    private func search(_ path: Span<UInt8>, ignoringCase: Bool) -> Int32 {
        var hash = PathPatterns.seed
        var found: Int32 = -1
        // Behind the longest pattern nothing fits: what 8 KB of slashes cost must not be a lookup each.
        let telling = path.extracting(first: longestPattern &+ 1)
        var index = 0
        while index < telling.count {
            var byte = ignoringCase ? ASCII.lowercase(telling[index]) : telling[index]
            if byte == UInt8(ascii: "/") {
                let subtree = find(hash, path, count: index, isSubtree: true, ignoringCase)
                if subtree >= 0 { found = subtree }
            }
            // A loop of its own, so that what is looked up at a slash takes none of its registers.
            repeat {
                hash = (hash ^ UInt64(byte)) &* PathPatterns.prime
                index &+= 1
                guard index < telling.count else { break }
                byte = ignoringCase ? ASCII.lowercase(telling[index]) : telling[index]
            } while byte != UInt8(ascii: "/")
        }
        guard path.count <= longestPattern else { return found }
        let exact = find(hash, path, count: path.count, isSubtree: false, ignoringCase)
        if exact >= 0 { return exact }
        let subtree = find(hash, path, count: path.count, isSubtree: true, ignoringCase)
        return subtree >= 0 ? subtree : found
    }

    /// An exact pattern and a subtree's own path are equally long; the exact one is meant.
    private func isLonger(_ one: Int, than other: Int) -> Bool {
        patterns[one].count > patterns[other].count
            || patterns[one].count == patterns[other].count && !patterns[one].isSubtree
    }

    private func find(
        _ hash: UInt64, _ path: Span<UInt8>, count: Int, isSubtree: Bool, _ ignoringCase: Bool
    ) -> Int32 {
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] >= 0 {
            let pattern = patterns[Int(slots[slot])]
            if pattern.hash == hash, pattern.isSubtree == isSubtree, pattern.ignoresCase == ignoringCase,
                Int(pattern.count) == count
            {
                let start = Int(pattern.start)
                let text = texts.span.extracting(start..<(start &+ count))
                let beginning = path.extracting(first: count)
                let isSame = ignoringCase ? ASCII.equalsIgnoringCase(text, beginning) : text.isEqual(to: beginning)
                if isSame { return slots[slot] }
            }
            slot = (slot &+ 1) & mask
        }
        return -1
    }

    // FNV-1a, 64 bits: the patterns are the operator's, so nobody can choose colliding ones.
    private static let seed: UInt64 = 0xcbf2_9ce4_8422_2325
    private static let prime: UInt64 = 0x0000_0100_0000_01b3

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(seed) { ($0 ^ UInt64($1)) &* prime }
    }
}
