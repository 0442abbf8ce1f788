/// Paths by their first segments: with which others one may have requests in common.
///
/// Thousands of routes are not compared each with each other when a configuration loads.
package struct NeighbouringPaths {
    private var byFirst: [Substring: [Int]] = [:]
    /// Those that begin with `*`, and the root.
    private var ofAny: [Int] = []
    private let all: [Int]

    package init(_ paths: [SegmentedPath]) {
        all = Array(paths.indices)
        for (place, path) in paths.enumerated() {
            if let first = path.firstLiteral { byFirst[first, default: []].append(place) } else { ofAny.append(place) }
        }
    }

    /// The places of all that may have a request in common with a path, its own among them, in their order.
    package func of(_ path: SegmentedPath) -> [Int] {
        guard let first = path.firstLiteral else { return all }
        return ofAny.isEmpty ? byFirst[first] ?? [] : ((byFirst[first] ?? []) + ofAny).sorted()
    }
}

extension SegmentedPath {
    fileprivate var firstLiteral: Substring? {
        segments.first.flatMap { $0 == SegmentedPath.wildcard ? nil : $0 }
    }
}
