import Bytes
import RESP
import StoreLink
import TestTraits
import Testing

@testable import StoreClient

/// What a cluster says of itself, and what becomes of it.
@Suite struct `a cluster's map` {
    private static let asked = LinkServer.Place.address(host: "10.0.0.9", port: 7000)

    private func place(_ host: String, _ port: UInt16 = 7000) -> LinkServer.Place { .address(host: host, port: port) }

    private func map(_ text: String, asked: LinkServer.Place = asked) -> ClusterMap? {
        let bytes = Array(text.utf8)
        guard let reply = Reply(bytes.span) else { return nil }
        return ClusterMap(reply, asked: asked)
    }

    @Test(.holds("SH-04")) func `has the first server of each range, whatever stands behind it`() {
        let text = Wire.array([
            Wire.array([
                ":0\r\n", ":5460\r\n",
                Wire.array([Wire.bulk("10.0.0.1"), ":7000\r\n", Wire.bulk("name"), "*0\r\n"]),
                Wire.array([Wire.bulk("10.0.0.2"), ":7000\r\n"]),
            ]),
            Wire.range(5461, 16_383, "fe80::1", 7001),
        ])
        #expect(
            map(text)?.ranges == [
                .init(first: 0, last: 5460, place: place("10.0.0.1")),
                .init(first: 5461, last: 16_383, place: place("fe80::1", 7001)),
            ])
        #expect(map("*0\r\n")?.ranges.isEmpty == true)
    }

    @Test(arguments: ["", "?"]) func `has the server that was asked where one has no name`(host: String) {
        #expect(map(Wire.array([Wire.range(1, 2, host, 7)]))?.ranges.first?.place == place("10.0.0.9", 7))
        let null = Wire.array([Wire.array([":1\r\n", ":2\r\n", Wire.array(["$-1\r\n", ":7\r\n"])])])
        #expect(map(null)?.ranges.first?.place == place("10.0.0.9", 7))
        #expect(map(null, asked: .unixSocket(path: "/s")) == nil)
    }

    @Test(
        .refuses("SH-04"),
        arguments: [
            (-1, 1, "a", 1), (0, 16_384, "a", 1), (5, 4, "a", 1), (0, Int.max, "a", 1), (Int.min, 0, "a", 1),
            (0, 1, "a", 0), (0, 1, "a", -1), (0, 1, "a", 65_536), (0, 1, "a b", 1), (0, 1, "a\0", 1), (0, 1, "a/b", 1),
            (0, 1, "a@b", 1), (0, 1, "ä", 1), (0, 1, "a\n", 1), (0, 1, String(repeating: "a", count: 254), 1),
        ])
    func `is none with a slot, a port or a host that cannot be`(first: Int, last: Int, host: String, port: Int) {
        let text = Wire.array([
            Wire.range(0, 1, "10.0.0.1", 7000),
            Wire.array([":\(first)\r\n", ":\(last)\r\n", Wire.array([Wire.bulk(host), ":\(port)\r\n"])]),
        ])
        #expect(map(text) == nil)
    }

    @Test func `leaves slots without a server that it does not name, and the last of two ranges counts`() throws {
        var table = NodeTable(isCluster: true)
        let (first, second) = (table.enter(place("a")), table.enter(place("b")))
        let ranges = [
            Wire.range(0, 100, "a", 7000), Wire.range(50, 60, "b", 7000), Wire.range(200, 300, "stranger", 1),
        ]
        let overlapping = try #require(map(Wire.array(ranges)))
        let gone = table.take(overlapping, keeping: { _ in false })
        #expect(gone.isEmpty)
        #expect(table.owner(of: 49) == first && table.owner(of: 50) == second && table.owner(of: 61) == first)
        #expect(table.owner(of: 101) == nil && table.owner(of: 250) == nil)
        #expect(table.owner(of: -1) == nil && table.owner(of: 16_384) == nil)
    }
}

/// Which server is asked about which key.
@Suite struct `a table of servers` {
    private func place(_ number: Int) -> LinkServer.Place { .address(host: "host\(number)", port: 1) }

    @Test func `asks one server about everything where it is no cluster`() {
        var table = NodeTable(isCluster: false)
        #expect(table.owner(of: 5) == nil)
        guard let node = table.enter(place(1)) else {
            Issue.record("no place")
            return
        }
        table.makePrimary(node)
        #expect(table.owner(of: 5) == node && table.owner(of: 16_383) == node)
        table.assign(5, to: node)
        table.remove(node)
        #expect(table.owner(of: 5) == nil && table.nodes.isEmpty)
    }

    @Test(.refuses("SH-04")) func `believes in no more servers than the limit, however many are named`() {
        var table = NodeTable(isCluster: true)
        let nodes = (0..<100_000).compactMap { table.enter(place($0)) }
        #expect(nodes == Array(0..<NodeTable.limit))
        #expect(table.places.count == NodeTable.limit)
        table.remove(7)
        let last = [500_000, 500_000, 500_001].map { table.enter(place($0)) }
        #expect(last == [7, 7, nil])
    }

    @Test func `forgets who has no slot, but for who is kept`() throws {
        var table = NodeTable(isCluster: true)
        for number in 0..<4 { _ = table.enter(place(number)) }
        table.assign(16_383, to: 0)
        table.assign(16_384, to: 0)
        table.assign(-1, to: 0)
        #expect(table.owner(of: 16_383) == 0)
        let map = try #require(clusterMap([Wire.range(3, 4, "host1", 1)]))
        let gone = table.take(map, keeping: { $0 == 2 })
        #expect(gone == [0, 3])
        #expect(table.nodes == [1, 2] && table.owner(of: 3) == 1 && table.owner(of: 16_383) == nil)
    }

    @Test func `takes a map of many ranges in no time`() throws {
        var table = NodeTable(isCluster: true)
        for number in 0..<NodeTable.limit { _ = table.enter(place(number)) }
        let ranges = (0..<16_384).map { Wire.range($0, $0, "host\($0 % NodeTable.limit)", 1) }
        let map = try #require(clusterMap(ranges))
        let began = ContinuousClock.now
        _ = table.take(map, keeping: { _ in false })
        #expect(ContinuousClock.now - began < .milliseconds(500))
        #expect(table.owner(of: 16_383) == 16_383 % NodeTable.limit)
    }
}

private func clusterMap(_ ranges: [String]) -> ClusterMap? {
    let bytes = Array(Wire.array(ranges).utf8)
    guard let reply = Reply(bytes.span) else { return nil }
    return ClusterMap(reply, asked: .address(host: "asked", port: 1))
}
