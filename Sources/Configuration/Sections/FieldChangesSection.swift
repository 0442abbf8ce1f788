import Access
import Bytes

/// `request_fields`, `response_fields` and `security_headers` of a route (ECO-70).
enum FieldChangesSection {
    private static let claim = ObjectShape(
        noun: "a mapping with claim",
        keys: [
            KeyDescription(
                "claim", .text(ClaimPathText.shape), .required, example: "tenant",
                "The claim whose value fills the field.")
        ])

    private static let requestFields = ObjectShape(
        noun: "changes of fields",
        keys: [
            KeyDescription(
                "set",
                .entries(
                    EntriesShape(
                        noun: "field names to values", name: ChangedFieldText.ofRequests,
                        value: .either([.text(ChangedFieldText.value), .object(claim)]), count: 1...32)),
                .optional, example: "{ X-Environment: production, X-Tenant: { claim: tenant } }",
                "Fields that the upstream gets, whatever clients send under these names: a text, or a claim as in identity."
            ),
            KeyDescription(
                "remove",
                .list(ListShape(noun: "field names", element: .text(ChangedFieldText.ofRequests), count: 1...32)),
                .optional, example: "[X-Debug]", "Fields of clients that the upstream does not get."),
        ])

    private static let responseFields = ObjectShape(
        noun: "changes of fields",
        keys: [
            KeyDescription(
                "set",
                .entries(
                    EntriesShape(
                        noun: "field names to values", name: ChangedFieldText.ofResponses,
                        value: .either([.text(ChangedFieldText.value), .object(claim)]), count: 1...32)),
                .optional, example: "{ X-Robots-Tag: noindex, X-Tenant: { claim: tenant } }",
                "Fields that clients get, whatever the upstream sends under these names: a text, or a claim of the client's own token or session."
            ),
            KeyDescription(
                "remove",
                .list(ListShape(noun: "field names", element: .text(ChangedFieldText.ofResponses), count: 1...32)),
                .optional, example: "[Server]", "Fields of the upstream that clients do not get."),
        ])

    static let rows: [Setting<RouteSettings>] = [
        .key(
            "request_fields", .object(requestFields), .optional, example: "{ set: { X-Environment: production } }",
            "Fields that the upstream gets, and fields of clients that it does not."),
        .key(
            "response_fields", .object(responseFields), .optional, example: "{ remove: [Server] }",
            "Fields that clients get, and fields of the upstream that they do not."),
        .flag(
            "security_headers", \.hasSecurityHeaders,
            "Tells browsers to be strict, in fields that the upstream does not send itself."),
    ]

    /// What is set to a claim, which is an identity field in every way.
    static func claims(of route: CheckedObject, in key: String = "request_fields") -> [CheckedEntry] {
        (route.object(key)?.entries("set") ?? []).filter { $0.value?.object != nil }
    }

    /// The fields of `response_fields` that are filled from claims.
    static func responseClaims(of route: CheckedObject, _ problems: ProblemList) -> [IdentityFieldSettings] {
        let entries = claims(of: route, in: "response_fields")
        if route.flag("grpc") == true {
            for entry in entries where FieldNameText.folded(entry.name).hasSuffix("-bin") {
                problems.error(
                    at: entry.place, expected: "a name that does not end in -bin, whose value gRPC takes for bytes",
                    found: Quoted.text(entry.name), remedy: "choose another name")
            }
        }
        return entries.compactMap { entry in
            entry.value?.object?.text("claim").flatMap { ClaimPathText.parse($0.text) }
                .map { IdentityFieldSettings(name: entry.name, claim: $0) }
        }
    }

    static func translate(_ route: CheckedObject, _ key: String, _ problems: ProblemList) -> FieldChangeSettings {
        var settings = FieldChangeSettings()
        guard let object = route.object(key) else { return settings }
        let removed = object.texts("remove")
        Repetition.refuse(removed, problems)
        settings.removed = removed.map(\.text)
        var seen: Set<String> = []
        for entry in object.entries("set") {
            if !seen.insert(FieldNameText.folded(entry.name)).inserted {
                problems.error(
                    at: entry.place, expected: "each field once", found: "\(Quoted.text(entry.name)) again",
                    remedy: "keep one of them")
            }
            let names = key == "request_fields" ? ChangedFieldText.ofRequests : ChangedFieldText.ofResponses
            // What is no name of a field here at all was told already.
            if entry.value?.object != nil, names.fault(entry.name) == nil,
                let fault = FieldNameText.shape.fault(entry.name)
            {
                problems.error(
                    at: entry.place, expected: fault.expected ?? FieldNameText.shape.expected,
                    found: Quoted.text(entry.name), remedy: fault.remedy)
            }
            if let value = entry.value?.text {
                settings.constants.append(FieldConstant(name: entry.name, value: value))
            }
        }
        for name in removed where seen.contains(FieldNameText.folded(name.text)) {
            problems.error(
                at: name.place, expected: "a field that is not set beside it", found: Quoted.text(name.text),
                remedy: "leave it out: what is set takes the place of every other")
        }
        return settings
    }

