import TestSupport
import TestTraits
import Testing
import Transport

@testable import Gateway

@Suite struct `a client's address` {
    private func text(_ address: PeerAddress) -> String {
        var buffer = [UInt8](repeating: 0x2A, count: 64)
        let count = buffer.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { address.write(into: $0) } ?? 0
        }
        #expect(buffer[46...].allSatisfy { $0 == 0x2A }, "no more than 46 bytes are touched")
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    @Test func `is written as the library writes it, for every octet in every place`() throws {
        for octet in 0...255 {
            for parts in [[octet, 1, 2, 3], [9, octet, 99, 100], [10, 200, octet, 0], [255, 0, 109, octet]] {
                let literal = parts.map { "\($0)" }.joined(separator: ".")
                let address = try #require(SocketAddress(literal: literal, port: UInt16(octet) + 1))
                let peer = PeerAddress(address)
                #expect(text(peer) == literal)
                #expect(text(peer) == address.host)
                #expect(peer.port == UInt16(octet) + 1)
                #expect(!peer.isIPv6)
            }
        }
    }

    @Test(arguments: [
        "::", "::1", "2001:db8::1", "fe80::1:2:3:4", "1:2:3:4:5:6:7:8", "::fffe:192.0.2.1", "64:ff9b::192.0.2.33",
        "2001:DB8:0:0:1:0:0:1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1::", "0:0:0:1::",
    ])
    func `is written as the library writes it, of version 6`(literal: String) throws {
        let address = try #require(SocketAddress(literal: literal, port: 65_535))
        let peer = PeerAddress(address)
        #expect(text(peer) == address.host)
        #expect(peer.port == 65_535)
        #expect(peer.isIPv6)
    }

    @Test(.holds("HTTP-66")) func `is one client's, whichever version it is written in`() throws {
        let mapped = PeerAddress(try #require(SocketAddress(literal: "::ffff:192.0.2.1", port: 9)))
        let plain = PeerAddress(try #require(SocketAddress(literal: "192.0.2.1", port: 9)))
        #expect(text(mapped) == "192.0.2.1" && !mapped.isIPv6 && mapped.networkWords == plain.networkWords)
        // 32.1.13.184 has the bytes that 2001:db8::/32 begins with.
        let four = PeerAddress(try #require(SocketAddress(literal: "32.1.13.184", port: 9)))
        let six = PeerAddress(try #require(SocketAddress(literal: "2001:db8::1", port: 9)))
        #expect(four.networkWords != six.networkWords)
        let neighbour = PeerAddress(try #require(SocketAddress(literal: "2001:db8::2:0:0:1", port: 9)))
        #expect(neighbour.networkWords == six.networkWords)
    }

    @Test func `is written as the library writes it, of version 6 at random`() throws {
        var numbers = Numbers(seed: 6)
        for _ in 0..<500 {
            let literal = (0..<8).map { _ in numbers.below(2) == 0 ? "0" : String(numbers.below(65_536), radix: 16) }
                .joined(separator: ":")
            let address = try #require(SocketAddress(literal: literal, port: 1))
            #expect(text(PeerAddress(address)) == address.host, "\(literal)")
        }
    }

    @Test func `takes little room in every connection`() { #expect(MemoryLayout<PeerAddress>.size <= 24) }
}
