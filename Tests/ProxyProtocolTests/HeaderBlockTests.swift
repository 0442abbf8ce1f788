import ProxyProtocol
import TestSupport
import TestTraits
import Testing

/// A block as senders write it.
struct Block {
    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    static let ipv4: [UInt8] = [203, 0, 113, 9, 198, 51, 100, 1, 0x12, 0x67, 0x01, 0xBB]
    static let ipv6: [UInt8] = [
        0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x12, 0x67, 0x01, 0xBB,
    ]

    var command: UInt8 = 0x21
    var family: UInt8 = 0x11
    var rest = Block.ipv4

    var bytes: [UInt8] {
        Self.signature + [command, family, UInt8(rest.count >> 8), UInt8(truncatingIfNeeded: rest.count)] + rest
    }

    /// The same with a value behind the addresses.
    func with(_ type: UInt8, _ value: [UInt8]) -> Block {
        Block(command: command, family: family, rest: rest + Self.value(type, value))
    }

    static func value(_ type: UInt8, _ value: [UInt8]) -> [UInt8] {
        [type, UInt8(value.count >> 8), UInt8(truncatingIfNeeded: value.count)] + value
    }

    /// The same with a checksum, by the table of another implementation.
    var withChecksum: Block {
        let zeros = with(0x03, [0, 0, 0, 0])
        let sum = Checksum.of(zeros.bytes)
        return with(0x03, (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) })
    }
}

/// CRC-32C by a table, as another reader has it.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
    }

    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}

@Suite struct `a block of the PROXY protocol` {
    private static let unix = [UInt8](repeating: 0x2F, count: 216)

    private static let taken: [(String, Block, ProxyHeader.Client)] = [
        ("IPv4", Block(), .ipv4(0xCB00_7109)),
        ("IPv6", Block(family: 0x21, rest: Block.ipv6), .ipv6(0x2001_0DB8_0000_0000_0000_0000_0000_0009)),
        // A path at the sender's machine makes nobody a client of a Unix socket here.
        ("a Unix socket", Block(family: 0x31, rest: unix), .unsaid),
        ("an unknown protocol", Block(family: 0x00, rest: []), .unsaid),
        ("LOCAL", Block(command: 0x20, family: 0x00, rest: []), .unsaid),
        ("LOCAL with addresses", Block(command: 0x20), .unsaid),
        ("LOCAL with what is no value", Block(command: 0x20, family: 0x77, rest: [3, 255, 255]), .unsaid),
        ("a value of an unknown type", Block().with(0xE5, [1, 2, 3]), .ipv4(0xCB00_7109)),
        ("an empty value", Block().with(0x04, []), .ipv4(0xCB00_7109)),
        ("a name", Block().with(0x02, Array("shop.example.com".utf8)), .ipv4(0xCB00_7109)),
        (
            "a name in a certificate",
            Block().with(0x20, [1, 0, 0, 0, 0] + Block.value(0x22, Array("10.0.0.1".utf8))), .ipv4(0xCB00_7109)
        ),
        ("TLS without values", Block().with(0x20, [0, 0, 0, 0, 1]), .ipv4(0xCB00_7109)),
        ("a checksum", Block().withChecksum, .ipv4(0xCB00_7109)),
        ("a checksum behind others", Block().with(0xE0, [7]).withChecksum, .ipv4(0xCB00_7109)),
        ("as many bytes as there may be", Block().with(0x04, [UInt8](repeating: 0, count: 4081)), .ipv4(0xCB00_7109)),
    ]

    @Test(.holds("ECO-76"), arguments: taken.indices) func `says whose connection it is`(index: Int) throws {
        let (name, block, client) = Self.taken[index]
        let bytes = block.bytes
        let found = try #require(try header(bytes), "\(name)")
        #expect(found.client == client, "\(name)")
        #expect(found.length == bytes.count)
        #expect(found.length <= ProxyHeader.mostBytes)
        for cut in bytes.indices where bytes.count < 400 || cut < 40 || cut % 97 == 0 {
            #expect(try header(Array(bytes[..<cut])) == nil, "\(cut) bytes of \(name) are no header yet")
        }
        #expect(outcome(of: bytes.map { [$0] }) == .success(found), "\(name)")
        #expect(try header(bytes + bytes) == found, "what is behind it is the client's")
    }

