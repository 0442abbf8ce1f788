import Access
import Gateway

/// `listeners`: the addresses that clients connect to.
enum ListenerSection {
    private static let table = SettingTable(
        "a listener",
        defaults: ListenerSettings(
            address: SocketAddressSettings(unixPath: ""), publicURL: "", authorities: []),
        [
            .key(
                "address", .text(SocketAddressText.shape), .required, example: "0.0.0.0:8443",
                "The IP address and port to listen on, IPv6 in brackets; or a Unix socket, unix: and its path."),
            .text(
                "name", orNone: \.name, PlainText.name(of: "a listener"), example: "web",
                "Which of the sockets that systemd hands over is this listener's; without any it opens the address."),
            .key(
                "mode", .text(mode), .standard("\"0660\""),
                "Who may connect to a Unix socket: the permissions of its file."),
            .key(
                "public_url",
                .text(
                    URLText.origin(
                        example: "https://shop.example.com", remedy: "leave out path and query: routes say the paths")),
                .required, example: "https://shop.example.com",
                "What clients see: the scheme and authority of every URL made here, never taken from a request."),
            .key(
                "hosts",
                .list(ListShape(noun: "hosts", element: .text(PlainText.authority), count: 1...64)), .optional,
                example: "[orders.internal:8443]",
                "Authorities accepted in Host beside that of public_url; any other is answered 421."),
            .key(
                "tls", .object(TLSSection.shape), .optional,
                example: "{ certificate: /run/tls/tls.crt, key: /run/tls/tls.key }",
                "Certificates of this listener; without it the listener speaks plain HTTP."),
            .texts(
                "client_cert_from", \.clientCertFieldFrom,
                .list(ListShape(noun: "networks", element: .text(NetworkText.ofTerminators), count: 1...64)),
                example: "[10.0.0.7/32]",
                "Networks of TLS terminators whose Client-Cert field (RFC 9440) is believed; others' is removed."),
            .texts(
                "trusted_proxies", \.trustedProxies,
                .list(ListShape(noun: "networks", element: .text(NetworkText.ofProxies), count: 1...64)),
                example: "[10.0.0.0/8]",
                "Networks of proxies in front whose X-Forwarded-For, -Proto and Forwarded are continued, and X-Request-Id kept."
            ),
            .key(
                "proxy_protocol", .object(ProxyProtocolSection.shape), .optional, example: "{ from: [10.0.0.0/8] }",
                "Reads a header of the PROXY protocol, version 1 or 2, in front of each connection; without it none is read."
            ),
            .flag(
                "forwarded", \.saysForwarded,
                "Tells upstreams in Forwarded (RFC 7239) too what X-Forwarded-For, -Proto and -Host say."),
            .flag(
                "redirect_to_https", \.redirectsToHTTPS,
                "Answers plain HTTP with the same address at public_url, and serves nothing but ACME challenges."),
            .flag(
                "http2", \.speaksHTTP2,
                "Lets clients speak HTTP/2 too: by ALPN with tls, by its preface without."),
            .flag(
                "insecure_allow_http", \.allowsPlainLogins,
                "Lets browsers sign in at http://localhost, on this machine: for development. Warned of at every start."
            ),
            .flag(
                "share_address", \.sharesAddress,
                "Lets another process of this user listen here too: a successor, while this one drains."),
        ])
    static let shape = table.shape

    private static let mode = TextShape(expected: "permissions such as 0660", pattern: "^0?[0-7]{3}$") { text in
        let digits = text.count == 4 && text.hasPrefix("0") ? text.dropFirst() : text[...]
        return digits.count == 3 && UInt32(digits, radix: 8) != nil && digits.allSatisfy(\.isNumber)
            ? nil : TextFault(remedy: "write the digits of owner, group and others: 0660")
    }

    /// The address, with its permissions where it is a Unix socket.
    static func address(_ object: CheckedObject, _ problems: ProblemList) -> SocketAddressSettings? {
        guard let text = object.text("address"), var address = SocketAddressText.parse(text.text) else { return nil }
        if let mode = object.text("mode") {
            guard address.unixPath != nil else {
                problems.error(
                    at: mode.place, expected: "an address such as unix:/run/portcullis.sock for mode",
                    found: address.text, remedy: "leave mode out: an IP address has no permissions")
                return address
            }
            address.permissions = UInt32(mode.text, radix: 8) ?? SocketAddressSettings.standardPermissions
        }
        return address
    }

