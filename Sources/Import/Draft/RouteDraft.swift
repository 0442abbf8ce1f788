import Configuration

/// A route that is made.
struct RouteDraft: Sendable {
    /// The host that it is of, where that is none of the listener's names.
    var host: String?
    var path: String
    var upstream: UpstreamDraft
    /// What it answers in place of an upstream.
    var answer: RouteAnswer?
    var isPublic = false
    /// Whether requests without a session pass without identity, as they did.
    var isOptional = false
    var rules = ClaimRules()
    /// Networks whose clients pass without a login.
    var networks: [String] = []
    var methods: [String] = []
    var identity = IdentityFields()
    /// What stands behind `upstream_credential`.
    var credential: String?
    var requestFields = FieldChanges(.requestField)
    var responseFields = FieldChanges(.responseField)
    /// How the upstream knows its paths.
    var rewrite: String?
    /// Keys beside those, each on a line.
    var lines: [String] = []
    /// What could not be carried, above the route.
    var comments: [String] = []

    init(_ path: String, upstream: UpstreamDraft) {
        self.path = path
        self.upstream = upstream
    }

    var isSubtree: Bool { path.hasSuffix("/") }

    /// Whether a path is one of this route's, as long as no longer route has it.
    func covers(_ path: String) -> Bool { self.path == path || isSubtree && path.hasPrefix(self.path) }

    /// Whether it has a path that `path` accepts (RFC 3986) and that the gateway takes.
    static func isPath(_ path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= 512 && path.firstRange(of: "//") == nil
            && path.utf8.allSatisfy { isUnreserved($0) || "/:@!$&'()+,=".utf8.contains($0) }
            && (path == "/" || AcceptedText.isGood(PathRewrite.withoutSlash(path), for: .prefix))
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || "-._~".utf8.contains(byte)
    }

    /// Has its upstream know its paths otherwise; false where it cannot.
    mutating func apply(_ change: PathRewrite) -> Bool {
        guard change.base.isEmpty || !upstream.isSocket else { return false }
        rewrite = change.line
        upstream.base = change.base
        return true
    }

    /// The route as it is printed; fields of these names, folded, are told by identity alone.
    func text(client: String, identity names: Set<String>) -> [String] {
        var text = comments.map { "  # " + $0 }
        if let host {
            text.append("  - host: \(YAMLText.scalar(host))")
            text.append("    path: \(YAMLText.scalar(path))")
        } else {
            text.append("  - path: \(YAMLText.scalar(path))")
        }
        text.append("    " + (answer.map(\.text) ?? "upstream: \(upstream.text)"))
        if !isPublic, !rules.undecided.isEmpty {
            text.append(
                "    # nobody passes until you decide about \(rules.undecided.joined(separator: ", ")): replace "
                    + ClaimRules.undecidedClaim)
        }
        text.append("    " + access(client))
        if !methods.isEmpty { text.append("    methods: \(YAMLText.list(methods))") }
        var keys: [String] = []
        // What tells who is there has no place where nobody is known, and what is for an upstream none where there is none.
        if answer == nil {
            keys += [rewrite].compactMap { $0 } + lines
            if !isPublic {
                keys += [identity.text].compactMap { $0 }
                if let credential { keys.append("upstream_credential: \(credential)") }
            }
            if let fields = requestFields.text(without: names) { keys.append(fields) }
        }
        if let fields = responseFields.text(without: []) { keys.append(fields) }
        return text + keys.map { "    " + $0 }
    }

    private func access(_ client: String) -> String {
        if isPublic { return "public: true" }
        var parts = ["client: \(client)"]
        if !rules.isEmpty { parts.append(rules.text) }
        if isOptional { parts.append("optional: true") }
        // Whoever passes without a login passes whatever is not decided.
        if !networks.isEmpty, rules.undecided.isEmpty { parts.append("networks: \(YAMLText.list(networks))") }
        return parts.count == 1 ? "login: \(client)" : "login: { \(parts.joined(separator: ", ")) }"
    }
}
