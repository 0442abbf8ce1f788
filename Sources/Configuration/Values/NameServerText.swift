import Transport

/// Name servers to ask: `10.96.0.10`, `127.0.0.1:5353`.
enum NameServerText {
    static let shape = TextShape(
        expected: "the IPv4 address of a name server, with a port or without",
        pattern: #"^([0-9]{1,3}\.){3}[0-9]{1,3}(:[0-9]{1,5})?$"#
    ) { text in
        parse(text) == nil ? TextFault(remedy: "write the address itself: 10.96.0.10, or 127.0.0.1:5353") : nil
    }

    /// Nil where it is none.
    static func parse(_ text: String) -> NameServer? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count < 3, IPAddress.isIPv4(String(parts.first ?? "")) else { return nil }
        guard parts.count == 2 else { return NameServer(host: text, port: usualPort) }
        let digits = parts[1]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0", let port = UInt16(digits)
        else {
            return nil
        }
        return NameServer(host: String(parts[0]), port: port)
    }

    /// As the configuration writes it.
    static func written(_ server: NameServer) -> String {
        server.port == usualPort ? server.host : "\(server.host):\(server.port)"
    }

    private static let usualPort: UInt16 = 53
}