    /// `hosts` are those of the configuration, with which its certificates have to do too.
    static func translate(
        _ object: CheckedObject, hosts: [CheckedObject], _ translation: Translation
    ) -> ListenerSettings? {
        let tls = object.object("tls").map { TLSSection.translate($0, translation) }
        guard let address = address(object, translation.problems), let publicURL = object.text("public_url"),
            let url = WebAddress(publicURL.text)
        else { return nil }
        judgeTransport(object, address, url, translation.problems)
        if object.flag("insecure_allow_http") == true { judgePlainLogins(object, address, url, translation.problems) }
        var authorities = url.authorities
        for host in object.texts("hosts") where !authorities.contains(host.text.lowercased()) {
            authorities.append(host.text.lowercased())
        }
        var settings = ListenerSettings(
            address: address, publicURL: url.origin, authorities: authorities, tls: tls ?? nil)
        if let tls = object.object("tls") {
            // What stands before the port, for certificates know no ports; the public URL's first.
            let hosts =
                [(url.host, "public_url")]
                + object.texts("hosts").compactMap { host in
                    WebAddress("https://\(host.text)").map { ($0.host, "hosts") }
                } + HostSection.names(hosts, ofListener: object.text("name")?.text)
            CertificateJudgement.judgeNames(tls, hosts, translation)
        }
        table.read(object, into: &settings)
        settings.proxyProtocolFrom = ProxyProtocolSection.translate(object, translation.problems)
        return settings
    }

    /// A session that travels in the clear is anybody's who sees it: on one machine's loopback alone it may.
    private static func judgePlainLogins(
        _ object: CheckedObject, _ address: SocketAddressSettings, _ url: WebAddress, _ problems: ProblemList
    ) {
        let place = object.place(of: "insecure_allow_http")
        let isLocal = url.host == "localhost" || url.host.hasSuffix(".localhost")
        if url.isSecure || !isLocal {
            problems.error(
                at: place, expected: "a public_url such as http://localhost:8080 beside insecure_allow_http",
                found: Quoted.text(url.origin),
                remedy: "leave it out: browsers keep a session over plain HTTP for localhost alone, and so do we")
        } else if address.unixPath != nil || !IPAddress.isLoopback(address.host) {
            problems.error(
                at: place, expected: "an address on loopback, such as 127.0.0.1:8080, beside insecure_allow_http",
                found: address.text, remedy: "sessions would travel in the clear: listen on loopback, or use tls")
        } else {
            problems.warning(
                at: place, expected: "tls and an https public_url", found: "logins over plain HTTP",
                remedy:
                    "for development only; Chromium keeps the session's cookie for localhost, and browsers that do not never sign in"
            )
        }
    }

    /// Tokens travel in the clear on a listener without TLS: loudly allowed, for the TLS may end in front of us.
    private static func judgeTransport(
        _ object: CheckedObject, _ address: SocketAddressSettings, _ url: WebAddress, _ problems: ProblemList
    ) {
        if object.flag("redirect_to_https") == true {
            guard object.says("tls") || !url.isSecure else { return }
            problems.error(
                at: object.place(of: "redirect_to_https"), expected: "a listener without tls, and an https public_url",
                found: object.says("tls") ? "tls" : Quoted.text(url.origin),
                remedy: "it is for the plain port beside a listener with tls: give it the public_url of that one")
            return
        }
        if object.says("tls") {
            guard !url.isSecure else { return }
            problems.error(
                at: object["public_url"]?.place ?? object.place, expected: "an https URL for a listener with tls",
                found: Quoted.text(url.origin), remedy: "write https, or leave tls out")
            return
        }
        guard address.unixPath == nil, !IPAddress.isLoopback(address.host) else { return }
        let place = object["address"]?.place ?? object.place
        if url.isSecure {
            problems.warning(
                at: place, expected: "tls, or an address on loopback", found: "plain HTTP on \(address.text)",
                remedy: "make sure that a TLS terminator stands in front and nothing else reaches this port")
        } else {
            problems.warning(
                at: place, expected: "tls and an https public_url", found: "plain HTTP on \(address.text)",
                remedy: "whoever sees the traffic can use the tokens in it (RFC 6750 section 5.2)")
        }
    }
}

/// `admin`: metrics and health.
enum AdminSection {
    private static let table = SettingTable(
        "the admin listener", defaults: standard,
        [
            .value(
                "address", \.address, .text(SocketAddressText.shape), .standard(standard.address.text),
                "The IP address and port of metrics and health; no route leads there."
            ) { $0.text.flatMap(SocketAddressText.parse) },
            .list(
                "hosts", \.hosts,
                .list(ListShape(noun: "hosts", element: .text(PlainText.authority), count: 1...64)),
                example: "[metrics.internal]",
                "Names accepted in Host beside IP addresses and localhost; any other is answered 421.",
                written: { $0 }, read: { $0.lowercased() }),
        ])
    static let shape = table.shape

    static let standard = AdminSettings(address: SocketAddressSettings(host: "127.0.0.1", port: 9901))

    static func translate(_ object: CheckedObject?) -> AdminSettings {
        var settings = standard
        table.read(object, into: &settings)
        return settings
    }
}
