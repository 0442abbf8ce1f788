public import Transport

/// Where a server is, and how it is spoken to.
public struct LinkServer: Sendable {
    /// Where it is.
    public enum Place: Sendable, Hashable {
        /// A name or an IP literal, and a port.
        case address(host: String, port: UInt16)
        /// The path of a Unix socket.
        case unixSocket(path: String)
    }

    /// Where it is.
    public var place: Place
    /// How TLS is spoken to it, always verified; nil on a plain connection.
    public var tls: ClientTLS?
    /// The name that its certificate must have; the host unless said otherwise.
    public var serverName: String

    /// A server at a place.
    public init(_ place: Place, tls: ClientTLS? = nil, serverName: String? = nil) {
        self.place = place
        self.tls = tls
        if let serverName {
            self.serverName = serverName
        } else if case .address(let host, _) = place {
            self.serverName = host
        } else {
            self.serverName = ""
        }
    }
}
