public import HTTPMessage

/// Which ports a document from outside may lead to (MD-08): it must not turn the gateway into a port scanner.
///
/// 443 and the issuer's port anywhere, what the operator named, and by TLS every port of the issuer's own host: what
/// answers there has that host's certificate. Which *addresses* may be connected to is asked apart from that, of the
/// connection itself.
public struct EndpointPorts: Sendable, Hashable {
    /// The issuer's own host, each of whose ports may be led to by TLS.
    public let host: String
    /// The ports that may be led to at any host.
    public let ports: [UInt16]

    /// The ports that metadata of this issuer may name; `allowed` are the operator's.
    public init(issuer: IssuerIdentifier, allowed: [UInt16] = []) {
        host = issuer.uri.host.lowercased()
        let own = issuer.uri.effectivePort ?? 443
        ports = (own == 443 ? [443] : [443, own]) + allowed.filter { $0 != 443 && $0 != own }
    }

    /// Whether a request may go to the port of `url`.
    public func permit(_ url: URI) -> Bool {
        guard let port = url.effectivePort else { return false }
        return ports.contains(port) || url.scheme == "https" && url.host.lowercased().utf8.elementsEqual(host.utf8)
    }
}
