import Configuration

/// Fields that a location of nginx tells its upstream and its clients.
struct NginxFields {
    private(set) var identity = IdentityFields()
    private(set) var credential: String?
    private(set) var takesWebSockets = false
    private(set) var requestFields = FieldChanges(.requestField)
    private(set) var responseFields = FieldChanges(.responseField)
    private(set) var notes: [(directive: Directive, why: String)] = []
    private(set) var differences: [String] = []

    /// What nginx says of the connection and the request, which the gateway says itself.
    private static let ofGateway = [
        "host", "connection", "x-real-ip", "x-scheme", "x-request-id", "accept-encoding", "content-length", "upgrade",
        "x-original-uri", "x-original-url", "x-original-method",
    ]

    init(_ own: NginxScope) {
        var sources: [String: String] = [:]
        for directive in own.all("auth_request_set") where directive.arguments.count == 2 {
            sources[directive.arguments[0].filter { !"{}".contains($0) }] = directive.arguments[1].lowercased()
        }
        for directive in own.all("proxy_set_header") where directive.arguments.count == 2 {
            let (name, value) = (directive.arguments[0], directive.arguments[1])
            if let source = sources[value.filter { !"{}".contains($0) }]
                ?? (value.hasPrefix("$oidc_") ? value : nil)
            {
                tell(name, source, directive)
            } else {
                change(name, value, directive)
            }
        }
        for directive in own.all("proxy_hide_header") {
            guard let name = directive.arguments.first else { continue }
            keep(responseFields.remove(name), directive)
        }
        for directive in own.all("add_header") where directive.arguments.count >= 2 {
            let (name, value) = (directive.arguments[0], directive.arguments[1])
            if value.utf8.contains(UInt8(ascii: "$")) {
                if name.lowercased() == "set-cookie" { continue }
                let isOfUser = sources[value.filter { !"{}".contains($0) }] != nil || value.hasPrefix("$oidc_")
                notes.append((directive, isOfUser ? FieldChanges.ofUser : "a value of nginx's own has no key"))
            } else if !value.isEmpty {
                keep(responseFields.set(name, to: value), directive)
            }
        }
    }

    /// A field that is told what nobody but nginx knows, or always the same.
    private mutating func change(_ name: String, _ value: String, _ directive: Directive) {
        let folded = name.lowercased()
        if folded == "upgrade" { takesWebSockets = !value.isEmpty }
        if Self.ofGateway.contains(folded) || folded.hasPrefix("x-forwarded-") && !value.isEmpty { return }
        if value.isEmpty {
            keep(requestFields.remove(name), directive)
        } else if value.utf8.contains(UInt8(ascii: "$")) {
            notes.append((directive, "a value of nginx's own has no key in identity"))
        } else {
            keep(requestFields.set(name, to: value), directive)
        }
    }

    private mutating func keep(_ fate: FieldChanges.Fate, _ directive: Directive) {
        switch fate {
        case .carried: return
        case .concealed:
            notes.append(
                (directive, "not printed, for it could be a secret: say request_fields or upstream_credential"))
        case .refused: notes.append((directive, "the gateway decides about this field"))
        }
    }

    private static let claims = [
        "user": "sub", "email": "email", "groups": "groups", "preferred_username": "preferred_username",
    ]

    /// A field that tells who is there, from a field of the answer of oauth2-proxy, or from nginx's own login.
    private mutating func tell(_ name: String, _ source: String, _ directive: Directive) {
        let prefix = "$upstream_http_x_auth_request_"
        if name.lowercased() == "authorization" {
            if source == "$upstream_http_authorization" { return credential = "{ pass: id_token }" }
            if source == prefix + "access_token" || source == "$oidc_access_token" { return credential = "pass" }
            return notes.append((directive, "see upstream_credential"))
        }
        var filled: IdentityFields.Source?
        if source == prefix + "access_token" || source == "$oidc_access_token" { filled = .accessToken }
        if source.hasPrefix(prefix), let claim = Self.claims[String(source.dropFirst(prefix.utf8.count))] {
            filled = claim == "groups" ? .list(claim, separator: ",") : .claim(claim)
        }
        if source.hasPrefix("$oidc_claim_") { filled = .claim(String(source.dropFirst(12))) }
        guard let filled else {
            return notes.append(
                (directive, "tokens and cookies of oauth2-proxy are in no field: see upstream_credential"))
        }
        guard let own = identity.add(name, filled) else {
            return notes.append((directive, "identity cannot fill this field: choose another name"))
        }
        if own != name {
            differences.append("\(Printable.ascii(name)) is called \(own): \(IdentityFields.renaming)")
        }
    }
}
