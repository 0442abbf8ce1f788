import ProxyProtocol
import TestTraits
import Testing

@Suite struct `a block that is sent` {
    private static let ipv6: ProxyHeader.Client = .ipv6(0x2001_0DB8_0000_0000_0000_0000_0000_0009)

    @Test(.holds("ECO-77")) func `has both addresses and both ports`() {
        let block = SentHeader.block(
            from: .init(.ipv4(0xCB00_7109), port: 0x1267), to: .init(.ipv4(0xC633_6401), port: 0x01BB))
        #expect(block == Block().bytes)
    }

    @Test(.holds("ECO-77")) func `has those of IPv6 too`() {
        let block = SentHeader.block(
            from: .init(Self.ipv6, port: 0x1267), to: .init(.ipv6(1), port: 0x01BB))
        #expect(block.count == 16 + 36)
        #expect(block[13] == 0x21)
        #expect(Array(block[16..<32]) == Array(Block.ipv6[0..<16]))
        #expect(Array(block[32..<48]) == [UInt8](repeating: 0, count: 15) + [1])
        #expect(Array(block[48...]) == [0x12, 0x67, 0x01, 0xBB])
    }

    @Test(.holds("ECO-77")) func `of two families is one of IPv6, with the other's addresses mapped`() {
        let block = SentHeader.block(
            from: .init(.ipv4(0xCB00_7109), port: 1), to: .init(Self.ipv6, port: 2))
        #expect(block[13] == 0x21)
        #expect(
            Array(block[16..<32]) == [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 0xCB, 0x00, 0x71, 0x09])
    }

    @Test(.holds("ECO-77")) func `says that it is somebody's connection where no address is known`() {
        for (client, reached) in [
            (ProxyHeader.Client.unsaid, ProxyHeader.Client.ipv4(1)), (.ipv4(1), .unsaid), (.unsaid, .unsaid),
        ] {
            let block = SentHeader.block(from: .init(client, port: 1), to: .init(reached, port: 2))
            #expect(block == Block(command: 0x21, family: 0, rest: []).bytes)
        }
    }

    @Test(.holds("ECO-77")) func `of a connection of ours names nobody`() {
        #expect(SentHeader.own == Block(command: 0x20, family: 0, rest: []).bytes)
    }

    @Test(.holds("ECO-77")) func `is read as it was meant`() throws {
        for address in [ProxyHeader.Client.ipv4(0xCB00_7109), Self.ipv6] {
            let block = SentHeader.block(from: .init(address, port: 1), to: .init(address, port: 2))
            let header = try #require(try ProxyHeader.read(block.span))
            #expect(header.client == address)
            #expect(header.length == block.count)
        }
    }
}
