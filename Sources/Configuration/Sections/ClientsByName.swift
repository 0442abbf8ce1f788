/// The clients of the document, for the settings that name one of them.
struct ClientsByName {
    struct Client {
        /// Among the clients' settings.
        var index: Int
        /// Nil while the client does not say a name of an issuer.
        var issuer: String?
        /// What it says; nil when that is no mapping.
        var object: CheckedObject?
    }

    /// Nil when `clients` does not fit its shape, so that one mistake is not told once more for every mention.
    private let entries: [CheckedEntry]?

    init(_ document: CheckedObject) {
        entries = document.says("clients") ? document["clients"]?.entries : []
    }

    /// The client of that name, or nil after the problem has been noted.
    func find(_ name: PlacedText, _ problems: ProblemList) -> Client? {
        guard let entries else { return nil }
        guard let index = entries.firstIndex(where: { $0.name == name.text }) else {
            problems.error(
                at: name.place, expected: "the name of a client", found: Quoted.text(name.text),
                remedy: entries.isEmpty
                    ? "add  clients: { \(Quoted.bare(name.text)): { issuer: …, id: …, authentication: { … } } }"
                    : Suggestion.remedy(for: name.text, among: entries.map(\.name), called: "clients"))
            return nil
        }
        let object = entries[index].value?.object
        return Client(index: index, issuer: object?.text("issuer")?.text, object: object)
    }
}

/// The issuers of the document, for what other settings must know of them.
struct IssuersByName {
    private let entries: [CheckedEntry]?

    init(_ document: CheckedObject) {
        entries = document.says("issuers") ? document["issuers"]?.entries : []
    }

    /// Nil when `issuers` does not fit its shape.
    var names: [String]? { entries?.map(\.name) }

    func isIntrospecting(_ name: String) -> Bool { self[name]?.says("introspection") ?? false }

    /// Whether no metadata of the issuer is read, so that its endpoints stay unknown.
    func discoversNothing(_ name: String) -> Bool {
        guard let issuer = self[name] else { return false }
        guard issuer.says("discovery") else {
            return issuer.says("jwks") || issuer.says("jwks_uri") || issuer.says("endpoints")
        }
        return issuer.text("discovery")?.text == "none"
    }

    /// Whether the issuer is a server without metadata and keys, whose endpoints the configuration says.
    func hasEndpoints(_ name: String) -> Bool { self[name]?.says("endpoints") ?? false }

    /// The place of an issuer among the issuers' settings, or nil after the problem has been noted.
    func index(of name: PlacedText, _ problems: ProblemList) -> Int? {
        guard let names else { return nil }
        if let index = names.firstIndex(of: name.text) { return index }
        problems.error(
            at: name.place, expected: "the name of an issuer", found: Quoted.text(name.text),
            remedy: Suggestion.remedy(for: name.text, among: names, called: "issuers"))
        return nil
    }

    private subscript(_ name: String) -> CheckedObject? { entries?.first { $0.name == name }?.value?.object }
}
