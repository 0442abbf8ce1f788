/// What a proxy writes in front of a connection's own bytes: whose connection it is (the PROXY protocol, versions 1 and 2).
///
/// Version 1 is a line, version 2 a block of bytes. Both are bounded, and refused at the first byte that no header has
/// there.
public struct ProxyHeader: Sendable, Equatable {
    /// Whose connection it is.
    public enum Client: Sendable, Equatable {
        /// The sender's own, or somebody's without an address: only the socket says where it comes from.
        case unsaid
        /// An IPv4 address.
        case ipv4(UInt32)
        /// An IPv6 address.
        case ipv6(UInt128)
    }

    /// Who connected to the proxy.
    public let client: Client
    /// Its bytes, behind which the connection's own begin.
    public let length: Int

    /// No header is longer.
    public static let mostBytes = HeaderBlock.fixedBytes + HeaderBlock.mostBytes

    /// The header that `bytes` begin with; nil while more of it is to come, and then all of them are the header's.
    ///
    /// What is given each time is all that has come.
    public static func read(_ bytes: Span<UInt8>) throws(ProxyHeaderRefusal) -> ProxyHeader? {
        guard bytes.count > 0 else { return nil }
        return try bytes[0] == UInt8(ascii: "P") ? HeaderLine.read(bytes) : HeaderBlock.read(bytes)
    }
}

extension Span<UInt8> {
    /// Whether nothing in these bytes, as many as there are, is another than in the beginning of the text.
    func agrees(with text: String) -> Bool {
        let wanted = text.utf8Span.span
        for index in 0..<Swift.min(count, wanted.count) {
            guard self[index] == wanted[index] else { return false }
        }
        return true
    }

    /// Whether these bytes are the text.
    func equals(_ text: String) -> Bool { count == text.utf8.count && agrees(with: text) }
}
