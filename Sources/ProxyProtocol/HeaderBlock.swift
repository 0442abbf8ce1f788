/// Version 2: a signature, a command, a family, a length, the addresses, and values behind them.
enum HeaderBlock {
    /// What is there whatever the block is about.
    static let fixedBytes = 16
    /// What may follow that; the specification has no bound below 65,535.
    static let mostBytes = 4096

    static let signature = "\r\n\r\n\0\r\nQUIT\n"

    static func read(_ bytes: Span<UInt8>) throws(ProxyHeaderRefusal) -> ProxyHeader? {
        guard bytes.agrees(with: signature) else { throw .noHeader }
        guard bytes.count > 12 else { return nil }
        guard bytes[12] >> 4 == 2 else { throw .versionUnknown }
        let command = bytes[12] & 0xF
        guard command <= 1 else { throw .commandUnknown }
        guard bytes.count >= fixedBytes else { return nil }
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        guard length <= mostBytes else { throw .tooLarge }
        let end = fixedBytes + length
        // LOCAL: the sender speaks for itself, such as to see whether we are well; what else it says is to be dropped.
        guard command == 1 else { return bytes.count < end ? nil : ProxyHeader(client: .unsaid, length: end) }
        guard let family = Family(rawValue: bytes[13]) else { throw .familyUnknown }
        guard length >= family.addressBytes else { throw .addressesCut }
        guard bytes.count >= end else { return nil }
        try HeaderValues.check(bytes.extracting(0..<end), from: fixedBytes + family.addressBytes)
        return ProxyHeader(client: client(bytes, family), length: end)
    }

    /// The families of addresses with the transports that a connection can have.
    private enum Family: UInt8 {
        case unspecified = 0x00
        case ipv4 = 0x11
        case ipv6 = 0x21
        case unix = 0x31

        /// Bytes of both addresses, and of their ports.
        var addressBytes: Int {
            switch self {
            case .unspecified: 0
            case .ipv4: 12
            case .ipv6: 36
            case .unix: 216
            }
        }
    }

    private static func client(_ bytes: Span<UInt8>, _ family: Family) -> ProxyHeader.Client {
        switch family {
        // A path at the sender's machine is no address here, and never makes anybody a client of a Unix socket of ours.
        case .unspecified, .unix: .unsaid
        case .ipv4: .ipv4(UInt32(truncatingIfNeeded: number(bytes, fixedBytes, 4)))
        case .ipv6: .ipv6(number(bytes, fixedBytes, 16))
        }
    }

    private static func number(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> UInt128 {
        var number: UInt128 = 0
        for index in start..<start + count { number = number << 8 | UInt128(bytes[index]) }
        return number
    }
}
