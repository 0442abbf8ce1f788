import Bytes

/// The paths of a host's routes where some of them have wildcards, searched without allocating or counting a reference.
///
/// A `*` in the place of a whole segment stands for one segment, whatever it is, but for an empty one and for dots. Of the paths
/// that fit, the segments are compared from the left: a literal one comes before `*`, and then the longer path before the
/// shorter one. Without wildcards that is the longest path.
///
/// The segments make a tree, whose nodes are looked up one by one: from each to its literal child, and only where nothing fits
/// below that, to the one behind `*`. A path comes to each node once at most, so no path costs more than the tree is large.
struct WildcardPaths: ~Copyable, Sendable {
    private struct Node {
        /// The node behind `*`; -1 for none.
        var wildcard: Int32 = -1
        /// What the path of the node itself leads to, and what is behind it; a sealed subtree takes no more than the latter.
        var itself = PathPatterns.Match.none
        var behind = PathPatterns.Match.none
    }

    /// A literal segment below a node.
    private struct Edge {
        let hash: UInt64
        let parent: Int32
        let start: Int32
        let count: Int32
        let child: Int32
    }

    private var nodes: [Node] = [Node()]
    private var edges: [Edge] = []
    private var texts: [UInt8] = []
    private var slots: [Int32] = []
    private var mask = 0
    /// No literal segment is longer: of one that is, not even the hash is taken.
    private var longestSegment = 0
    /// All of them fit in any case: they are in lower case.
    private let ignoresCase: Bool

    /// Holds all of them, or none; all take notice of case, or none does.
    init(_ list: [PathPatterns.Pattern], isEmpty: Bool) {
        ignoresCase = list.contains(where: \.ignoresCase)
        guard !isEmpty else { return }
        var children: [Int32: [Substring: Int32]] = [:]
        for pattern in list {
            let path = SegmentedPath(pattern.path)
            var node: Int32 = 0
            for segment in path.segments {
                if segment == SegmentedPath.wildcard {
                    if nodes[Int(node)].wildcard < 0 {
                        nodes[Int(node)].wildcard = Int32(nodes.count)
                        nodes.append(Node())
                    }
                    node = nodes[Int(node)].wildcard
                } else if let child = children[node]?[segment] {
                    node = child
                } else {
                    let child = Int32(nodes.count)
                    nodes.append(Node())
                    append(segment, from: node, to: child)
                    children[node, default: [:]][segment] = child
                    node = child
                }
            }
            lead(Int(node), pattern, isSubtree: path.isSubtree)
        }
        makeSlots()
    }

    private mutating func append(_ segment: Substring, from parent: Int32, to child: Int32) {
        let bytes = Array(segment.utf8)
        edges.append(
            Edge(
                hash: WildcardPaths.hash(bytes.span, below: Int(parent), ignoringCase: false), parent: parent,
                start: Int32(texts.count), count: Int32(bytes.count), child: child))
        texts += bytes
        longestSegment = max(longestSegment, bytes.count)
    }

    /// An exact path comes before a subtree's own without its slash, and a subtree that a route names before a sealed one.
    private mutating func lead(_ node: Int, _ pattern: PathPatterns.Pattern, isSubtree: Bool) {
        if pattern.isSealed {
            if nodes[node].behind == .none { nodes[node].behind = .behind(pattern.route) }
        } else if isSubtree {
            nodes[node].behind = .route(pattern.route)
            if nodes[node].itself == .none { nodes[node].itself = .route(pattern.route) }
        } else {
            nodes[node].itself = .route(pattern.route)
        }
    }

    private mutating func makeSlots() {
        var size = 16
        while size < edges.count * 4 { size *= 2 }
        slots = [Int32](repeating: -1, count: size)
        mask = size - 1
        for (index, edge) in edges.enumerated() {
            var slot = Int(truncatingIfNeeded: edge.hash) & mask
            while slots[slot] >= 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index)
        }
    }

    /// What a canonical path leads to.
    func find(_ path: Span<UInt8>) -> PathPatterns.Match {
        guard path.isEmpty || path[0] == UInt8(ascii: "/") else { return .none }
        return find(path, below: 0, at: 0)
    }

    /// What the rest of a path leads to, from the node that its beginning led to.
    ///
    /// It calls itself only where a node has both a literal child that fits and a wildcard: no deeper than paths with wildcards
    /// are.
    private func find(_ path: Span<UInt8>, below first: Int, at beginning: Int) -> PathPatterns.Match {
        var node = first
        var index = beginning
        var fallback = PathPatterns.Match.none
        while true {
            let own = nodes[node]
            guard index < path.count else { return own.itself == .none ? fallback : own.itself }
            if own.behind != .none { fallback = own.behind }
            let start = index &+ 1
            let end = path.firstIndex(of: UInt8(ascii: "/"), from: start, to: path.count)
            let segment = path.extracting(start..<end)
            let child = child(of: node, segment)
            if own.wildcard >= 0, WildcardPaths.isName(segment) {
                if child >= 0 {
                    let found = find(path, below: child, at: end)
                    if found != .none { return found }
                }
                node = Int(own.wildcard)
            } else {
                guard child >= 0 else { return fallback }
                node = child
            }
            index = end
        }
    }

    /// Whether a segment is one that `*` stands for: to no reader nothing, or the one above it.
    private static func isName(_ segment: Span<UInt8>) -> Bool {
        guard !segment.isEmpty else { return false }
        guard segment.count <= 2, segment[0] == UInt8(ascii: ".") else { return true }
        return segment.count == 2 && segment[1] != UInt8(ascii: ".")
    }

    private func child(of node: Int, _ segment: Span<UInt8>) -> Int {
        guard segment.count <= longestSegment else { return -1 }
        let hash = WildcardPaths.hash(segment, below: node, ignoringCase: ignoresCase)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] >= 0 {
            let edge = edges[Int(slots[slot])]
            if edge.hash == hash, Int(edge.parent) == node, Int(edge.count) == segment.count {
                let start = Int(edge.start)
                let text = texts.span.extracting(start..<(start &+ segment.count))
                let isSame = ignoresCase ? ASCII.equalsIgnoringCase(text, segment) : text.isEqual(to: segment)
                if isSame { return Int(edge.child) }
            }
            slot = (slot &+ 1) & mask
        }
        return -1
    }

    // FNV-1a, as of whole paths: the segments are the operator's, so nobody can choose colliding ones.
    private static func hash(_ segment: Span<UInt8>, below node: Int, ignoringCase: Bool) -> UInt64 {
        var hash: UInt64 = (0xcbf2_9ce4_8422_2325 ^ UInt64(node)) &* 0x0000_0100_0000_01b3
        for index in segment.indices {
            let byte = ignoringCase ? ASCII.lowercase(segment[index]) : segment[index]
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return hash
    }
}
