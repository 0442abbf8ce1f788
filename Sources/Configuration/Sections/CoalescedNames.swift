import Access
import Gateway
import Transport

/// Warns where a browser would ask for a name on a connection that was made by other rules for client certificates (H2-71).
///
/// By HTTP/2 a browser asks one connection for every name of its certificate that is at the same address and port (RFC 9113
/// §9.1.1). Whoever asks clients for a certificate at one of the names answers 421 then, and Safari has been seen to open no
/// other connection.
struct CoalescedNames {
    /// Names that are served by the same rules: a listener's, or those of a host with rules of its own.
    struct Party {
        /// Where the configuration has it, such as `listeners[1]`.
        let name: String
        /// Where a warning of its certificate stands.
        let place: Place
        /// What clients call.
        let authorities: [WebAddress]
        /// The texts of its certificates.
        let certificates: [[UInt8]]
        let rules: ClientCertificateSettings?
        /// Whether a connection that it was made for may be asked for several names.
        let speaksHTTP2: Bool
    }

    let parties: [Party]

    /// The listeners with TLS, in their order.
    init(
        _ listeners: [(settings: ListenerSettings, object: CheckedObject)], _ hosts: [HostSettings],
        _ translation: Translation
    ) {
        parties = listeners.enumerated().compactMap { index, listener in
            guard let tls = listener.object.object("tls") else { return nil }
            let paths = TLSSection.certificatePaths(tls, translation)
            guard let place = paths.first?.place else { return nil }
            // What a wildcard stands for, nobody knows.
            let served = hosts.filter { $0.isServed(at: index) && !$0.isWildcard }
            return Party(
                name: "listeners[\(index)]", place: place,
                authorities: listener.settings.authorities.compactMap { WebAddress("https://\($0)") }
                    + served.compactMap { WebAddress($0.publicURL) },
                certificates: paths.compactMap { path in
                    guard case .success(let file) = translation.sources.file(translation.resolved(path), 1 << 20) else {
                        return nil
                    }
                    return file.bytes
                }, rules: listener.settings.tls?.clientCertificates, speaksHTTP2: listener.settings.speaksHTTP2)
        }
    }

    /// Tells of each pair once: at the later of the two where the certificates of both have names of the other.
    func judge(_ problems: ProblemList) {
        for (index, later) in parties.enumerated() {
            for earlier in parties[..<index] where earlier.rules != later.rules {
                if !warn(of: later, asked: earlier, problems) { _ = warn(of: earlier, asked: later, problems) }
            }
        }
    }

    /// Warns of a party whose connections would be asked for names of another one; false when they would not.
    private func warn(of party: Party, asked other: Party, _ problems: ProblemList) -> Bool {
        let names = party.speaksHTTP2 ? party.names(of: other) : []
        guard !names.isEmpty else { return false }
        let shown = names.prefix(5).map(Quoted.bare).joined(separator: ", ")
        problems.warning(
            at: party.place,
            expected: "a certificate without names of \(other.name), whose client_certificates are others",
            found: names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown,
            remedy:
                "browsers ask one connection for all names of its certificate, are answered 421, and may not try again: "
                + "use certificates of their own, other ports, or http2: false")
        return true
    }
}

extension CoalescedNames.Party {
    /// The other's names that a certificate of this one has, at a port that clients call both by.
    fileprivate func names(of other: CoalescedNames.Party) -> [String] {
        let ports = Set(authorities.map(\.port))
        var hosts: [String] = []
        for address in other.authorities where ports.contains(address.port) && !hosts.contains(address.host) {
            hosts.append(address.host)
        }
        guard !hosts.isEmpty else { return [] }
        var unnamed = hosts
        for certificate in certificates {
            // One that cannot be read has been told of.
            unnamed = CertificateFacts(pem: certificate, hosts: unnamed)?.unnamed ?? unnamed
        }
        return hosts.filter { !unnamed.contains($0) }
    }
}