    /// Nobody is known on a public route.
    static func judgePublic(_ route: CheckedObject, _ problems: ProblemList) {
        guard !route.says("token") else { return }
        for key in ["request_fields", "response_fields"] {
            guard let entry = claims(of: route, in: key).first else { continue }
            problems.error(
                at: entry.place, expected: "a constant on a public route", found: "a claim",
                remedy: "nobody is known here; write a text, or say token with optional: true")
        }
    }

    /// Refuses to set or remove what says elsewhere who calls.
    static func judgeNames(_ routes: [CheckedObject], _ problems: ProblemList) {
        let identity = Set(
            routes.flatMap { ($0.entries("identity") + claims(of: $0)).map { FieldNameText.folded($0.name) } }
                + routes.compactMap { $0.object("upstream_credential")?.object("assertion")?.text("field")?.text }
                .map(FieldNameText.folded))
        judgeNames(routes, "request_fields", identity, problems)
        let told = routes.flatMap { claims(of: $0, in: "response_fields") }.map { FieldNameText.folded($0.name) }
        judgeNames(routes, "response_fields", Set(told), problems)
    }

    private static func judgeNames(
        _ routes: [CheckedObject], _ key: String, _ identity: Set<String>, _ problems: ProblemList
    ) {
        for fields in routes.compactMap({ $0.object(key) }) {
            let constants = fields.entries("set").filter { $0.value?.object == nil }
            let names = constants.map { PlacedText(place: $0.place, text: $0.name) } + fields.texts("remove")
            for name in names where identity.contains(FieldNameText.folded(name.text)) {
                problems.error(
                    at: name.place, expected: "a field that tells nobody's identity", found: Quoted.text(name.text),
                    remedy: "the gateway alone fills it, on all routes: choose another name")
            }
        }
    }
}

/// Names and values of fields that a route may change.
enum ChangedFieldText {
    static let value = TextShape(expected: "a value of printable ASCII", pattern: "^[!-~]([ -~]{0,1022}[!-~])?$") {
        text in
        let fits =
            (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
        return fits ? nil : TextFault(remedy: "use 1 to 1024 characters of printable ASCII, without spaces around them")
    }

    static let ofRequests = TextShape(
        expected: "a field name such as X-Environment", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$"
    ) { name in
        if let fault = fault(name, requestNames, requestPrefixes + ReservedNames.familyPrefixes) { return fault }
        let folded = FieldNameText.folded(name)
        guard !identityNames.contains(folded), !folded.hasPrefix("x-user") else {
            return TextFault(
                expected: "a field that tells nobody's identity",
                remedy: "apps take \(name) for who calls: fill it from a claim, in identity")
        }
        return nil
    }

    static let ofResponses = TextShape(
        expected: "a field name such as X-Robots-Tag", pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$"
    ) { name in fault(name, responseNames, responsePrefixes) }

    private static func fault(_ name: String, _ names: Set<String>, _ prefixes: [String]) -> TextFault? {
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(ASCII.isToken) else {
            return TextFault(remedy: "use letters, digits and hyphens")
        }
        let normal = ReservedNames.normalized(name)
        guard hop.contains(normal) || names.contains(normal) || prefixes.contains(where: normal.hasPrefix) else {
            return nil
        }
        return TextFault(
            expected: "a field that nothing else decides",
            remedy: normal.hasPrefix("access-control-")
                ? "say it in cors" : "\(name) is the gateway's own to write or to leave out; choose another name")
    }

    /// Framing, and what is of one hop (HTTP-22, HTTP-45).
    private static let hop: Set<String> = [
        "connection", "content-encoding", "content-length", "content-range", "http2-settings", "keep-alive", "te",
        "trailer", "transfer-encoding", "upgrade", "via",
    ]
    private static let requestNames = Set(
        [
            "authorization", "cookie", "cookie2", "dpop", "early-data", "expect", "host", "max-forwards", "origin",
            "range", "traceparent", "tracestate",
        ] + ReservedNames.fixed)
    private static let requestPrefixes = ["access-control-", "grpc-", "if-", "proxy-", "sec-"]
    /// What apps know users by, whoever fills it.
    private static let identityNames: Set<String> = [
        "x-email", "x-groups", "x-roles", "x-scopes", "x-subject", "x-username", "x-webauth-user",
    ]
    private static let responseNames: Set<String> = [
        "age", "authentication-info", "cache-control", "content-location", "content-type", "date", "dpop-nonce",
        "expires",
        "location", "pragma", "set-cookie", "set-cookie2", "vary", "www-authenticate", "x-request-id",
    ]
    private static let responsePrefixes = ["access-control-", "grpc-", "proxy-", "sec-websocket-", "x-forwarded-"]
}
