import Access
import Bytes
import Gateway

/// `hosts`: the names that routes say in `host`, each a site of its own (ECO-65, ECO-66).
enum HostSection {
    private static let table = SettingTable(
        "a host", defaults: HostSettings(name: "", publicURL: "", authorities: []),
        [
            .key(
                "host", .text(HostText.shape), .required, example: "grafana.example.com",
                "The name, exactly, or with * in place of its first label; routes repeat it as their host."),
            .key(
                "public_url",
                .text(
                    URLText.origin(
                        example: "https://grafana.example.com",
                        remedy: "leave out path and query: routes say the paths")),
                .optional, example: "https://grafana.example.com:8443",
                "What clients see; by default the scheme and port of the first listener that serves, with this name."),
            .key(
                "listeners",
                .list(ListShape(noun: "listeners", element: .text(PlainText.name(of: "a listener")), count: 1...64)),
                .optional, example: "[web]",
                "The listeners that serve it, by their names; at any other it is answered 421. All by default."),
        ])
    static let shape = table.shape

    /// The hosts that load; a wrong one has been told of.
    static func translate(
        _ document: CheckedObject, _ listeners: [ListenerSettings], _ problems: ProblemList
    ) -> [HostSettings] {
        let objects = document.list("hosts").compactMap(\.object)
        let names = objects.compactMap { $0.text("host") }
        var seen: [String: Place] = [:]
        for name in names {
            guard let first = seen.updateValue(name.place, forKey: name.text.lowercased()) else { continue }
            problems.error(
                at: name.place, expected: "each host once", found: "\(Quoted.text(name.text)) again",
                remedy: "another is on \(first.position.words); keep one of them")
        }
        let named = Set(
            document.list("routes").compactMap(\.object).compactMap { $0.text("host")?.text.lowercased() })
        // The routes of a file that did not load are not missing.
        let isWhole = !problems.problems.contains { problem in
            problem.severity == .error
                && (problem.position?.file != nil || problem.path.hasPrefix("\(IncludedFiles.key)["))
        }
        for name in names where document["routes"] != nil && isWhole && !named.contains(name.text.lowercased()) {
            problems.error(
                at: name.place, expected: "a host that a route names", found: Quoted.text(name.text),
                remedy: "write a route with  host: \(ScalarValue.written(name.text))  or leave the host out")
        }
        return objects.compactMap { host($0, listeners, problems) }
    }

    /// The names that a listener serves, but for wildcards, of which nobody knows what they stand for.
    static func names(_ hosts: [CheckedObject], ofListener name: String?) -> [CertificateJudgement.Host] {
        hosts.filter { host in
            !host.says("listeners") || host.texts("listeners").contains { $0.text == name }
        }.compactMap { host in
            host.text("host").flatMap { $0.text.hasPrefix("*") ? nil : ($0.text.lowercased(), "hosts") }
        }
    }

    private static func host(
        _ object: CheckedObject, _ listeners: [ListenerSettings], _ problems: ProblemList
    ) -> HostSettings? {
        guard let name = object.text("host") else { return nil }
        let lower = name.text.lowercased()
        // A wildcard's first label is one that stands for all, while its URL and its authorities are made.
        let isWildcard = lower.hasPrefix("*.")
        let host = isWildcard ? "x" + lower.dropFirst() : lower
        let served = served(object, listeners, problems)
        let serving = served.map { places in places.map { listeners[$0] } } ?? listeners
        let usual = serving.first { !$0.redirectsToHTTPS } ?? serving.first ?? listeners.first
        guard var address = usual.flatMap({ WebAddress($0.publicURL) }) else { return nil }
        address.host = host
        if let url = object.text("public_url"), let said = WebAddress(url.text) {
            if isWildcard || said.host != host {
                problems.error(
                    at: url.place, expected: isWildcard ? "no public_url of a wildcard" : "a URL at \(lower)",
                    found: Quoted.text(url.text),
                    remedy: isWildcard
                        ? "leave it out: it is that of the name which a client calls" : "write the host's own name")
            }
            judgeScheme(of: said, url, serving, problems)
            address = said
        }
        guard isWildcard else {
            var settings = HostSettings(
                name: lower, publicURL: address.origin, authorities: address.authorities, listeners: served)
            settings.hasOwnURL = object.says("public_url")
            return settings
        }
        let origin = address.origin
        let label = origin.utf8.firstIndex(of: UInt8(ascii: ".")) ?? origin.endIndex
        return HostSettings(
            name: lower, publicURL: (address.isSecure ? "https://*" : "http://*") + origin[label...],
            authorities: address.authorities.map { String($0.dropFirst()) }, listeners: served)
    }
}

extension HostSection {
    /// The places of the listeners that serve a host; nil is all of them.
    private static func served(
        _ object: CheckedObject, _ listeners: [ListenerSettings], _ problems: ProblemList
    ) -> [Int]? {
        let known = listeners.compactMap(\.name)
        for listener in object.texts("listeners") where !known.contains(listener.text) {
            problems.error(
                at: listener.place, expected: "the name of a listener", found: Quoted.text(listener.text),
                remedy: known.isEmpty
                    ? "give the listener a name:  name: \(listener.text)" : "one of \(known.joined(separator: ", "))")
        }
        return object["listeners"].map { value in
            value.texts.compactMap { text in listeners.firstIndex { $0.name == text.text } }
        }
    }

