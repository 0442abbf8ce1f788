/// What an address is for, after the special-purpose registries of IANA (RFC 6890) and RFC 4291.
enum AddressClass: Sendable, Hashable, CaseIterable {
    /// The only class that a URL from outside may lead to.
    case publicUnicast
    case unspecified
    case loopback
    case linkLocal
    case privateUse
    /// Carrier-grade NAT (RFC 6598): inside a provider, a cluster or an overlay network.
    case sharedUse
    case multicast
    /// Documentation, benchmarking, reserved, and tunnels whose far end nobody can tell.
    case reserved

    /// The class of `address`, or of the IPv4 address that a translator would make of it.
    init(_ address: IPAddress) {
        switch address.family {
        case .ipv4: self = AddressClass.ofIPv4(UInt32(truncatingIfNeeded: address.bits))
        case .ipv6: self = AddressClass.ofIPv6(address.bits)
        }
    }

    private static func ofIPv4(_ bits: UInt32) -> AddressClass {
        let (a, b, c) = (bits >> 24, bits >> 16 & 0xFF, bits >> 8 & 0xFF)
        switch (a, b, c) {
        case (0, _, _): return .unspecified  // "this network", which Linux connects to itself
        case (10, _, _), (172, 16...31, _), (192, 168, _): return .privateUse
        case (100, 64...127, _): return .sharedUse
        case (127, _, _): return .loopback
        case (169, 254, _): return .linkLocal  // clouds answer with credentials here
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 51, 100), (203, 0, 113), (198, 18...19, _): return .reserved
        case (224...239, _, _): return .multicast
        case (240..., _, _): return .reserved
        default: return .publicUnicast
        }
    }

    private static func ofIPv6(_ bits: UInt128) -> AddressClass {
        if bits == 0 { return .unspecified }
        if bits == 1 { return .loopback }
        let top = UInt16(truncatingIfNeeded: bits >> 112)
        let second = UInt16(truncatingIfNeeded: bits >> 96)
        switch top {
        case 0x0064 where second == 0xFF9B:
            // RFC 6052 §2.1: a NAT64 connects to the IPv4 address in the last 32 bits. Other forms of the prefix
            // (RFC 8215) are a network's own.
            let isWellKnown = (bits >> 32) & 0xFFFF_FFFF_FFFF_FFFF == 0
            return isWellKnown ? ofIPv4(UInt32(truncatingIfNeeded: bits)) : .reserved
        case 0x2001 where second < 0x0200, 0x2001 where second == 0x0DB8: return .reserved  // Teredo, ORCHID, examples
        case 0x2002: return ofIPv4(UInt32(truncatingIfNeeded: bits >> 80))  // 6to4, RFC 3056 §2
        case 0x3FFF where second < 0x1000: return .reserved  // examples, RFC 9637
        case 0x2000...0x3FFF: return .publicUnicast
        case 0xFC00...0xFDFF: return .privateUse
        case 0xFE80...0xFEBF: return .linkLocal
        case 0xFEC0...0xFEFF: return .privateUse  // site-local, RFC 3879
        case 0xFF00...0xFFFF: return .multicast
        default: return .reserved  // IPv4-compatible, discard-only, and all that RFC 4291 §2.4 has not assigned
        }
    }
}
