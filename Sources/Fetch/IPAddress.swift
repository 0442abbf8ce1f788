import Glibc

/// An address as connected to, in one form for both families.
///
/// An IPv4-mapped IPv6 address is its IPv4 address: the kernel connects both to the same host.
package struct IPAddress: Sendable, Hashable {
    /// The family decides how the bits are judged.
    enum Family: Sendable, Hashable {
        case ipv4, ipv6
    }

    let family: Family
    /// 32 or 128 bits, in network order from the top.
    let bits: UInt128

    private init(family: Family, bits: UInt128) {
        if family == .ipv6, bits >> 32 == 0xFFFF {
            self.family = .ipv4
            self.bits = bits & 0xFFFF_FFFF
        } else {
            self.family = family
            self.bits = bits
        }
    }

    /// An IPv4 address by its 32 bits.
    package init(ipv4 bits: UInt32) { self.init(family: .ipv4, bits: UInt128(bits)) }

    /// An IPv6 address by its 128 bits, or the IPv4 address that is mapped into it.
    package init(ipv6 bits: UInt128) { self.init(family: .ipv6, bits: bits) }

    /// The address that `text` spells in the usual forms; no brackets, no zone.
    ///
    /// Wraps `inet_pton`.
    init?(_ text: String) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(ipv4: UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self.init(six)
    }

    /// The address in a socket address of the internet families; nil for any other.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(UnsafeRawPointer(address).loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let four = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self.init(ipv4: UInt32(bigEndian: four.sin_addr.s_addr))
        case AF_INET6:
            let six = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self.init(six.sin6_addr)
        default: return nil
        }
    }

    private init(_ address: in6_addr) {
        let bits = withUnsafeBytes(of: address) { bytes in bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
        self.init(ipv6: bits)
    }
}

/// A block of addresses, as `10.0.0.0/8` or `fd00::/8`; without a length, one address.
package struct AddressBlock: Sendable, Hashable {
    private let first: IPAddress
    private let length: Int

    /// The block that `text` spells, or nil.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.first, let address = IPAddress(String(name)), parts.count <= 2 else { return nil }
        // A mapped block counts its length from the top of the 128 bits, of which the first 96 are the mapping.
        let mapping = address.family == .ipv4 && name.utf8.contains(UInt8(ascii: ":")) ? 96 : 0
        let width = address.family == .ipv4 ? 32 : 128
        var length = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]),
                given >= mapping, given - mapping <= width
            else { return nil }
            length = given - mapping
        }
        first = address
        self.length = length
    }

    /// Whether `address` is in the block.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.family == first.family else { return false }
        let width = address.family == .ipv4 ? 32 : 128
        let ignored = width - length
        return ignored == 128 || address.bits >> UInt128(ignored) == first.bits >> UInt128(ignored)
    }
}

extension IPAddress: CustomStringConvertible {
    /// The usual form (RFC 5952).
    ///
    /// Wraps `inet_ntop`.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isWritten = withUnsafeBytes(of: family == .ipv4 ? (bits << 96).bigEndian : bits.bigEndian) { bytes in
            inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, bytes.baseAddress, &text, socklen_t(text.count)) != nil
        }
        guard isWritten else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
