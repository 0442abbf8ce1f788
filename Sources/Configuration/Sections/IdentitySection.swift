import Access
import Gateway

/// `identity` of a route: header fields for the upstream, filled from claims.
enum IdentitySection {
    static let value = Shape.either([.text(ClaimPathText.shape), .object(shape)])

    private static let table = SettingTable(
        "a mapping with claim or token", defaults: IdentityFieldSettings(name: "", claim: []),
        [
            .key(
                "claim", .text(ClaimPathText.shape), .optional, example: "realm_access.roles",
                "The claim whose value fills the field."),
            .key(
                "token", .word(["access_token"]), .optional, example: "access_token",
                "Fills the field with the access token itself, the client's or the session's."),
            .text(
                "separator", \.separator, PlainText.separator, example: "\",\"",
                "What stands between the members of a list."),
            .word(
                "encoding", \.encoding, [("percent", .percent), ("base64url", .base64url), ("base64", .base64)],
                "How characters outside printable ASCII travel: each byte as %XX, or the whole value in base64url or base64."
            ),
        ], exactlyOne: ["claim", "token"])
    private static let shape = table.shape

    static func translate(_ route: CheckedObject, _ problems: ProblemList) -> [IdentityFieldSettings] {
        let entries = route.entries("identity") + FieldChangesSection.claims(of: route)
        var seen: [String: CheckedEntry] = [:]
        for entry in entries {
            // Upstreams that fold names (CGI, WSGI, Rack) would join or overwrite the two values.
            if let first = seen.updateValue(entry, forKey: FieldNameText.folded(entry.name)) {
                problems.error(
                    at: entry.place, expected: "field names that differ in more than case, _ and -",
                    found: "\(Quoted.text(entry.name)) beside \(Quoted.text(first.name))", remedy: "rename one of them")
            }
        }
        for entry in entries { suspectSwap(entry, problems) }
        let fields = entries.map { field($0, problems) }
        if route.flag("grpc") == true {
            for (entry, field) in zip(entries, fields) where field?.encoding != .base64 {
                judgeBytes(entry, problems)
            }
        }
        return fields.compactMap { $0 }
    }

    /// A server of gRPC decodes what has such a name, and takes the call for broken where it cannot (H2-91).
    private static func judgeBytes(_ entry: CheckedEntry, _ problems: ProblemList) {
        guard FieldNameText.folded(entry.name).hasSuffix("-bin") else { return }
        problems.error(
            at: entry.place,
            expected: "encoding: base64 for a name that ends in -bin, whose value gRPC takes for bytes",
            found: Quoted.text(entry.name), remedy: "say  { claim: sub, encoding: base64 } , or choose another name")
    }

    /// Claims that tokens and userinfo have everywhere; nobody calls a field so by chance.
    private static let claims: Set<String> = [
        "sub", "email", "email_verified", "name", "given_name", "family_name", "preferred_username", "groups", "roles",
        "scope", "scp", "iss", "client_id", "azp", "acr",
    ]

    /// A field named like a claim, or a claim named like a field: the upstream would get nobody's identity, and no error.
    private static func suspectSwap(_ entry: CheckedEntry, _ problems: ProblemList) {
        guard let value = entry.value, let claim = value.text ?? value.object?.text("claim")?.text, claim != entry.name
        else { return }
        let isFieldsName = claim.lowercased().hasPrefix("x-")
        guard isFieldsName || claims.contains(entry.name) else { return }
        problems.warning(
            at: entry.place, expected: "a field's name before the colon, and a claim behind it",
            found: "\(Quoted.text(entry.name)): \(Quoted.text(claim))",
            remedy: isFieldsName
                ? "write it as  \(Quoted.bare(claim)): \(Quoted.bare(entry.name))"
                : "name a field such as X-User-Id, and behind it the claim that fills it")
    }

    private static func field(_ entry: CheckedEntry, _ problems: ProblemList) -> IdentityFieldSettings? {
        guard let value = entry.value else { return nil }
        guard let object = value.object else {
            return value.text.flatMap(ClaimPathText.parse).map { IdentityFieldSettings(name: entry.name, claim: $0) }
        }
        if object.text("token") != nil {
            for key in ["separator", "encoding"] where object.says(key) {
                problems.error(
                    at: object.place(of: key), expected: "token alone", found: key,
                    remedy: "leave \(key) out: a token travels as it is")
            }
            var settings = IdentityFieldSettings(name: entry.name, claim: [])
            settings.isAccessToken = true
            return settings
        }
        guard let claim = object.text("claim").flatMap({ ClaimPathText.parse($0.text) }) else { return nil }
        var settings = IdentityFieldSettings(name: entry.name, claim: claim)
        table.read(object, into: &settings)
        let signs = [.base64url: "-_", .base64: "+/"][settings.encoding] ?? ""
        if settings.separator.contains(where: signs.contains) {
            problems.error(
                at: object.place(of: "separator"),
                expected: "a separator that \(settings.encoding) does not use",
                found: Quoted.text(settings.separator), remedy: "write it as  separator: \",\"")
        }
        return settings
    }
}
