/// Where a route's requests go: fixed here, never chosen by anything in a request (HTTP-75).
package struct UpstreamSettings: Sendable, Hashable {
    /// Where new connections go in turn; at least one, of which all answer alike.
    package var servers: [UpstreamServer]
    /// TLS towards the upstream, always verified.
    package var tls: Bool
    /// PEM file of certification authorities; the system's when nil.
    package var certificateAuthorityFile: String?
    /// The name sent as SNI and verified in the certificate; each server's own when nil.
    package var serverName: String?
    /// What we show to a server that asks who connects.
    package var clientCertificate: CertificateFiles?
    package var minimumVersion = TLSMinimumVersion.tls12
    /// What it speaks.
    package var version = UpstreamHTTPVersion.http1
    /// Each connection begins with a header of the PROXY protocol, of version 2, and is for one client's connection (ECO-77).
    package var sendsProxyHeader = false
    /// How its servers share the requests.
    package var pool = UpstreamPoolSettings()

    package init(
        servers: [UpstreamServer], tls: Bool = false, certificateAuthorityFile: String? = nil,
        serverName: String? = nil
    ) {
        self.servers = servers
        self.tls = tls
        self.certificateAuthorityFile = certificateAuthorityFile
        self.serverName = serverName
    }

    /// One server, by a name or an IP literal without brackets.
    package init(
        host: String, port: UInt16, tls: Bool = false, certificateAuthorityFile: String? = nil,
        serverName: String? = nil
    ) {
        self.init(
            servers: [.address(host: host, port: port)], tls: tls, certificateAuthorityFile: certificateAuthorityFile,
            serverName: serverName)
    }

    /// The first server's name or IP literal.
    package var host: String { servers.first?.host ?? "" }

    /// What log lines call it.
    package var name: String { servers.map(\.name).joined(separator: ",") }

    /// Its scheme and authority, as in a URL; `localhost` for a Unix socket, which has none.
    package var base: String {
        let scheme = tls ? "https" : "http"
        guard case .address(let host, let port)? = servers.first else { return "\(scheme)://localhost" }
        let authority = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(authority)" + (port == (tls ? 443 : 80) ? "" : ":\(port)")
    }
}

/// What version of HTTP an upstream speaks (H2-74).
package enum UpstreamHTTPVersion: Sendable, Hashable {
    case http1
    /// Over TLS by ALPN, in plain by prior knowledge.
    case http2
    /// What the TLS handshake agrees on.
    case automatic
}

/// One of the servers behind an upstream.
package enum UpstreamServer: Sendable, Hashable {
    /// A name or an IP literal without brackets; of a name all addresses are used.
    case address(host: String, port: UInt16)
    /// A Unix socket.
    case unixSocket(path: String)

    package var host: String {
        switch self {
        case .address(let host, _): host
        case .unixSocket: "localhost"
        }
    }

    /// `host:port`, or `unix:` and the path.
    package var name: String {
        switch self {
        case .address(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }
}

/// A certificate with its key, as files.
package struct CertificateFiles: Sendable, Hashable {
    /// PEM, leaf first.
    package var certificateFile: String
    package var keyFile: String

    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}

/// The oldest version of TLS that is spoken.
package enum TLSMinimumVersion: Sendable, Hashable {
    case tls12, tls13
}
