import Gateway

/// `proxy_protocol` of a listener: who says whose connections they are, before the first of their bytes.
enum ProxyProtocolSection {
    static let shape = ObjectShape(
        noun: "a mapping with from",
        keys: [
            KeyDescription(
                "from", .list(ListShape(noun: "networks", element: .text(NetworkText.ofSenders), count: 1...64)),
                .required, example: "[10.0.0.0/8]",
                "Networks of proxies that write the header; connections from elsewhere are closed.")
        ])

    /// The networks; none where no header is read.
    static func translate(_ listener: CheckedObject, _ problems: ProblemList) -> [String] {
        guard let networks = listener.object("proxy_protocol")?.texts("from") else { return [] }
        Repetition.refuse(networks, problems)
        if listener.says("client_cert_from") {
            // Whoever a header names has not written the fields that the proxy adds.
            problems.error(
                at: listener.place(of: "client_cert_from"), expected: "a listener without proxy_protocol",
                found: "client_cert_from beside it: the terminator's address is not the one that a header names",
                remedy: "end TLS at this listener, or leave proxy_protocol out and name the proxy in trusted_proxies")
        }
        return networks.map(\.text)
    }
}
