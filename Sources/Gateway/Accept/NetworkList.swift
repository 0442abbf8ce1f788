import Fetch

/// Networks that are trusted with something, such as with the Client-Cert field (MTLS-07).
///
/// An IPv4 client of a socket that takes both families is compared as the IPv4 address it is. Allocates nothing once
/// it is made.
package struct NetworkList: Sendable, Equatable {
    private let blocks: [AddressBlock]
    private let hasUnixPeers: Bool

    /// What stands for the clients of Unix sockets in a list of networks.
    package static let unixWord = "unix"

    /// Blocks such as `10.0.0.0/8` and `fd00::/8`, single addresses, or the word `unix`; nil when one of them is none.
    ///
    /// An empty list contains no address.
    package init?(_ networks: [String]) {
        var blocks: [AddressBlock] = []
        for network in networks where network != NetworkList.unixWord {
            guard let block = AddressBlock(network) else { return nil }
            blocks.append(block)
        }
        self.blocks = blocks
        hasUnixPeers = networks.contains(NetworkList.unixWord)
    }

    /// Whether a peer is in one of the networks.
    func contains(_ peer: PeerAddress) -> Bool {
        if peer.isUnix { return hasUnixPeers }
        guard !blocks.isEmpty else { return false }
        let address = peer.address
        return blocks.contains { $0.contains(address) }
    }
}

extension PeerAddress {
    fileprivate var address: IPAddress {
        if isIPv6 {
            let (high, low) = (UInt64(bigEndian: octets.0), UInt64(bigEndian: octets.1))
            return IPAddress(ipv6: UInt128(high) << 64 | UInt128(low))
        }
        return IPAddress(ipv4: UInt32(bigEndian: UInt32(truncatingIfNeeded: octets.0)))
    }
}
