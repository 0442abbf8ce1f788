import RESP
import StoreLink

/// Which server is asked about which key: one for all of them, or of a cluster one for each slot.
///
/// A value: what servers say of each other comes in, and nothing is opened or closed here. Servers may say anything, so
/// there is a bound on how many are believed in.
struct NodeTable {
    /// A place in the table; it may be another server's later on.
    typealias Node = Int

    /// Servers that are believed in at most.
    static let limit = 256

    /// Where each node is; nil where a place is free.
    private(set) var places: [LinkServer.Place?] = []
    private var known: [LinkServer.Place: Node] = [:]
    /// By slot, one more than the node that has it, and 0 where none is known; empty where one node has all of them.
    private var owners: [UInt16] = []
    /// The node that has all slots.
    private(set) var primary: Node?

    /// A table that knows no server.
    init(isCluster: Bool) {
        if isCluster { owners = [UInt16](repeating: 0, count: HashSlot.count) }
    }

    var isCluster: Bool { !owners.isEmpty }

    /// The node that has a slot.
    func owner(of slot: Int) -> Node? {
        guard isCluster else { return primary }
        guard owners.indices.contains(slot), owners[slot] > 0 else { return nil }
        return Int(owners[slot]) - 1
    }

    /// The node at a place.
    func node(at place: LinkServer.Place) -> Node? { known[place] }

    /// The nodes there are.
    var nodes: [Node] { places.indices.filter { places[$0] != nil } }

    /// The node at a place, which is entered when it is new; nil when there are too many.
    mutating func enter(_ place: LinkServer.Place) -> Node? {
        if let node = known[place] { return node }
        guard known.count < NodeTable.limit else { return nil }
        let node = places.firstIndex(of: nil) ?? places.count
        if node == places.count { places.append(place) } else { places[node] = place }
        known[place] = node
        return node
    }

    /// Has all keys asked of this node.
    mutating func makePrimary(_ node: Node) { primary = node }

    /// One slot is at this node from now on.
    mutating func assign(_ slot: Int, to node: Node) {
        guard owners.indices.contains(slot) else { return }
        owners[slot] = UInt16(node + 1)
    }

    /// Takes a whole map of nodes that were entered; those that have nothing any more, whose places are free, but for those
    /// that are kept.
    ///
    /// What the map leaves out nobody serves: keys there are refused, and those of other slots are not. Where ranges overlap,
    /// the last one counts.
    mutating func take(_ map: ClusterMap, keeping kept: (Node) -> Bool) -> [Node] {
        var owners = [UInt16](repeating: 0, count: HashSlot.count)
        var isUsed = [Bool](repeating: false, count: places.count)
        for range in map.ranges {
            guard let node = known[range.place] else { continue }
            for slot in range.first...range.last { owners[slot] = UInt16(node + 1) }
        }
        for owner in owners where owner > 0 { isUsed[Int(owner) - 1] = true }
        self.owners = owners
        let gone = nodes.filter { !isUsed[$0] && !kept($0) }
        for node in gone { free(node) }
        return gone
    }

    /// A node is no more.
    mutating func remove(_ node: Node) {
        guard places.indices.contains(node) else { return }
        free(node)
        if primary == node { primary = nil }
        for slot in owners.indices where owners[slot] == UInt16(node + 1) { owners[slot] = 0 }
    }

    private mutating func free(_ node: Node) {
        if let place = places[node] { known[place] = nil }
        places[node] = nil
    }
}

/// Which primaries a cluster says that it has (`CLUSTER SLOTS`).
struct ClusterMap: Equatable {
    /// Slots that follow each other, and who has them.
    struct Range: Equatable {
        let first: Int
        let last: Int
        let place: LinkServer.Place
    }

    private(set) var ranges: [Range]

    /// The map of this slot alone.
    func only(_ slot: Int) -> ClusterMap {
        var map = self
        map.ranges = ranges.filter { ($0.first...$0.last).contains(slot) }
        return map
    }

    /// Reads the answer of the node at `asked`, which may leave out its own address; nil for what is no map.
    init?(_ reply: borrowing Reply, asked: LinkServer.Place) {
        guard reply.kind == .array else { return nil }
        var ranges: [Range] = []
        var elements = reply.elements
        while let element = elements.next() {
            guard element.kind == .array else { return nil }
            var parts = element.elements
            guard let first = parts.next(), let last = parts.next(), let primary = parts.next(),
                first.kind == .integer, last.kind == .integer, first.integer <= last.integer,
                (0..<HashSlot.count).contains(first.integer), (0..<HashSlot.count).contains(last.integer),
                let place = ClusterMap.place(primary, asked: asked)
            else { return nil }
            ranges.append(Range(first: first.integer, last: last.integer, place: place))
        }
        self.ranges = ranges
    }

    private static func place(_ node: borrowing Reply, asked: LinkServer.Place) -> LinkServer.Place? {
        guard node.kind == .array else { return nil }
        var parts = node.elements
        guard let host = parts.next(), let port = parts.next(), port.kind == .integer,
            let number = UInt16(exactly: port.integer), number > 0
        else { return nil }
        return AnnouncedPlace.place(host.kind == .null ? Span() : host.bytes, port: number, asked: asked)
    }
}

/// Where a server says that another one is.
enum AnnouncedPlace {
    /// The place; nil for a host that is none.
    ///
    /// An empty host, or `?`, is the one that was asked.
    static func place(_ host: Span<UInt8>, port: UInt16, asked: LinkServer.Place) -> LinkServer.Place? {
        if host.isEmpty || (host.count == 1 && host[0] == UInt8(ascii: "?")) {
            guard case .address(let host, _) = asked else { return nil }
            return .address(host: host, port: port)
        }
        guard host.count <= 253 else { return nil }
        var text = ""
        for index in host.indices {
            let byte = host[index]
            let isName = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            guard isName || byte == 0x2D || byte == 0x2E || byte == 0x3A || byte == 0x5F else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return .address(host: text, port: port)
    }
}
