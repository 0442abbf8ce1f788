/// The domains that sessions' cookies are of, by the names of their clients.
struct CookieDomains {
    private let domains: [String: PlacedText]

    init(_ document: CheckedObject) {
        domains = Dictionary(
            document.entries("clients").compactMap { entry in
                entry.value?.object?.object("session")?.text("domain").map { (entry.name, $0) }
            }
        ) { first, _ in first }
    }

    /// That of a client; nil where its cookie is of one host.
    subscript(_ client: String) -> PlacedText? { domains[client] }

    /// Refuses hosts that would not get the cookie: browsers keep none that a host sets for a domain which it is not under,
    /// and send none of them in the clear.
    func judge(_ logins: [(client: PlacedText, publicURLs: [String])], _ problems: ProblemList) {
        var judged: Set<String> = []
        for (client, urls) in logins {
            guard let domain = domains[client.text]?.text.lowercased() else { continue }
            for url in urls where judged.insert("\(client.text) \(url)").inserted {
                guard let address = WebAddress(url) else { continue }
                guard address.host == domain || address.host.hasSuffix("." + domain) else {
                    problems.error(
                        at: client.place, expected: "a host that is \(domain) or under it, as session.domain says",
                        found: Quoted.text(address.host),
                        remedy:
                            "browsers keep no cookie of another domain: write another client for that host, without "
                            + "domain or with its own")
                    continue
                }
                // Without leave for it, plain HTTP is refused already.
                guard !address.isSecure, address.host.hasSuffix(".localhost") else { continue }
                problems.error(
                    at: client.place, expected: "https where session.domain is said", found: Quoted.text(url),
                    remedy: "leave domain out for development: browsers keep no such cookie of localhost")
            }
        }
    }
}
