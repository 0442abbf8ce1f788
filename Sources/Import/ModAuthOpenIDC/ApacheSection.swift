/// What sections of Apache say of one path, merged in the order in which Apache merges them: the later one counts.
struct ApacheAccess {
    var scheme: String?
    var requirements: [Directive] = []
    var isGranted = false
    /// Of the innermost settings of the module at this path.
    var settings: [String: Directive] = [:]
    /// What changes fields, the later one counting.
    var fields: [Directive] = []

    /// Adds what one section says.
    mutating func merge(_ section: Directive) {
        var own: [Directive] = []
        for directive in section.children {
            switch directive.name {
            case "authtype": scheme = directive.arguments.first?.lowercased()
            case "require", "requireall", "requireany", "requirenone": own.append(directive)
            case "order", "allow", "deny", "satisfy", "authmerging", "limit", "limitexcept", "if":
                // Older words, and merges and conditions that are not followed: whoever says more than "all" is taken at it.
                let text = directive.arguments.map { $0.lowercased() }
                if directive.name == "allow" || directive.name == "order" || text == ["off"] { continue }
                own.append(Directive(name: "require", arguments: ["expr"], place: directive.place))
                own.append(Directive(name: "requirenone", arguments: [], place: directive.place))
            default:
                if directive.name.hasPrefix("oidc") { settings[directive.name] = directive }
                if directive.name == "requestheader" || directive.name == "header" { fields.append(directive) }
            }
        }
        if !own.isEmpty { requirements = own }
    }
}

/// What `Require` lines let through.
enum ApacheRequirement {
    /// Everybody, or whoever has a session and fits the rules, or comes from some networks.
    struct Outcome {
        var isEverybody = false
        /// Whether it is an alternative that is known: an unknown one is left out where others are there.
        var isKnown = true
        /// Whether an alternative is left out.
        var isPartial = false
        var rules = ClaimRules()
        var networks: [String] = []
    }

    /// Alternatives, as Apache has lines beside each other.
    static func any(_ directives: [Directive]) -> Outcome {
        var outcome = Outcome()
        var single: [ClaimRule] = []
        var several: [ClaimRules] = []
        var unclear: [ClaimRules] = []
        var (isLogin, isKnown) = (false, false)
        // What forbids in place of allowing is no alternative: it holds beside the others.
        if directives.contains(where: { $0.name == "requirenone" || $0.arguments.first == "not" }) {
            outcome.rules.undecide("Require")
            return outcome
        }
        for directive in directives {
            if directive.isBlock {
                let inner = directive.name == "requireall" ? all(directive.children) : any(directive.children)
                if inner.isEverybody { return inner }
                outcome.networks += inner.networks
                outcome.isPartial = outcome.isPartial || inner.isPartial
                if inner.rules.isEmpty {
                    (isLogin, isKnown) = (true, true)
                } else if !inner.isKnown || !inner.rules.undecided.isEmpty {
                    unclear.append(inner.rules)
                } else if let rules = inner.rules.oneOf {
                    single += rules
                } else {
                    several.append(inner.rules)
                }
                continue
            }
            switch directive.arguments.first?.lowercased() {
            case "all" where directive.arguments.dropFirst().first?.lowercased() == "granted":
                return Outcome(isEverybody: true)
            case "valid-user": (isLogin, isKnown) = (true, true)
            case "ip": outcome.networks += directive.arguments.dropFirst()
            case "claim":
                for expression in directive.arguments.dropFirst() {
                    if let (name, value) = claim(expression) {
                        single.append(ClaimRule(claim: name, values: [value]))
                    } else {
                        outcome.isPartial = true
                    }
                }
            default: outcome.isPartial = true
            }
        }
        if isLogin { return outcome }
        isKnown = isKnown || !single.isEmpty || several.count == 1
        if !single.isEmpty {
            outcome.rules.require(oneOf: single, from: "Require claim")
            outcome.isPartial = outcome.isPartial || !several.isEmpty || !unclear.isEmpty
        } else if several.count == 1 {
            outcome.rules = several[0]
            outcome.isPartial = outcome.isPartial || !unclear.isEmpty
        } else if several.isEmpty, unclear.count == 1, !outcome.isPartial {
            outcome.rules = unclear[0]
        }
        if !isKnown || outcome.rules.isEmpty { outcome.rules.undecide("Require") }
        outcome.isKnown = isKnown
        return outcome
    }

    /// All of them at once.
    static func all(_ directives: [Directive]) -> Outcome {
        var outcome = Outcome()
        var isEverybody = !directives.isEmpty
        for directive in directives {
            let isNegated = directive.arguments.first?.lowercased() == "not"
            let inner: Outcome
            if isNegated || directive.name == "requirenone" {
                var undecided = Outcome()
                undecided.rules.undecide("Require not")
                inner = undecided
            } else {
                inner =
                    directive.isBlock && directive.name == "requireall"
                    ? all(directive.children) : any(directive.isBlock ? directive.children : [directive])
            }
            if !inner.isEverybody { isEverybody = false }
            outcome.isPartial = outcome.isPartial || inner.isPartial || !inner.networks.isEmpty
            outcome.rules.add(inner.rules)
        }
        outcome.isEverybody = isEverybody
        return outcome
    }

    /// `name:value`; nil for expressions, and for names that are URLs.
    private static func claim(_ text: String) -> (String, String)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (name, value) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
        guard !name.isEmpty, !value.isEmpty, !value.hasPrefix("//"),
            !name.utf8.contains(where: { "~^\\*[]\"".utf8.contains($0) })
        else { return nil }
        return (name, value)
    }
}
