import Configuration
import HTTPMessage

/// Further hosts at one listener: what the source says of each is a draft of its own, which becomes a host with its routes, and a
/// client of its own, for a login has one host.
extension Draft {
    private static let maximumSites = 63

    /// Takes another host's part of the source in; false where there is no room, or where it has no name of its own.
    mutating func add(site draft: Draft) -> Bool {
        // What `keepWhatIsGood` would take away later would leave its routes to another host.
        guard sites.count < Self.maximumSites, let name = draft.host, !hosts.contains(name),
            AcceptedText.isGood(name, for: .host), AcceptedText.isGood(draft.publicURL ?? "", for: .upstream)
        else { return false }
        var site = draft
        let number = sites.count + 2
        let known = [self] + sites
        let sameIssuer = known.first { $0.issuerURL == site.issuerURL && $0.issuerLines == site.issuerLines }
        site.isSite = true
        site.issuer = sameIssuer?.issuer ?? "provider\(number)"
        let isSameClient = sameIssuer?.issuer == issuer && site.clientID == clientID
        // Hosts that shared a cookie go on doing so: they are one sign-in, of one client.
        site.client = isSameClient && isUnderCookieDomain(name) ? client : "\(client)\(number)"
        if site.client == client { site.cookieDomains = nil }
        if !isSameClient { nameSecret(of: &site) }
        site.otherHosts = []
        site.listeners = []
        sites.append(site)
        return true
    }

    /// The host of `publicURL`.
    var host: String? { publicURL.flatMap { URI($0)?.host.lowercased() } }

    /// Whether somebody signs in by its client; the first host's is there in any case, to be filled in.
    var isSigningIn: Bool { !isSite || routes.contains { !$0.isPublic } }

    /// The names that have their routes here already.
    private var hosts: [String] {
        let others = otherHosts.map { String($0.prefix { $0 != ":" }) }
        return [host].compactMap { $0 } + others + sites.compactMap(\.host)
    }

    private func isUnderCookieDomain(_ name: String) -> Bool {
        guard let domains = cookieDomains?.domains, let own = host else { return false }
        return domains.map { $0.lowercased().drop { $0 == "." } }.contains { domain in
            name.hasSuffix(".\(domain)") && own.hasSuffix(".\(domain)")
        }
    }

    /// Another client has another secret.
    private func nameSecret(of site: inout Draft) {
        site.secretFile = "\(site.client).secret"
        let own = "{ file: \(Self.ownSecret) }"
        guard let range = site.authentication.firstRange(of: own) else { return }
        site.authentication.replaceSubrange(range, with: "{ file: \(site.secretFile) }")
    }

    /// Finishes the hosts, and says with its own what is to be said of them.
    mutating func finishSites() {
        for index in sites.indices {
            sites[index].finish()
            let site = sites[index]
            for route in site.routes.indices { sites[index].routes[route].host = site.host }
            for text in site.steps { step(text) }
            for text in site.differences { differ(text) }
            for note in site.notes { remark(note.text, note.part) }
        }
    }

    /// The part `hosts`, where there are further ones.
    var siteLines: [String] {
        guard !sites.isEmpty else { return [] }
        return ["", "hosts:"]
            + sites.flatMap { site in
                [
                    "  - host: \(YAMLText.scalar(site.host ?? ""))",
                    "    public_url: \(YAMLText.scalar(site.publicURL ?? Self.unknownURL))",
                ]
            }
    }
}

extension Array {
    /// The first element of each name.
    func distinct(by name: (Element) -> String) -> [Element] {
        var seen: Set<String> = []
        return filter { seen.insert(name($0)).inserted }
    }
}
