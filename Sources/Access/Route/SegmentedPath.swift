/// A route's path by its segments, compared with others before any request comes.
package struct SegmentedPath: Sendable, Equatable {
    /// The segment that stands for any one.
    package static let wildcard: Substring = "*"
    /// Wildcards that a path may have.
    package static let mostWildcards = 8
    /// Segments that a path with wildcards may have.
    package static let mostSegments = 32

    package let segments: [Substring]
    /// It stands for all below it, and for itself.
    package let isSubtree: Bool

    package init(_ path: String) {
        isSubtree = path.hasSuffix("/")
        // In place, and not by slices of slices: of those the optimizer of Swift 6.3 released one too often (a crash at the start,
        // of the program as it is shipped alone).
        var segments = path.split(separator: "/", omittingEmptySubsequences: false)
        segments.removeFirst()
        if isSubtree { segments.removeLast() }
        self.segments = segments
    }

    package var hasWildcard: Bool { segments.contains(SegmentedPath.wildcard) }

    /// Whether a path with one slash between its segments is one that this one stands for.
    package func fits(_ path: String) -> Bool { covers(SegmentedPath(path)) }

    private static func stands(_ one: Substring, for other: Substring) -> Bool { one == wildcard || one == other }

    /// Whether all paths of another one are paths of this one too.
    func covers(_ other: SegmentedPath) -> Bool {
        guard isSubtree || !other.isSubtree && segments.count == other.segments.count else { return false }
        return segments.count <= other.segments.count && zip(segments, other.segments).allSatisfy(Self.stands)
    }

    /// Whether it comes before another one, of the paths that fit both.
    package func precedes(_ other: SegmentedPath) -> Bool {
        for (one, theirs) in zip(segments, other.segments) where one != theirs { return theirs == Self.wildcard }
        guard segments.count == other.segments.count else { return segments.count > other.segments.count }
        return !isSubtree && other.isSubtree
    }

    /// Whether there are paths that fit both, and for each of the two others that fit it alone.
    package func crosses(_ other: SegmentedPath) -> Bool {
        for (one, theirs) in zip(segments, other.segments) where one != theirs {
            guard one == Self.wildcard || theirs == Self.wildcard else { return false }
        }
        guard segments.count <= other.segments.count || other.isSubtree,
            segments.count >= other.segments.count || isSubtree
        else { return false }
        return !covers(other) && !other.covers(self)
    }

    /// Where paths of this route are that a server may take for an exact one of another's, with an argument behind it; nil
    /// where there are none, or where they are named.
    ///
    /// It is named where all that it says of the other one's path is at least as narrow.
    func taking(behind exact: SegmentedPath) -> SegmentedPath? {
        let count = exact.segments.count
        guard isSubtree || segments.count > count else { return nil }
        var sealed: [Substring] = []
        var isNamed = segments.count >= count
        var first: Bool?
        for (index, theirs) in exact.segments.enumerated() {
            guard index < segments.count, segments[index] != theirs else {
                sealed.append(theirs)
                continue
            }
            guard segments[index] == Self.wildcard || theirs == Self.wildcard else { return nil }
            if segments[index] == Self.wildcard { isNamed = false }
            first = first ?? (theirs == Self.wildcard)
            sealed.append(theirs == Self.wildcard ? segments[index] : theirs)
        }
        // Then the path itself is this route's, and not the other's.
        let takesItself = segments.count <= count && first == true
        return isNamed || takesItself ? nil : SegmentedPath(segments: sealed)
    }

    private init(segments: [Substring]) {
        self.segments = segments
        isSubtree = false
    }

    var text: String { "/" + segments.joined(separator: "/") + (isSubtree && !segments.isEmpty ? "/" : "") }
}
