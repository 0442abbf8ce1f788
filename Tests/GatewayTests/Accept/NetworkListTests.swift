import TestTraits
import Testing
import Transport

@testable import Gateway

@Suite struct `lists of networks` {
    private func contains(_ networks: [String], _ peer: String) throws -> Bool {
        let list = try #require(NetworkList(networks))
        return list.contains(PeerAddress(try #require(SocketAddress(literal: peer, port: 443))))
    }

    @Test(
        .holds("MTLS-07"),
        arguments: [
            ("10.0.0.0/8", "10.0.0.0"), ("10.0.0.0/8", "10.255.255.255"), ("10.1.2.3", "10.1.2.3"),
            ("10.1.2.3/32", "10.1.2.3"), ("10.1.2.2/31", "10.1.2.3"), ("172.16.0.0/12", "172.31.255.255"),
            ("0.0.0.0/0", "203.0.113.7"), ("0.0.0.0/1", "127.255.255.255"), ("128.0.0.0/1", "128.0.0.1"),
            ("10.0.0.0/8", "::ffff:10.1.2.3"), ("::ffff:10.0.0.0/104", "10.1.2.3"), ("fd00::/8", "fdff::1"),
            ("fd00::/8", "fd00::"), ("::1", "::1"), ("::1/128", "::1"), ("2001:db8::/33", "2001:db8:7fff::1"),
            ("2001:db8:0:0:8000::/65", "2001:db8::8000:0:0:1"), ("::/0", "2001:db8::1"),
        ])
    func `a peer inside a network is trusted`(network: String, peer: String) throws {
        #expect(try contains([network], peer))
        #expect(try contains(["192.0.2.0/24", network, "2001:db8:ffff::/48"], peer))
    }

    @Test(
        .refuses("MTLS-07"),
        arguments: [
            ("10.0.0.0/8", "9.255.255.255"), ("10.0.0.0/8", "11.0.0.0"), ("10.1.2.3", "10.1.2.2"),
            ("10.1.2.3/32", "10.1.2.4"), ("10.1.2.2/31", "10.1.2.4"), ("172.16.0.0/12", "172.32.0.0"),
            ("128.0.0.0/1", "127.255.255.255"), ("10.0.0.0/8", "0.0.0.10"), ("1.2.3.4", "4.3.2.1"),
            ("10.0.0.0/8", "::ffff:11.1.2.3"), ("10.0.0.0/8", "::10.1.2.3"), ("10.0.0.0/8", "a00::"),
            ("10.0.0.0/8", "64:ff9b::10.1.2.3"), ("fd00::/8", "fc00::1"), ("fd00::/8", "::fd"), ("::1", "::2"),
            ("::1", "100::"), ("2001:db8::/33", "2001:db8:8000::1"), ("2001:db8:0:0:8000::/65", "2001:db8::1"),
            ("::/0", "203.0.113.7"), ("0.0.0.0/0", "2001:db8::1"), ("127.0.0.1", "::1"),
        ])
    func `a peer outside is not`(network: String, peer: String) throws {
        #expect(try !contains([network], peer))
        #expect(try !contains([], peer))
    }

    @Test(.holds("MTLS-07")) func `a connection without an address is in no network`() throws {
        #expect(try #require(NetworkList(["10.0.0.0/8", "::1", "127.0.0.1"])).contains(PeerAddress()) == false)
    }

    @Test(arguments: [
        "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "10.0.0.0/+8", "10.0.0.0/ 8",
        " 10.0.0.0/8", "fd00::/129", "fd00::/a", "[fd00::]/8", "fe80::1%eth0", "example.com", "/8", "010.0.0.0/8",
        "10.0.0.0/99999999999999999999",
    ])
    func `are not made of what is no network`(network: String) {
        #expect(NetworkList([network]) == nil)
        #expect(NetworkList(["10.0.0.0/8", network]) == nil)
    }
}
