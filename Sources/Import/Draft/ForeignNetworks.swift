import Configuration

/// Networks whose people needed no login.
struct ForeignNetworks: Sendable {
    private static let most = 64

    private(set) var networks: [String] = []
    /// Those that are not carried.
    private(set) var left: [String] = []

    /// Addresses and networks in CIDR notation, of which those with a proxy in them are left out: whom it does not name would
    /// have its own address, and pass.
    init(_ texts: [String], proxies: [String]) {
        for text in texts {
            let network = Self.network(text)
            let isNear = network.map { own in proxies.contains { Self.meet(own, $0) } } ?? true
            if let network, !isNear, networks.count < Self.most {
                if !networks.contains(network) { networks.append(network) }
            } else {
                left.append(text)
            }
        }
    }

    /// A network as ours are written; nil for names, for what has bits behind its length, and for everybody.
    static func network(_ text: String) -> String? {
        let isSix = text.utf8.contains(UInt8(ascii: ":"))
        let whole = text.utf8.contains(UInt8(ascii: "/")) ? text : text + (isSix ? "/128" : "/32")
        return AcceptedText.isGood(whole, for: .visitors) ? whole : nil
    }

    /// Whether two networks have an address in common; what is no IPv4 is taken to.
    private static func meet(_ one: String, _ other: String) -> Bool {
        let isSix = { (text: String) in text.utf8.contains(UInt8(ascii: ":")) }
        if isSix(one) != isSix(other) { return one.hasPrefix("::") || other.hasPrefix("::") }
        guard let (left, leftLength) = bits(one), let (right, rightLength) = bits(other) else { return true }
        let shift = UInt32(32 - min(leftLength, rightLength))
        return shift >= 32 || left >> shift == right >> shift
    }

    private static func bits(_ text: String) -> (UInt32, Int)? {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let length = Int(parts[1]), (0...32).contains(length) else { return nil }
        let octets = parts[0].split(separator: ".").compactMap { UInt8($0) }
        guard octets.count == 4 else { return nil }
        return (octets.reduce(0) { $0 << 8 | UInt32($1) }, length)
    }
}
