import RESP
import StoreLink

@testable import StoreClient

/// What a server of the shared store says of where the others are: a cluster's map, or the word of a Sentinel.
enum ClusterMapFuzzer {
    private static let asked = LinkServer.Place.address(host: "asked", port: 6379)

    static func attempt(_ input: [UInt8]) -> Outcome {
        var reader = ReplyReader()
        guard let count = try? reader.advance(input.span), count == input.count, let reply = Reply(input.span)
        else { return .refused }
        if let place = SentinelAnswer.place(reply, asked: asked) {
            check(place)
            return .accepted
        }
        guard let map = ClusterMap(reply, asked: asked) else { return .refused }
        var table = NodeTable(isCluster: true)
        for range in map.ranges {
            hold(range.first >= 0 && range.first <= range.last && range.last < HashSlot.count, "a range has slots")
            check(range.place)
            _ = table.enter(range.place)
        }
        hold(table.places.count <= NodeTable.limit, "there is a bound on servers")
        _ = table.take(map, keeping: { _ in false })
        for range in map.ranges {
            let owner = table.owner(of: range.first)
            hold(owner == nil || table.places[owner ?? 0] != nil, "who has a slot is there")
        }
        let gone = table.take(map, keeping: { _ in false })
        hold(gone.isEmpty, "the same map again changes nothing")
        return .accepted
    }

    /// A host is a name or an address, and nothing that could be more than that in a log or a lookup.
    private static func check(_ place: LinkServer.Place) {
        guard case .address(let host, let port) = place else { return hold(false, "a server has an address") }
        let isName = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x3A, 0x5F].contains(byte)
        }
        hold(port > 0 && isName && (1...253).contains(host.utf8.count), "a host is a name, and a port is one")
    }
}
