import Access
import Gateway

/// Networks in CIDR notation: `10.0.0.0/8`, `fd00::/8`.
enum NetworkText {
    /// Networks that an issuer's metadata may point into.
    static let shape = networks(
        all: "name the networks that issuers really live in; /0 would be the whole internet")

    /// Networks of TLS terminators.
    static let ofTerminators = ofPeers(
        all: "name the addresses of your TLS terminators; with /0 anybody could claim any certificate")

    /// Networks of proxies that say who their clients are.
    static let ofProxies = ofPeers(
        all: "name the addresses of your proxies; with /0 anybody could claim any address")

    /// Networks of proxies that write a header in front of each connection.
    static let ofSenders = ofPeers(
        all: "name the addresses of your proxies; with /0 anybody who connects could claim any address")

    /// Networks of whoever decides which requests are recorded.
    static let ofTracers = ofPeers(
        all: "name the addresses that may decide what is sampled; with /0 anybody could have everything recorded")

    /// Networks of whoever needs no login.
    static let ofVisitors = networks(
        all: "name the networks whose people need no login; where nobody needs one, say  public: true")

    /// The addresses of a network that fits.
    static func range(_ text: String) -> AddressRange? {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let octets = IPAddress.bytes(String(parts[0])), let length = Int(parts[1]) else {
            return nil
        }
        return AddressRange(octets, length: length)
    }

    /// Networks of whoever connects to a listener, and `unix` for the clients of a Unix socket; `all` says what /0 would
    /// do.
    static func ofPeers(all: String) -> TextShape {
        TextShape(
            expected: "a network such as 10.0.0.0/8 or fd00::/8", pattern: "^([0-9A-Fa-f:.]+/[0-9]{1,3}|unix)$"
        ) { $0 == NetworkList.unixWord ? nil : fault($0, all: all) }
    }

    private static func networks(all: String) -> TextShape {
        TextShape(
            expected: "a network such as 10.0.0.0/8 or fd00::/8", pattern: "^[0-9A-Fa-f:.]+/[0-9]{1,3}$"
        ) { fault($0, all: all) }
    }

    private static func fault(_ text: String, all: String) -> TextFault? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress.bytes(String(parts[0])), let length = Int(parts[1]),
            String(length) == parts[1], (0...address.count * 8).contains(length)
        else {
            guard let address = IPAddress.bytes(text) else {
                return TextFault(remedy: "write an address, a slash and the length of the prefix")
            }
            return TextFault(remedy: "write it as  \(text)/\(address.count * 8)  for this address alone")
        }
        guard length > 0 else {
            return TextFault(remedy: all)
        }
        guard hostBitsAreZero(address, length: length) else {
            return TextFault(remedy: "set the bits after the first \(length) to zero, or write a longer prefix")
        }
        return nil
    }

    private static func hostBitsAreZero(_ address: [UInt8], length: Int) -> Bool {
        address.enumerated().allSatisfy { index, byte in
            let networkBits = min(8, max(0, length - index * 8))
            return networkBits == 8 || byte & (0xFF >> UInt8(networkBits)) == 0
        }
    }
}
