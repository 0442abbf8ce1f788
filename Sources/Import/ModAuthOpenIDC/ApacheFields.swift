import Configuration

/// Fields that Apache tells an upstream and clients at one path.
struct ApacheFields {
    private(set) var identity = IdentityFields()
    private(set) var credential: String?
    private(set) var requestFields = FieldChanges(.requestField)
    private(set) var responseFields = FieldChanges(.responseField)
    private(set) var notes: [(directive: Directive, why: String)] = []

    /// `value` is the first argument of a setting of the module at this path.
    init(_ access: ApacheAccess, _ directives: [Directive], value: (String) -> String?, bindsTokens: Bool) {
        let user = value("oidcremoteuserclaim").map { String($0.prefix { $0 != "@" }) } ?? "sub"
        let prefix = value("oidcclaimprefix") ?? "OIDC_CLAIM_"
        let separator = value("oidcclaimdelimiter") ?? ","
        func source(_ claim: String) -> IdentityFields.Source {
            claim == "groups" ? .list(claim, separator: separator) : .claim(claim)
        }
        if let name = value("oidcauthnheader") { identity.add(name, source(user)) }
        // The later one counts, and the first one that is added here.
        let changes = directives.filter { ["requestheader", "header"].contains($0.name) } + access.fields
        for directive in changes.reversed() {
            let words = directive.arguments.drop { ["always", "onsuccess", "early"].contains($0.lowercased()) }
            guard words.count >= 2, let action = words.first?.lowercased() else { continue }
            let name = words[words.startIndex + 1]
            let text = words.count > 2 ? words[words.startIndex + 2] : ""
            if directive.name == "requestheader", action == "set" {
                if text.hasPrefix("%{" + prefix), text.hasSuffix("}e") {
                    let claim = String(text.dropFirst(2 + prefix.utf8.count).dropLast(2))
                    tell(name, source(claim), directive)
                    continue
                }
                if text == "%{REMOTE_USER}e" || text == "%{REMOTE_USER}s" {
                    tell(name, source(user), directive)
                    continue
                }
            }
            change(directive, action, name, text)
        }
        if !["none", "environment"].contains(value("oidcpassclaimsas") ?? "both") {
            for claim in ["sub", "email", "name", "preferred_username", "groups"] {
                identity.add(prefix + claim, source(claim))
            }
        }
        guard value("oidcpassaccesstoken")?.lowercased() == "on" else { return }
        if bindsTokens { credential = "pass" } else { identity.add("OIDC_access_token", .accessToken) }
    }

    private mutating func tell(_ name: String, _ source: IdentityFields.Source, _ directive: Directive) {
        if identity.add(name, source) == nil {
            notes.append((directive, "identity cannot fill \(Printable.ascii(name)): choose another name"))
        }
    }

    private mutating func change(_ directive: Directive, _ action: String, _ name: String, _ text: String) {
        let isOfRequest = directive.name == "requestheader"
        let fate: FieldChanges.Fate
        switch action {
        case "set" where !text.utf8.contains(UInt8(ascii: "%")) && !text.isEmpty:
            fate = isOfRequest ? requestFields.set(name, to: text) : responseFields.set(name, to: text)
        case "unset": fate = isOfRequest ? requestFields.remove(name) : responseFields.remove(name)
        case "set" where !isOfRequest && (text.hasPrefix("%{OIDC_") || text.hasPrefix("%{REMOTE_USER}")):
            return notes.append((directive, FieldChanges.ofUser))
        default: return notes.append((directive, "a value of Apache's own has no key, nor what adds or edits"))
        }
        switch fate {
        case .carried: return
        case .concealed:
            notes.append(
                (directive, "not printed, for it could be a secret: say request_fields or upstream_credential"))
        case .refused:
            // What is said of the connection the gateway says by itself.
            if isOfRequest, name.lowercased().hasPrefix("x-forwarded-") { return }
            notes.append((directive, "the gateway decides about \(Printable.ascii(name))"))
        }
    }
}
