import Testing

@testable import Access

@Suite struct `a block of addresses` {
    private func mapped(_ octets: UInt8...) -> UInt128 { octets.reduce(0xFFFF) { $0 << 8 | UInt128($1) } }

    @Test func `of IPv4 has its own addresses, and none of IPv6`() {
        let block = AddressRange([10, 1, 2, 0], length: 23)
        #expect(block.contains(mapped(10, 1, 2, 0)) && block.contains(mapped(10, 1, 3, 255)))
        #expect(!block.contains(mapped(10, 1, 4, 0)) && !block.contains(mapped(10, 1, 1, 255)))
        #expect(!block.contains(0x0A01_0200) && !block.contains(0x0A01_0200 << 96))
        let one = AddressRange([192, 0, 2, 7], length: 32)
        #expect(one.contains(mapped(192, 0, 2, 7)) && !one.contains(mapped(192, 0, 2, 6)))
    }

    @Test func `of IPv6 has its own addresses, and none of IPv4`() {
        let octets: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 12)
        let block = AddressRange(octets, length: 32)
        let start: UInt128 = 0x2001_0DB8 << 96
        #expect(block.contains(start) && block.contains(start | 0xFFFF))
        #expect(!block.contains(start + 1 << 96) && !block.contains(0))
        // The first half of nothing but zeros has the addresses of IPv4 in it, as IPv6 maps them.
        #expect(!AddressRange([UInt8](repeating: 0, count: 16), length: 64).contains(mapped(10, 0, 0, 1)))
        let written = AddressRange([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 0], length: 104)
        #expect(written.contains(mapped(10, 9, 9, 9)) && !written.contains(mapped(11, 0, 0, 0)))
    }
}
