/// Why bytes in front of a connection's own are no header of the PROXY protocol.
public enum ProxyHeaderRefusal: Error, Sendable, Equatable, CaseIterable {
    /// Other bytes, such as those of a request or a handshake.
    case noHeader
    /// A line of more than 107 bytes.
    case lineTooLong
    /// A line that does not end with CR LF, or has something beside printable characters in it.
    case lineBroken
    /// A family of addresses, or a transport, that no connection here can be of.
    case familyUnknown
    /// A line whose words are not a family, two addresses and two ports, with one space between them.
    case wordsMissing
    /// Not an address of the family, in its usual form.
    case addressMalformed
    /// Not a port in decimal digits.
    case portMalformed
    /// A block of another version than 2.
    case versionUnknown
    /// A command beside LOCAL and PROXY.
    case commandUnknown
    /// A block that announces more than 4,096 bytes.
    case tooLarge
    /// A block that ends before its addresses do.
    case addressesCut
    /// A value that ends behind what it is in.
    case valueCut
    /// A value that is not of its type.
    case valueMalformed
    /// A value of a type that there can be one of, twice.
    case valueRepeated
    /// A checksum that is not that of the header.
    case checksumWrong
}
