// SPDX-License-Identifier: Apache-2.0

/// Compares the clients that are there with those that issuers and routes name.
struct ClientsInUse {
    private let entries: [CheckedEntry]
    private let introspecting: Set<String>
    private let exchanging: Set<String>

    init(_ document: CheckedObject) {
        entries = document.entries("clients")
        introspecting = Set(
            document.entries("issuers").compactMap { $0.value?.object?.object("introspection")?.text("client")?.text })
        exchanging = Set(
            document.list("routes").compactMap {
                $0.object?.object("upstream_credential")?.object("exchange")?.text("client")?.text
            })
    }

    /// Names of the issuers whose token endpoint somebody needs: to exchange tokens, or as the aud of an assertion.
    var issuersAskedForTokens: Set<String> {
        Set(
            entries.compactMap { entry in
                let client = entry.value?.object
                let audience = client?.object("authentication")?.text("audience")?.text
                return exchanging.contains(entry.name) || audience == "token_endpoint"
                    ? client?.text("issuer")?.text : nil
            })
    }

    func judge(_ problems: ProblemList) {
        // While the rest does not fit, what it uses is not known.
        guard !problems.hasErrors else { return }
        for entry in entries where !introspecting.contains(entry.name) && !exchanging.contains(entry.name) {
            problems.warning(
                at: entry.place, expected: "an introspection or exchange that names the client", found: "none",
                remedy: "leave it out, or name it where it is to ask")
        }
    }
}
