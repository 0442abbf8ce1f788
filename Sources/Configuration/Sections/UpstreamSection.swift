import Access
import Gateway

/// `upstream` of a route: fixed destinations (HTTP-75).
enum UpstreamSection {
    private static let origin = URLText.origin(
        example: "http://127.0.0.1:3001", remedy: "leave out the query: the request's own is forwarded unchanged")

    /// A URL, with a path or without, or a Unix socket.
    static let url = TextShape(expected: origin.expected, pattern: "^(https?://[^?#@]+|unix:/.{1,106})$") { text in
        if text.hasPrefix(UnixSocketText.scheme) { return UnixSocketText.fault(text) }
        return WebAddress(text).map { !$0.hasQuery && !$0.hasFragment } == true ? nil : origin.fault(text)
    }

    private static let table = SettingTable(
        "a mapping with url", defaults: UpstreamSettings(servers: []),
        [
            .key(
                "url",
                .either([
                    .text(url), .list(ListShape(noun: "servers", element: UpstreamPoolSection.server, count: 1...32)),
                ]),
                .required, example: "https://orders.internal:8443",
                "Where the requests go: a URL, or a list of servers, each a URL or a mapping with url and weight."),
            .word(
                "protocol", \.version, [("http1", .http1), ("h2", .http2), ("auto", .automatic)],
                "What the upstream speaks: HTTP/1.1, HTTP/2, or over TLS whichever it prefers; gRPC needs h2."),
            .word(
                "proxy_protocol", \.sendsProxyHeader, [("none", false), ("v2", true)], example: "v2",
                "A header of the PROXY protocol in front of each connection, which is then of one client alone."),
            .key(
                "certificate_authority", .text(PlainText.file), .optional, example: "/etc/portcullis/internal-ca.pem",
                "PEM file with the authorities that may sign the upstream's certificate; the system's by default."),
            .text(
                "server_name", orNone: \.serverName, PlainText.serverName, example: "orders.internal",
                "The name asked for and verified in the upstream's certificate; the URL's host by default."),
            .word(
                "minimum_version", \.minimumVersion, TLSSection.versions,
                "The oldest version of TLS spoken with the upstream."),
            .key(
                "client_certificate", .text(PlainText.file), .optional, example: "/run/secrets/gateway.crt",
                "PEM file with the certificate chain shown to an upstream that asks who connects."),
            .key(
                "client_key", .object(keyFile), .optional, example: "{ file: /run/secrets/gateway.key }",
                "The private key of client_certificate, in PEM."),
        ] + UpstreamPoolSection.settings)
    static let shape = table.shape

    private static let keyFile = ObjectShape(
        noun: "a reference to a key",
        keys: [
            KeyDescription(
                "file", .text(PlainText.file), .required, example: "/run/secrets/gateway.key",
                "The file that holds the key.")
        ])

    /// Keys that say something of TLS.
    private static let ofTLS = [
        "certificate_authority", "server_name", "minimum_version", "client_certificate", "client_key",
    ]

    static func translate(_ value: CheckedValue, _ context: RouteContext) -> UpstreamSettings? {
        let object = value.object
        let authority = object.flatMap { context.translation.certificateAuthority($0) }
        let clientCertificate = object.flatMap { context.translation.clientCertificate($0, shape) }
        let texts = object.map(UpstreamPoolSection.texts) ?? value.texts
        Repetition.refuse(texts, context.translation.problems)
        let servers = texts.compactMap { text -> (text: PlacedText, server: UpstreamServer, isSecure: Bool)? in
            if let path = UnixSocketText.path(text.text) { return (text, .unixSocket(path: path), false) }
            return WebAddress(text.text).map { (text, .address(host: $0.host, port: $0.port), $0.isSecure) }
        }
        guard let first = servers.first, servers.count == texts.count else { return nil }
        for other in servers where other.isSecure != first.isSecure {
            context.translation.problems.error(
                at: other.text.place, expected: "all servers with TLS, or all without",
                found: "\(Quoted.text(other.text.text)) beside \(Quoted.text(first.text.text))",
                remedy: "write https for all of them")
        }
        if let object, !first.isSecure {
            for key in ofTLS where object.says(key) {
                context.translation.problems.error(
                    at: object.place(of: key), expected: "an https upstream", found: Quoted.text(first.text.text),
                    remedy: "write https, or leave \(key) out")
            }
        }
        for server in servers { judgeLoop(server.text, context) }
        var settings = UpstreamSettings(
            servers: servers.map(\.server), tls: first.isSecure, certificateAuthorityFile: authority)
        settings.clientCertificate = clientCertificate
        table.read(object, into: &settings)
        if let object { UpstreamPoolSection.judge(object, &settings, context.translation.problems) }
        if settings.sendsProxyHeader, settings.version != .http1, let object {
            context.translation.problems.error(
                at: object.place(of: "proxy_protocol"), expected: "an upstream with  protocol: http1",
                found: "v2 for connections that requests of several clients share",
                remedy: "leave protocol out, or proxy_protocol: X-Forwarded-For names the client of each request")
        }
        if settings.version == .automatic, !first.isSecure, let object {
            context.translation.problems.error(
                at: object.place(of: "protocol"), expected: "h2 or http1 for an upstream without TLS", found: "auto",
                remedy: "without TLS nothing tells which one is spoken: write  protocol: h2  or leave it out")
        }
        return settings
    }

    /// Refuses a Unix socket of our own; what else is judged is an address.
    private static func judgeLoop(_ text: PlacedText, _ context: RouteContext) {
        if let address = WebAddress(text.text) { return judgeLoop(address, text, context) }
        let path = UnixSocketText.path(text.text)
        let own = context.listeners.map(\.address) + [context.admin.address]
        guard let path, own.contains(where: { $0.unixPath == path }) else { return }
        context.translation.problems.error(
            at: text.place, expected: "an upstream other than this gateway",
            found: "\(Quoted.text(text.text)), its own listener",
            remedy: "write the socket of the server behind the gateway")
    }

    /// Refuses what would go round until something breaks (HTTP-51), and a way to admin (OPS-06).
    private static func judgeLoop(_ address: WebAddress, _ text: PlacedText, _ context: RouteContext) {
        let problems = context.translation.problems
        if let own = context.listeners.first(where: { $0.address.isReached(byHost: address.host, port: address.port) })
        {
            problems.error(
                at: text.place, expected: "an upstream other than this gateway",
                found: "\(Quoted.text(text.text)), its own listener \(own.address.text)",
                remedy: "write the address of the server behind the gateway")
        } else if context.admin.address.isReached(byHost: address.host, port: address.port) {
            problems.error(
                at: text.place, expected: "an upstream other than this gateway",
                found: "\(Quoted.text(text.text)), its own admin listener",
                remedy: "metrics and health are not served through routes; ask the admin listener")
        } else if context.listeners.contains(where: { $0.publicURL == address.origin }) {
            problems.warning(
                at: text.place, expected: "an upstream other than this gateway",
                found: "\(Quoted.text(text.text)), the public_url of a listener",
                remedy: "make sure that this name leads elsewhere from here, or requests will go round")
        }
    }
}
