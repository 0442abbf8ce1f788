import Configuration

/// Fields that tell an upstream who is there, as `identity` of a route.
struct IdentityFields: Sendable {
    /// What fills a field.
    enum Source: Sendable, Equatable {
        case claim(String)
        case list(String, separator: String)
        case accessToken
    }

    private static let mostFields = 32
    /// What stands for other names, by how they begin.
    private static let substitutes = [("x-forwarded-", "X-Auth-Request-")]
    private static let accessToken = "x-forwarded-access-token"

    /// How what is said of another name ends.
    static let renaming = "change what the app reads"

    private(set) var fields: [(name: String, source: Source)] = []

    /// The names as servers that fold them read them.
    var names: [String] { fields.map { Self.folded($0.name) } }

    /// Fills a field; returns what it is called here, or nil where nothing may fill it.
    @discardableResult
    mutating func add(_ name: String, _ source: Source) -> String? {
        guard let own = Self.name(name, source) else { return nil }
        switch source {
        case .claim(let claim), .list(let claim, _):
            guard AcceptedText.isGood(claim, for: .claim) else { return nil }
        case .accessToken: break
        }
        let isThere = fields.contains { Self.folded($0.name) == Self.folded(own) }
        if !isThere, fields.count < Self.mostFields { fields.append((own, source)) }
        return own
    }

    private static func name(_ name: String, _ source: Source) -> String? {
        let isTokens = folded(name) == accessToken
        if isTokens, source != .accessToken { return nil }
        if AcceptedText.isGood(name, for: .identityField) { return name }
        for (prefix, other) in substitutes where name.lowercased().hasPrefix(prefix) {
            let substitute = other + name.dropFirst(prefix.utf8.count)
            if AcceptedText.isGood(substitute, for: .identityField) { return substitute }
        }
        return nil
    }

    /// How servers that fold names read one.
    static func folded(_ name: String) -> String {
        String(name.lowercased().map { $0 == "_" || $0 == "." ? "-" : $0 })
    }

    /// The key with its value; nil where there is no field.
    var text: String? {
        guard !fields.isEmpty else { return nil }
        let texts = fields.map { field in
            let value: String
            switch field.source {
            case .claim(let claim): value = YAMLText.scalar(claim)
            case .list(let claim, let separator):
                let fits = AcceptedText.isGood(separator, for: .separator)
                value =
                    "{ claim: \(YAMLText.scalar(claim)), separator: \"\(fits ? YAMLText.escaped(separator) : ",")\" }"
            case .accessToken: value = "{ token: access_token }"
            }
            return "\(YAMLText.scalar(field.name)): \(value)"
        }
        return "identity: { \(texts.joined(separator: ", ")) }"
    }
}
