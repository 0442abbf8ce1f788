/// A block of addresses, of IPv4 or of IPv6.
package struct AddressRange: Sendable, Hashable {
    private let start: UInt128
    private let ignoredBits: UInt128
    private let isIPv4: Bool

    /// The block that begins with this address, of 4 or 16 bytes, whose first `length` bits are those of all its addresses.
    package init(_ octets: [UInt8], length: Int) {
        // IPv4 as IPv6 maps it (RFC 4291 §2.5.5.2): one form for both.
        start = octets.reduce(octets.count == 4 ? 0xFFFF : 0) { $0 << 8 | UInt128($1) }
        ignoredBits = UInt128(octets.count * 8 - length)
        isIPv4 = start >> 32 == 0xFFFF
    }

    /// Whether an address is in the block, IPv4 as IPv6 maps it; none of the other family is.
    package func contains(_ address: UInt128) -> Bool {
        (address >> 32 == 0xFFFF) == isIPv4 && address >> ignoredBits == start >> ignoredBits
    }
}