    /// A host's scheme is one of its listeners': upstreams and browsers are told that of the host.
    private static func judgeScheme(
        of address: WebAddress, _ url: PlacedText, _ serving: [ListenerSettings], _ problems: ProblemList
    ) {
        let schemes = serving.filter { !$0.redirectsToHTTPS }.compactMap { WebAddress($0.publicURL)?.isSecure }
        guard !schemes.isEmpty, !schemes.contains(address.isSecure) else { return }
        problems.error(
            at: url.place, expected: "the scheme of a listener that serves it", found: Quoted.text(url.text),
            remedy: address.isSecure
                ? "give the listener tls, or an https public_url where a proxy in front has TLS"
                : "write https: whoever comes to its listeners comes by https")
    }
}

/// Names of hosts.
enum HostText {
    static let shape = TextShape(
        expected: "a host such as grafana.example.com or \"*.example.com\"",
        pattern: "^(\\*\\.)?[0-9A-Za-z_-]+(\\.[0-9A-Za-z_-]+)*$"
    ) { text in
        let name = text.hasPrefix("*.") ? text.dropFirst(2) : text[...]
        if name.utf8.contains(UInt8(ascii: "*")) {
            return TextFault(remedy: "* stands for the first label as a whole, and for no other")
        }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let fits = labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_".utf8.contains($0) }
        }
        return fits && name.utf8.count <= 253
            ? nil : TextFault(remedy: "write the name alone: no scheme, no port, no path; ports are in public_url")
    }
}

/// The hosts of a configuration, as routes name them.
struct HostsByName {
    /// Those that load.
    let settings: [HostSettings]
    private let places: [String: Int]
    private let domains: CookieDomains
    /// False while one of them does not load.
    private let areKnown: Bool

    init(_ settings: [HostSettings], _ document: CheckedObject) {
        self.settings = settings
        places = Dictionary(settings.enumerated().map { ($1.name, $0) }) { first, _ in first }
        domains = CookieDomains(document)
        areKnown =
            (!document.says("hosts") || document["hosts"] != nil) && settings.count == document.list("hosts").count
    }

    /// The place of the host that a route names; nil where it names none, or one that there is not, which is told.
    func index(of route: CheckedObject, _ problems: ProblemList) -> Int? {
        guard let name = route.text("host") else { return nil }
        if let index = place(of: route) { return index }
        guard areKnown else { return nil }
        problems.error(
            at: name.place, expected: "a host of hosts", found: Quoted.text(name.text),
            remedy: settings.isEmpty
                ? "add  hosts: [{ host: \(ScalarValue.written(name.text)) }]"
                : Suggestion.remedy(for: name.text.lowercased(), among: settings.map(\.name), called: "hosts"))
        return nil
    }

    /// The same without a word.
    func place(of route: CheckedObject) -> Int? {
        route.text("host").flatMap { places[$0.text.lowercased()] }
    }

    /// What clients see of the sites of a route: of its host, or of all listeners; a wildcard has no one URL.
    func publicURLs(of route: CheckedObject, _ listeners: [ListenerSettings]) -> [String] {
        if route.says("host") {
            return place(of: route).map { settings[$0].isWildcard ? [] : [settings[$0].publicURL] } ?? []
        }
        return listeners.map(\.publicURL)
    }

    /// What a host that stands for many names cannot have, for there is no one URL of it; a login has one host, unless its
    /// session's cookie is of a domain.
    func judge(_ routes: [CheckedObject], _ problems: ProblemList) {
        var hostsOfLogins: [String: (host: String?, place: Place)] = [:]
        for route in routes {
            let host = place(of: route)
            if let host, settings[host].isWildcard { judgeWildcard(route, problems) }
            guard let client = LoginAccessSection.clientName(of: route) else { continue }
            let name = host.map { settings[$0].name }
            if let host, settings[host].publicURL.hasPrefix("http:"), !settings[host].isWildcard {
                problems.error(
                    at: client.place, expected: "an https public_url of the host of a login",
                    found: Quoted.text(settings[host].publicURL),
                    remedy: "the redirect_uri and the session cookie begin with it: write it into hosts with https")
            }
            guard let first = hostsOfLogins[client.text] else {
                hostsOfLogins[client.text] = (name, client.place)
                continue
            }
            guard first.host != name, domains[client.text] == nil else { continue }
            problems.error(
                at: client.place, expected: "a client of its own for each host",
                found: "\(Quoted.text(client.text)), which is that of \(first.host ?? "the listeners") on "
                    + first.place.position.words,
                remedy: "write another entry under clients, with the same id if the server takes both redirect_uris")
        }
    }

    /// The hosts of each login whose session's cookie is of a domain are that domain or under it.
    func judgeDomains(_ routes: [CheckedObject], _ listeners: [ListenerSettings], _ problems: ProblemList) {
        domains.judge(
            routes.compactMap { route in
                guard let client = LoginAccessSection.clientName(of: route) else { return nil }
                return (client, publicURLs(of: route, listeners.filter { !$0.redirectsToHTTPS }))
            }, problems)
    }

    private func judgeWildcard(_ route: CheckedObject, _ problems: ProblemList) {
        let token = route.object("token")
        let wrong: [(place: Place, what: String)?] = [
            route.says("login") ? (route.place(of: "login"), "login") : nil,
            route.flag("mcp") == true ? (route.place(of: "mcp"), "mcp") : nil,
            token?.says("resource") == true ? token.map { ($0.place(of: "resource"), "resource") } : nil,
            token?.texts("schemes").contains { $0.text.lowercased() == "dpop" } == true
                ? token.map { ($0.place(of: "schemes"), "DPoP") } : nil,
        ]
        for case let found? in wrong {
            problems.error(
                at: found.place, expected: "a host without * for what has its URL in it", found: found.what,
                remedy: "name each host by itself: tokens, proofs and cookies are for one name")
        }
    }
}
