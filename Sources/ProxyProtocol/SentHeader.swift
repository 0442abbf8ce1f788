/// What this end writes in front of a connection of its own: a block of version 2, for a client or for itself.
public enum SentHeader {
    /// An address and a port.
    public struct Endpoint: Sendable, Equatable {
        /// `unsaid` for one without an address, such as a Unix socket's.
        public let address: ProxyHeader.Client
        /// 0 where it is not known.
        public let port: UInt16

        /// An end of a connection.
        public init(_ address: ProxyHeader.Client, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// LOCAL: the connection is the sender's own, such as one to see whether the receiver is well.
    public static let own: [UInt8] = block(command: 0, family: 0, [])

    /// The connection of a client, from its address to the one that it has reached.
    ///
    /// Two ends of different families are written as IPv6, IPv4 mapped (RFC 4291 §2.5.5.2): a block has room for one
    /// family. Without an address at either end it says that somebody's connection it is and not whose (UNSPEC).
    public static func block(from client: Endpoint, to reached: Endpoint) -> [UInt8] {
        var rest: [UInt8] = []
        let family: UInt8
        switch (client.address, reached.address) {
        case (.unsaid, _), (_, .unsaid): return block(command: 1, family: 0, [])
        case (.ipv4(let first), .ipv4(let second)):
            family = 0x11
            append(UInt128(first), 4, to: &rest)
            append(UInt128(second), 4, to: &rest)
        default:
            family = 0x21
            append(bits(client.address), 16, to: &rest)
            append(bits(reached.address), 16, to: &rest)
        }
        append(UInt128(client.port), 2, to: &rest)
        append(UInt128(reached.port), 2, to: &rest)
        return block(command: 1, family: family, rest)
    }

    private static func bits(_ address: ProxyHeader.Client) -> UInt128 {
        switch address {
        case .unsaid: 0
        case .ipv4(let bits): 0xFFFF_0000_0000 | UInt128(bits)
        case .ipv6(let bits): bits
        }
    }

    private static func append(_ number: UInt128, _ bytes: Int, to rest: inout [UInt8]) {
        for place in (0..<bytes).reversed() { rest.append(UInt8(truncatingIfNeeded: number >> UInt128(8 * place))) }
    }

    private static func block(command: UInt8, family: UInt8, _ rest: [UInt8]) -> [UInt8] {
        Array(HeaderBlock.signature.utf8)
            + [0x20 | command, family, UInt8(rest.count >> 8), UInt8(truncatingIfNeeded: rest.count)] + rest
    }
}
