/// Compares the issuers that are there with those that routes name, and with one another.
struct IssuersInUse {
    private let entries: [CheckedEntry]
    private let used: Set<String>

    init(_ document: CheckedObject) {
        entries = document.entries("issuers")
        let named = document.list("routes").compactMap { $0.object?.object("token") }.flatMap { $0.texts("issuers") }
        // Tokens may be exchanged at an issuer whose own no route accepts.
        let ofClients = document.entries("clients").compactMap { $0.value?.object?.text("issuer") }
        used = Set((named + ofClients).map(\.text))
    }

    func judge(_ problems: ProblemList) {
        var urls: [String: CheckedEntry] = [:]
        // While routes or issuers do not fit, what they use is not known.
        let isKnown = !problems.hasErrors
        for entry in entries {
            if isKnown, !used.contains(entry.name) {
                problems.warning(
                    at: entry.place, expected: "a route that names the issuer", found: "none",
                    remedy: "its keys are fetched all the same; leave it out, or name it in a route's token.issuers")
            }
            guard let url = entry.value?.object?.text("url") else { continue }
            guard let first = urls.updateValue(entry, forKey: url.text) else { continue }
            // A token names its issuer by URL alone: whose rules held would depend on the order.
            problems.error(
                at: url.place, expected: "a URL of its own for each issuer",
                found: "\(Quoted.text(url.text)), which is also the URL of \(first.name)",
                remedy: "merge the two, or correct one of the URLs")
        }
    }
}
