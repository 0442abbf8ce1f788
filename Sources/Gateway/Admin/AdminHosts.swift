import Transport

/// The names that the admin listener answers to: IP addresses, `localhost`, and what the operator lists.
///
/// A page that somebody else's server sent may have its name lead to this machine a moment later (DNS rebinding). The
/// browser then takes the admin pages for that page's own and lets its scripts read them. It cannot do that to a name
/// that is an address already, nor to one that the other does not own.
struct AdminHosts {
    /// In lower case, with or without a port.
    private let names: [String]

    init(_ names: [String]) { self.names = names.map { $0.lowercased() } }

    /// Whether `authority`, as Host has it, is one of them; HTTP/1.0 may do without, and browsers never do.
    func permit(_ authority: String) -> Bool {
        let authority = authority.lowercased()
        let host = Self.withoutPort(authority)
        if authority.isEmpty || host == "localhost" || names.contains(authority) || names.contains(host) { return true }
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.contains(":") && SocketAddress(literal: String(host.dropFirst().dropLast()), port: 0) != nil
        }
        return !host.contains(":") && SocketAddress(literal: host, port: 0) != nil
    }

    private static func withoutPort(_ authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":") else { return authority }
        let port = authority[authority.index(after: colon)...]
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), authority.last != "]" else { return authority }
        return String(authority[..<colon])
    }
}
