/// Compares the clients that are there with those that issuers and routes name.
struct ClientsInUse {
    private let entries: [CheckedEntry]
    private let introspecting: Set<String>
    private let exchanging: Set<String>
    private let loggingIn: Set<String>

    init(_ document: CheckedObject) {
        entries = document.entries("clients")
        introspecting = Set(
            document.entries("issuers").compactMap { $0.value?.object?.object("introspection")?.text("client")?.text })
        exchanging = Set(
            document.list("routes").compactMap {
                $0.object?.object("upstream_credential")?.object("exchange")?.text("client")?.text
            })
        loggingIn = Set(
            document.list("routes").compactMap { $0.object.flatMap(LoginAccessSection.clientName)?.text })
    }

    /// Names of the issuers whose token endpoint somebody needs: to exchange or get tokens, or as the aud of an assertion.
    var issuersAskedForTokens: Set<String> {
        Set(
            entries.compactMap { entry in
                let client = entry.value?.object
                let audience = client?.object("authentication")?.text("audience")?.text
                return exchanging.contains(entry.name) || loggingIn.contains(entry.name) || audience == "token_endpoint"
                    ? client?.text("issuer")?.text : nil
            })
    }

    private func warnOfLoginKeys(_ entry: CheckedEntry, _ problems: ProblemList) {
        guard let object = entry.value?.object else { return }
        let said = LoginSection.keys.map(\.name).filter(object.says)
            .sorted { object.place(of: $0).position < object.place(of: $1).position }
        guard let first = said.first else { return }
        problems.warning(
            at: object.place(of: first), expected: "a route whose login names the client", found: "none",
            remedy: "add  login: \(entry.name)  to a route, or leave out \(said.joined(separator: ", "))")
    }

    /// What a server tells about tokens, or gives for one, it must not tell or give to anybody (RFC 7662 §2.1).
    private func judgePublicClient(_ entry: CheckedEntry, _ problems: ProblemList) {
        guard introspecting.contains(entry.name) || exchanging.contains(entry.name),
            let method = entry.value?.object?.object("authentication")?.text("method"),
            method.text == ClientAuthenticationSection.publicClient
        else { return }
        problems.error(
            at: method.place, expected: "a client that proves who it is for introspection and exchange",
            found: Quoted.text(method.text), remedy: "name another client there, which has a secret or a key")
    }

    func judge(_ problems: ProblemList) {
        // While the rest does not fit, what it uses is not known.
        guard !problems.hasErrors else { return }
        for entry in entries { judgePublicClient(entry, problems) }
        for entry in entries where !loggingIn.contains(entry.name) {
            guard introspecting.contains(entry.name) || exchanging.contains(entry.name) else {
                problems.warning(
                    at: entry.place, expected: "a login, introspection or exchange that names the client",
                    found: "none", remedy: "leave it out, or name it where it is to ask")
                continue
            }
            warnOfLoginKeys(entry, problems)
        }
    }
}
