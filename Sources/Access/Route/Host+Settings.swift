/// A host that routes name: a site of its own, with its own table of paths (ECO-65, ECO-66).
package struct HostSettings: Sendable, Equatable {
    /// As the configuration names it, in lower case: `a.example.com`, or `*.example.com` for one label before the rest.
    package var name: String
    /// What clients see of it, scheme and authority only; of a wildcard with its asterisk.
    package var publicURL: String
    /// Whether that is said of the host itself; otherwise it is made of a listener's.
    package var hasOwnURL = false
    /// Values of Host that mean it, in lower case; of a wildcard what follows its asterisk.
    package var authorities: [String]
    /// The listeners that serve it, by their places; nil is all of them.
    package var listeners: [Int]?

    package init(name: String, publicURL: String, authorities: [String], listeners: [Int]? = nil) {
        self.name = name
        self.publicURL = publicURL
        self.authorities = authorities
        self.listeners = listeners
    }

    /// Whether it stands for every name with one label more.
    package var isWildcard: Bool { name.hasPrefix("*.") }

    /// Whether the listener at this place serves it.
    package func isServed(at listener: Int) -> Bool { listeners?.contains(listener) ?? true }

    /// Whether this value of Host, in lower case, means it.
    package func answers(_ authority: String) -> Bool {
        guard isWildcard else { return authorities.contains(authority) }
        guard let dot = authority.utf8.firstIndex(of: UInt8(ascii: ".")), dot > authority.startIndex else {
            return false
        }
        return authorities.contains(String(authority[dot...]))
    }
}

/// A field by which one of several routes for one path is chosen: its only line has exactly this value.
package struct RouteFieldSettings: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension AccessSettings {
    /// Where a route is served, by the places of sites: all listeners, or its host, which comes behind them.
    func sites(of route: RouteSettings) -> Range<Int> {
        guard let host = route.host else { return publicURLs.indices }
        return (publicURLs.count + host)..<(publicURLs.count + host + 1)
    }

    /// Whether a route is served at a listener: one of no host at each of them.
    func isServed(_ route: RouteSettings, at listener: Int) -> Bool {
        route.host.map { hosts[$0].isServed(at: listener) } ?? true
    }

    /// What clients see of a site.
    func publicURL(ofSite site: Int) -> String {
        site < publicURLs.count ? publicURLs[site] : hosts[site - publicURLs.count].publicURL
    }
}
