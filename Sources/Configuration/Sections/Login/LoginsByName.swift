/// The clients that a route's `login` names, in the order of the clients: each is a login.
struct LoginsByName {
    private let names: [String]
    /// Of routes at the listeners' own names.
    private let places: [Place]

    init(_ document: CheckedObject) {
        let routes = document.list("routes").compactMap(\.object)
        let named = routes.compactMap(LoginAccessSection.clientName)
        places = routes.filter { !$0.says("host") }.compactMap(LoginAccessSection.clientName).map(\.place)
        names = document.entries("clients").map(\.name).filter { name in named.contains { $0.text == name } }
    }

    /// The place of a login among the gateway's, or nil when no route names it.
    func index(of name: String) -> Int? { names.firstIndex(of: name) }

    /// Where a route without a host first says login.
    var first: Place? { places.min { $0.position < $1.position } }

    /// A session in a cookie that travels by plain HTTP is anybody's, and browsers keep no `__Host-` cookie from there.
    func judge(_ document: CheckedObject, _ problems: ProblemList) {
        guard let first else { return }
        for listener in document.list("listeners").compactMap(\.object) {
            guard let url = listener.text("public_url"), let address = WebAddress(url.text), !address.isSecure else {
                continue
            }
            // Judged with the listener, which may do so on this machine alone.
            if listener.flag("insecure_allow_http") == true {
                refuseFAPI(document, at: listener.place(of: "insecure_allow_http"), problems)
                continue
            }
            problems.error(
                at: url.place, expected: "an https public_url where routes say login (\(first.position.words))",
                found: Quoted.text(url.text),
                remedy:
                    "the redirect_uri and the session cookie begin with it: add tls here, or end TLS in front and write https"
                    + (Self.isLocal(address) ? "; for development on this machine add  insecure_allow_http: true" : ""))
        }
    }

    private static func isLocal(_ address: WebAddress) -> Bool {
        address.host == "localhost" || address.host.hasSuffix(".localhost")
    }

    /// The profile has TLS everywhere (FAPI 2.0 §5.2.1).
    private func refuseFAPI(_ document: CheckedObject, at place: Place, _ problems: ProblemList) {
        let clients = document.entries("clients")
        guard
            let client = clients.first(where: { entry in
                names.contains(entry.name) && (entry.value?.object.map(FAPIProfile.isAsked) ?? false)
            })
        else { return }
        problems.error(
            at: place, expected: "https for the client \(Quoted.bare(client.name)) with profile: fapi2",
            found: "insecure_allow_http", remedy: "leave it out, or develop without the profile")
    }
}