    private static let refused: [(String, [UInt8], ProxyHeaderRefusal)] = [
        ("a request behind an empty line", Array("\r\nGET /".utf8), .noHeader),
        ("another signature", [0x0D, 0x0A, 0x0D, 0x0A, 0x01], .noHeader),
        ("version 1", Block(command: 0x11).bytes, .versionUnknown),
        ("version 3", Block(command: 0x31).bytes, .versionUnknown),
        ("a command that there is none of", Block(command: 0x22).bytes, .commandUnknown),
        ("datagrams", Block(family: 0x12).bytes, .familyUnknown),
        ("datagrams of IPv6", Block(family: 0x22, rest: Block.ipv6).bytes, .familyUnknown),
        ("datagrams of a Unix socket", Block(family: 0x32, rest: unix).bytes, .familyUnknown),
        ("no transport", Block(family: 0x10).bytes, .familyUnknown),
        ("an unknown family", Block(family: 0x41).bytes, .familyUnknown),
        (
            "more bytes than there may be",
            Array(Block(rest: Block.ipv4 + .init(repeating: 0, count: 4085)).bytes.prefix(16)), .tooLarge
        ),
        ("LOCAL with more bytes than there may be", Block.signature + [0x20, 0, 0x10, 0x01], .tooLarge),
        ("addresses that are cut", Block(rest: Array(Block.ipv4.dropLast())).bytes, .addressesCut),
        ("IPv4 for IPv6", Block(family: 0x21).bytes, .addressesCut),
        ("no path", Block(family: 0x31).bytes, .addressesCut),
        ("part of a value's length", Block(rest: Block.ipv4 + [0x04, 0]).bytes, .valueCut),
        ("a value that ends behind the header", Block(rest: Block.ipv4 + [0x04, 0, 2, 0]).bytes, .valueCut),
        ("a value as long as there can be", Block(rest: Block.ipv4 + [0x04, 0xFF, 0xFF, 0]).bytes, .valueCut),
        (
            "a value inside TLS that ends behind it",
            Block().with(0x20, [1, 0, 0, 0, 0, 0x22, 0, 9, 1]).with(0x04, .init(repeating: 0, count: 9)).bytes,
            .valueCut
        ),
        ("part of a value inside TLS", Block().with(0x20, [1, 0, 0, 0, 0, 0x22]).bytes, .valueCut),
        ("TLS without its five bytes", Block().with(0x20, [1, 0, 0, 0]).bytes, .valueMalformed),
        ("TLS twice", Block().with(0x20, [1, 0, 0, 0, 0]).with(0x20, [1, 0, 0, 0, 0]).bytes, .valueRepeated),
        ("no name", Block().with(0x02, []).bytes, .valueMalformed),
        ("a name too long", Block().with(0x02, .init(repeating: 0x61, count: 256)).bytes, .valueMalformed),
        ("a name with a line feed", Block().with(0x02, Array("a\nb".utf8)).bytes, .valueMalformed),
        ("two names", Block().with(0x02, [0x61]).with(0x02, [0x62]).bytes, .valueRepeated),
        ("a checksum of three bytes", Block().with(0x03, [0, 0, 0]).bytes, .valueMalformed),
        ("two checksums", Block().withChecksum.with(0x03, [0, 0, 0, 0]).bytes, .valueRepeated),
        ("a wrong checksum", Block().with(0x03, [0, 0, 0, 0]).bytes, .checksumWrong),
    ]

    @Test(.refuses("ECO-76"), arguments: refused.indices) func `is refused when it is none`(index: Int) {
        let (name, bytes, refusal) = Self.refused[index]
        #expect(throws: refusal, "\(name)") { try header(bytes) }
        for pieces in everyCut(of: bytes) { #expect(outcome(of: pieces) == .failure(refusal), "\(name)") }
        #expect(outcome(of: [bytes + Array("GET / HTTP/1.1\r\n\r\n".utf8)]) == .failure(refusal), "\(name)")
    }

    @Test(.refuses("ECO-76")) func `has no other byte under its checksum`() throws {
        let bytes = Block().withChecksum.bytes
        for (place, changed) in everyChange(of: bytes) where place >= 16 {
            let found = try? header(changed)
            // A value of another type has no checksum in it.
            #expect(found == nil || changed[28] != 0x03, "byte \(place)")
        }
    }

    @Test(.holds("ECO-76")) func `has the checksum of RFC 3720`() throws {
        #expect(Checksum.of(Array("123456789".utf8)) == 0xE306_9283)
        #expect(Checksum.of([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    }
}
