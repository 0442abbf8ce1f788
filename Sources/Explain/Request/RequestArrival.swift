import Access
package import Gateway

extension DryRun.Arrival {
    /// Where a client that calls this URL comes in; `host` is the value of Host where that is another one's.
    ///
    /// A name that clients know decides first, as ports may be mapped on the way; then the port that the URL says.
    package static func of(
        _ url: String, host: String? = nil, in settings: GatewaySettings
    ) throws(RequestDraft.Problem) -> DryRun.Arrival {
        let (authority, _) = try RequestDraft.parts(of: url)
        let isSecure = url.lowercased().hasPrefix("https:")
        let said = port(of: authority)
        let all = settings.listeners.indices.map { Candidate(place: $0, settings: settings.listeners[$0]) }
        let named = all.filter { settings.listener($0.place, answers: (host ?? authority).lowercased()) }
        let atPort = all.filter { $0.isAt(said ?? (isSecure ? 443 : 80)) }
        let serving = isSecure ? secure(all, named, atPort) : plain(all, named, atPort)
        if isSecure, said != nil, named.isEmpty, let other = atPort.first, !atPort.contains(where: \.serves) {
            throw RequestDraft.Problem(
                text:
                    "nothing speaks https at \(ShownText.plain(authority)): listeners[\(other.place)], which has that "
                    + "port, only sends plain HTTP to \(other.settings.publicURL)")
        }
        guard let first = serving ?? all.first(where: \.serves) ?? all.first else { return DryRun.Arrival() }
        return DryRun.Arrival(listener: first.place, isPlainHTTP: !isSecure)
    }

    /// Where a saved request came in, of which nobody knows the scheme: by its Host, to a listener that serves.
    package static func of(head: [UInt8], in settings: GatewaySettings) -> DryRun.Arrival {
        let all = settings.listeners.indices.map { Candidate(place: $0, settings: settings.listeners[$0]) }
        let named = RequestDraft.host(in: head).map { host in
            all.filter { settings.listener($0.place, answers: host.lowercased()) }
        }
        let first = named?.first(where: \.serves) ?? named?.first ?? all.first(where: \.serves)
        return DryRun.Arrival(listener: first?.place ?? 0)
    }

    /// One that only sends elsewhere is no place for https.
    private static func secure(_ all: [Candidate], _ named: [Candidate], _ atPort: [Candidate]) -> Candidate? {
        let named = named.filter(\.serves)
        return named.first { $0.isPublic("https") && atPort.contains($0) } ?? named.first { $0.isPublic("https") }
            ?? named.first ?? atPort.first(where: \.serves)
    }

    private static func plain(_ all: [Candidate], _ named: [Candidate], _ atPort: [Candidate]) -> Candidate? {
        named.first { $0.isPublic("http") && $0.serves } ?? atPort.first { !$0.serves } ?? atPort.first
            ?? named.first { !$0.serves } ?? named.first ?? all.first { !$0.serves }
    }

    private struct Candidate: Equatable {
        let place: Int
        let settings: ListenerSettings

        static func == (one: Candidate, other: Candidate) -> Bool { one.place == other.place }

        /// It does more than send plain HTTP to https.
        var serves: Bool { !settings.redirectsToHTTPS }

        func isAt(_ port: UInt16) -> Bool { settings.address.unixPath == nil && settings.address.port == port }

        func isPublic(_ scheme: String) -> Bool { settings.publicURL.hasPrefix(scheme + ":") }
    }

    /// The port that an authority names; nil where it is the scheme's own.
    private static func port(of authority: String) -> UInt16? {
        guard let colon = authority.lastIndex(of: ":"), authority.last != "]" else { return nil }
        return UInt16(authority[authority.index(after: colon)...])
    }
}

extension RequestDraft {
    /// The value of the first Host field of a head.
    package static func host(in head: [UInt8]) -> String? {
        for line in head.split(separator: 0x0A) {
            let text = String(decoding: line, as: UTF8.self)
            guard text.lowercased().hasPrefix("host:") else { continue }
            return text.dropFirst(5).split { " \t\r".contains($0) }.first.map(String.init) ?? ""
        }
        return nil
    }
}
